#include "core/sandbox/networks.h"

#include "core/sandbox/own_thread.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yard::sandbox {
namespace {

bool bringLoopbackUp() {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    request.ifr_name[0] = 'l';
    request.ifr_name[1] = 'o';
    request.ifr_flags = IFF_UP;
    return socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

/// It becomes that of the calling thread.
UniqueFd makeNetwork() {
    if (::unshare(CLONE_NEWNET) != 0 || !bringLoopbackUp()) return {};
    return UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

} // namespace

Networks::Networks()
    : isPossible_(::geteuid() == 0) {}

UniqueFd Networks::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!isPossible_) return {};
        if (!kept_.empty()) {
            UniqueFd network = std::move(kept_.back());
            kept_.pop_back();
            return network;
        }
    }
    MadeThere made = makeOnOwnThread(makeNetwork);
    const std::lock_guard lock(mutex_);
    if (made.fd) ++made_;
    if (isRefusal(made.err)) isPossible_ = false;
    return std::move(made.fd);
}

void Networks::giveBack(UniqueFd network) {
    const std::lock_guard lock(mutex_);
    if (network && kept_.size() < kMostKept) kept_.push_back(std::move(network));
}

unsigned Networks::made() const {
    const std::lock_guard lock(mutex_);
    return made_;
}

} // namespace yard::sandbox
