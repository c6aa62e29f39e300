// Five figures of the pool, 60 high: processes against the limit as cells, found warm, time saved, waiting, memory.
// Owner: ui thread.
#pragma once

#include "ui/pages/pool/pool_view.h"
#include "ui/style/accessible_text.h"

#include <QWidget>
#include <deque>

namespace yard::ui {

class PoolStrip final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit PoolStrip(QWidget* parent = nullptr);
    /// `machineMemory`: bytes; 0: not known. `oldestWait`: how long what waits longest has; absent: not known.
    void show(const PoolView& pool, qint64 machineMemory, std::optional<Duration> oldestWait = {});
    using QWidget::show;
    /// What the figures say, left to right: "11 of 16", "99.2 %".
    const QStringList& figures() const { return figures_; }
    /// What stands behind them: "of 16", "oldest 4.1 s".
    const QStringList& notes() const { return notes_; }
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    std::vector<SpokenPart> spokenParts() const override;

protected:
    /// A tooltip has the whole of a figure, of which a part may be left out.
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    static QStringList captions();
    /// Of figure `i`, the first being 0.
    QRect partAt(int i) const;
    void paintCells(QPainter& painter, const QRectF& area) const;
    void paintTrend(QPainter& painter, const QRectF& area) const;
    QStringList figures_;
    QStringList notes_; ///< behind the figures
    QString states_;    ///< "7 busy, 3 idle"
    qint64 busy_ = 0;
    qint64 idle_ = 0;
    qint64 starting_ = 0;
    qint64 max_ = 0;
    std::deque<double> hitRates_; ///< the last looks
};

} // namespace yard::ui
