// What the tests of core/coro share: a loop on a clock moved by hand and a log of words, so that a failure can be
// read.
#pragma once

#include "core/coro/loop.h"
#include "core/coro/sync.h"
#include "core/coro/timeout.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QtTest>
#include <fmt/format.h>
#include <memory>
#include <optional>
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

    /// What came of a question; nothing until it is answered.
    template<class T>
    using Answer = std::shared_ptr<std::optional<T>>;
    /// Carries the question out as far as it comes.
    template<class T>
    Answer<T> begin(Task<T> question) {
        auto answer = std::make_shared<std::optional<T>>();
        spawn("ask", [](Task<T> asked, Answer<T> into) -> Task<void> {
            *into = co_await std::move(asked);
        }(std::move(question), answer));
        settle();
        return answer;
    }
    /// The same to its end: other threads may have a part in it.
    template<class T>
    T ask(Task<T> question) {
        const Answer<T> answer = begin(std::move(question));
        const bool came = QTest::qWaitFor(
            [&] {
                settle();
                return answer->has_value();
            },
            kWaitMs);
        if (!came) qFatal("no answer");
        return **answer;
    }
};

} // namespace yard::coro::test
