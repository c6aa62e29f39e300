// The page Objects over a link that is played, for its tests: what an engine answers, and the page that asks.
#pragma once

#include "tests/ui/played_page.h"
#include "tests/ui/snapshot_type.h"
#include "ui/pages/objects/object_panel.h"
#include "ui/pages/objects/objects_page.h"

#include <QAction>
#include <QJsonObject>
#include <QMenu>

namespace yard::test {

inline constexpr qint64 kSecond = 1'000'000;

inline QJsonObject object(qint64 id, const QString& status, QJsonObject more = {}) {
    const qint64 now = wallNow();
    QJsonObject json{{"id", id},
                     {"type", "snapshot"},
                     {"status", status},
                     {"retries", 0},
                     {"created", now},
                     {"modified", now},
                     {"revision", id + 100},
                     {"fields", QJsonObject{{"url", "https://example.org"}, {"depth", 2}}}};
    if (status != "sealed" && status != "failed") json.insert("retry_at", now + 4'900'000);
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

inline QJsonObject rowsFrom(qint64 newest, qint64 oldest, bool hasMore) {
    QJsonArray rows;
    for (qint64 id = newest; id >= oldest; --id) rows.append(object(id, "queued"));
    QJsonObject json{{"objects", rows}};
    if (hasMore) json.insert("cursor", QString::number(oldest));
    return json;
}

class PlayedObjects {
public:
    PlayedObjects() {
        page.resize(1'400, 800);
        page.show();
        page.setActive(true);
    }
    bool tell(const QString& path, const QJsonObject& json) { return played.link.answer(path, json); }
    /// What the page asks for when it is opened, with these rows.
    bool begin(const QJsonObject& rows, const QJsonObject& orchestrator = {}) {
        return tell("types", snapshotTypes()) && tell("orchestrator", orchestrator) && tell("objects", rows);
    }
    QString cell(qint64 id, ui::ObjectColumn column) {
        return page.model()->cell(page.model()->rowOf(id), static_cast<int>(column)).text;
    }
    QAction* command(const char* id) {
        for (QAction* each : page.commands())
            if (each->objectName() == QLatin1String(id)) return each;
        return nullptr;
    }
    const ui::Request& newest() { return std::get<0>(played.link.asked.back()); }
    /// The newest question, as "METHOD path body".
    QString last() {
        const ui::Request& request = newest();
        return QString::fromLatin1(request.method + ' ' + request.path.toLatin1() + ' ' + request.body).trimmed();
    }
    /// The oldest question to this path that waits, as its query.
    QString queryOf(const QString& path) {
        for (const auto& [request, context, done] : played.link.asked)
            if (request.path == path) return request.query.toString(QUrl::FullyDecoded);
        return {};
    }
    QStringList movesOffered(bool force) {
        emit page.moveMenu()->aboutToShow();
        QStringList all;
        for (const QAction* action : page.moveMenu()->actions()) {
            const QList<QAction*> inner = action->menu() != nullptr ? action->menu()->actions() : QList<QAction*>();
            if (!force && action->data().isValid()) all << action->data().toString();
            for (const QAction* each : inner)
                if (force) all << each->data().toString();
        }
        all.sort();
        return all;
    }

    PlayedContext played;
    ui::ObjectsPage page{played.context()};
};

} // namespace yard::test
