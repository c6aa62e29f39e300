#include "ui/bridge/kind_operations.h"

#include "ui/bridge/shell_engine.h"

#include <QCoreApplication>

namespace yard::ui::operations {

namespace {

/// Slashes and spaces of the name are its own, none of the path.
QString pathOfKind(const QString& kind, const QString& verb = {}) {
    const QString path = "kinds/" + QString::fromLatin1(QUrl::toPercentEncoding(kind));
    return verb.isEmpty() ? path : path + '/' + verb;
}

} // namespace

Operation lookAtKinds(qint64 since, const QString& cursor) {
    QUrlQuery query("limit=1000");
    QString line = QStringLiteral("yardctl kinds");
    if (since > 0) {
        query.addQueryItem("since", QString::number(since));
        line += QStringLiteral(" --since %1").arg(since);
    }
    if (!cursor.isEmpty()) query.addQueryItem("cursor", QString::fromLatin1(QUrl::toPercentEncoding(cursor)));
    return {QCoreApplication::translate("Operation", "List kinds of work"), {"GET", "kinds", query, {}, {}}, line};
}

Operation lookAtKind(const QString& kind) {
    return {QCoreApplication::translate("Operation", "Show the kind of work"),
            {"GET", pathOfKind(kind), {}, {}, {}},
            QStringLiteral("yardctl kinds show ") + shellWord(kind)};
}

Operation lookAtFlakiness(const QString& kind) {
    return {QCoreApplication::translate("Operation", "Show its flaky inputs"),
            {"GET", pathOfKind(kind, "flaky"), {}, {}, {}},
            QStringLiteral("yardctl kinds flaky ") + shellWord(kind)};
}

Operation lookAtRegressions() {
    return {QCoreApplication::translate("Operation", "List regressions"),
            {"GET", "regressions", {}, {}, {}},
            "yardctl kinds regressions"};
}

} // namespace yard::ui::operations
