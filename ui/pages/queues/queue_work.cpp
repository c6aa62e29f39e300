#include "ui/pages/queues/queue_work.h"

#include "core/base/clock.h"
#include "ui/pages/map_pane.h"
#include "ui/state/estimate_words.h"
#include "ui/state/wait_reasons.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"

#include <QHeaderView>
#include <QLocale>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kWaitsEveryMs = 3'000;
constexpr int kDrawEveryMs = 2'000;
constexpr qint64 kWorkMinute = 60'000'000;
constexpr qint64 kMostPast = 120 * kWorkMinute;

std::vector<Column> workColumns() {
    return {
        {.id = "reason",
         .title = QueueWork::tr("Waits for"),
         .tip = QueueWork::tr("What pending actions wait for"),
         .kind = CellKind::Text,
         .width = 200,
         .stretches = true},
        {.id = "count",
         .title = QueueWork::tr("Actions"),
         .tip = QueueWork::tr("How many of them"),
         .kind = CellKind::Number,
         .width = 90},
        {.id = "more", .title = {}, .tip = {}, .kind = CellKind::Text, .width = 220, .falls = 1},
    };
}

QString clock(qint64 at, bool seconds) {
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(at / 1'000),
                              seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

} // namespace

std::optional<Chart::Forecast> forecastOf(qint64 now, qint64 left, const std::vector<double>& perMinute,
                                          qint64 estimate) {
    if (left <= 0 || estimate <= now) return std::nullopt;
    std::vector<qint64> ends{estimate};
    for (const double rate : perMinute)
        if (rate > 0) ends.push_back(now + static_cast<qint64>(static_cast<double>(left) / rate * kWorkMinute));
    Chart::Forecast forecast;
    forecast.at = now;
    forecast.value = static_cast<double>(left);
    forecast.likely = ends.front();
    forecast.earliest = *std::ranges::min_element(ends);
    forecast.latest = *std::ranges::max_element(ends);
    return forecast;
}

QueueWork::QueueWork(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , tabs_(new Tabs({tr("Left"), tr("Map")}))
    , stack_(new QStackedWidget)
    , map_(new MapPane(context))
    , left_(new Panel({}, false))
    , rate_(new Label({}, Type::Body, Token::Text2))
    , chart_(new Chart(tr("Actions left")))
    , waiting_(new Panel({}, false))
    , waits_(new RowsModel(workColumns(), this))
    , table_(new Table({}))
    , poll_(new Poll(
          context.link, kWaitsEveryMs,
          [this]() -> std::optional<Request> {
              const QueueInfo* queue = context_.state.queue(queue_);
              if (queue == nullptr) return std::nullopt;
              return waitingRequest(queue->id);
          },
          [this](const Answer& answer) { takeWaiting(answer); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeFoot());
    stack_->addWidget(makeLeft());
    stack_->addWidget(map_);
    map_->setObjectName("pane");
    column->addWidget(stack_, 1);
    setMinimumHeight(scaled(230));
    connect(table_, &Table::opened, this, [this](qint64 id) {
        const Row* row = waits_->row(waits_->rowOf(id));
        if (row != nullptr) context_.navigator.show("actions", row->keys.front().toString());
    });
    connect(&tick_, &QTimer::timeout, this, &QueueWork::draw);
    connect(tabs_, &Tabs::chosen, this, [this](int tab) {
        tabs_->setCurrent(tab);
        stack_->setCurrentIndex(tab);
    });
}

QWidget* QueueWork::makeFoot() {
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, 12, 0);
    std::vector<Legend::Entry> entries;
    for (const DisplayState face :
         {DisplayState::Pending, DisplayState::Held, DisplayState::Retry, DisplayState::Running,
          DisplayState::Completed, DisplayState::Failed, DisplayState::Abandoned, DisplayState::Cancelled})
        entries.push_back(Legend::of(face));
    foot->addWidget(tabs_);
    auto* legend = new Legend(std::move(entries));
    legend->setMostLines(2);
    foot->addWidget(legend);
    foot->addStretch(1);
    auto* box = new QWidget;
    box->setFixedHeight(scaled(32));
    box->setLayout(foot);
    return box;
}

QWidget* QueueWork::makeLeft() {
    left_->addToHead(rate_);
    chart_->setSeries({{tr("actions left"), Chart::Tone::Accent}});
    chart_->setWords([](double value) { return Format().number(static_cast<qint64>(value)); });
    auto* frame = new QWidget;
    auto* inside = new QVBoxLayout(frame);
    inside->setContentsMargins(8, 4, 8, 4);
    inside->addWidget(chart_);
    left_->setBody(frame);
    table_->setRows(waits_);
    table_->horizontalHeader()->hide();
    table_->setAccessibleName(tr("What waiting actions wait for"));
    table_->setObjectName("pane");
    waiting_->setBody(table_);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(left_, 3);
    column->addWidget(waiting_, 2);
    return page;
}

void QueueWork::setActive(bool active) {
    poll_->setActive(active);
    if (!active) return tick_.stop();
    tick_.start(kDrawEveryMs);
    refresh();
}

void QueueWork::show(qint64 queue) {
    if (queue_ == queue) return;
    queue_ = queue;
    waits_->setRows({});
    map_->show({.filter = queue < 0 ? QString() : QStringLiteral("queue:%1").arg(queue)}, 1, queue);
    refresh();
    poll_->now();
}

void QueueWork::refresh() {
    const QueueInfo* queue = context_.state.queue(queue_);
    const QString name = queue == nullptr ? tr("No queue") : queue->name();
    left_->setTitle(tr("%1: actions left").arg(name));
    const qint64 waiting = queue == nullptr ? 0 : queue->waiting();
    waiting_->setTitle(waiting == 0   ? tr("None of its actions waits")
                       : waiting == 1 ? tr("What its waiting action waits for")
                                      : tr("What its %1 waiting actions wait for").arg(Format().number(waiting)));
    if (waiting == 0) waits_->setRows({});
    draw();
}

void QueueWork::takeWaiting(const Answer& answer) {
    const QueueInfo* queue = context_.state.queue(queue_);
    const QJsonArray jobs = answer.json.value("jobs").toArray();
    if (queue == nullptr || (!jobs.isEmpty() && jobs.first().toObject().value("queue_id").toInteger() != queue->id))
        return; // another one is shown by now
    const Format format;
    std::vector<Row> rows;
    for (const WaitReason& reason : waitReasonsOf(jobs, context_.state, wallNow())) {
        Row row;
        row.id = reason.id();
        Cell what{reason.text};
        what.face = reason.face;
        row.cells = {what, {format.number(reason.count)}, {reason.more, {}, {}, {}, Cell::Tone::Dim}};
        QString filter = reason.filter;
        if (!filter.contains("queue:")) filter += QStringLiteral(" queue:%1").arg(queue->id);
        row.keys = {filter};
        rows.push_back(std::move(row));
    }
    waits_->setRows(std::move(rows));
    waiting_->setNote(answer.json.contains("cursor")
                          ? tr("of the first %1 to start").arg(format.number(kMostWaiting))
                          : QString());
}

/// From what this window has seen: steps from one change to the next, and the time up to now.
void QueueWork::draw() {
    const QueueInfo* queue = context_.state.queue(queue_);
    if (queue == nullptr) return;
    const Format format;
    const qint64 now = wallNow();
    const auto& points = context_.state.history().of(queue->id);
    const qint64 begin = points.empty() ? now - kWorkMinute : points.front().t;
    const qint64 past = std::clamp(now - begin, kWorkMinute, kMostPast);
    const double short_ = context_.state.history().perMinute(queue->id, now, kWorkMinute);
    const double long_ = context_.state.history().perMinute(queue->id, now, 10 * kWorkMinute);
    auto forecast = queue->held ? std::nullopt : forecastOf(now, queue->active, {long_, short_}, queue->finish);
    Chart::Data data;
    data.from = now - past;
    data.to = now;
    data.values.resize(1);
    double most = 1;
    double before = Chart::kNone;
    const auto put = [&](qint64 t, double value) {
        data.t.push_back(t);
        data.values[0].push_back(value);
        if (value > most) most = value;
    };
    for (const auto& point : points) {
        const double value = point.left < 0 ? Chart::kNone : static_cast<double>(point.left);
        if (point.t >= data.from) {
            if (data.t.empty() && before >= 0) put(data.from, before); // as it was when the picture begins
            put(point.t, value);
        }
        before = value;
    }
    if (data.t.empty() && before >= 0) put(data.from, before);
    if (context_.state.isLive()) put(now, static_cast<double>(queue->active));
    if (forecast) {
        data.to += std::clamp((forecast->latest - now) * 5 / 4, past / 6, past);
        const bool fine = forecast->latest - now < 10 * kWorkMinute;
        forecast->head = tr("now: %1 left").arg(format.number(queue->active));
        forecast->line = forecast->earliest == forecast->latest
                             ? tr("done %1").arg(clock(forecast->likely, fine))
                             : tr("done %1, between %2 and %3")
                                   .arg(clock(forecast->likely, fine), clock(forecast->earliest, fine),
                                        clock(forecast->latest, fine));
    } else if (queue->active > 0) {
        forecast = Chart::Forecast{};
        forecast->at = now;
        forecast->value = static_cast<double>(queue->active);
        forecast->head = tr("now: %1 left").arg(format.number(queue->active));
        const QString gap = queue->held ? wordsOfGap("held") : wordsOfQueueGap(queue->gap);
        forecast->line = gap.isEmpty() ? tr("when it is done is not known yet") : tr("end not known: %1").arg(gap);
    }
    const double end = niceEnd(most, 4);
    chart_->setAxis(end * 1.08, {{0, axisNumber(0)}, {end / 2, axisNumber(end / 2)}, {end, axisNumber(end)}});
    chart_->setForecast(forecast);
    chart_->replace(std::move(data));
    rate_->setText(queue->perMinute <= 0
                       ? QString()
                       : tr("%1 completed within the last 60 s").arg(format.number(queue->perMinute)));
}

void QueueWork::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg1));
    paint::hairline(painter, {0, scaled(32) - 1.0}, {width() + 0.0, scaled(32) - 1.0},
                    Theme::current()(Token::Line));
}

} // namespace yard::ui
