#include "ui/state/failure_kinds.h"

#include "ui/state/action_row.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace yard::ui {

namespace {

struct FailureWords {
    Q_DECLARE_TR_FUNCTIONS(FailureKinds)
};

} // namespace

QString endOf(const QJsonObject& job) {
    const QString reason = job.value("reason").toString();
    if (reason.isEmpty()) return FailureWords::tr("unknown");
    return wordOfReason(reason, actionRowOf(job).exitCode, job.value("signal").toInt());
}

QString whatRan(const QJsonObject& job) {
    QString name = job.value("worker_name").toString();
    if (!name.isEmpty()) return name;
    const QString function = job.value("function").toString();
    return function.isEmpty() ? FailureWords::tr("program") : function;
}

std::vector<FailureKind> failureKindsOf(const QJsonArray& jobs) {
    std::map<QString, FailureKind> byText;
    for (const QJsonValue value : jobs) {
        const QJsonObject job = value.toObject();
        const QString text = FailureWords::tr("%1, %2").arg(endOf(job), whatRan(job));
        FailureKind& kind = byText[text];
        kind.text = text;
        kind.lsns.push_back(job.value("lsn").toInteger());
    }
    std::vector<FailureKind> kinds;
    kinds.reserve(byText.size());
    for (auto& [text, kind] : byText) kinds.push_back(std::move(kind));
    std::ranges::sort(kinds, [](const FailureKind& a, const FailureKind& b) {
        return a.lsns.size() != b.lsns.size() ? a.lsns.size() > b.lsns.size() : a.text < b.text;
    });
    return kinds;
}

qint64 endedAt(const QJsonObject& job) {
    const QJsonObject times = job.value("timestamps").toObject();
    for (const char* name : {"failed", "completed", "abandoned", "cancelled", "exited"})
        if (const qint64 at = times.value(name).toInteger(); at > 0) return at;
    return 0;
}

} // namespace yard::ui
