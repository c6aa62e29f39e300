#include "ui/desktop/terminal.h"

#include "core/base/open_files.h"

#include <QCoreApplication>
#include <QProcess>
#include <QStandardPaths>

#include <array>
#include <utility>

namespace yard::ui {

namespace {

struct TerminalText {
    Q_DECLARE_TR_FUNCTIONS(TerminalText)
};

struct TerminalProgram {
    const char* name;
    const char* before; ///< the option behind which the program comes; empty: it comes at once
};

constexpr std::array kTerminals{TerminalProgram{"x-terminal-emulator", "-e"},
                                TerminalProgram{"gnome-terminal", "--"},
                                TerminalProgram{"konsole", "-e"},
                                TerminalProgram{"kgx", "--"},
                                TerminalProgram{"xfce4-terminal", "-x"},
                                TerminalProgram{"alacritty", "-e"},
                                TerminalProgram{"kitty", ""},
                                TerminalProgram{"foot", ""},
                                TerminalProgram{"xterm", "-e"}};

} // namespace

QStringList terminalWords(const QString& chosen, const QStringList& path) {
    const auto wordsOf = [&](const QString& name, const QString& before) -> QStringList {
        const QString program = name.isEmpty() ? QString() : QStandardPaths::findExecutable(name, path);
        if (program.isEmpty()) return {};
        return before.isEmpty() ? QStringList{program} : QStringList{program, before};
    };
    // One that is not among those known takes -e, as xterm did first.
    QString before = QStringLiteral("-e");
    for (const TerminalProgram& known : kTerminals)
        if (chosen.section('/', -1) == QLatin1String(known.name)) before = QLatin1String(known.before);
    if (QStringList words = wordsOf(chosen, before); !words.isEmpty()) return words;
    for (const TerminalProgram& known : kTerminals)
        if (QStringList words = wordsOf(QLatin1String(known.name), QLatin1String(known.before)); !words.isEmpty())
            return words;
    return {};
}

QString openTerminal(const QStringList& words, const QProcessEnvironment& environment) {
    const QString path = environment.value(QStringLiteral("PATH"));
    QStringList all = terminalWords(environment.value(QStringLiteral("TERMINAL")),
                                    path.isEmpty() ? QStringList() : path.split(':', Qt::SkipEmptyParts));
    if (all.isEmpty()) return TerminalText::tr("No terminal was found: install xterm, or name yours in $TERMINAL.");
    QProcess process;
    process.setProgram(all.takeFirst());
    process.setArguments(all + words);
    process.setProcessEnvironment(environment);
    // Its output would be that of the window.
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setStandardErrorFile(QProcess::nullDevice());
    qint64 pid = 0;
    if (process.startDetached(&pid)) {
        if (pid > 0) restoreOpenFiles(static_cast<pid_t>(pid));
        return {};
    }
    return TerminalText::tr("The terminal %1 did not start: %2").arg(process.program(), process.errorString());
}

} // namespace yard::ui
