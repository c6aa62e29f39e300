// A rule of alerts as it is written in its form, and as JSON. What the form does not show of a rule that is changed, more
// commands or addresses than one and commands that are no line, stays as it was. Values; ui thread.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <span>
#include <string_view>

namespace yard::ui {

inline constexpr qsizetype kMostAlertLine = 4'096; ///< characters of what is written in one line

/// What of a kind is written beside it: docs/alerts.md.
struct AlertKind {
    std::string_view word;
    const char* title;          ///< for translation, in "AlertKinds"
    const char* over = nullptr; ///< what "over" counts; null: the kind has none
    double usual = 0;
    bool hasFilter = true;
    bool isEvent = false; ///< it has no "for_s"
};
std::span<const AlertKind> alertKinds();
/// Null: of a later engine.
const AlertKind* alertKind(const QString& word);
QString alertKindTitle(const QString& word);

struct AlertDraft {
    QString name;
    QString kind = QStringLiteral("queue_finished");
    QString filter;
    QString over;    ///< empty: the usual one
    QString forS;    ///< empty: at once
    QString command; ///< one line; empty: none
    QString webhook;
    QString quietS;
    QString hours;
    QString severity = QStringLiteral("warning");
    bool isForDesktop = true;
    QJsonArray others{}; ///< targets that are not shown

    static AlertDraft of(const QJsonObject& rule);
    /// As the engine takes it; members that are empty are left out. A number that is none is sent as the text it is: the
    /// engine says what it wants.
    QJsonObject rule() const;
};

} // namespace yard::ui
