// What the tests of core/coro share: a loop on a clock moved by hand and a log of words, so that a failure can be
// read.
#pragma once

#include "core/coro/loop.h"
#include "core/coro/sync.h"
#include "core/coro/timeout.h"
#include "tests/support/show_strings.h"

#include <QtTest>
#include <fmt/format.h>
#include <string>

namespace yard::coro::test {

using namespace std::chrono_literals;

/// A loop whose time stands still until advance().
struct Rig {
    std::string log; // outlives the loop, whose end destroys frames that may write into it
    VirtualClock clock;
    Loop loop{Loop::Options{.name = "test", .clock = &clock}};

    ThreadRef spawn(std::string name, Task<void> body) { return loop.spawn(std::move(name), std::move(body)); }
    void note(const std::string& word) {
        if (!log.empty()) log += ' ';
        log += word;
    }
    std::string take() { return std::exchange(log, {}); }
    std::size_t settle() { return loop.runUntilIdle(); }
    void advance(Duration by) {
        clock.advance(by);
        settle();
    }
};

} // namespace yard::coro::test
