// The last runs of a worker, one upright line each: how long they took, and below what memory they needed. Failed
// ones are taller by a mark, so that they are found without colour. Owner: ui thread.
#pragma once

#include "ui/pages/workers/worker_figures.h"
#include "ui/style/accessible_text.h"

#include <QWidget>

namespace yard::ui {

class RunsChart final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit RunsChart(QWidget* parent = nullptr);
    void setRuns(std::vector<Run> runs);
    QSize sizeHint() const override { return {240, 160}; }
    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    QString spokenValue() const override;
    std::vector<SpokenPart> spokenParts() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    const Run* runAt(int x) const;
    static QString wordsOf(const Run& run);
    void paintPlot(QPainter& painter, const QRectF& area, bool memory) const;
    std::vector<Run> runs_;
};

} // namespace yard::ui
