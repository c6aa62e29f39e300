// What GET alerts says, as values, and the notices that its messages make (docs/alerts.md). Values; ui thread.
#pragma once

#include "ui/state/notices.h"

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

struct AlertMessage {
    QString rule;
    QString severity; ///< "info", "warning", "critical"
    QString text;
    QString key; ///< of what it is about: a queue, a machine
    bool isResolved = false;
    qint64 t = 0; ///< microseconds since the epoch
    qint64 lsn = 0;
    std::optional<qint64> queue{};
};

struct AlertRule {
    QString name;
    QString kind;
    QString severity;
    QString state; ///< "quiet", "firing", "resolved", "silenced"
    bool isForDesktop = false;
    QJsonObject json{};
};

/// By name.
std::vector<AlertRule> readAlertRules(const QJsonObject& json);
/// Of all rules, the oldest first.
std::vector<AlertMessage> readAlertMessages(const QJsonObject& json);

/// Notices of what was said for the desktop after `told`. What a rule of this window that is on tells by itself is left
/// out; more than kMostAlertNotices at once are one, which counts them.
std::vector<Notice> alertNotices(const QJsonObject& json, qint64 told);
inline constexpr std::size_t kMostAlertNotices = 5;
/// When the newest of them was said; 0: none was.
qint64 newestAlert(const QJsonObject& json);

} // namespace yard::ui
