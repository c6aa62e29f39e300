#include "ui/forms/worker_draft.h"

#include "core/model/worker.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

namespace yard::ui {

namespace {

constexpr qint64 kMostDescriptor = 4 << 20;
constexpr qint64 kMostScanned = 8 << 20;
constexpr int kMostFiles = 2'000;

QString draftWords(const char* text) {
    return QCoreApplication::translate("WorkerDraft", text);
}

bool knowsDescribe(const QStringList& files) {
    qint64 left = kMostScanned;
    for (const QString& path : files) {
        QFile file(path);
        if (left <= 0 || !file.open(QIODevice::ReadOnly)) continue;
        const QByteArray bytes = file.read(left);
        left -= bytes.size();
        if (bytes.contains("--describe")) return true;
    }
    return false;
}

QStringList filesBelow(const QString& directory) {
    QStringList files;
    QDirIterator it(directory, QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
    while (it.hasNext() && files.size() < kMostFiles) files << it.next();
    return files;
}

/// A relative path of the only file that can be run; empty when there are none or several.
QString onlyProgram(const QString& directory) {
    QString found;
    const QDir base(directory);
    for (const QString& path : filesBelow(directory)) {
        const QString relative = base.relativeFilePath(path);
        if (!QFileInfo(path).isExecutable() || relative.startsWith('.') || relative.contains("/.")) continue;
        if (!found.isEmpty()) return {};
        found = relative;
    }
    return found;
}

void guess(WorkerDraft& draft, const QString& member, const QJsonValue& value, const QString& from) {
    if (draft.descriptor.contains(member)) return;
    draft.descriptor.insert(member, value);
    draft.guesses.insert(member, from);
}

void guessRest(WorkerDraft& draft, const QString& called) {
    guess(draft, "name", workerNameFrom(called),
          draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "guessed from the name")));
    guess(draft, "version", "1", draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "guessed: nothing says")));
    const std::string_view platform = thisPlatform();
    guess(draft, "platform", QString::fromLatin1(platform.data(), static_cast<qsizetype>(platform.size())),
          draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "guessed: this machine's")));
    if (draft.descriptor.contains("executable")) return;
    if (const QString program = onlyProgram(draft.directory); !program.isEmpty())
        guess(draft, "executable", program,
              draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "guessed: the only program there")));
}

WorkerDraft fromDescriptor(const QString& path) {
    WorkerDraft draft;
    draft.directory = QFileInfo(path).absolutePath();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        draft.problem =
            draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "%1 cannot be read: %2")).arg(path, file.errorString());
        return draft;
    }
    const QByteArray text = file.read(kMostDescriptor + 1);
    if (text.size() > kMostDescriptor) {
        draft.problem = draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "%1 is too long for a descriptor.")).arg(path);
        return draft;
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (!document.isObject()) {
        draft.text = QString::fromUtf8(text);
        draft.problem =
            error.error != QJsonParseError::NoError
                ? placeIn(text, error.offset) + ": " + error.errorString()
                : draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "A descriptor is a JSON object; this is none."));
        return draft;
    }
    draft.descriptor = document.object();
    guessRest(draft, QFileInfo(draft.directory).fileName());
    draft.describes = knowsDescribe(filesBelow(draft.directory));
    return draft;
}

WorkerDraft fromProgram(const QFileInfo& program) {
    WorkerDraft draft;
    draft.directory = program.absolutePath();
    draft.descriptor.insert("executable", program.fileName());
    draft.descriptor.insert("files", QJsonArray{program.fileName()});
    guessRest(draft, program.completeBaseName());
    draft.guesses.insert("files", draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "guessed: the program alone")));
    draft.describes = knowsDescribe({program.absoluteFilePath()});
    return draft;
}

} // namespace

WorkerDraft draftWorker(const QString& path) {
    const QFileInfo info(path);
    WorkerDraft none;
    if (!info.exists()) {
        none.problem = draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "%1 is not there.")).arg(path);
        return none;
    }
    if (info.isDir()) {
        const QString descriptor = QDir(path).filePath("worker.json");
        if (QFileInfo::exists(descriptor)) return fromDescriptor(descriptor);
        none.directory = info.absoluteFilePath();
        guessRest(none, info.fileName());
        if (!none.descriptor.contains("executable"))
            none.problem = draftWords(QT_TRANSLATE_NOOP(
                "WorkerDraft", "This folder has no worker.json and not exactly one program; choose the program."));
        none.describes = knowsDescribe(filesBelow(none.directory));
        return none;
    }
    if (info.suffix().compare("json", Qt::CaseInsensitive) == 0) return fromDescriptor(info.absoluteFilePath());
    if (info.isExecutable()) return fromProgram(info);
    none.problem =
        draftWords(QT_TRANSLATE_NOOP("WorkerDraft",
                                     "%1 is neither a program, nor a folder, nor a descriptor (a .json file)."))
            .arg(path);
    return none;
}

QString workerNameFrom(const QString& text) {
    QString name;
    for (const QChar c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool rest = (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        if (letter || (rest && !name.isEmpty())) name += c;
        if (name.size() == 64) break;
    }
    return isWorkerName(name.toStdString()) ? name : QStringLiteral("worker");
}

QString placeIn(const QByteArray& text, int offset) {
    const QByteArray before = text.left(offset);
    const auto line = before.count('\n') + 1;
    const auto column = before.size() - (before.lastIndexOf('\n') + 1) + 1;
    return draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "Line %1, column %2")).arg(line).arg(column);
}

Described readDescription(const QByteArray& output) {
    const QJsonDocument document = QJsonDocument::fromJson(output);
    const QJsonArray found = document.object().value("functions").toArray();
    QJsonArray functions;
    for (const QJsonValue value : found) {
        const QJsonObject function = value.toObject();
        if (function.value("name").toString().isEmpty()) continue;
        QJsonObject kept{{"name", function.value("name")}};
        if (function.value("version").isString()) kept.insert("version", function.value("version"));
        functions.append(kept);
    }
    if (functions.isEmpty())
        return {{},
                draftWords(QT_TRANSLATE_NOOP("WorkerDraft", "It does not answer --describe with its functions."))};
    return {functions, {}};
}

} // namespace yard::ui
