// A thread of its own for what a thread cannot take back: other namespaces.
#pragma once

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

/// Whether the machine refuses and will go on to, where anything else may be over the next time.
inline bool isRefusal(int err) {
    return err == EPERM || err == EACCES || err == ENOSYS || err == EINVAL || err == ENOTSUP;
}

} // namespace yard::sandbox
