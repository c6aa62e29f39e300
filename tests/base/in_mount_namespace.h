// Runs one test function of this program again, in a mount namespace of its own where it may mount what it likes.
#pragma once

#include <QCoreApplication>
#include <QProcess>
#include <QString>
#include <unistd.h>

namespace yard::test {

/// Set in the inner run: the directory that `mounts` prepared.
inline constexpr char kMountedVariable[] = "YARD_TEST_MOUNTED";

inline bool isInnerRun() {
    return qEnvironmentVariableIsSet(kMountedVariable);
}

struct InnerRun {
    bool possible = false; ///< false: this machine allows no mount namespace; `output` says why
    int exitCode = -1;
    QByteArray output;
};

/// `mounts` is a shell line that may use $YARD_TEST_MOUNTED, which is `directory`.
inline InnerRun runInMountNamespace(const QString& function, const QString& directory, const QString& mounts) {
    // A user namespace cannot be made inside a chroot, where root does without one.
    const QString flags = ::geteuid() == 0 ? "-m" : "-Urm";
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(kMountedVariable, directory);
    process.setProcessEnvironment(environment);
    process.start("unshare", {flags, "sh", "-c", mounts + " || exit 99; exec \"$0\" \"$1\"",
                              QCoreApplication::applicationFilePath(), function});
    process.waitForFinished(60'000);
    InnerRun run;
    run.output = process.readAll();
    run.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    run.possible =
        process.error() != QProcess::FailedToStart && run.exitCode != 99 && !run.output.startsWith("unshare:");
    return run;
}

} // namespace yard::test

/// First line of a test function whose rest wants `mounts`: the outer run starts the inner one and reports its
/// result.
#define YARD_IN_MOUNT_NAMESPACE(directory, mounts)                                                                 \
    if (!yard::test::isInnerRun()) {                                                                               \
        const auto run = yard::test::runInMountNamespace(QTest::currentTestFunction(), directory, mounts);         \
        if (!run.possible) QSKIP(("no mount namespace here: " + run.output).constData());                          \
        QVERIFY2(run.exitCode == 0, run.output.constData());                                                       \
        return;                                                                                                    \
    }
