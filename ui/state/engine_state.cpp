#include "ui/state/engine_state.h"

#include "core/base/clock.h"
#include "ui/state/filter_words.h"

#include <QTimeZone>

#include <algorithm>
#include <numeric>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kAskEvery = 10;   // s; the lag and the engine's own figures
constexpr int kQueuesEvery = 3; // s; what of queues changes without an event: rates and estimates

constexpr std::pair<DisplayState, const char*> kMembers[] = {
    {DisplayState::Pending, "pending"},    {DisplayState::Held, "held"},
    {DisplayState::Retry, "retry"},        {DisplayState::Submitting, "submitting"},
    {DisplayState::Running, "running"},    {DisplayState::Completed, "completed"},
    {DisplayState::Failed, "failed"},      {DisplayState::Abandoned, "abandoned"},
    {DisplayState::Cancelled, "cancelled"}};

/// The engine counts held and retry within pending; the faces stand beside it. "held" of a queue says whether it is
/// held itself.
paint::Shares sharesOf(const QJsonObject& counts) {
    paint::Shares shares{};
    for (const auto& [face, member] : kMembers) shares[std::to_underlying(face)] = counts.value(member).toInteger();
    if (const QJsonValue held = counts.value("held_actions"); held.isDouble())
        shares[std::to_underlying(DisplayState::Held)] = held.toInteger();
    auto& pending = shares[std::to_underlying(DisplayState::Pending)];
    pending = std::max<qint64>(0, pending - shares[std::to_underlying(DisplayState::Held)] -
                                      shares[std::to_underlying(DisplayState::Retry)]);
    return shares;
}

/// What the engine works out when it is asked.
void takeFigures(QueueInfo& info, const QJsonObject& json) {
    info.perMinute = json.value("per_minute").toInteger(-1);
    const QJsonObject estimate = json.value("estimate").toObject();
    info.finish = estimate.value("finish").toInteger();
    info.gap = estimate.value("unknown").toString();
}

QueueInfo stateInfoOf(const QJsonObject& json) {
    QueueInfo info;
    info.id = json.value("queue_id").toInteger();
    info.tag = json.value("tag").toString();
    info.token = json.value("token").toString();
    info.state = json.value("state").toString();
    info.held = json.value("held").toBool();
    info.mark = markFrom(json.value("mark").toString().toStdString()).value_or(Mark::None);
    info.active = json.value("active").toInteger();
    info.shares = sharesOf(json);
    takeFigures(info, json);
    info.config = json.value("config").toObject();
    info.json = json;
    return info;
}

} // namespace

QString QueueInfo::name() const {
    if (!tag.isEmpty()) return tag;
    return id == 0 ? QObject::tr("default") : QObject::tr("queue %1").arg(id);
}

qint64 QueueInfo::of(DisplayState face) const {
    return shares[std::to_underlying(face)];
}

qint64 QueueInfo::waiting() const {
    return of(DisplayState::Pending) + of(DisplayState::Held) + of(DisplayState::Retry);
}

qint64 QueueInfo::running() const {
    return of(DisplayState::Running) + of(DisplayState::Submitting);
}

qint64 QueueInfo::done() const {
    return of(DisplayState::Completed) + of(DisplayState::Failed) + of(DisplayState::Abandoned) +
           of(DisplayState::Cancelled);
}

qint64 QueueInfo::total() const {
    return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

EngineState::EngineState(EngineLink& link, QObject* parent)
    : QObject(parent)
    , link_(link) {
    connect(&link_, &EngineLink::batch, this, &EngineState::take);
    connect(&link_, &EngineLink::refreshed, this, [this] {
        ask();
        emit refreshed();
    });
    connect(&link_, &EngineLink::stateChanged, this, [this] {
        if (!isLive()) {
            lag_ = -1;
            history_.loseSight(wallNow());
        }
        emit connectionChanged();
    });
    connect(&second_, &QTimer::timeout, this, &EngineState::onSecond);
    clock_.start();
    second_.start(1'000);
}

void EngineState::setWatched(bool watched) {
    if (watched_ == watched) return;
    watched_ = watched;
    if (!watched) return second_.stop();
    second_.start(1'000);
    ask();
}

void EngineState::onSecond() {
    const int was = std::exchange(eventsPerSecond_, std::exchange(changes_, 0));
    if (++seconds_ % kAskEvery == 0) ask();
    if (seconds_ % kQueuesEvery == 0) askQueues();
    if (was != eventsPerSecond_) emit pulse();
}

void EngineState::ask() {
    if (!isLive()) return;
    const qint64 sent = clock_.elapsed();
    link_.send({"GET", "session", {}, {}}, this, [this, sent](const Answer& answer) {
        if (!answer.ok()) return;
        lag_ = static_cast<int>(clock_.elapsed() - sent);
        session_ = answer.json;
        counts_ = session_.value("counts").toObject();
        asOf_ = QDateTime::currentDateTimeUtc();
        emit sessionChanged();
        emit countsChanged();
        emit pulse();
    });
    if (pool_) askPool();
    askMachines();
    askOrchestrator();
}

/// Counters come with events, in order; of the answer only the rest is taken.
void EngineState::askQueues() {
    const auto moves = [](const auto& entry) { return entry.second.active > 0 || entry.second.perMinute != 0; };
    if (!isLive() || std::ranges::none_of(queues_, moves)) return;
    link_.send({"GET", "queues", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return;
        for (const QJsonValue value : answer.json.value("queues").toArray()) {
            const QJsonObject json = value.toObject();
            const auto known = queues_.find(json.value("queue_id").toInteger());
            if (known != queues_.end()) takeFigures(known->second, json);
        }
        emit queuesChanged();
    });
}

qint64 EngineState::perMinute() const {
    return std::accumulate(queues_.begin(), queues_.end(), qint64{0}, [](qint64 sum, const auto& entry) {
        return sum < 0 || entry.second.perMinute < 0 ? -1 : sum + entry.second.perMinute;
    });
}

/// Whether there are warm workers is asked when a worker comes or goes.
void EngineState::askPool() {
    if (!isLive()) return;
    if (workers_.isEmpty()) return tellPool({});
    link_.send({"GET", "pool", {}, {}}, this, [this](const Answer& answer) {
        if (answer.ok()) tellPool(answer.json);
    });
}

void EngineState::tellPool(const QJsonObject& json) {
    const QJsonArray groups = json.value("groups").toArray();
    std::optional<PoolCount> now;
    if (!groups.isEmpty()) {
        now = PoolCount{0, json.value("max").toInteger()};
        for (const QJsonValue group : groups)
            now->processes += group.toObject().value("processes").toArray().size();
    }
    if (now == pool_) return;
    pool_ = now;
    emit pulse();
}

/// One may join at any time.
void EngineState::askMachines() {
    link_.send({"GET", "machines", {}, {}}, this, [this](const Answer& answer) {
        if (answer.ok()) tellMachines(answer.json);
    });
}

void EngineState::tellMachines(const QJsonObject& json) {
    const QJsonArray all = json.value("machines").toArray();
    const auto isAway = [](const QJsonValue& machine) {
        const QString state = machine["state"].toString();
        return state == "silent" || state == "lost" || state == "refused" || state == "connecting";
    };
    std::optional<MachineCount> now;
    if (all.size() > 1) now = MachineCount{all.size() - std::ranges::count_if(all, isAway), all.size()};
    QStringList names;
    for (const QJsonValue machine : all) names << machine["name"].toString();
    if (now == machines_ && names == machineNames_) return;
    machines_ = now;
    machineNames_ = std::move(names);
    emit pulse();
}

void EngineState::askOrchestrator() {
    link_.send({"GET", "orchestrator", {}, {}}, this, [this](const Answer& answer) {
        if (answer.ok()) tellOrchestrator(answer.json);
    });
}

/// What waits for its own creates is none for long, and no harm. Of many some are named alone: where all of these wait so,
/// the others are taken to.
void EngineState::tellOrchestrator(const QJsonObject& json) {
    const QJsonArray orphans = json.value("orphans").toArray();
    const auto passing = std::ranges::count_if(
        orphans, [](const QJsonValue& orphan) { return orphan["reason"] == "create_pending"; });
    const qint64 all = json.value("orphan_count").toInteger(orphans.size());
    const bool allPass = passing > 0 && passing == orphans.size();
    const qint64 now = allPass ? 0 : std::max<qint64>(0, all - passing);
    if (now == unclaimed_) return;
    unclaimed_ = now;
    emit pulse();
}

qint64 EngineState::count(DisplayState face) const {
    return sharesOf(counts_)[std::to_underlying(face)];
}

QString EngineState::machineName() const {
    return session_.value("machine").toObject().value("name").toString();
}

QString EngineState::zoneNote(const QString& filter) const {
    const QJsonValue offset = session_.value("machine").toObject().value("utc_offset_s");
    if (!offset.isDouble() || offset.toInt() == QDateTime::currentDateTime().offsetFromUtc()) return {};
    if (!meansLocalTime(filter)) return {};
    return tr("engine time, %1").arg(QString::fromLatin1(QTimeZone(offset.toInt()).id()));
}

const QueueInfo* EngineState::queue(qint64 id) const {
    const auto found = queues_.find(id);
    return found == queues_.end() ? nullptr : &found->second;
}

QString EngineState::queueName(qint64 id) const {
    if (const QueueInfo* info = queue(id)) return info->name();
    return id == 0 ? QObject::tr("default") : QObject::tr("queue %1").arg(id);
}

QString EngineState::whyBlocked() const {
    return isLive() ? QString() : tr("There is no connection to the engine");
}

bool EngineState::allHeld() const {
    return !queues_.empty() && std::ranges::all_of(queues_, [](const auto& entry) {
        return entry.second.held || entry.second.state != "active";
    });
}

void EngineState::take(const QJsonObject& batch) {
    asOf_ = QDateTime::currentDateTimeUtc();
    const bool again = batch.value("snapshot").toBool();
    const QJsonArray actions = batch.value("actions").toArray();
    changes_ += static_cast<int>(actions.size() + batch.value("queues").toArray().size());
    if (batch.contains("session")) {
        session_ = batch.value("session").toObject();
        counts_ = session_.value("counts").toObject();
        emit sessionChanged();
        emit countsChanged();
    }
    if (batch.contains("counts")) {
        counts_ = batch.value("counts").toObject();
        emit countsChanged();
    }
    if (again) queues_.clear();
    if (again || batch.contains("queues") || batch.contains("gone_queues")) {
        takeQueues(batch.value("queues").toArray());
        for (const QJsonValue gone : batch.value("gone_queues").toArray()) {
            queues_.erase(gone.toInteger());
            history_.forget(gone.toInteger());
        }
        emit queuesChanged();
    }
    if (batch.contains("workers")) {
        workers_.clear();
        for (const QJsonValue id : batch.value("workers").toArray()) workers_ << id.toString();
        emit workersChanged();
        askPool();
    }
    if (batch.value("alerts").toBool()) emit alertsTold();
    const bool all = batch.value("all_actions").toBool();
    if (all || !actions.isEmpty()) emit actionsChanged(actions, all);
    if (batch.contains("gone")) emit actionsGone(batch.value("gone").toArray()); // after those they gave way to
}

void EngineState::takeQueues(const QJsonArray& queues) {
    const qint64 wall = wallNow();
    for (const QJsonValue value : queues) {
        QueueInfo info = stateInfoOf(value.toObject());
        history_.add(info.id, wall, info.active, info.done());
        queues_[info.id] = std::move(info);
    }
}

} // namespace yard::ui
