#include "ui/state/reproduction.h"

#include "ui/bridge/shell_engine.h"
#include "ui/desktop/terminal.h"

#include <QCoreApplication>

namespace yard::ui {

namespace {

struct ReproductionText {
    Q_DECLARE_TR_FUNCTIONS(ReproductionText)
};

/// Where something fails the window stays open, so that one can read why. %1 is the line of yardctl.
constexpr const char* kScript = R"(d=$(mktemp -d "${TMPDIR:-/tmp}/yardmaster-reproduce.XXXXXX") && )"
                                R"(%1 "$d/action-$1" && cd "$d/action-$1" && cat README && exec ./shell
printf '\n%s ' "$2"; read -r enter)";

} // namespace

QString reproduceLine(qint64 lsn) {
    return QStringLiteral("yardctl reproduce %1").arg(lsn);
}

QStringList reproduceWords(const QString& yardctl, qint64 lsn) {
    return {QStringLiteral("/bin/sh"),
            QStringLiteral("-c"),
            QString::fromLatin1(kScript).replace(QStringLiteral("%1"), yardctl),
            QStringLiteral("reproduce"),
            QString::number(lsn),
            ReproductionText::tr("Enter closes this window.")};
}

QString reproduceInTerminal(const EngineLink& link, qint64 lsn) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The yardctl that came with this window, before others.
    const QString path = environment.value(QStringLiteral("PATH"));
    environment.insert(QStringLiteral("PATH"),
                       QCoreApplication::applicationDirPath() + (path.isEmpty() ? QString() : ':' + path));
    return openTerminal(reproduceWords(link.yardctl(reproduceLine(lsn)), lsn), environment);
}

} // namespace yard::ui
