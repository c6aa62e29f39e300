#include "ui/state/languages.h"

#include "ui/state/preferences.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QStandardPaths>

#include <algorithm>
#include <map>
#include <string_view>

namespace yard::ui {

namespace {

const QString kLanguage = QStringLiteral("language");
const QString kPrefix = QStringLiteral("yardmaster_");

/// Qt has these in files that need not be there; where it has not they are ours.
[[maybe_unused]] constexpr const char* kKeyNames[] = {
    QT_TRANSLATE_NOOP("QShortcut", "Ctrl"),  QT_TRANSLATE_NOOP("QShortcut", "Shift"),
    QT_TRANSLATE_NOOP("QShortcut", "Alt"),   QT_TRANSLATE_NOOP("QShortcut", "Meta"),
    QT_TRANSLATE_NOOP("QShortcut", "Del"),   QT_TRANSLATE_NOOP("QShortcut", "Ins"),
    QT_TRANSLATE_NOOP("QShortcut", "Home"),  QT_TRANSLATE_NOOP("QShortcut", "End"),
    QT_TRANSLATE_NOOP("QShortcut", "Left"),  QT_TRANSLATE_NOOP("QShortcut", "Right"),
    QT_TRANSLATE_NOOP("QShortcut", "Up"),    QT_TRANSLATE_NOOP("QShortcut", "Down"),
    QT_TRANSLATE_NOOP("QShortcut", "PgUp"),  QT_TRANSLATE_NOOP("QShortcut", "PgDown"),
    QT_TRANSLATE_NOOP("QShortcut", "Space"), QT_TRANSLATE_NOOP("QShortcut", "Backspace"),
    QT_TRANSLATE_NOOP("QShortcut", "Enter"), QT_TRANSLATE_NOOP("QShortcut", "Return"),
    QT_TRANSLATE_NOOP("QShortcut", "Tab"),   QT_TRANSLATE_NOOP("QShortcut", "Esc")};

} // namespace

QString Texts::translate(const char* context, const char* source, const char* comment, int n) const {
    constexpr std::string_view kSpace = "yard::ui::";
    if (QString text = QTranslator::translate(context, source, comment, n); !text.isEmpty()) return text;
    if (context == nullptr || !std::string_view(context).starts_with(kSpace)) return {};
    for (const char* other : {context + kSpace.size(), "yard::ui", "std"})
        if (QString text = QTranslator::translate(other, source, comment, n); !text.isEmpty()) return text;
    return {};
}

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
    return preference(kLanguage).toString();
}

void Languages::choose(const QString& code) {
    setPreference(kLanguage, code.isEmpty() ? QVariant() : code);
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
