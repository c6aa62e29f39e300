#include "ui/pages/dashboard/load_charts.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"
#include "ui/widgets/legend.h"

#include <QFontMetrics>
#include <QJsonArray>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui {

namespace {

constexpr qint64 kSecond = 1'000'000;
constexpr qint64 kLoadMinute = 60 * kSecond;
constexpr int kSettingsEveryMs = 60'000;
constexpr double kRoom = 1.08; // above the machine's real amount
constexpr double kGiga = 1e9;

std::vector<double> numbers(const QJsonObject& series, const char* name, std::size_t count) {
    const QJsonArray all = series.value(name).toArray();
    std::vector<double> values(count, Chart::kNone);
    for (std::size_t i = 0; i < std::min(count, static_cast<std::size_t>(all.size())); ++i)
        if (const QJsonValue value = all[static_cast<qsizetype>(i)]; value.isDouble()) values[i] = value.toDouble();
    return values;
}

/// 64 of 64, 7.6 of 16.4.
QString gigas(double bytes, double whole) {
    return QLocale().toString(bytes / kGiga, 'f', whole >= 99.95 * kGiga ? 0 : 1);
}

std::optional<double> lastOf(const LoadSeries& series, const std::vector<double>& values, qint64 now) {
    // The newest step that was there, if it is of now.
    for (std::size_t n = values.size(); n-- > 0;) {
        if (now - series.t[n] > 3 * series.step + 15 * kSecond) break;
        if (!std::isnan(values[n])) return values[n];
    }
    return std::nullopt;
}

} // namespace

LoadSeries loadSeriesOf(const QJsonObject& stats, qint64 now) {
    LoadSeries load;
    load.step = static_cast<qint64>(stats.value("resolution").toDouble() * 1e6);
    if (load.step <= 0) return load;
    const QJsonArray times = stats.value("t").toArray();
    for (const QJsonValue value : times) load.t.push_back(value.toInteger());
    if (!std::ranges::is_sorted(load.t)) return {};
    const QJsonObject series = stats.value("series").toObject();
    const std::size_t count = load.t.size();
    load.actions = numbers(series, "cpu_actions", count);
    load.others = numbers(series, "cpu_others", count);
    load.memory = numbers(series, "memory_bytes", count);
    if (series.contains("gpu_percent")) load.gpus = numbers(series, "gpu_percent", count);
    const auto completed = numbers(series, "completed", count);
    const auto failed = numbers(series, "failed", count);
    load.perMinute.assign(count, Chart::kNone);
    for (std::size_t i = 0; i < count; ++i) {
        if (failed[i] > 0) load.failures.push_back(load.t[i] + load.step / 2);
        const bool whole = load.t[i] + load.step <= now;
        if (!whole || std::isnan(completed[i])) continue;
        load.perMinute[i] = completed[i] * kLoadMinute / static_cast<double>(load.step);
    }
    return load;
}

LoadCharts::LoadCharts(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , limits_(new Label({}, Type::Small, Token::Text2))
    , stats_(new Poll(
          context.link, 2'000, [this] { return ask(); },
          [this](const Answer& answer) {
              askedAt_ = wallNow();
              series_ = loadSeriesOf(answer.json, askedAt_);
              draw();
              emit changed();
          },
          this))
    , settings_(new Poll(
          context.link, kSettingsEveryMs, [] { return Request{"GET", "settings", {}, {}}; },
          [this](const Answer& answer) {
              hold_ = answer.json.value("guard_hold_percent").toDouble();
              stop_ = answer.json.value("guard_stop_percent").toDouble();
              draw();
          },
          this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    const auto token = [](Token token) { return [token] { return Theme::current()(token); }; };
    const auto fill = [](DisplayState face) { return [face] { return Theme::current().fillOf(face); }; };
    processor_ = makeChart(tr("Processor"), new Legend({Legend::filled(tr("actions"), token(Token::Accent)),
                                                        Legend::filled(tr("others"), token(Token::Text3))}));
    processor_.chart->setSeries({{tr("actions"), Chart::Tone::Accent}, {tr("others"), Chart::Tone::Others}}, true);
    processor_.chart->setWords([](double cores) { return Format().cores(cores); });
    memory_ = makeChart(tr("Memory"), limits_);
    memory_.chart->setSeries({{tr("in use"), Chart::Tone::Accent}});
    memory_.chart->setWords([](double bytes) { return Format().size(static_cast<qint64>(bytes)); });
    gpus_ = makeChart(tr("GPUs"), new QWidget);
    gpus_.chart->setSeries({{tr("busy"), Chart::Tone::Accent}});
    gpus_.chart->setWords([](double percent) { return tr("%1 %").arg(QLocale().toString(percent, 'f', 0)); });
    gpus_.panel->hide();
    finished_ = makeChart(tr("Completed per minute"),
                          new Legend({Legend::filled(tr("completed"), fill(DisplayState::Completed)),
                                      Legend::filled(tr("failed"), fill(DisplayState::Failed))}));
    finished_.chart->setSeries({{tr("completed a minute"), Chart::Tone::Good}});
    finished_.chart->setWords([](double rate) { return QLocale().toString(rate, 'f', rate < 10 ? 1 : 0); });
    connect(&tick_, &QTimer::timeout, this, &LoadCharts::draw);
    connect(&context_.state, &EngineState::sessionChanged, this, [this] {
        if (tick_.isActive()) draw();
    });
    connect(&context_.state, &EngineState::refreshed, this, [this] {
        stats_->now();
        settings_->now();
    });
}

LoadCharts::Framed LoadCharts::makeChart(const QString& title, QWidget* legend) {
    Framed framed{new Panel(title), new Chart(title), new Label({}, Type::Strong, Token::Text1),
                  new Separator(Qt::Vertical)};
    auto* right = new QWidget;
    auto* inHead = new QHBoxLayout(right);
    inHead->setContentsMargins(0, 0, 0, 0);
    inHead->setSpacing(8);
    for (QWidget* widget : {legend, framed.rule, static_cast<QWidget*>(framed.value)}) inHead->addWidget(widget);
    framed.panel->addToHead(right);
    framed.panel->setTitleElides(false);                                       // the legend gives way
    framed.panel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // each a third
    auto* body = new QWidget;
    auto* inside = new QVBoxLayout(body);
    inside->setContentsMargins(8, 2, 2, 2);
    inside->addWidget(framed.chart);
    framed.panel->setBody(body);
    static_cast<QHBoxLayout*>(layout())->addWidget(framed.panel, 1);
    return framed;
}

std::vector<LoadCharts::Framed> LoadCharts::charts() const {
    if (gpus_.panel->isHidden()) return {processor_, memory_, finished_};
    return {processor_, memory_, gpus_, finished_};
}

/// Words before lines: where it is narrow the legend takes the room.
void LoadCharts::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const std::vector<Framed> all = charts();
    for (const Framed& framed : all) framed.rule->setVisible(width() / std::ssize(all) > scaled(370));
    fitLimits();
    alignTimes();
}

/// A number that does not fit is not cut: the dashed lines stay, and the tool tip has it.
void LoadCharts::fitLimits() {
    const int taken = QFontMetrics(typeface(Type::Strong)).horizontalAdvance(tr("Memory")) +
                      memory_.value->sizeHint().width() + scaled(40);
    limits_->setVisible(taken + limits_->sizeHint().width() <= memory_.panel->width());
    memory_.panel->setToolTip(limits_->text());
}

void LoadCharts::setActive(bool active) {
    stats_->setActive(active);
    settings_->setActive(active);
    if (!active) return tick_.stop();
    tick_.start(2'000);
    draw();
}

void LoadCharts::setSpan(int minutes) {
    minutes_ = minutes;
    const int everyMs = minutes <= 15 ? 2'000 : minutes <= 60 ? 6'000 : 60'000;
    stats_->setEvery(everyMs);
    stats_->now();
    draw();
}

std::optional<Request> LoadCharts::ask() {
    const qint64 now = wallNow();
    Request request{"GET", "stats", {}, {}};
    request.query.addQueryItem("from", QString::number(now - minutes_ * kLoadMinute));
    request.query.addQueryItem("to", QString::number(now));
    // At most 600 points are drawn: fewer are asked for.
    request.query.addQueryItem("resolution", QString::number(std::max(2, minutes_ * 60 / 480)));
    return request;
}

std::optional<double> LoadCharts::othersCores() const {
    return lastOf(series_, series_.others, wallNow());
}

std::optional<double> LoadCharts::memoryBytes() const {
    return lastOf(series_, series_.memory, wallNow());
}

Chart::Data LoadCharts::dataOf(std::vector<std::vector<double>> values) const {
    Chart::Data data;
    data.from = now_ - minutes_ * kLoadMinute;
    data.to = now_;
    data.step = series_.step;
    data.t = series_.t;
    data.values = std::move(values);
    // A step is drawn at its end; what is before the picture is not.
    for (std::int64_t& t : data.t) t = std::min(t + series_.step, askedAt_);
    const auto first = std::ranges::lower_bound(data.t, data.from) - data.t.begin();
    data.t.erase(data.t.begin(), data.t.begin() + first);
    for (auto& each : data.values) each.erase(each.begin(), each.begin() + first);
    return data;
}

void LoadCharts::draw() {
    now_ = wallNow();
    drawProcessor();
    drawMemory();
    drawGpus();
    drawFinished();
    alignTimes();
}

/// They stand side by side: one time is at the same place in each, however wide their numbers are.
void LoadCharts::alignTimes() {
    int times = processor_.chart->timesThatFit();
    const std::vector<Framed> all = charts();
    for (const Framed& framed : all) times = std::min(times, framed.chart->timesThatFit());
    for (const Framed& framed : all) framed.chart->setTimes(times);
}

void LoadCharts::drawProcessor() {
    const double cores = context_.state.session().value("machine").toObject().value("cores").toDouble();
    const auto mine = lastOf(series_, series_.actions, now_);
    const auto others = lastOf(series_, series_.others, now_);
    if (cores > 0) {
        const QLocale locale;
        processor_.chart->setAxis(cores * kRoom, {{0, locale.toString(0)},
                                                  {cores / 2, locale.toString(cores / 2, 'g', 4)},
                                                  {cores, locale.toString(cores, 'g', 6)}});
        processor_.value->setText(
            mine && others
                ? tr("%1 of %2 cores").arg(Format().cores(*mine + *others), locale.toString(cores, 'g', 6))
                : Format::unknown());
    }
    processor_.chart->replace(dataOf({series_.actions, series_.others}));
}

void LoadCharts::drawMemory() {
    const double whole = context_.state.session().value("machine").toObject().value("memory_bytes").toDouble();
    if (whole > 0) {
        memory_.chart->setAxis(
            whole * kRoom,
            {{0, QLocale().toString(0)}, {whole / 2, gigas(whole / 2, whole)}, {whole, gigas(whole, whole)}});
        memory_.chart->setLimits({hold_ * whole / 100, stop_ * whole / 100});
        QStringList limits;
        if (hold_ > 0) limits << tr("holds at %1").arg(gigas(hold_ * whole / 100, whole));
        if (stop_ > 0) limits << tr("stops at %1").arg(gigas(stop_ * whole / 100, whole));
        limits_->setText(limits.join(QStringLiteral(", ")));
        const auto used = lastOf(series_, series_.memory, now_);
        memory_.value->setText(used ? tr("%1 of %2 GB").arg(gigas(*used, whole), gigas(whole, whole))
                                    : Format::unknown());
        fitLimits();
    }
    memory_.chart->replace(dataOf({series_.memory}));
}

void LoadCharts::drawGpus() {
    constexpr double kOne = 100;
    const qsizetype count =
        context_.state.session().value("machine").toObject().value("gpus_list").toArray().size();
    gpus_.panel->setVisible(count > 0 && !series_.gpus.empty());
    if (gpus_.panel->isHidden()) return;
    const double whole = kOne * static_cast<double>(count);
    const auto number = [](double percent) { return tr("%1 %").arg(QLocale().toString(percent, 'f', 0)); };
    gpus_.chart->setAxis(whole * kRoom,
                         {{0, QLocale().toString(0)}, {whole / 2, number(whole / 2)}, {whole, number(whole)}});
    const auto busy = lastOf(series_, series_.gpus, now_);
    gpus_.value->setText(busy ? tr("%1 of %2").arg(number(*busy), number(whole)) : Format::unknown());
    gpus_.chart->replace(dataOf({series_.gpus}));
}

void LoadCharts::drawFinished() {
    double most = 0;
    for (const double rate : series_.perMinute) most = std::fmax(most, rate);
    const double end = niceEnd(most, 10);
    finished_.chart->setAxis(end * kRoom,
                             {{0, axisNumber(0)}, {end / 2, axisNumber(end / 2)}, {end, axisNumber(end)}});
    const bool fresh = lastOf(series_, series_.memory, now_).has_value();
    const qint64 rate = context_.state.perMinute();
    finished_.value->setText(fresh && rate >= 0 ? Format().number(rate) : Format::unknown());
    Chart::Data data = dataOf({series_.perMinute});
    data.ticks = series_.failures;
    finished_.chart->replace(std::move(data));
}

} // namespace yard::ui
