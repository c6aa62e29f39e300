#include "ui/bridge/history_operations.h"

#include "ui/bridge/shell_engine.h"

#include <QCoreApplication>

namespace yard::ui::operations {

Operation lookAtUsage(const QString& by, qint64 since) {
    QUrlQuery query;
    query.addQueryItem("by", by);
    query.addQueryItem("from", QString::number(since));
    // Millions of actions, behind others who ask, take a while to be read.
    Request request{"GET", "accounting", query};
    request.patience = std::chrono::minutes(5);
    return {QCoreApplication::translate("Operation", "Show what work used"), request,
            QStringLiteral("yardctl usage --by %1 --from %2").arg(by).arg(since)};
}

Operation lookAtAudit(qint64 since, const QString& text, const QString& cursor) {
    QUrlQuery query("limit=1000");
    QString line = QStringLiteral("yardctl audit -n 1000");
    if (since > 0) {
        query.addQueryItem("from", QString::number(since));
        line += QStringLiteral(" --from %1").arg(since);
    }
    if (!text.isEmpty()) {
        query.addQueryItem("q", QString::fromLatin1(QUrl::toPercentEncoding(text)));
        line += QStringLiteral(" --match=") + shellWord(text);
    }
    if (!cursor.isEmpty()) query.addQueryItem("cursor", QString::fromLatin1(QUrl::toPercentEncoding(cursor)));
    return {
        QCoreApplication::translate("Operation", "Show who changed what"), {"GET", "audit", query, {}, {}}, line};
}

Operation askedAgain(const QString& method, const QString& path, const QString& body) {
    constexpr QLatin1String kPrefix("/compute/");
    const auto mark = path.indexOf('?');
    const QString place = path.left(mark < 0 ? path.size() : mark);
    Request request{method.toLatin1(), place.startsWith(kPrefix) ? place.mid(kPrefix.size()) : place};
    if (mark >= 0) request.query.setQuery(path.mid(mark + 1));
    request.body = body.toUtf8();
    return {{}, request, {}};
}

} // namespace yard::ui::operations
