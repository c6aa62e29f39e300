// Runs the built yardctl against a fake server: program under test as people start it, with its exit code and
// output.
#pragma once

#include "core/base/files.h"
#include "tests/app/fake_server.h"

#include <QProcess>
#include <QTemporaryDir>
#include <csignal>
#include <string>

namespace yard::test {

struct Ended {
    int code = -1;
    std::string out;
    std::string err;
};

/// One started yardctl. Ends it when destroyed.
class CtlProcess {
public:
    explicit CtlProcess(const QStringList& arguments, const QByteArray& input = {}) {
        process_.start(QStringLiteral(YARDCTL_PATH), arguments);
        process_.waitForStarted();
        process_.write(input);
        process_.closeWriteChannel();
    }
    ~CtlProcess() {
        process_.kill();
        process_.waitForFinished();
    }
    QProcess& process() { return process_; }
    void signal(int number) { ::kill(static_cast<pid_t>(process_.processId()), number); }
    /// Reads until stdout holds at least `bytes`; false after 20 s.
    bool waitForOutput(qsizetype bytes) {
        while (out_.size() < bytes) {
            if (!process_.waitForReadyRead(20'000)) return false;
            out_ += process_.readAllStandardOutput();
        }
        return true;
    }
    std::string outSoFar() const { return out_.toStdString(); }
    Ended end() {
        process_.waitForFinished(30'000);
        out_ += process_.readAllStandardOutput();
        const bool exited =
            process_.state() == QProcess::NotRunning && process_.exitStatus() == QProcess::NormalExit;
        return {exited ? process_.exitCode() : -1, out_.toStdString(),
                process_.readAllStandardError().toStdString()};
    }

private:
    QProcess process_;
    QByteArray out_;
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
    Ended run(const QStringList& rest, const QByteArray& input = {}) const {
        return CtlProcess(arguments(rest), input).end();
    }

private:
    QTemporaryDir dir_;
};

} // namespace yard::test
