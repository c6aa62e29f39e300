// Makes an eventfd readable: how the threads of the program tell main that something is over. Any thread.
#pragma once

#include <cerrno>
#include <cstdint>
#include <unistd.h>

namespace yard::app {

inline void signalTo(int fd) {
    const std::uint64_t one = 1;
    while (::write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

} // namespace yard::app
