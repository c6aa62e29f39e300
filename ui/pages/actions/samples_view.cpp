#include "ui/pages/actions/samples_view.h"

#include "ui/state/poll.h"
#include "ui/style/format.h"
#include "ui/widgets/panel.h"

#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

constexpr int kSampleEveryMs = 2'000;
constexpr std::int64_t kLeastStep = 100'000;
constexpr double kLeastMemory = 1e6;
constexpr double kWholePercent = 100;

double sampleMostOf(const Chart::Data& data) {
    const auto& values = data.values.front();
    return values.empty() ? 0 : *std::ranges::max_element(values);
}

bool haveGpus(const QJsonArray& samples) {
    return std::ranges::any_of(samples, [](const QJsonValue& value) {
        const QJsonObject sample = value.toObject();
        return sample.contains("gpu_percent") || sample.contains("gpu_memory_bytes");
    });
}

/// Two GPUs may be used by 180 %.
QString gpuPercentWords(double percent) {
    return SamplesView::tr("%1 %").arg(Format().number(std::llround(percent)));
}

Chart::Mark markOf(double value, const QString& text) {
    return {value, text};
}

} // namespace

std::array<Chart::Data, 4> chartsOf(const QJsonArray& samples) {
    std::array<Chart::Data, 4> charts;
    for (Chart::Data& chart : charts) chart.values.resize(1);
    for (const QJsonValue value : samples) {
        const QJsonObject sample = value.toObject();
        const qint64 t = sample.value("t").toInteger();
        if (t <= 0 || (!charts[0].t.empty() && t <= charts[0].t.back())) continue;
        for (Chart::Data& chart : charts) chart.t.push_back(t);
        charts[0].values[0].push_back(sample.value("cpu_percent").toDouble() / 100);
        charts[1].values[0].push_back(sample.value("rss_bytes").toDouble());
        charts[2].values[0].push_back(sample.value("gpu_percent").toDouble());
        charts[3].values[0].push_back(sample.value("gpu_memory_bytes").toDouble());
    }
    const auto& t = charts[0].t;
    if (t.empty()) return charts;
    // The usual distance: of one that sleeps fewer are taken.
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < t.size(); ++i) gaps.push_back(t[i] - t[i - 1]);
    std::ranges::sort(gaps);
    const std::int64_t step = std::max(kLeastStep, gaps.empty() ? kLeastStep : gaps[gaps.size() / 2]);
    for (Chart::Data& chart : charts) {
        chart.from = t.front();
        chart.to = std::max(t.back(), t.front() + step);
        chart.step = step;
    }
    return charts;
}

SamplesView::SamplesView(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , cores_(new Chart(tr("Cores it used while it ran")))
    , memory_(new Chart(tr("Memory it used while it ran")))
    , gpus_(new Chart(tr("Utilisation of its GPUs while it ran")))
    , gpuMemory_(new Chart(tr("Memory of its GPUs that it used while it ran")))
    , poll_(new Poll(
          context.link, kSampleEveryMs,
          [this]() -> std::optional<Request> {
              if (lsn_ == 0 || taken_ || !context_.state.isLive()) return std::nullopt;
              asked_ = lsn_;
              askedFinal_ = isFinal_;
              return Request{"GET", QStringLiteral("jobs/%1/samples").arg(lsn_), {}, {}, {}};
          },
          [this](const Answer& answer) { take(answer.json.value("samples").toArray()); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    cores_->setSeries({{tr("cores"), Chart::Tone::Accent}});
    cores_->setWords([](double cores) { return Format().cores(cores); });
    memory_->setSeries({{tr("memory"), Chart::Tone::Others}});
    memory_->setWords([](double bytes) { return Format().size(static_cast<std::int64_t>(bytes)); });
    gpus_->setSeries({{tr("GPUs"), Chart::Tone::Accent}});
    gpus_->setWords(gpuPercentWords);
    gpuMemory_->setSeries({{tr("GPU memory"), Chart::Tone::Others}});
    gpuMemory_->setWords([](double bytes) { return Format().size(static_cast<std::int64_t>(bytes)); });
    for (const auto& [title, chart] : {std::pair{tr("Cores"), cores_}, std::pair{tr("Memory"), memory_},
                                       std::pair{tr("GPUs"), gpus_}, std::pair{tr("GPU memory"), gpuMemory_}}) {
        auto* panel = new Panel(title, false);
        panel->setBody(chart);
        chart->setMinimumHeight(scaled(80));
        column->addWidget(panel, 1);
        if (chart == gpus_ || chart == gpuMemory_) ofGpus_.push_back(panel);
    }
    for (QWidget* panel : ofGpus_) panel->hide();
}

void SamplesView::show(qint64 lsn, bool hasStarted, bool isFinal) {
    if (lsn == lsn_ && hasStarted == hasStarted_ && isFinal == isFinal_) return;
    if (lsn != lsn_) {
        for (Chart* chart : {cores_, memory_, gpus_, gpuMemory_}) chart->replace({});
        for (QWidget* panel : ofGpus_) panel->hide();
    }
    lsn_ = lsn;
    hasStarted_ = hasStarted;
    isFinal_ = isFinal;
    taken_ = false;
    setMessage(tr("Reading what it used…"));
    if (isVisible()) poll_->now();
}

void SamplesView::setMessage(const QString& message) {
    for (Chart* chart : {cores_, memory_, gpus_, gpuMemory_}) chart->setMessage(message);
}

/// Why there is nothing to see.
QString SamplesView::nothing() const {
    if (!hasStarted_) return isFinal_ ? tr("It never started") : tr("It has not started yet");
    return isFinal_ ? tr("It ran too short to be measured over time") : tr("It has not been measured yet");
}

void SamplesView::take(const QJsonArray& samples) {
    if (asked_ != lsn_) return; // of the one before
    taken_ = askedFinal_;
    auto charts = chartsOf(samples);
    const Format format;
    setMessage(charts[0].t.size() > 1 ? QString() : nothing());
    const double cores = niceEnd(sampleMostOf(charts[0]), 1);
    const double memory = niceEnd(sampleMostOf(charts[1]), kLeastMemory);
    cores_->setAxis(cores, {markOf(0, format.number(0)), markOf(cores, format.cores(cores))});
    memory_->setAxis(memory,
                     {markOf(0, format.number(0)), markOf(memory, format.size(static_cast<std::int64_t>(memory)))});
    const double percent = niceEnd(sampleMostOf(charts[2]), kWholePercent);
    const double gpuMemory = niceEnd(sampleMostOf(charts[3]), kLeastMemory);
    gpus_->setAxis(percent, {markOf(0, format.number(0)), markOf(percent, gpuPercentWords(percent))});
    gpuMemory_->setAxis(gpuMemory, {markOf(0, format.number(0)),
                                    markOf(gpuMemory, format.size(static_cast<std::int64_t>(gpuMemory)))});
    for (QWidget* panel : ofGpus_) panel->setVisible(haveGpus(samples));
    std::size_t at = 0;
    for (Chart* chart : {cores_, memory_, gpus_, gpuMemory_}) chart->replace(std::move(charts[at++]));
}

void SamplesView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    poll_->setActive(true);
}

void SamplesView::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    poll_->setActive(false);
}

} // namespace yard::ui
