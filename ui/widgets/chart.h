// A chart over time, as on the dashboard: up to four lines or areas of at most 600 points, a level grid, three
// labels upright, the time below, what is under the pointer. Drawn by Qt Charts, whose headers stay in chart.cpp;
// grid, labels, limits and marks are painted here, so that they keep to the window's pixels and tokens. Owner: ui
// thread.
//
// Gaps stay gaps: where a value is not known (kNone), or points lie further apart than the data's step allows, no
// line is drawn. New data is shown at most twice a second, the newest wins. The upright axis moves only when told
// to.
#pragma once

#include "ui/style/accessible_text.h"
#include "ui/style/tokens.h"

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace yard::ui {

class Chart final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    static constexpr std::size_t kMostSeries = 4;
    static constexpr std::size_t kMostPoints = 600; ///< of a series; of more, the highest of each stretch is kept
    static constexpr std::size_t kMostPieces = 40;  ///< stretches between gaps; older ones beyond are not drawn
    static constexpr int kLeastMs = 500;            ///< between two showings of new data
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    enum class Tone : std::uint8_t { Accent, Others, Good };
    struct Series {
        QString name; ///< translated: the legend's and the pointer's word
        Tone tone = Tone::Accent;
    };
    /// A label at the left, and a line of the grid.
    struct Mark {
        double value = 0;
        QString text;
    };
    struct Data {
        std::int64_t from = 0; ///< microseconds since the epoch, as all times here
        std::int64_t to = 0;
        std::int64_t step = 0;       ///< of a point; those further apart than two of them are not joined
        std::vector<std::int64_t> t; ///< rising
        std::vector<std::vector<double>> values; ///< of each series, as many as `t`
        std::vector<std::int64_t> ticks;         ///< failures: marks at the foot
    };
    /// What is to come, as a band from `at` on: when the value reaches 0 at the earliest, likely, at the latest.
    struct Forecast {
        std::int64_t at = 0;
        double value = 0;
        std::int64_t earliest = 0;
        std::int64_t likely = 0;
        std::int64_t latest = 0;
        QString head; ///< at the line of now: "now: 38,199 left"
        QString line; ///< below it: "done 10:09, between 10:05 and 10:14"
    };

    explicit Chart(const QString& name, QWidget* parent = nullptr);
    ~Chart() override;

    /// Once, before data. `stacked`: each stands on the one before.
    void setSeries(std::vector<Series> series, bool stacked = false);
    /// From 0 to `most`; `marks` from below upwards.
    void setAxis(double most, std::vector<Mark> marks);
    /// Dashed lines across.
    void setLimits(std::vector<double> limits);
    /// How a value reads beside the pointer.
    void setWords(std::function<QString(double)> words);
    /// In place of lines, when there is nothing to draw.
    void setMessage(const QString& message);
    /// In place of what was shown before.
    void replace(Data data);
    void setForecast(std::optional<Forecast> forecast);
    /// How many times stand below: charts side by side have the same. 0: as many as fit.
    void setTimes(int count);
    /// So many times stand 88 apart at least; two to five.
    int timesThatFit() const;

    const Data& data() const { return shown_; }
    /// What stands beside the pointer at `x` of this widget; empty outside, or where nothing is known.
    QString textAt(int x) const;
    /// How many unbroken stretches are drawn of a series.
    int pieces(std::size_t series) const;
    /// Where lines are drawn, in this widget.
    QRect plot() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    /// Each line: what it is now, and its least and most; then from when to when, and what is to come.
    QString spokenValue() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    friend class ChartOver;
    struct Drawing;
    void show();
    void layOut();
    void recolour();
    double xOf(std::int64_t t) const;
    double yOf(double value) const;
    std::optional<std::size_t> indexAt(int x) const;
    void paintOver(QPainter& painter, int pointer) const;
    void paintForecast(QPainter& painter) const;
    static void paintWords(QPainter& painter, const QRectF& area, const QString& text, Token token,
                           Qt::Alignment side);
    void paintPointer(QPainter& painter, int pointer) const;

    std::unique_ptr<Drawing> drawing_;
    QWidget* over_;
    std::vector<Series> series_;
    bool stacked_ = false;
    double most_ = 1;
    std::vector<Mark> marks_;
    std::vector<double> limits_;
    std::function<QString(double)> words_;
    QString message_;
    Data shown_;
    std::optional<Data> next_;
    std::optional<Forecast> forecast_;
    int times_ = 0;
    QTimer due_;
    QElapsedTimer since_;
};

/// At most kMostPoints points: of each stretch the highest, a gap where nothing in it is known.
Chart::Data thinned(Chart::Data data);
/// The least of 1, 2, 3, 4, 6 times a power of ten that is at least `value`, and at least `least`: the end of an
/// axis.
double niceEnd(double value, double least);
/// On an axis: 0, 500, "15 k", "1.5 M".
QString axisNumber(double value);

} // namespace yard::ui
