// A way to an engine that can be cut: what connects here is passed on to a port of this machine, both ways, until then.
// A thread of its own from its making to its end.
#pragma once

#include "core/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <thread>

namespace yard::test {

class Relay {
public:
    explicit Relay(std::uint16_t to);
    ~Relay() { cut(); }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    std::string url() const;
    /// Every connection ends and none is taken any more.
    void cut();

private:
    void pass();

    const std::uint16_t to_;
    UniqueFd listener_;
    UniqueFd stop_;
    std::thread thread_;
};

} // namespace yard::test
