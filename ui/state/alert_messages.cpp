#include "ui/state/alert_messages.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

struct AlertWords {
    Q_DECLARE_TR_FUNCTIONS(AlertWords)
};

/// The window sees it, too: once is enough.
bool isToldByTheWindow(const QString& kind) {
    if (kind == "queue_finished") return isNoticeRuleOn(NoticeRule::QueueFinished);
    return kind == "disk" && isNoticeRuleOn(NoticeRule::DiskFull);
}

/// What it is about: the page, and the filter there.
std::pair<QString, QString> placeOf(const AlertMessage& message, const QString& kind) {
    if (message.lsn > 0) return {"actions", QStringLiteral("lsn:%1").arg(message.lsn)};
    if (message.queue) return {"actions", QStringLiteral("queue:%1").arg(*message.queue)};
    if (kind == "machine") return {"machines", message.key};
    if (kind == "gpu_lost") return {"machines", QString()};
    if (kind == "orphan" || kind == "stuck_objects") return {"objects", QString()};
    if (kind == "memory" || kind == "disk") return {"settings", "engine"};
    return {"dashboard", QString()};
}

std::optional<DisplayState> faceOf(const AlertMessage& message) {
    if (message.isResolved) return DisplayState::Completed;
    if (message.severity == "critical") return DisplayState::Failed;
    if (message.severity == "warning") return DisplayState::Retry;
    return std::nullopt;
}

} // namespace

std::vector<AlertRule> readAlertRules(const QJsonObject& json) {
    std::vector<AlertRule> rules;
    for (const QJsonValue each : json.value("alerts").toArray()) {
        AlertRule rule{.name = each["name"].toString(),
                       .kind = each["on"]["kind"].toString(),
                       .severity = each["severity"].toString(),
                       .state = each["state"].toString(),
                       .isForDesktop = false,
                       .json = each.toObject()};
        for (const QJsonValue target : each["then"].toArray())
            rule.isForDesktop = rule.isForDesktop || target["desktop"].toBool();
        rules.push_back(std::move(rule));
    }
    std::ranges::sort(rules, {}, &AlertRule::name);
    return rules;
}

std::vector<AlertMessage> readAlertMessages(const QJsonObject& json) {
    std::vector<AlertMessage> messages;
    for (const QJsonValue each : json.value("fired").toArray()) {
        const QJsonValue queue = each["queue_id"];
        messages.push_back({.rule = each["rule"].toString(),
                            .severity = each["severity"].toString(),
                            .text = unturned(each["text"].toString()),
                            .key = each["key"].toString(),
                            .isResolved = each["state"].toString() == "resolved",
                            .t = each["t"].toInteger(),
                            .lsn = each["lsn"].toInteger(),
                            .queue = queue.isDouble() ? std::optional(queue.toInteger()) : std::nullopt});
    }
    std::ranges::sort(messages, {}, &AlertMessage::t);
    return messages;
}

qint64 newestAlert(const QJsonObject& json) {
    const auto messages = readAlertMessages(json);
    return messages.empty() ? 0 : messages.back().t;
}

std::vector<Notice> alertNotices(const QJsonObject& json, qint64 told) {
    const auto rules = readAlertRules(json);
    std::vector<Notice> notices;
    for (const AlertMessage& message : readAlertMessages(json)) {
        const auto rule = std::ranges::find(rules, message.rule, &AlertRule::name);
        const bool isGone = rule == rules.end(); // it was said all the same
        if (message.t <= told || (!isGone && (!rule->isForDesktop || isToldByTheWindow(rule->kind)))) continue;
        const auto [page, filter] = placeOf(message, isGone ? QString() : rule->kind);
        Notice notice{NoticeRule::Alert, message.text, page, filter};
        notice.face = faceOf(message);
        notices.push_back(std::move(notice));
    }
    if (notices.size() <= kMostAlertNotices) return notices;
    Notice all = notices.back();
    all.text =
        AlertWords::tr("%Ln alert(s), the newest: %1", nullptr, pluralCount(static_cast<qint64>(notices.size())))
            .arg(all.text);
    return {all};
}

} // namespace yard::ui
