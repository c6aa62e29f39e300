#include "ui/bridge/object_operations.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

namespace yard::ui {

namespace {

struct ObjectWords {
    Q_DECLARE_TR_FUNCTIONS(ObjectWords)
};

QString numbersOf(const std::vector<qint64>& objects) {
    QString line;
    for (const qint64 id : objects) line += ' ' + QString::number(id);
    return line;
}

QJsonArray idsOf(const std::vector<qint64>& objects) {
    QJsonArray ids;
    for (const qint64 id : objects) ids.append(id);
    return ids;
}

/// One is asked by its own path: its answer is the object.
Request onObjects(const std::vector<qint64>& objects, const QString& verb, QJsonObject body) {
    if (objects.size() == 1)
        return {"POST",
                QStringLiteral("objects/%1/%2").arg(objects.front()).arg(verb),
                {},
                body.isEmpty() ? QByteArray() : jsonBody(body)};
    body.insert("ids", idsOf(objects));
    return {"POST", "objects/" + verb, {}, jsonBody(body)};
}

/// A word of a shell, whatever is in it.
QString quoted(QString text) {
    return '\'' + text.replace('\'', QStringLiteral("'\\''")) + '\'';
}

/// As JSON.
QString valueOf(const QJsonValue& value) {
    const QString text = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
    return text.mid(1, text.size() - 2);
}

QString titleOf(const char* text, std::size_t count) {
    return QCoreApplication::translate("Operation", text, nullptr, static_cast<int>(count));
}

} // namespace

ObjectFilter ObjectFilter::of(const QString& text) {
    ObjectFilter filter;
    static const QRegularExpression blanks("\\s+");
    QStringList fields;
    for (const QString& word : text.split(blanks, Qt::SkipEmptyParts)) {
        const QString key = word.section(':', 0, 0);
        const QString value = word.section(':', 1);
        if (!word.contains(':') || key.isEmpty() || value.isEmpty()) {
            filter.problem = ObjectWords::tr("\"%1\" is not FIELD:VALUE").arg(word);
        } else if (key == "type") {
            filter.type = value;
        } else if (key == "status") {
            filter.status = value;
        } else if (key == "parent") {
            bool good = false;
            filter.parent = value.toLongLong(&good);
            if (!good || filter.parent < 1)
                filter.problem = ObjectWords::tr("\"%1\" is no number of an object").arg(value);
        } else {
            fields << word;
        }
    }
    filter.fields = fields.join(' ');
    return filter;
}

namespace operations {

Request listObjects(const ObjectFilter& filter, qint64 after, int limit, bool oldestFirst) {
    Request request{"GET", "objects"};
    const auto add = [&](const char* name, const QString& value) {
        if (!value.isEmpty())
            request.query.addQueryItem(QLatin1String(name), QString::fromLatin1(QUrl::toPercentEncoding(value)));
    };
    add("type", filter.type);
    add("status", filter.status);
    if (filter.parent > 0) add("parent", QString::number(filter.parent));
    add("q", filter.fields);
    if (oldestFirst) add("sort", QStringLiteral("id"));
    add("limit", QString::number(limit));
    if (after > 0) add("cursor", QString::number(after));
    return request;
}

Operation lookAtObjectList(const ObjectFilter& filter) {
    QString line = "yardctl objects";
    if (!filter.type.isEmpty()) line += " --type " + quoted(filter.type);
    if (!filter.status.isEmpty()) line += " --status " + quoted(filter.status);
    if (filter.parent > 0) line += QStringLiteral(" --parent %1").arg(filter.parent);
    if (!filter.fields.isEmpty()) line += " --where " + quoted(filter.fields);
    constexpr int kAsYardctl = 100;
    return {QCoreApplication::translate("Operation", "List objects"), listObjects(filter, 0, kAsYardctl, false),
            line};
}

Operation lookAtObject(qint64 object) {
    return {QCoreApplication::translate("Operation", "Show the object"),
            {"GET", QStringLiteral("objects/%1").arg(object)},
            QStringLiteral("yardctl objects show %1").arg(object)};
}

/// yardctl takes no status: a line that left it out would do something else.
Operation createObject(const QJsonObject& body) {
    const QString type = body.value("type").toString();
    QString line = "yardctl objects create " + quoted(type);
    const QJsonObject fields = body.value("fields").toObject();
    for (auto it = fields.begin(); it != fields.end(); ++it)
        line += ' ' + quoted(it.key() + '=' + valueOf(it.value()));
    if (body.contains("key")) line += " --key " + quoted(body.value("key").toString());
    if (body.contains("parent")) line += QStringLiteral(" --parent %1").arg(body.value("parent").toInteger());
    if (body.contains("status")) line.clear();
    return {QCoreApplication::translate("Operation", "Create an object of the type %1").arg(type),
            {"POST", "objects", {}, jsonBody(body)},
            line};
}

Request objectStays(const QString& type) {
    return {"GET", QStringLiteral("types/%1/stays").arg(QString::fromLatin1(QUrl::toPercentEncoding(type)))};
}

Operation objectsDueNow(const std::vector<qint64>& objects) {
    return {titleOf(QT_TRANSLATE_N_NOOP("Operation", "Look at %n object(s) now"), objects.size()),
            onObjects(objects, QStringLiteral("look"), {}), "yardctl objects look" + numbersOf(objects)};
}

Operation moveObjects(const std::vector<qint64>& objects, const QString& status, bool force) {
    QJsonObject body{{"to", status}};
    if (force) body.insert("force", true);
    QString line = "yardctl objects move" + numbersOf(objects) + ' ' + status;
    if (force) line += " --force";
    return {titleOf(QT_TRANSLATE_N_NOOP("Operation", "Move %n object(s) to %1"), objects.size()).arg(status),
            onObjects(objects, QStringLiteral("move"), body), line};
}

Operation deleteObjects(const std::vector<qint64>& objects) {
    Request request{"POST", "objects/delete", {}, jsonBody({{"ids", idsOf(objects)}})};
    if (objects.size() == 1) request = {"DELETE", QStringLiteral("objects/%1").arg(objects.front())};
    return {titleOf(QT_TRANSLATE_N_NOOP("Operation", "Delete %n object(s)"), objects.size()), request,
            "yardctl objects delete" + numbersOf(objects)};
}

Operation setObjectField(qint64 object, qint64 revision, const QString& field, const QJsonValue& value) {
    Request request{
        "PATCH", QStringLiteral("objects/%1").arg(object), {}, jsonBody({{"fields", QJsonObject{{field, value}}}})};
    request.revision = revision;
    return {QCoreApplication::translate("Operation", "Set %1 of object %2").arg(field).arg(object), request,
            QStringLiteral("yardctl objects set %1 %2").arg(object).arg(quoted(field + '=' + valueOf(value)))};
}

} // namespace operations
} // namespace yard::ui
