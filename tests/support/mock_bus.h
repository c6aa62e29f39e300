// A bus of its own with mocks of logind and UPower (python-dbusmock), and programs beside a test.
#pragma once

#include "tests/support/waiting.h"

#include <QStandardPaths>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::test {

/// A program with an output that can be read. By posix_spawn: the thread sanitizer does not follow the clone() of QProcess.
class Program {
public:
    enum class Said { Read, Dropped };
    Program(const QString& program, const QStringList& arguments, Said said) {
        std::vector<QByteArray> words{program.toLocal8Bit()};
        for (const QString& argument : arguments) words.push_back(argument.toLocal8Bit());
        std::vector<char*> argv;
        for (QByteArray& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        output_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        if (said == Said::Read)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        else
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (pid_ > 0) ::kill(pid_, SIGTERM);
        (void)ends();
        if (output_ >= 0) ::close(output_);
    }
    /// Waits for its end; true where it ended well.
    bool ends() {
        int status = -1;
        if (pid_ > 0 && ::waitpid(pid_, &status, 0) != pid_) status = -1;
        pid_ = -1;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    /// Until the end of the line, or of all.
    QString reads(bool oneLine) {
        QByteArray text;
        char c = 0;
        while (::read(output_, &c, 1) == 1 && !(oneLine && c == '\n')) text += c;
        return QString::fromUtf8(text).trimmed();
    }

private:
    pid_t pid_ = -1;
    int output_ = -1;
};

inline bool runs(const QString& program, const QStringList& arguments) {
    return Program(program, arguments, Program::Said::Dropped).ends();
}

/// Programs beside the test, ended with it, the last first.
class Beside {
public:
    ~Beside() {
        while (!all_.empty()) all_.pop_back();
    }
    Program& start(const QString& program, const QStringList& arguments,
                   Program::Said said = Program::Said::Dropped) {
        all_.push_back(std::make_unique<Program>(program, arguments, said));
        return *all_.back();
    }

private:
    std::vector<std::unique_ptr<Program>> all_;
};

/// A bus with the mocks of logind and UPower; it is the system's for this program.
class MockBus {
public:
    /// False: python3-dbusmock or another program is missing.
    static bool isPossible() {
        return !QStandardPaths::findExecutable("dbus-daemon").isEmpty() &&
               !QStandardPaths::findExecutable("gdbus").isEmpty() &&
               runs("/usr/bin/python3", {"-c", "import dbusmock"});
    }
    /// `at`: its address; empty: any.
    bool start(const QString& at = {}) {
        QStringList arguments{"--session", "--nofork", "--print-address=1"};
        if (!at.isEmpty()) arguments << "--address=" + at;
        const QString address = beside_.start("dbus-daemon", arguments, Program::Said::Read).reads(true);
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", address.toUtf8());
        for (const char* name : {"logind", "upower"})
            beside_.start("/usr/bin/python3", {"-m", "dbusmock", "--system", "--template", name});
        return answers("org.freedesktop.login1") && answers("org.freedesktop.UPower");
    }
    static bool call(const QString& service, const QString& path, const QString& method, const QStringList& words) {
        return runs("gdbus", QStringList{"call", "--system", "-d", service, "-o", path, "-m", method} + words);
    }
    /// What logind is asked not to do: kind, who, why and mode of each, as gdbus prints it.
    static QString inhibitors() {
        return Program("gdbus",
                       {"call", "--system", "-d", "org.freedesktop.login1", "-o", "/org/freedesktop/login1", "-m",
                        "org.freedesktop.login1.Manager.ListInhibitors"},
                       Program::Said::Read)
            .reads(false);
    }
    /// The machine is about to sleep, or has woken.
    static bool sleeps(bool on) {
        const QString manager = "org.freedesktop.login1.Manager";
        const QString value = on ? "true" : "false";
        // Not all templates have the property.
        (void)set("org.freedesktop.login1", "/org/freedesktop/login1", manager,
                  QString("{'PreparingForSleep': <%1>}").arg(value));
        return call("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.EmitSignal",
                    {manager, "PrepareForSleep", "b", QString("[<%1>]").arg(value)});
    }
    static bool set(const QString& service, const QString& path, const QString& interface, const QString& values) {
        return call(service, path, "org.freedesktop.DBus.Mock.UpdateProperties", {interface, values});
    }

private:
    static bool answers(const QString& service) {
        return QTest::qWaitFor([&] { return runs("gdbus", {"wait", "--system", "--timeout", "1", service}); },
                               kWaitMs);
    }
    Beside beside_;
};

} // namespace yard::test
