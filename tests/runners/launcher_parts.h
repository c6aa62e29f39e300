// What the parts of a spawner stand on, without a launcher: a board whose engine nobody reads, a pump and a slots
// file.
#pragma once

#include "core/base/files.h"
#include "core/launcher/launcher_child.h"
#include "core/launcher/launcher_shared.h"

#include <QTemporaryDir>
#include <QtGlobal>

#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yard::test {

class LauncherParts {
public:
    std::string directory() const { return directory_.path().toStdString(); }

private:
    QTemporaryDir directory_;
    int sockets_[2] = {-1, -1};
    int openSockets() {
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_) != 0) qFatal("socketpair");
        engine_.reset(sockets_[0]);
        return sockets_[1];
    }
    static runners::SlotsFile makeSlots(const std::string& path) {
        auto made = runners::SlotsFile::create(path, 1);
        if (!made) qFatal("%s", made.error().message.c_str());
        return std::move(*made);
    }
    UniqueFd engine_;
    UniqueFd launcher_{openSockets()};
    UniqueFd null_{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    const Result<sandbox::Base> noSandbox_ = fail(ErrorKind::NotImplemented, "not in this test");

    static rlimit openFiles() {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        return limit;
    }

public:
    runners::EpollSet epoll;
    runners::SilentPaths silent;
    runners::SlotsFile slots = makeSlots(directory() + "/slots");
    runners::UpdateSender updates{launcher_.get(), epoll.wakeFd(), Duration{2'000}};
    runners::Board board{updates, epoll.wakeFd(), {.slots = 1}};
    runners::Pump pump{updates, directory()};
    runners::LauncherShared shared{.board = board,
                                   .updates = updates,
                                   .slots = slots,
                                   .pump = pump,
                                   .ownerToken = "owner",
                                   .dataDir = directory(),
                                   .lockDir = {},
                                   .enginePid = ::getpid(),
                                   .marks = runners::ProcessMarks("owner"),
                                   .environment = {"PATH=/usr/bin:/bin"},
                                   .openFiles = openFiles(),
                                   .nullFd = null_.get(),
                                   .tellWarden = {},
                                   .outputKept = {},
                                   .silent = &silent,
                                   .pid = ::getpid(),
                                   .sandbox = &noSandbox_};
};

} // namespace yard::test
