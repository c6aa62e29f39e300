#include "ui/state/notices.h"

#include "ui/state/alert_messages.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kTickMs = 1'000;
constexpr int kDiskEvery = 60; // ticks
constexpr const char* kOrphansKey = "notices/orphans-told";
constexpr const char* kAlertsKey = "notices/alerts-told/"; // and the machine's name

struct RuleInfo {
    const char* id;
    const char* title;
    bool on;
};

constexpr std::array<RuleInfo, kNoticeRules> kRules{{
    {"queue-finished", QT_TRANSLATE_NOOP("Notices", "A queue has finished"), true},
    {"first-failure", QT_TRANSLATE_NOOP("Notices", "The first failure of a queue in 10 minutes"), true},
    {"worker-lost", QT_TRANSLATE_NOOP("Notices", "A worker is gone"), true},
    {"guard-stopped", QT_TRANSLATE_NOOP("Notices", "The memory guard stopped an action"), false},
    {"disk-full", QT_TRANSLATE_NOOP("Notices", "The disk with the data is nearly full"), false},
    {"connection-lost", QT_TRANSLATE_NOOP("Notices", "There has been no connection for 30 s"), false},
    {"orphans", QT_TRANSLATE_NOOP("Notices", "What an engine that died left behind was cleared up"), false},
    {"alerts", QT_TRANSLATE_NOOP("Notices", "An alert of the engine for the desktop"), true},
}};

const RuleInfo& noticesInfoOf(NoticeRule rule) {
    return kRules[std::to_underlying(rule)];
}

QString noticesKeyOf(NoticeRule rule) {
    return QStringLiteral("notices/") + noticesInfoOf(rule).id;
}

/// Which operations make which notices no news. `capture`: what the first group of the path names is muted alone.
struct Muting {
    const char* path;
    NoticeRule rule;
    bool capture;
};

constexpr Muting kMutings[] = {
    {"^queues/(\\d+)(/cancel|/drain)?$", NoticeRule::QueueFinished, true},
    {"^queues/(\\d+)/cancel$", NoticeRule::FirstFailure, true},
    {"^jobs/(cancel|retire)$", NoticeRule::QueueFinished, false},
    {"^jobs/\\d+(/cancel)?$", NoticeRule::QueueFinished, false},
    {"^workers/([^/]+)$", NoticeRule::WorkerLost, true},
    {"^(abandon|session/sunset)$", NoticeRule::QueueFinished, false},
    {"^(abandon|session/sunset)$", NoticeRule::FirstFailure, false},
    {"^session/sunset$", NoticeRule::ConnectionLost, false},
};

QString noticesCounted(const char* text, qint64 count) {
    return QCoreApplication::translate("Notices", text, nullptr, pluralCount(count));
}

} // namespace

const char* noticeRuleId(NoticeRule rule) {
    return noticesInfoOf(rule).id;
}

QString noticeRuleTitle(NoticeRule rule) {
    return QCoreApplication::translate("Notices", noticesInfoOf(rule).title);
}

bool isNoticeRuleOn(NoticeRule rule) {
    return QSettings().value(noticesKeyOf(rule), noticesInfoOf(rule).on).toBool();
}

void setNoticeRuleOn(NoticeRule rule, bool on) {
    QSettings().setValue(noticesKeyOf(rule), on);
}

bool isTrayWanted() {
    return QSettings().value("notices/tray", true).toBool();
}

void setTrayWanted(bool wanted) {
    QSettings().setValue("notices/tray", wanted);
}

void NoticeRules::did(const Request& request, qint64 now) {
    if (request.method == "GET") return;
    for (const Muting& muting : kMutings) {
        const auto match = QRegularExpression(QLatin1String(muting.path)).match(request.path);
        if (match.hasMatch())
            muted_.push_back({muting.rule, muting.capture ? match.captured(1) : QString(), now + kMutedMs});
    }
}

bool NoticeRules::isMuted(NoticeRule rule, const QString& key, qint64 now) const {
    return std::ranges::any_of(muted_, [&](const Mute& mute) {
        return mute.rule == rule && mute.until > now && (mute.key.isEmpty() || mute.key == key);
    });
}

bool NoticeRules::isWaiting() const {
    return std::ranges::any_of(told_, [](const Told& told) { return !told.waiting.empty(); });
}

void NoticeRules::reset() {
    *this = NoticeRules();
}

/// Of a queue that waits to be told already it is counted there.
void NoticeRules::add(NoticeRule rule, Item item, const QString& key, qint64 now) {
    if (isMuted(rule, key, now)) return;
    auto& waiting = told_[std::to_underlying(rule)].waiting;
    const auto same = std::ranges::find_if(
        waiting, [&](const Item& each) { return each.queue == item.queue && each.name == item.name; });
    if (same == waiting.end())
        waiting.push_back(std::move(item));
    else
        same->count += item.count;
}

void NoticeRules::lookAtQueues(const NoticeFacts& facts, qint64 now) {
    for (const auto& [id, queue] : facts.queues) {
        const auto found = before_->queues.find(id);
        if (found == before_->queues.end()) continue; // as it was when it came
        const NoticeFacts::Queue& before = found->second;
        const QString key = QString::number(id);
        if (before.active > 0 && queue.active == 0) add(NoticeRule::QueueFinished, {id, queue.name, 1}, key, now);
        if (queue.failed <= before.failed) continue;
        const auto last = failedAt_.find(id);
        const bool first = last == failedAt_.end() || now - last->second >= kQuietMs;
        failedAt_[id] = now;
        const auto& waiting = told_[std::to_underlying(NoticeRule::FirstFailure)].waiting;
        if (first || std::ranges::find(waiting, id, &Item::queue) != waiting.end())
            add(NoticeRule::FirstFailure, {id, queue.name, queue.failed - before.failed}, key, now);
    }
}

void NoticeRules::lookAtMachine(const NoticeFacts& facts, qint64 now) {
    if (before_->workers && facts.workers)
        for (const auto& [id, name] : *before_->workers)
            if (!facts.workers->contains(id)) add(NoticeRule::WorkerLost, {0, name, 1}, id, now);
    if (facts.guardStopped > before_->guardStopped)
        add(NoticeRule::GuardStopped, {0, {}, facts.guardStopped - before_->guardStopped}, {}, now);
    if (facts.diskBytes > 0) {
        const qint64 percent = facts.diskFreeBytes * 100 / facts.diskBytes;
        if (!diskLow_ && percent < kDiskPercent) {
            diskLow_ = true;
            add(NoticeRule::DiskFull, {0, Format().size(facts.diskFreeBytes), 1}, {}, now);
        } else if (percent >= kDiskAgain) {
            diskLow_ = false;
        }
    }
    if (facts.downMs == 0) downTold_ = false;
    if (facts.downMs >= kDownMs && !std::exchange(downTold_, true))
        add(NoticeRule::ConnectionLost, {0, {}, 1}, {}, now);
}

/// Most are there when the engine starts, before anybody looks.
void NoticeRules::lookAtOrphans(const NoticeFacts& facts, qint64 now) {
    if (before_ && facts.orphans < before_->orphans) orphansTold_ = 0; // another run of the engine
    const qint64 known = std::max(orphansTold_, facts.orphansTold);
    if (facts.orphans > known) add(NoticeRule::Orphans, {0, {}, facts.orphans - known}, {}, now);
    orphansTold_ = std::max(known, facts.orphans);
}

std::vector<Notice> NoticeRules::look(const NoticeFacts& facts, qint64 now) {
    std::erase_if(muted_, [now](const Mute& mute) { return mute.until <= now; });
    if (before_) {
        lookAtQueues(facts, now);
        lookAtMachine(facts, now);
    }
    lookAtOrphans(facts, now);
    std::erase_if(failedAt_, [&](const auto& each) { return !facts.queues.contains(each.first); });
    before_ = facts;
    std::vector<Notice> notices;
    for (std::size_t i = 0; i < kNoticeRules; ++i) {
        Told& told = told_[i];
        if (told.waiting.empty() || (told.at && now - *told.at < kApartMs)) continue;
        told.at = now;
        notices.push_back(noticeOf(static_cast<NoticeRule>(i), std::exchange(told.waiting, {})));
    }
    return notices;
}

Notice NoticeRules::noticeOf(NoticeRule rule, const std::vector<Item>& items) {
    const auto several = static_cast<qint64>(items.size());
    const Item& first = items.front();
    qint64 count = 0;
    QStringList names;
    for (const Item& item : items) {
        count += item.count;
        if (static_cast<std::size_t>(names.size()) < kMostNamed) names << item.name;
    }
    QString list = names.join(QStringLiteral(", "));
    if (items.size() > kMostNamed) list += QStringLiteral("…");
    const QString queue = QStringLiteral("queue:%1").arg(first.queue);
    switch (rule) {
    case NoticeRule::QueueFinished:
        if (several == 1)
            return {rule, QCoreApplication::translate("Notices", "%1 has finished").arg(first.name), "actions",
                    queue};
        return {rule,
                noticesCounted(QT_TRANSLATE_N_NOOP("Notices", "%n queue(s) have finished: %1"), several).arg(list),
                "queues",
                {}};
    case NoticeRule::FirstFailure:
        return {rule, noticesCounted(QT_TRANSLATE_N_NOOP("Notices", "%n failed in %1"), count).arg(list), "actions",
                several == 1 ? "state:failed " + queue : QStringLiteral("state:failed")};
    case NoticeRule::WorkerLost:
        return {rule,
                noticesCounted(QT_TRANSLATE_N_NOOP("Notices", "%n worker(s) gone: %1"), several).arg(list),
                "workers",
                {}};
    case NoticeRule::GuardStopped:
        return {rule,
                noticesCounted(QT_TRANSLATE_N_NOOP("Notices", "The memory guard stopped %n action(s)"), count),
                "actions", "reason:memory_pressure"};
    case NoticeRule::DiskFull:
        return {rule,
                QCoreApplication::translate("Notices", "The disk with the data is nearly full: %1 are free")
                    .arg(first.name),
                "settings", "engine"};
    case NoticeRule::ConnectionLost:
        return {rule, QCoreApplication::translate("Notices", "There has been no connection to the engine for 30 s"),
                "settings", "engines"};
    case NoticeRule::Orphans:
        return {rule,
                noticesCounted(
                    QT_TRANSLATE_N_NOOP("Notices", "Cleared up after %n action(s) of an engine that died"), count),
                "settings", "engine"};
    case NoticeRule::Alert: break; // made of what the engine says: alert_messages.h
    }
    return {};
}

Notices::Notices(QObject* parent)
    : QObject(parent) {
    clock_.start();
    connect(&tick_, &QTimer::timeout, this, &Notices::look);
}

void Notices::setEngine(EngineState* state, Commands* commands) {
    if (state_) state_->disconnect(this);
    if (commands_) commands_->disconnect(this);
    state_ = state;
    commands_ = commands;
    rules_.reset();
    facts_ = {};
    alertsKnown_ = false;
    if (state == nullptr) return tick_.stop();
    const auto touched = [this] { dirty_ = true; };
    connect(state, &EngineState::queuesChanged, this, touched);
    connect(state, &EngineState::sessionChanged, this, touched);
    connect(state, &EngineState::workersChanged, this, &Notices::askWorkers);
    connect(state, &EngineState::alertsTold, this, &Notices::askAlerts);
    connect(state, &EngineState::refreshed, this, &Notices::askAlerts);
    connect(state, &EngineState::sessionChanged, this, [this] {
        if (!alertsKnown_) askAlerts();
    });
    connect(commands, &Commands::recorded, this, [this] {
        // Told when it is sent and when it is answered: the newest one is what was just done.
        if (commands_ && !commands_->records().empty())
            rules_.did(commands_->records().back().operation.request, now());
    });
    tick_.start(kTickMs);
}

void Notices::look() {
    if (!state_) return;
    const bool live = state_->isLive();
    if (live && ticks_++ % kDiskEvery == 0) askDisk();
    if (!dirty_ && live && facts_.downMs == 0 && !rules_.isWaiting()) return;
    if (state_->queues().empty()) return; // nothing was told yet
    dirty_ = false;
    facts_.queues.clear();
    for (const auto& [id, queue] : state_->queues())
        facts_.queues[id] = {queue.name(), queue.active, queue.of(DisplayState::Failed)};
    readOrphans();
    facts_.guardStopped = state_->session()["memory_guard"]["stopped"].toInteger();
    const QDateTime since = state_->link().downSince();
    facts_.downMs =
        live || !since.isValid() ? 0 : std::max<qint64>(1, since.msecsTo(QDateTime::currentDateTimeUtc()));
    for (Notice& notice : rules_.look(facts_, now())) add(std::move(notice));
}

/// What was told of a run of the engine is remembered: the next window does not tell it again.
void Notices::readOrphans() {
    const QJsonObject session = state_->session();
    const QString run = session.value("run_id").toString();
    if (run.isEmpty()) return;
    QSettings settings;
    const QStringList told = settings.value(kOrphansKey).toStringList();
    facts_.orphans = session.value("janitor").toObject().value("reaped").toInteger();
    facts_.orphansTold = told.value(0) == run ? told.value(1).toLongLong() : 0;
    if (facts_.orphans > facts_.orphansTold)
        settings.setValue(kOrphansKey, QStringList{run, QString::number(facts_.orphans)});
}

void Notices::askAlerts() {
    if (!state_ || !state_->isLive() || state_->machineName().isEmpty()) return;
    state_->link().send({"GET", "alerts", {}, {}}, this, [this](const Answer& answer) {
        if (answer.ok() && state_) takeAlerts(answer.json);
    });
}

/// What was told of this machine is remembered over windows; where nothing is, what was there at the beginning is no news.
void Notices::takeAlerts(const QJsonObject& json) {
    QSettings settings;
    const QString key = kAlertsKey + state_->machineName();
    const qint64 newest = newestAlert(json);
    const bool isFirst = !std::exchange(alertsKnown_, true);
    const bool isKnown = settings.contains(key);
    const qint64 told = settings.value(key).toLongLong();
    if (!isFirst || isKnown)
        for (Notice& notice : alertNotices(json, told)) add(std::move(notice));
    if (newest > told || !isKnown) settings.setValue(key, std::max(newest, told));
}

/// Their names, while they are there.
void Notices::askWorkers() {
    if (!state_ || !state_->isLive()) return;
    state_->link().send({"GET", "workers/all", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return;
        std::map<QString, QString> workers;
        for (const QJsonValue value : answer.json.value("workers").toArray())
            workers[value["id"].toString()] = value["name"].toString();
        facts_.workers = std::move(workers);
        dirty_ = true;
    });
}

/// Nobody else asks while the window is hidden.
void Notices::askDisk() {
    state_->link().send({"GET", "session", {}, {}}, this, [this](const Answer& answer) {
        const QJsonObject engine = answer.json.value("engine").toObject();
        if (!answer.ok() || !engine.contains("disk_bytes")) return;
        facts_.diskBytes = engine.value("disk_bytes").toInteger();
        facts_.diskFreeBytes = engine.value("disk_free_bytes").toInteger();
        dirty_ = true;
    });
}

void Notices::add(Notice notice) {
    if (!isNoticeRuleOn(notice.rule)) return;
    notice.at = QDateTime::currentDateTime();
    notice.seen = inFront_ && inFront_();
    all_.push_back(notice);
    if (all_.size() > kMost) all_.pop_front();
    emit changed();
    if (!notice.seen) emit told(notice);
}

int Notices::unseen() const {
    return static_cast<int>(std::ranges::count(all_, false, &Notice::seen));
}

void Notices::markSeen() {
    for (Notice& notice : all_) notice.seen = true;
    emit changed();
}

void Notices::clear() {
    all_.clear();
    emit changed();
}

} // namespace yard::ui
