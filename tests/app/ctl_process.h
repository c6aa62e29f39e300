// Runs the built yardctl against a fake server: the program as people start it, with its exit code and output.
// posix_spawn rather than QProcess, whose bare clone() the thread sanitizer cannot follow.
#pragma once

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "tests/app/fake_server.h"
#include "tests/support/waiting.h"

#include <QStringList>
#include <QTemporaryDir>
#include <string>
#include <sys/types.h>

namespace yard::test {

struct Ended {
    int code = -1; ///< -1: ended by a signal, or silent for kWaitMs
    std::string out;
    std::string err;
};

/// One started program, yardctl unless another is named. Killed when destroyed.
class CtlProcess {
public:
    /// `input`, at most what a pipe holds, is its whole stdin.
    explicit CtlProcess(const QStringList& arguments, std::string_view input = {},
                        const std::string& program = YARDCTL_PATH);
    ~CtlProcess();
    CtlProcess(const CtlProcess&) = delete;
    CtlProcess& operator=(const CtlProcess&) = delete;

    void signal(int number) const;
    /// Reads until stdout holds at least `bytes`; false when it ended before, or was silent so long.
    bool waitForOutput(std::size_t bytes, int silentMs = kWaitMs);
    /// The same until stderr has this text.
    bool waitForError(std::string_view text);
    const std::string& outSoFar() const { return out_; }
    /// Reads to the end of both streams and reaps.
    Ended end();

private:
    bool readSome(int timeoutMs);

    pid_t pid_ = -1;
    UniqueFd outPipe_;
    UniqueFd errPipe_;
    std::string out_;
    std::string err_;
};

/// A data directory as an engine leaves it: `address` names the server, `token` is "secret".
class DataDirectory {
public:
    explicit DataDirectory(const FakeServer& server) { setAddress(server.url()); }
    QString path() const { return dir_.path(); }
    std::string file(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    void setAddress(const std::string& url) const {
        (void)writeFileAtomically(file("address"), url + "\n", 0600);
        (void)writeFileAtomically(file("token"), "secret\n", 0600);
    }
    QStringList arguments(const QStringList& rest) const { return QStringList{"--data-dir", path()} + rest; }
    Ended run(const QStringList& rest, std::string_view input = {}) const {
        return CtlProcess(arguments(rest), input).end();
    }

private:
    QTemporaryDir dir_;
};

} // namespace yard::test
