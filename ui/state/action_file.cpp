#include "ui/state/action_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace yard::ui {

namespace {

constexpr qint64 kMost = 64 << 20;
constexpr qsizetype kFileMostDragged = 1'000'000;
constexpr const char* kMime = "application/x-yardmaster-actions";

QString fileWords(const char* text) {
    return QCoreApplication::translate("ActionFile", text);
}

} // namespace

ActionFile parseActions(const QByteArray& text) {
    QJsonParseError error;
    const QJsonDocument whole = QJsonDocument::fromJson(text, &error);
    if (whole.isArray()) return {whole.array(), {}};
    if (whole.isObject()) return {{whole.object()}, {}};
    ActionFile file;
    int number = 0;
    for (const QByteArray& line : text.split('\n')) {
        ++number;
        if (line.trimmed().isEmpty()) continue;
        const QJsonDocument one = QJsonDocument::fromJson(line, &error);
        if (!one.isObject())
            return {{},
                    fileWords(QT_TRANSLATE_NOOP("ActionFile", "Line %1 is no action: %2"))
                        .arg(number)
                        .arg(error.errorString())};
        file.actions.append(one.object());
    }
    if (file.actions.isEmpty())
        file.problem = fileWords(QT_TRANSLATE_NOOP("ActionFile", "There are no actions in it."));
    return file;
}

ActionFile readActions(const QString& path) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return {{},
                fileWords(QT_TRANSLATE_NOOP("ActionFile", "%1 cannot be read: %2")).arg(path, file.errorString())};
    if (file.size() > kMost) return {{}, fileWords(QT_TRANSLATE_NOOP("ActionFile", "%1 is too long.")).arg(path)};
    return parseActions(file.read(kMost));
}

QMimeData* dragOf(const std::vector<qint64>& lsns, const QString& address) {
    QJsonArray numbers;
    QString text;
    for (const qint64 lsn : lsns) {
        numbers.append(lsn);
        text += QString::number(lsn) + '\n';
    }
    auto* data = new QMimeData;
    data->setData(
        kMime, QJsonDocument(QJsonObject{{"address", address}, {"lsns", numbers}}).toJson(QJsonDocument::Compact));
    data->setText(text);
    return data;
}

std::vector<qint64> draggedActions(const QMimeData& data, const QString& address) {
    const QJsonObject object = QJsonDocument::fromJson(data.data(kMime)).object();
    const QJsonArray numbers = object.value("lsns").toArray();
    std::vector<qint64> lsns;
    if (object.value("address").toString() != address || numbers.size() > kFileMostDragged) return lsns;
    for (const QJsonValue number : numbers)
        if (number.toInteger() > 0) lsns.push_back(number.toInteger());
    return lsns;
}

} // namespace yard::ui
