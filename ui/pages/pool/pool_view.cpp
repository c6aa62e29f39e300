#include "ui/pages/pool/pool_view.h"

#include "ui/state/action_row.h"
#include "ui/state/engine_words.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

struct PoolWords {
    Q_DECLARE_TR_FUNCTIONS(PoolWords)
};

PoolProcess readProcess(const QJsonObject& json) {
    PoolProcess process;
    process.id = json.value("id").toString();
    process.worker = json.value("worker").toString();
    process.state = json.value("state").toString("gone");
    process.pid = json.value("pid").toInteger();
    process.sessions = json.value("sessions").toInteger();
    process.processed = json.value("processed").toInteger();
    process.concurrency = json.value("concurrency").toInteger(1);
    process.started = json.value("started").toInteger();
    process.lastUsed = json.value("last_used").toInteger();
    process.ended = json.value("ended").toInteger();
    process.currentSince = json.value("current_since").toInteger();
    for (const QJsonValue lsn : json.value("current").toArray()) process.current.push_back(lsn.toInteger());
    if (json.contains("cpu_seconds")) process.cpuSeconds = json.value("cpu_seconds").toDouble();
    if (json.contains("rss_bytes")) process.rssBytes = json.value("rss_bytes").toInteger();
    process.given = givenWords(json.value("resources_given").toObject());
    process.whyStarted = json.value("why_started").toString();
    process.why = json.value("why").toString();
    process.note = json.value("note").toString();
    return process;
}

PoolGroup readGroup(const QJsonObject& json) {
    PoolGroup group;
    group.worker = json.value("worker").toString();
    group.name = json.value("name").toString();
    group.version = json.value("version").toString();
    group.waiting = json.value("waiting").toInteger();
    group.starts = json.value("spawning").toInteger() > 0;
    if (json.contains("hit_rate")) group.hitRate = json.value("hit_rate").toDouble();
    group.savedSeconds = json.value("spawn_seconds_saved").toDouble();
    group.limits = json.value("limits").toObject();
    if (json.contains("restart")) {
        const QJsonObject restart = json.value("restart").toObject();
        group.restart = {restart.value("done").toInteger(), restart.value("of").toInteger()};
    }
    for (const QJsonValue process : json.value("processes").toArray())
        group.processes.push_back(readProcess(process.toObject()));
    return group;
}

QString hitWords(double rate) {
    // Thousandths, so that what is short of all does not read as all.
    const auto part = static_cast<qint64>(std::floor(rate * 1'000'000));
    return Format().percent(part, 1'000'000);
}

} // namespace

PoolView readPool(const QJsonObject& json, QHash<QString, CpuSeen>& before, WallMicros now) {
    PoolView pool;
    pool.json = json;
    pool.max = json.value("max").toInteger();
    QHash<QString, CpuSeen> seen;
    for (const QJsonValue value : json.value("groups").toArray()) {
        PoolGroup group = readGroup(value.toObject());
        for (PoolProcess& process : group.processes) {
            if (!process.cpuSeconds) continue;
            const CpuSeen last = before.value(process.id);
            if (last.at > 0 && now > last.at)
                process.cores =
                    std::max(0.0, *process.cpuSeconds - last.seconds) * 1e6 / static_cast<double>(now - last.at);
            seen.insert(process.id, {*process.cpuSeconds, now});
        }
        pool.groups.push_back(std::move(group));
    }
    before = std::move(seen);
    std::ranges::sort(pool.groups, [](const PoolGroup& a, const PoolGroup& b) {
        const int names = QString::localeAwareCompare(a.name, b.name);
        return names != 0 ? names < 0 : QString::localeAwareCompare(a.version, b.version) > 0;
    });
    for (const QJsonValue process : json.value("gone").toArray())
        pool.gone.push_back(readProcess(process.toObject()));
    return pool;
}

qint64 PoolView::count(const QString& state) const {
    qint64 all = 0;
    for (const PoolGroup& group : groups) all += std::ranges::count(group.processes, state, &PoolProcess::state);
    return all;
}

qint64 PoolView::processes() const {
    qint64 all = 0;
    for (const PoolGroup& group : groups) all += static_cast<qint64>(group.processes.size());
    return all;
}

qint64 PoolView::waiting() const {
    qint64 all = 0;
    for (const PoolGroup& group : groups) all += group.waiting;
    return all;
}

double PoolView::savedSeconds() const {
    double all = 0;
    for (const PoolGroup& group : groups) all += group.savedSeconds;
    return all;
}

std::optional<double> PoolView::hitRate() const {
    double sum = 0;
    double weight = 0;
    for (const PoolGroup& group : groups) {
        if (!group.hitRate) continue;
        double served = 1;
        for (const PoolProcess& process : group.processes) served += static_cast<double>(process.processed);
        sum += *group.hitRate * served;
        weight += served;
    }
    return weight > 0 ? std::optional(sum / weight) : std::nullopt;
}

std::optional<qint64> PoolView::memory() const {
    std::optional<qint64> all;
    for (const PoolGroup& group : groups)
        for (const PoolProcess& process : group.processes)
            if (process.rssBytes) all = all.value_or(0) + *process.rssBytes;
    return all;
}

const PoolGroup* PoolView::group(const QString& worker) const {
    const auto found = std::ranges::find(groups, worker, &PoolGroup::worker);
    return found == groups.end() ? nullptr : &*found;
}

const PoolProcess* PoolView::process(const QString& id) const {
    for (const PoolGroup& group : groups)
        for (const PoolProcess& process : group.processes)
            if (process.id == id) return &process;
    return nullptr;
}

DisplayState faceOf(const PoolProcess& process) {
    if (process.state == "starting") return DisplayState::Submitting;
    if (process.state == "busy" || process.state == "finishing") return DisplayState::Running;
    if (process.state == "idle") return DisplayState::Pending;
    if (process.state == "stopping") return DisplayState::Cancelled;
    if (process.why == "crashed" || process.why == "spawn_failed" || process.why == "memory")
        return DisplayState::Failed;
    if (process.why == "evicted" || process.why == "detached" || process.why == "removed" ||
        process.why == "action_ended")
        return DisplayState::Cancelled;
    return DisplayState::Completed;
}

QString stateWord(const QString& state) {
    if (state == "starting") return PoolWords::tr("starting");
    if (state == "idle") return PoolWords::tr("idle");
    if (state == "busy") return PoolWords::tr("busy");
    if (state == "finishing") return PoolWords::tr("finishing");
    if (state == "stopping") return PoolWords::tr("stopping");
    return PoolWords::tr("gone");
}

static QString startWords(const PoolProcess& process, const PoolGroup& group) {
    if (process.whyStarted == "first_request") return PoolWords::tr("first request");
    if (process.whyStarted == "all_busy") return PoolWords::tr("all were busy");
    if (process.whyStarted == "min_processes")
        return PoolWords::tr("kept warm (min %1)").arg(group.limits.value("min_processes").toInteger());
    if (process.whyStarted == "restart") return PoolWords::tr("restart");
    return process.whyStarted;
}

QString startedBecause(const PoolProcess& process, const PoolGroup& group) {
    const QString why = startWords(process, group);
    return process.given.isEmpty() ? why : why + ", " + process.given;
}

QString wentBecause(const PoolProcess& process) {
    const auto with = [&](const QString& why) {
        return process.note.isEmpty() ? why : why + ": " + engineWords(process.note);
    };
    if (process.why == "idle") return PoolWords::tr("idle for longer than it may");
    if (process.why == "evicted")
        return PoolWords::tr("evicted: the pool was full and another worker needed a process");
    if (process.why == "max_requests") return PoolWords::tr("served as many requests as it may");
    if (process.why == "restart") return PoolWords::tr("replaced by a restart");
    if (process.why == "detached") return PoolWords::tr("detached by hand, finished its requests first");
    if (process.why == "removed") return PoolWords::tr("its worker was removed");
    if (process.why == "replaced") return PoolWords::tr("a newer version of its worker is there");
    if (process.why == "memory") return PoolWords::tr("over its memory limit, recycled between requests");
    if (process.why == "crashed") return with(PoolWords::tr("crashed"));
    if (process.why == "spawn_failed") return with(PoolWords::tr("did not come up"));
    if (process.why == "action_ended") return with(PoolWords::tr("ended with its action"));
    return process.why.isEmpty() ? PoolWords::tr("ended before it was needed") : process.why;
}

QString stateOf(const PoolGroup& group) {
    QStringList parts;
    const qint64 most = group.limits.value("max_processes").toInteger();
    qint64 here = 0;
    for (const PoolProcess& process : group.processes)
        if (process.state != "starting") ++here;
    QString first = here == 0  ? PoolWords::tr("no process")
                    : most > 0 ? PoolWords::tr("%1 of %2").arg(here).arg(most)
                               : PoolWords::tr("%1 here").arg(here);
    if (group.starts) first += PoolWords::tr(" and one starting");
    parts << first;
    if (group.restart)
        parts << PoolWords::tr("restarts one at a time, %1 of %2 done")
                     .arg(group.restart->first)
                     .arg(group.restart->second);
    parts << (group.limits.value("queue") == "private" ? PoolWords::tr("least busy first")
                                                       : PoolWords::tr("one queue for all"));
    if (group.hitRate) parts << PoolWords::tr("hit rate %1").arg(hitWords(*group.hitRate));
    if (group.waiting > 0) parts << PoolWords::tr("%Ln wait", nullptr, pluralCount(group.waiting));
    return parts.join(", ");
}

} // namespace yard::ui
