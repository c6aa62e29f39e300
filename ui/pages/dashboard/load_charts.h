// Processor, memory, GPUs where there are some, and what finishes, over the last quarter of an hour, hour or day: charts from
// GET stats.
// While the connection is down time goes on and the lines do not. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/panel.h"

#include <optional>

namespace yard::ui {

/// GET stats, read.
struct LoadSeries {
    qint64 step = 0; ///< microseconds, as all times here
    std::vector<std::int64_t> t;
    std::vector<double> actions; ///< cores; Chart::kNone: not known
    std::vector<double> others;
    std::vector<double> memory;         ///< bytes
    std::vector<double> gpus;           ///< percent, 100: one of them; empty: none has figures
    std::vector<double> perMinute;      ///< completed
    std::vector<std::int64_t> failures; ///< steps in which something failed
};
/// What is not whole yet of the last step is not known; `now` tells.
LoadSeries loadSeriesOf(const QJsonObject& stats, qint64 now);

class LoadCharts final : public QWidget {
    Q_OBJECT
public:
    explicit LoadCharts(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    /// The last `minutes`.
    void setSpan(int minutes);
    int span() const { return minutes_; }
    /// Cores that others than actions use, and bytes in use on the machine; absent: not known now.
    std::optional<double> othersCores() const;
    std::optional<double> memoryBytes() const;
    Chart* processor() const { return processor_.chart; }
    Chart* memory() const { return memory_.chart; }
    Chart* gpus() const { return gpus_.chart; }
    Chart* finished() const { return finished_.chart; }

signals:
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Framed {
        Panel* panel = nullptr;
        Chart* chart = nullptr;
        Label* value = nullptr;
        QWidget* rule = nullptr;
    };
    Framed makeChart(const QString& title, QWidget* legend);
    std::optional<Request> ask();
    void draw();
    void drawProcessor();
    void drawMemory();
    void fitLimits();
    void alignTimes();
    void drawGpus();
    void drawFinished();
    std::vector<Framed> charts() const;
    Chart::Data dataOf(std::vector<std::vector<double>> values) const;

    Context context_;
    int minutes_ = 15;
    LoadSeries series_;
    double hold_ = 0; ///< percent of the memory; 0: never
    double stop_ = 0;
    qint64 now_ = 0;
    qint64 askedAt_ = 0; ///< when series_ was what is
    Label* limits_;
    Framed processor_;
    Framed memory_;
    Framed gpus_;
    Framed finished_;
    Poll* stats_;
    Poll* settings_;
    QTimer tick_;
};

} // namespace yard::ui
