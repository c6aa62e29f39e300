// The language of the window: which there are, which one is chosen, and its texts. English and German come with the
// program; `yardmaster_CODE.qm` in `translations/` of the user's data directory or beside the program adds another,
// or goes before the one that comes with it. Owner: ui thread.
#pragma once

#include <QLocale>
#include <QString>
#include <QStringList>
#include <QTranslator>
#include <vector>

namespace yard::ui {

/// Texts by what they are, also where lupdate and the program name their context differently: lupdate files what
/// stands in a function that is in no class under its namespace, or under the class without it.
class Texts final : public QTranslator {
    Q_OBJECT
public:
    using QTranslator::QTranslator;
    QString translate(const char* context, const char* source, const char* comment, int n) const override;
};

class Languages {
public:
    struct Language {
        QString code; ///< "de", "pt_BR"
        QString name; ///< in itself: "Deutsch"
    };

    /// Where texts are looked for, in this order; the last one is in the program.
    static QStringList directories();
    /// Sorted by name.
    static std::vector<Language> available();
    /// As the settings have it; empty: the system's.
    static QString chosen();
    static void choose(const QString& code);

    Languages() = default;
    ~Languages();
    Languages(const Languages&) = delete;
    Languages& operator=(const Languages&) = delete;

    /// Before any text is made. English where there are no texts of the wanted one.
    void install();
    /// Whose texts are shown; empty before install().
    QString current() const { return current_; }

private:
    bool load(const QLocale& locale);
    Texts texts_;
    QTranslator qt_; ///< of what Qt itself says: buttons of its dialogs
    QString current_;
};

} // namespace yard::ui
