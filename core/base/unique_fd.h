// A file descriptor that closes itself. Move-only value. Who opened it is in the ledger (descriptor_ledger.h): the line
// where it was put into a UniqueFd.
#pragma once

#include "core/base/descriptor_ledger.h"

#include <source_location>
#include <utility>

namespace yard {

class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd, const std::source_location& from = std::source_location::current())
        : fd_(fd) {
        if (fd >= 0) noteDescriptor(fd, from);
    }
    UniqueFd(UniqueFd&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1); // with its note
        }
        return *this;
    }
    ~UniqueFd() { close(); }
    int get() const { return fd_; }
    int release() {
        if (fd_ >= 0) forgetDescriptor(fd_);
        return std::exchange(fd_, -1);
    }
    void reset(int fd = -1, const std::source_location& from = std::source_location::current()) {
        close();
        fd_ = fd;
        if (fd >= 0) noteDescriptor(fd, from);
    }
    explicit operator bool() const { return fd_ >= 0; }

private:
    void close();
    int fd_ = -1;
};

} // namespace yard
