// Settings and other files of the window for this run of a test program alone: two runs at the same time, as those of
// two worktrees, do not share them.
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace yard::test {

/// Empty, below ~/.qttest, and removed with the application. Called once, when there is one; `name`: of the test.
inline void useOwnSettings(const QString& name) {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(
        QStringLiteral("yardmaster-test-%1-%2").arg(name).arg(QCoreApplication::applicationPid()));
    QSettings().clear();
    qAddPostRoutine([] {
        const QString data =
            QStandardPaths::writableLocation(QStandardPaths::AppDataLocation); // share/NAME/PROGRAM
        for (const QString& path : {QFileInfo(QSettings().fileName()).path(), QFileInfo(data).path()})
            if (path.endsWith('/' + QCoreApplication::organizationName())) QDir(path).removeRecursively();
    });
}

} // namespace yard::test
