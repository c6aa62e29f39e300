// A bus of its own with mocks of logind and UPower (python-dbusmock), and programs beside a test.
#pragma once

#include "tests/support/waiting.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <memory>
#include <vector>

namespace yard::test {

inline bool runs(const QString& program, const QStringList& arguments) {
    return QProcess::execute(program, arguments) == 0;
}

/// Programs beside the test, ended with it.
class Beside {
public:
    ~Beside() {
        for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
            (*at)->terminate();
            if (!(*at)->waitForFinished(5'000)) (*at)->kill();
            (*at)->waitForFinished(5'000);
        }
    }
    QProcess& start(const QString& program, const QStringList& arguments) {
        all_.push_back(std::make_unique<QProcess>());
        all_.back()->setProcessChannelMode(QProcess::SeparateChannels);
        all_.back()->setStandardErrorFile(QProcess::nullDevice());
        all_.back()->start(program, arguments);
        return *all_.back();
    }
    static QString firstLine(QProcess& process) {
        while (!process.canReadLine() && process.waitForReadyRead(kWaitMs)) {
        }
        return QString::fromUtf8(process.readLine()).trimmed();
    }

private:
    std::vector<std::unique_ptr<QProcess>> all_;
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
        QProcess& daemon = beside_.start("dbus-daemon", arguments);
        const QString address = Beside::firstLine(daemon);
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
        QProcess asks;
        asks.start("gdbus", {"call", "--system", "-d", "org.freedesktop.login1", "-o", "/org/freedesktop/login1",
                             "-m", "org.freedesktop.login1.Manager.ListInhibitors"});
        asks.waitForFinished(kWaitMs);
        return QString::fromUtf8(asks.readAllStandardOutput());
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
