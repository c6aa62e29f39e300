// A network namespace of the test's own that has the metadata services' real address on its loopback device, so that
// nothing asked here ever leaves the process. Called before any thread is there.
#pragma once

#include "core/base/unique_fd.h"

#include <arpa/inet.h>
#include <cstring>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace yard::cloud::test {

/// False: this machine makes no such namespaces.
inline bool enterOwnNetwork(const char* address) {
    if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
    const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq up{};
    std::strcpy(up.ifr_name, "lo");
    up.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
    if (::ioctl(fd.get(), SIOCSIFFLAGS, &up) != 0) return false;
    ifreq alias{};
    std::strcpy(alias.ifr_name, "lo:1");
    sockaddr_in place{};
    place.sin_family = AF_INET;
    if (::inet_pton(AF_INET, address, &place.sin_addr) != 1) return false;
    std::memcpy(&alias.ifr_addr, &place, sizeof place);
    return ::ioctl(fd.get(), SIOCSIFADDR, &alias) == 0;
}

} // namespace yard::cloud::test
