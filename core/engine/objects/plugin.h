// A plugin: a shared library whose functions the engine calls for hooks, in its own process (core/lifecycle/plugin.h).
//
// Its calls are made on a thread of its own, one after another. Owner: the thread that loaded it, then the engine's; the
// thread shares what is under the mutex alone. One call at a time: that is the bound. One that does not return is left
// behind with its thread at the end; its library is never unloaded.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/one_shot.h"
#include "core/lifecycle/hooks.h"

#include <memory>
#include <string>
#include <vector>

namespace yard::engine {

class Plugin {
public:
    /// Of what it answers.
    static constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;
    struct Answer {
        int code = 0;
        std::string text{};
        bool isTooLong = false; ///< the text was left out for that
    };

    /// Blocks until its open() has returned, `limit` at most. Invalid, with a sentence that says what to do.
    static Result<std::unique_ptr<Plugin>> load(const std::string& path, Duration limit);
    ~Plugin();
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;

    const std::string& name() const { return name_; }
    const std::vector<lifecycle::HookPattern>& patterns() const { return patterns_; }
    /// Requires: the call before has returned.
    void run(std::string hook, std::string json, coro::Promise<Answer> answer);
    /// Its close() has returned. False: it does not come to that within `limit`, and its thread is left behind.
    bool close(Duration limit);

private:
    struct Shared;
    Plugin() = default;
    static void serve(const std::shared_ptr<Shared>& shared);

    std::shared_ptr<Shared> shared_;
    std::string name_;
    std::vector<lifecycle::HookPattern> patterns_;
    OwnerCheck owner_;
};

} // namespace yard::engine
