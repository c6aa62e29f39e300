#include "core/sandbox/networks.h"

#include "core/sandbox/own_thread.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string_view>
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
UniqueFd makeNetwork(UniqueFd& sockets) {
    if (::unshare(CLONE_NEWNET) != 0 || !bringLoopbackUp()) return {};
    sockets.reset(::open("/proc/thread-self/net/sockstat", O_RDONLY | O_CLOEXEC));
    return UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

/// Of any family: open, queued in another one, or closed with something that it sent still on its way. The count is
/// at hand, where the list of Unix sockets is a walk over hundreds of empty places.
bool hasNoSocket(const Network& network) {
    std::array<char, 64> buffer{};
    const ssize_t size = ::pread(network.sockets.get(), buffer.data(), buffer.size(), 0);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text.starts_with("sockets: used 0\n");
}

} // namespace

Networks::Networks()
    : isPossible_(::geteuid() == 0) {}

Network Networks::take() {
    {
        const ThreadLock lock(mutex_);
        if (!isPossible_) return {};
        if (!kept_.empty()) {
            Network network = std::move(kept_.back());
            kept_.pop_back();
            return network;
        }
    }
    UniqueFd sockets;
    MadeThere made = makeOnOwnThread([&] { return makeNetwork(sockets); });
    const ThreadLock lock(mutex_);
    if (made.fd) ++made_;
    if (isRefusal(made.err)) isPossible_ = false;
    return {std::move(made.fd), std::move(sockets)};
}

void Networks::giveBack(Network network) {
    if (!network || !hasNoSocket(network)) return;
    const ThreadLock lock(mutex_);
    if (kept_.size() < kMostKept) kept_.push_back(std::move(network));
}

unsigned Networks::made() const {
    const ThreadLock lock(mutex_);
    return made_;
}

} // namespace yard::sandbox
