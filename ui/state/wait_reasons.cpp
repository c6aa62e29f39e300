#include "ui/state/wait_reasons.h"

#include "ui/state/engine_words.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <utility>

namespace yard::ui {

namespace {

struct WaitWords {
    Q_DECLARE_TR_FUNCTIONS(WaitReasons)
};

/// "0 of 2 cores free, it is next, 12 of its queue before it": what is the action's own goes, the resource leads.
QString generalOf(QString note) {
    static const QRegularExpression own("(, it is next|, kept for something larger)?(, first of its queue|, (about "
                                        ")?[0-9]+ of its queue before it)?$");
    note.remove(own);
    static const QRegularExpression free("^([0-9.]+) of ([0-9.]+) (.+) free$");
    if (const auto match = free.match(note); match.hasMatch())
        return WaitWords::tr("%1: %2 of %3 free").arg(match.captured(3), match.captured(1), match.captured(2));
    static const QRegularExpression many("^[0-9]+ actions? to end$");
    if (many.match(note).hasMatch()) return WaitWords::tr("after another action");
    static const QRegularExpression until("^is not to start for .+ more$");
    if (until.match(note).hasMatch()) return engineWords(QStringLiteral("not before a time of their own"));
    return engineWords(note);
}

QString queueWords(const EngineState& state, qint64 id) {
    if (id == 0) return WaitWords::tr("the default queue");
    const QueueInfo* queue = state.queue(id);
    return WaitWords::tr("queue %1")
        .arg(queue == nullptr || queue->tag.isEmpty() ? QString::number(id) : queue->tag);
}

/// "its queue runs 1 of at most 2 labelled "gpu"", of a queue that is named.
QString limitWords(const QString& queue, const QString& note) {
    static const QRegularExpression limit("^its queue runs ([0-9]+) of at most ([0-9]+)(?: labelled \"(.*)\")?$");
    const auto match = limit.match(note);
    if (!match.hasMatch()) return queue + note.mid(QStringLiteral("its queue").size());
    if (match.captured(3).isEmpty())
        return WaitWords::tr("%1 runs %2 of at most %3").arg(queue, match.captured(1), match.captured(2));
    return WaitWords::tr("%1 runs %2 of at most %3 labelled \"%4\"")
        .arg(queue, match.captured(1), match.captured(2), match.captured(3));
}

WaitReason reasonOf(const QJsonObject& job, const EngineState& state) {
    const qint64 queue = job.value("queue_id").toInteger();
    const QString note = job.value("note").toString();
    const QString inQueue = QStringLiteral("queue:%1").arg(queue);
    if (job.contains("retry_at") && note.startsWith(u"backs off"))
        return {DisplayState::Retry, WaitWords::tr("back-off after a failure"), {}, "state:retry", 0};
    if (job.value("held").toBool() && !note.startsWith(u"its queue"))
        return {DisplayState::Held, WaitWords::tr("held by themselves"), {}, "state:held", 0};
    if (note.startsWith(u"its queue is held"))
        return {DisplayState::Held, WaitWords::tr("%1 is held").arg(queueWords(state, queue)),
                note.mid(QStringLiteral("its queue is held").size()).trimmed(), "state:pending " + inQueue, 0};
    if (note.startsWith(u"its queue"))
        return {
            DisplayState::Pending, limitWords(queueWords(state, queue), note), {}, "state:pending " + inQueue, 0};
    if (note.isEmpty()) return {DisplayState::Pending, WaitWords::tr("being looked at"), {}, "state:pending", 0};
    return {DisplayState::Pending, generalOf(note), {}, "state:pending", 0};
}

/// Reasons by their words, and when the next of them is over.
class Counted {
public:
    void add(WaitReason reason, qint64 count, qint64 until) {
        const std::pair key{reason.face, reason.text};
        if (reason.face == DisplayState::Retry && until > 0) {
            const auto first = soonest_.emplace(key, until).first;
            first->second = std::min(first->second, until);
        }
        byText_.emplace(key, std::move(reason)).first->second.count += count;
    }
    /// The commonest first.
    std::vector<WaitReason> take(qint64 now) {
        std::vector<WaitReason> reasons;
        reasons.reserve(byText_.size());
        for (auto& [key, reason] : byText_) {
            if (const auto at = soonest_.find(key); at != soonest_.end()) {
                const auto left = Duration(std::chrono::microseconds(std::max<qint64>(0, at->second - now)));
                reason.more = WaitWords::tr("next in %1").arg(Format().duration(left));
            }
            reasons.push_back(std::move(reason));
        }
        // By text where as many wait: rows stay where they are.
        std::ranges::sort(reasons, [](const WaitReason& a, const WaitReason& b) {
            return a.count != b.count ? a.count > b.count : a.text < b.text;
        });
        return reasons;
    }

private:
    std::map<std::pair<DisplayState, QString>, WaitReason> byText_;
    std::map<std::pair<DisplayState, QString>, qint64> soonest_;
};

/// One row of the engine's own count.
WaitReason reasonOfCounted(const QJsonObject& row, const EngineState& state) {
    const QJsonObject wait = row.value("wait").toObject();
    const QString message = wait.value("message").toString();
    const QString kind = wait.value("kind").toString();
    const bool ofQueue = row.contains("queue_id");
    // As a row of the list says it.
    QJsonObject job{{"note", message}, {"queue_id", row.value("queue_id")}};
    if (kind == u"hold" && wait.value("of").toString() == u"action") job.insert("held", true);
    if (kind == u"backoff")
        return {DisplayState::Retry,
                WaitWords::tr("back-off after a failure"),
                {},
                row.value("filter").toString("state:retry"),
                0};
    WaitReason reason = reasonOf(job, state);
    if (kind == u"hold") reason.face = DisplayState::Held;
    if (const QString filter = row.value("filter").toString(); !filter.isEmpty()) reason.filter = filter;
    // What it says of a queue by itself need not name it again.
    if (ofQueue && !message.startsWith(u"its queue"))
        reason.text =
            WaitWords::tr("%1: %2").arg(queueWords(state, row.value("queue_id").toInteger()), reason.text);
    return reason;
}

} // namespace

qint64 WaitReason::id() const {
    return static_cast<qint64>((qHash(text) + std::to_underlying(face)) >> 1 | 1);
}

std::vector<WaitHolder> waitHoldersOf(const QJsonObject& wait) {
    std::vector<WaitHolder> holders;
    const Format format;
    for (const QJsonValue value : wait.value("holders").toArray()) {
        const QJsonObject holder = value.toObject();
        const qint64 lsn = holder.value("lsn").toInteger();
        QStringList who;
        if (lsn > 0) who << format.number(lsn);
        if (const QString name = holder.value("name").toString(); !name.isEmpty()) who << name;
        holders.push_back({lsn, QStringLiteral("%1: %2").arg(
                                    who.join(' '), QLocale().toString(holder.value("amount").toDouble(), 'g', 6))});
    }
    return holders;
}

Request waitingRequest(std::optional<qint64> queue) {
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("state", "pending");
    request.query.addQueryItem("sort", "lsn");
    request.query.addQueryItem("limit", QString::number(kMostWaiting));
    if (queue) request.query.addQueryItem("queue", QString::number(*queue));
    return request;
}

std::vector<WaitReason> waitReasonsOf(const QJsonArray& jobs, const EngineState& state, qint64 now) {
    Counted counted;
    for (const QJsonValue value : jobs) {
        const QJsonObject job = value.toObject();
        counted.add(reasonOf(job, state), 1, job.value("retry_at").toInteger());
    }
    return counted.take(now);
}

std::vector<WaitReason> waitReasonsOf(const QJsonObject& answer, const EngineState& state, qint64 now) {
    Counted counted;
    for (const QJsonValue value : answer.value("reasons").toArray()) {
        const QJsonObject row = value.toObject();
        const qint64 until = row.value("wait").toObject().value("until").toInteger();
        counted.add(reasonOfCounted(row, state), row.value("count").toInteger(), until);
    }
    if (const qint64 others = answer.value("others").toInteger(); others > 0)
        counted.add({DisplayState::Pending, WaitWords::tr("other reasons"), {}, "state:pending", 0}, others, 0);
    return counted.take(now);
}

} // namespace yard::ui
