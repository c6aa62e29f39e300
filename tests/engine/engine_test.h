// A real engine in a directory of its own, driven from the test's thread in a few words.
#pragma once

#include "core/coro/loop.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/results.h"
#include "core/engine/engine.h"
#include "core/engine/running/memory_guard.h"
#include "core/model/action_spec.h"
#include "core/store/chunk_store.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <string>

namespace yard::test {

class EngineTest {
public:
    /// `adjust` is called with the options of each start.
    explicit EngineTest(int capacity = 2, std::function<void(engine::Options&)> adjust = {})
        : capacity_(capacity)
        , adjust_(std::move(adjust)) {
        start();
    }
    ~EngineTest() { stop(); }

    void start(Duration grace = std::chrono::milliseconds(300)) {
        engine::Options options;
        options.dataDir = path("data");
        options.capacity = capacity_;
        options.noSandbox = true;
        options.grace = grace;
        options.lockDir = path("locks");
        options.slotCount = 32; // each has a directory, which takes its time to make and delete
        // What runs beside the tests must not decide whether something starts, or is stopped.
        options.readMemory = [] {
            return std::optional(
                engine::MemoryReading{.usedPercent = 12.5, .ofGroup = false, .stalledPercent = {}});
        };
        if (adjust_) adjust_(options);
        auto opened = engine::Engine::open(std::move(options));
        if (!opened) qFatal("the engine does not open: %s", opened.error().message.c_str());
        engine_ = std::move(*opened);
    }
    void stop() {
        if (engine_) engine_->close();
        engine_.reset();
    }
    engine::Engine& operator*() { return *engine_; }
    engine::Engine* operator->() { return engine_.get(); }
    std::string path(const std::string& name) const { return (dir_.path() + "/").toStdString() + name; }
    QTemporaryDir& dir() { return dir_; }

    /// Runs a command to its end on a loop of this thread.
    template<class T>
    T run(coro::Task<T> task) {
        std::optional<T> value;
        coro::Loop loop;
        loop.spawn("test", keep(std::move(task), value));
        loop.run();
        return std::move(*value);
    }

    /// The LSN of the first action; fails the program when it is refused.
    Lsn submit(const std::string& json, std::optional<QueueRef> queue = {}) {
        auto answer = trySubmit(json, std::move(queue));
        if (!answer) qFatal("refused: %s", answer.error().message.c_str());
        return answer->items.front().first;
    }
    Result<engine::SubmitAnswer> trySubmit(const std::string& json, std::optional<QueueRef> queue = {}) {
        auto parsed = parseActions(json);
        if (!parsed) return std::unexpected(parsed.error());
        engine::Submission submission;
        submission.actions = std::move(parsed->actions);
        submission.queue.ref = std::move(queue);
        return run(engine_->ask(&engine::Intake::submit, std::move(submission), Duration::zero()));
    }
    /// Submits one action and waits for its end with the same command.
    Result<engine::SubmitAnswer> submitAndWait(const std::string& json, Duration linger,
                                               std::optional<QueueRef> queue = {}) {
        engine::Submission submission;
        submission.actions = std::move(parseActions(json)->actions);
        submission.queue.ref = std::move(queue);
        return run(engine_->ask(&engine::Intake::submit, std::move(submission), linger));
    }
    /// An exec of `sh -c script` in the test's directory.
    Lsn sh(const std::string& script, const std::string& more = "", std::optional<QueueRef> queue = {}) {
        return submit(shJson(script, more), std::move(queue));
    }
    std::string shJson(const std::string& script, const std::string& more = "") const {
        return fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"],"cwd":"{}"{}}})", script,
                           dir_.path().toStdString(), more);
    }
    ActionResult wait(Lsn lsn, Duration atMost = std::chrono::milliseconds(kWaitMs)) {
        auto result = run(engine_->ask(&engine::Results::waitFor, lsn, atMost));
        if (!result) qFatal("action %lld: %s", static_cast<long long>(lsn.value), result.error().message.c_str());
        return std::move(*result);
    }
    std::string text(const std::optional<ChunkRef>& chunk) {
        if (!chunk) return "(none)";
        auto bytes = engine_->chunks().read(chunk->hash, 64u << 20);
        return bytes ? *bytes : "(" + bytes.error().message + ")";
    }
    /// Waits until `path` exists; the test's way to know that a script is at a certain place.
    static bool eventually(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, kWaitMs); }

private:
    template<class T>
    static coro::Task<void> keep(coro::Task<T> task, std::optional<T>& value) {
        value.emplace(co_await std::move(task));
    }

    QTemporaryDir dir_;
    int capacity_;
    std::function<void(engine::Options&)> adjust_;
    std::unique_ptr<engine::Engine> engine_;
};

/// "failed exit_code 3", "completed", "cancelled cancelled".
inline std::string ending(const ActionResult& result) {
    std::string text(name(result.state));
    if (result.outcome && result.outcome->reason != Reason::None)
        text += " " + std::string(name(result.outcome->reason));
    if (result.outcome && result.outcome->reason == Reason::ExitCode)
        text += fmt::format(" {}", result.outcome->exitCode.value_or(-1));
    return text;
}

} // namespace yard::test
