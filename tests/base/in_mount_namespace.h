// Runs one test function of this program again, in a mount namespace of its own where it may mount what it likes.
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QString>
#include <QTest>
#include <array>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::test {

/// Set in the inner run: the directory that the mounts were made in.
inline constexpr char kMountedVariable[] = "YARD_TEST_MOUNTED";

inline bool isInnerRun() {
    return qEnvironmentVariableIsSet(kMountedVariable);
}

struct InnerRun {
    bool possible = false; ///< false: this machine allows no mount namespace; `output` says why
    int exitCode = -1;     ///< -1: did not end by itself
    QByteArray output;
};

/// `mounts` is a shell line that may use $YARD_TEST_MOUNTED, which is `directory`.
inline InnerRun runInMountNamespace(const QByteArray& function, const QString& directory,
                                    const QByteArray& mounts) {
    qputenv(kMountedVariable, directory.toLocal8Bit());
    qputenv("YARD_TEST_MOUNTS", mounts);
    qputenv("YARD_TEST_PROGRAM", QCoreApplication::applicationFilePath().toLocal8Bit());
    qputenv("YARD_TEST_FUNCTION", function);
    // A user namespace cannot be made inside a chroot, where root does without one.
    qputenv("YARD_TEST_FLAGS", ::geteuid() == 0 ? "-m" : "-Urm");
    // popen and not QProcess, whose clone() the thread sanitizer cannot follow.
    std::FILE* pipe =
        ::popen("exec 2>&1; exec unshare $YARD_TEST_FLAGS sh -c 'eval \"$YARD_TEST_MOUNTS\" || exit 99; "
                "exec \"$YARD_TEST_PROGRAM\" \"$YARD_TEST_FUNCTION\"'",
                "re");
    qunsetenv(kMountedVariable);
    InnerRun run;
    if (!pipe) return run;
    std::array<char, 4096> buffer{};
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        run.output.append(buffer.data(), int(n));
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) run.exitCode = WEXITSTATUS(status);
    run.possible = run.exitCode != 99 && !run.output.startsWith("unshare:");
    return run;
}

/// The test function that runs, and of its data the row alone.
inline QByteArray currentTest() {
    QByteArray name = QTest::currentTestFunction();
    if (const char* row = QTest::currentDataTag()) name += QByteArray(":") + row;
    return name;
}

} // namespace yard::test

/// First line of a test function whose rest wants `mounts`: the outer run starts the inner one and reports its
/// result.
#define YARD_IN_MOUNT_NAMESPACE(directory, mounts)                                                                 \
    if (!yard::test::isInnerRun()) {                                                                               \
        const auto run = yard::test::runInMountNamespace(yard::test::currentTest(), directory, mounts);            \
        if (!run.possible) QSKIP(("no mount namespace here: " + run.output).constData());                          \
        QVERIFY2(run.exitCode == 0, run.output.constData());                                                       \
        return;                                                                                                    \
    }
