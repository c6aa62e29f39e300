// A thread of its own for what a thread cannot take back: other namespaces.
#pragma once

#include "core/base/unique_fd.h"

#include <cerrno>
#include <functional>
#include <system_error>
#include <thread>

namespace yard::sandbox {

/// Runs it there and waits until it is done. False: no thread could be had, and it did not run.
inline bool runOnOwnThread(const std::function<void()>& run) {
    try {
        std::thread(run).join();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

/// What was made on a thread of its own.
struct MadeThere {
    UniqueFd fd;      ///< invalid: it could not be made
    int err = EAGAIN; ///< why, 0 if it was made; at first: of no thread
};

/// `make` returns an invalid one, and leaves errno, when it cannot.
inline MadeThere makeOnOwnThread(const std::function<UniqueFd()>& make) {
    MadeThere made;
    runOnOwnThread([&] {
        made.fd = make();
        made.err = made.fd ? 0 : errno;
    });
    return made;
}

/// Whether the machine refuses and will go on to, where anything else may be over the next time.
inline bool isRefusal(int err) {
    return err == EPERM || err == EACCES || err == ENOSYS || err == EINVAL || err == ENOTSUP;
}

} // namespace yard::sandbox
