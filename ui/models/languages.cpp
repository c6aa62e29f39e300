#include "ui/models/languages.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <map>

namespace yard::ui {

namespace {

constexpr auto kKey = "general/language";
const QString kPrefix = QStringLiteral("yardmaster_");

} // namespace

QStringList Languages::directories() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/translations",
            QCoreApplication::applicationDirPath() + "/translations", QStringLiteral(":/translations")};
}

std::vector<Languages::Language> Languages::available() {
    std::map<QString, QString> found; // names by code
    for (const QString& directory : directories())
        for (const QString& file : QDir(directory).entryList({kPrefix + "*.qm"}, QDir::Files)) {
            const QString code = file.mid(kPrefix.size()).chopped(3);
            const QLocale locale(code);
            if (locale.language() == QLocale::C) continue; // no language by that name
            QString name = locale.nativeLanguageName();
            if (!name.isEmpty()) name[0] = name[0].toUpper();
            found.emplace(code, name.isEmpty() ? code : name);
        }
    std::vector<Language> all;
    for (const auto& [code, name] : found) all.push_back({code, name});
    std::ranges::sort(all, {}, &Language::name);
    return all;
}

QString Languages::chosen() {
    return QSettings().value(kKey).toString();
}

void Languages::choose(const QString& code) {
    if (code.isEmpty())
        QSettings().remove(kKey);
    else
        QSettings().setValue(kKey, code);
}

Languages::~Languages() {
    QCoreApplication::removeTranslator(&texts_);
    QCoreApplication::removeTranslator(&qt_);
}

bool Languages::load(const QLocale& locale) {
    return std::ranges::any_of(directories(), [&](const QString& directory) {
        return texts_.load(locale, QStringLiteral("yardmaster"), QStringLiteral("_"), directory);
    });
}

void Languages::install() {
    const QString wanted = chosen();
    const QLocale system = QLocale::system();
    QLocale locale = wanted.isEmpty() ? system : QLocale(wanted);
    // The country stays the system's where the language is: its numbers and times.
    if (locale.language() == system.language()) locale = system;
    if (!load(locale)) {
        locale = QLocale(QLocale::English);
        if (!load(locale)) return; // without its plurals, then
    }
    current_ = QLocale(texts_.language()).language() == QLocale::C ? locale.name() : texts_.language();
    QLocale::setDefault(locale);
    QCoreApplication::installTranslator(&texts_);
    if (qt_.load(locale, QStringLiteral("qtbase"), QStringLiteral("_"),
                 QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt_);
}

} // namespace yard::ui
