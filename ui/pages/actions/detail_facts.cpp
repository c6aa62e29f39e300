#include "ui/pages/actions/detail_facts.h"

#include "core/base/clock.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/state/engine_words.h"
#include "ui/state/estimate_words.h"
#include "ui/state/wait_reasons.h"
#include "ui/style/measure_texts.h"

#include <QJsonArray>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

using FactList = std::vector<Fact>;

/// Seconds; of less the processor's clock is too coarse to say how many cores were used.
constexpr double kLeastForCores = 0.05;

Duration detailMicros(double count) {
    return Duration(std::chrono::microseconds(static_cast<qint64>(count)));
}

/// 50 of 50, 9.8 of 10.2.
QString mebibytes(double bytes) {
    const double count = bytes / (1 << 20);
    return QLocale().toString(count, 'f', count >= 100 || count == std::floor(count) ? 0 : 1);
}

/// Whose hold it is, in the engine's word.
QString holderWords(const QString& of) {
    if (of == u"action") return DetailPanel::tr("by itself");
    if (of == u"queue") return DetailPanel::tr("with its queue");
    if (of == u"session") return DetailPanel::tr("with the session");
    if (of == u"memory") return DetailPanel::tr("while memory is short");
    if (of == u"descriptors") return DetailPanel::tr("while few files may be opened");
    return of.isEmpty() ? DetailPanel::tr("until it is released") : of;
}

void addWait(FactList& facts, const QJsonObject& wait, const QString& note) {
    const Format format;
    const QString kind = wait.value("kind").toString();
    if (kind == "capacity") {
        facts.push_back({wait.value("resource").toString(), DetailPanel::tr("needs %1, %2 free")
                                                                .arg(wait.value("need").toVariant().toString(),
                                                                     wait.value("free").toVariant().toString())});
        for (const WaitHolder& holder : waitHoldersOf(wait))
            facts.push_back({DetailPanel::tr("held by"),
                             holder.text,
                             holder.lsn > 0 ? Fact::Tone::Link : Fact::Tone::Normal,
                             {},
                             holder.lsn > 0 ? QString::number(holder.lsn) : QString()});
        if (wait.contains("position"))
            facts.push_back({DetailPanel::tr("in line"), format.number(wait.value("position").toInteger())});
        if (const qint64 other = wait.value("kept_for").toInteger(); other > 0)
            facts.push_back(
                {DetailPanel::tr("kept for"), format.number(other), Fact::Tone::Link, {}, QString::number(other)});
    } else if (kind == "lock") {
        const QJsonObject holder = wait.value("holder").toObject();
        const qint64 by = holder.value("lsn").toInteger();
        facts.push_back({DetailPanel::tr("lock %1").arg(wait.value("name").toString()),
                         by != 0             ? DetailPanel::tr("held by %1").arg(format.number(by))
                         : !holder.isEmpty() ? DetailPanel::tr("held by a warm process")
                                             : DetailPanel::tr("held"),
                         by != 0 ? Fact::Tone::Link : Fact::Tone::Normal,
                         {},
                         by == 0 ? QString() : QString::number(by)});
    } else if (kind == "dependency") {
        const qint64 on = wait.value(wait.contains("array") ? "array" : "lsn").toInteger();
        facts.push_back({DetailPanel::tr("after"), format.number(on), Fact::Tone::Link, {}, QString::number(on)});
    } else if (kind == "backoff" || kind == "not_before") {
        const qint64 left = std::max<qint64>(0, wait.value("until").toInteger() - wallNow());
        facts.push_back({kind == "backoff" ? DetailPanel::tr("back-off") : DetailPanel::tr("not before"),
                         DetailPanel::tr("%1 more").arg(format.duration(detailMicros(static_cast<double>(left))))});
    } else if (kind == "hold") {
        facts.push_back({DetailPanel::tr("held"), holderWords(wait.value("of").toString())});
    } else if (kind == "limit") {
        facts.push_back({DetailPanel::tr("limit"),
                         wait.value("of").toString() + ' ' + wait.value("limit").toVariant().toString()});
    } else {
        facts.push_back({kind, engineWords(note)});
    }
}

void addEstimate(FactList& facts, const QJsonObject& estimate, bool hasStarted) {
    const Format format;
    const qint64 now = wallNow();
    if (const qint64 start = estimate.value("start").toInteger(); start > now && !hasStarted)
        facts.push_back({DetailPanel::tr("starts"), DetailPanel::tr("about %1").arg(format.time(start, now))});
    if (const qint64 finish = estimate.value("finish").toInteger(); finish > now)
        facts.push_back({DetailPanel::tr("done"), DetailPanel::tr("about %1").arg(format.time(finish, now))});
    if (const QString gap = wordsOfGap(estimate.value("unknown").toString()); !gap.isEmpty())
        facts.push_back({DetailPanel::tr("done"), DetailPanel::tr("not known: %1").arg(gap), Fact::Tone::Dim});
}

/// What it said to the engine alone, or the first error of what it printed; other output speaks for itself.
FactList endFacts(const ActionRow& row, int signal, bool printed) {
    FactList facts;
    if (!row.reason.isEmpty())
        facts.push_back({DetailPanel::tr("reason"), wordOfReason(row.reason, row.exitCode, signal),
                         row.face == DisplayState::Failed ? Fact::Tone::Alert : Fact::Tone::Normal});
    else if (row.exitCode)
        facts.push_back({DetailPanel::tr("exit code"), QString::number(*row.exitCode)});
    const QString note = noteWords(row);
    if (!note.isEmpty() && !printed) facts.push_back({DetailPanel::tr("message"), note});
    if (!note.isEmpty() && printed && row.face == DisplayState::Failed)
        facts.push_back({DetailPanel::tr("first error"), note});
    if (row.replacedBy != 0) facts.push_back({DetailPanel::tr("replaced by"), Format().number(row.replacedBy)});
    facts.push_back({DetailPanel::tr("tries"), Format().number(row.tries)});
    return facts;
}

/// What people noted on it.
void addNoted(FactList& facts, const ActionRow& row, const QJsonObject& comments) {
    if (row.mark != Mark::None) facts.push_back({DetailPanel::tr("mark"), wordOf(row.mark)});
    if (comments.isEmpty()) return;
    const QJsonObject last = comments.value("last").toObject();
    QString text = DetailPanel::tr("%1, %2: %3")
                       .arg(last.value("by").toString(), Format().time(last.value("t").toInteger(), wallNow()),
                            last.value("text").toString().replace('\n', ' '));
    if (const qint64 more = comments.value("count").toInteger() - 1; more > 0)
        text += QStringLiteral("; ") + DetailPanel::tr("%n before it", nullptr, static_cast<int>(more));
    facts.push_back({DetailPanel::tr("comment"), text});
}

void addLock(FactList& facts, const QString& name, const QJsonObject& lock, qint64 own, const QString& engine) {
    const Format format;
    const QJsonObject holder = lock.value("holder").toObject();
    const qint64 by = holder.value("lsn").toInteger();
    const bool here = holder.value("engine").toString() == engine;
    Fact fact{name, DetailPanel::tr("free")};
    if (by == own && here) {
        fact.value = DetailPanel::tr("held by this one");
    } else if (!holder.isEmpty() && !here) {
        fact.value = DetailPanel::tr("held by another engine, pid %1").arg(holder.value("pid").toInteger());
    } else if (by != 0) {
        fact.value = DetailPanel::tr("held by %1").arg(format.number(by));
        fact.tone = Fact::Tone::Link;
        fact.target = QString::number(by);
    } else if (!holder.isEmpty()) {
        fact.value = DetailPanel::tr("held by a warm process");
    }
    facts.push_back(std::move(fact));
    const qint64 now = wallNow();
    if (const qint64 since = lock.value("held_since").toInteger(); since > 0)
        facts.push_back({DetailPanel::tr("since"), format.time(since, now)});
    const auto waiting = lock.value("waiting").toArray().size();
    if (waiting == 0) return;
    const QString count = format.number(waiting) + (lock.value("more").toBool() ? QStringLiteral("+") : QString());
    facts.push_back({DetailPanel::tr("waiting for it"),
                     count,
                     Fact::Tone::Link,
                     {},
                     QStringLiteral("state:pending lock:%1").arg(name)});
}

/// As its processes say it; the message alone where they do not say how far.
void addProgress(FactList& facts, const QJsonObject& progress) {
    if (progress.isEmpty()) return;
    const QString message = progress.value("message").toString();
    const QJsonValue fraction = progress.value("fraction");
    if (!fraction.isDouble()) {
        facts.push_back({DetailPanel::tr("progress"), message});
        return;
    }
    const QString percent = DetailPanel::tr("%1 %").arg(static_cast<int>(100 * fraction.toDouble()));
    facts.push_back({DetailPanel::tr("progress"),
                     message.isEmpty() ? percent : DetailPanel::tr("%1, %2").arg(percent, message),
                     Fact::Tone::Normal, fraction.toDouble()});
}

} // namespace

QString whyTitle(const ActionRow& row) {
    if (row.face == DisplayState::Completed) return DetailPanel::tr("How it ended");
    if (row.isFinal()) return DetailPanel::tr("Why it stopped");
    return row.face == DisplayState::Running ? DetailPanel::tr("While it runs") : DetailPanel::tr("Why it waits");
}

FactList whyFacts(const ActionRow& row, const QJsonObject& action, const QJsonObject& why) {
    const QJsonObject comments = action.value("comments").toObject();
    FactList facts;
    if (row.isFinal()) {
        facts = endFacts(row, action.value("signal").toInt(), writtenBytes(action) > 0);
        addNoted(facts, row, comments);
        return facts;
    }
    for (const QJsonValue wait : why.value("waits").toArray()) addWait(facts, wait.toObject(), row.note);
    addProgress(facts, action.value("progress").toObject());
    addEstimate(facts, action.value("estimate").toObject(), row.started != 0);
    if (facts.empty())
        facts.push_back({DetailPanel::tr("now"),
                         row.face == DisplayState::Running ? DetailPanel::tr("it runs") : engineWords(row.note)});
    addNoted(facts, row, comments);
    return facts;
}

FactList limitFacts(const ActionRow& row, const QJsonObject& action, const QJsonObject& spec, qint64 now) {
    const auto ran = row.ran(now);
    const qint64 written = writtenBytes(action);
    const Format format;
    FactList facts;
    const double seconds = ran ? std::chrono::duration<double>(*ran).count() : 0;
    const double deadline = spec.value("deadline_s").toDouble();
    if (ran && deadline > 0)
        facts.push_back(
            {DetailPanel::tr("time"),
             DetailPanel::tr("%1 of %2").arg(format.duration(*ran), format.duration(detailMicros(deadline * 1e6))),
             Fact::Tone::Normal, seconds / deadline});
    else if (ran)
        facts.push_back({DetailPanel::tr("time"), format.duration(*ran)});
    const QJsonObject resources = spec.value("resources").toObject();
    const double memory = resources.value("memory_mb").toDouble() * (1 << 20);
    const auto& peak = row.measures[Measure::PeakMemory];
    const auto& cpu = row.measures[Measure::CpuTime];
    if (peak && memory > 0)
        facts.push_back(
            {DetailPanel::tr("memory"),
             // As it was asked for: 52.4 MB would not be told from another limit than 50 MiB.
             DetailPanel::tr("%1 of %2 MiB").arg(mebibytes(static_cast<double>(*peak)), mebibytes(memory)),
             Fact::Tone::Normal, static_cast<double>(*peak) / memory});
    else if (peak)
        facts.push_back({DetailPanel::tr("memory"), format.size(*peak)});
    const double cores = resources.value("cores").toDouble(1);
    const double used = static_cast<double>(cpu.value_or(0)) / 1e6;
    if (cpu && seconds >= kLeastForCores)
        facts.push_back({DetailPanel::tr("cores"),
                         DetailPanel::tr("%1 of %2").arg(format.cores(used / seconds), format.cores(cores)),
                         Fact::Tone::Normal, used / seconds / cores});
    if (const QJsonValue tokens = action.value("tokens"); tokens.isDouble())
        facts.push_back({DetailPanel::tr("jobserver"), DetailPanel::tr("%n token(s)", nullptr, tokens.toInt())});
    if (written > 0) facts.push_back({DetailPanel::tr("output"), format.size(written)});
    if (const QJsonObject tty = spec.value("tty").toObject(); !tty.isEmpty())
        facts.push_back({DetailPanel::tr("terminal"), DetailPanel::tr("%1 rows, %2 columns")
                                                          .arg(tty.value("rows").toVariant().toString(),
                                                               tty.value("cols").toVariant().toString())});
    return facts;
}

FactList timeFacts(const ActionRow& row, qint64 now) {
    const auto ran = row.ran(now);
    const Format format;
    FactList times;
    if (const auto waited = row.waited(now)) times.push_back({DetailPanel::tr("waited"), format.duration(*waited)});
    if (const auto prepared = row.prepared(now))
        times.push_back({DetailPanel::tr("prepared"), format.duration(*prepared)});
    if (ran) times.push_back({DetailPanel::tr("ran"), format.duration(*ran)});
    if (row.exited != 0 && row.finished > row.exited)
        times.push_back({DetailPanel::tr("collected"),
                         format.duration(detailMicros(static_cast<double>(row.finished - row.exited)))});
    return times;
}

FactList processorFacts(const ActionRow& row, qint64 now) {
    const auto ran = row.ran(now);
    const Format format;
    FactList facts;
    for (const MeasureInfo& info : kMeasureTable)
        if (const auto& value = row.measures[info.measure])
            facts.push_back({measureText(info.label), measured(format, info, *value)});
    if (ran) facts.push_back({DetailPanel::tr("wall time"), format.duration(*ran)});
    if (facts.empty()) facts.push_back({DetailPanel::tr("not known yet"), Format::unknown()});
    return facts;
}

FactList lockFacts(qint64 lsn, const QJsonObject& spec, const QJsonArray& locks, const QString& engine) {
    FactList facts;
    for (const QJsonValue claimed : spec.value("locks").toArray()) {
        QJsonObject lock;
        for (const QJsonValue each : locks)
            if (each.toObject().value("name") == claimed) lock = each.toObject();
        addLock(facts, claimed.toString(), lock, lsn, engine);
    }
    return facts;
}

qint64 writtenBytes(const QJsonObject& action) {
    qint64 bytes = 0;
    for (const char* stream : {"stdout", "stderr"})
        bytes += action.value(QLatin1String(stream)).toObject().value("size").toInteger();
    return bytes;
}

} // namespace yard::ui
