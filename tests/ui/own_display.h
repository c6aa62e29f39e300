// An X server for one test program and those it starts. Needs Xvfb.
#pragma once

#include "tests/support/waiting.h"

#include <QByteArray>
#include <QProcess>
#include <QStandardPaths>

namespace yard::test {

/// Ended with the object.
class OwnDisplay {
public:
    OwnDisplay() = default;
    ~OwnDisplay() { stop(); }
    OwnDisplay(const OwnDisplay&) = delete;
    OwnDisplay& operator=(const OwnDisplay&) = delete;

    /// Xvfb, and xdotool to move things on it with, are installed.
    static bool isToBeHad() {
        return !QStandardPaths::findExecutable("Xvfb").isEmpty() &&
               !QStandardPaths::findExecutable("xdotool").isEmpty();
    }
    bool start(const QString& size = "1600x1000") {
        server_.setStandardErrorFile(QProcess::nullDevice());
        server_.start("Xvfb", {"-displayfd", "1", "-screen", "0", size + "x24", "-nolisten", "tcp"});
        if (!server_.waitForReadyRead(kWaitMs)) return false;
        number_ = server_.readLine().trimmed();
        return !number_.isEmpty();
    }
    void stop() {
        server_.kill();
        server_.waitForFinished();
    }
    /// As DISPLAY has it.
    QByteArray name() const { return ':' + number_; }

private:
    QProcess server_;
    QByteArray number_;
};

} // namespace yard::test
