// The next 24 hours as one strip: a tick for each time at which a schedule is due. Where more are due than can stand apart
// they are one wider tick. A click chooses the schedule. Owner: ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/style/accessible_text.h"

#include <QWidget>
#include <vector>

namespace yard::ui {

class DayStrip final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit DayStrip(QWidget* parent = nullptr);

    struct Times {
        QString schedule;
        std::vector<qint64> at; ///< microseconds since the epoch, ascending
        qint64 step = 0;        ///< and again so much after the last of them, until the strip ends; 0: not again
    };
    static constexpr qint64 kSpan = qint64{86'400} * 1'000'000;
    /// `from`: the left end. Times that are not within the strip are left out.
    void show(std::vector<Times> times, WallMicros from);
    void setChosen(const QString& schedule);

    /// What is due at about the same place.
    struct Tick {
        double x = 0;
        qint64 first = 0;
        qint64 last = 0;
        QStringList schedules; ///< each once, at most kMostNamed; that of the first time first
        int count = 0;
    };
    static constexpr qsizetype kMostNamed = 5;
    const std::vector<Tick>& ticks() const;
    QString wordsOf(const Tick& tick) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void chosen(const QString& schedule);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    double xOf(qint64 at) const;
    /// Null: there is none.
    const Tick* tickAt(const std::vector<Tick>& ticks, double x) const;
    void paintHours(QPainter& painter) const;
    std::vector<Tick> count(int places) const;

    std::vector<Times> times_;
    mutable std::vector<Tick> ticks_;
    mutable int ticksWidth_ = -1; ///< for which they are; -1: none yet
    WallMicros from_ = 0;
    QString chosen_;
};

} // namespace yard::ui
