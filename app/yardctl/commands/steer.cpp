// yardctl cancel, retry, retire, hold, release: one operation on the actions that were named, match a filter, or of
// every queue.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// How an operation is asked for: of one action, and of many by POST jobs/<name>.
struct Operation {
    std::string_view name;   ///< "cancel"
    std::string_view past;   ///< "cancelled"
    std::string_view method; ///< of one action
    std::string_view suffix; ///< after jobs/{lsn}
    bool force = false;
    /// What of every queue --all means; empty: the queues themselves.
    std::string_view allOf{};
    bool isForGood = false; ///< --all of it is asked about on a terminal
};

constexpr std::string_view kActive = "state:pending,submitting,running";
constexpr std::string_view kCanGoAgain = "state:failed,abandoned";
constexpr std::string_view kFinished = "state:completed,failed,abandoned,cancelled";

/// Up to this many are asked for one by one: each refusal then comes with its own sentence.
constexpr std::size_t kSingly = 16;
/// LSNs in one request.
constexpr std::size_t kMaxInOne = 1000;

class Steering {
public:
    Steering(const Invocation& invocation, const Operation& operation)
        : invocation_(invocation)
        , operation_(operation) {}

    Outcome<int> one(std::int64_t lsn) {
        auto answer = invocation_.engine.call({.method = std::string(operation_.method),
                                               .path = fmt::format("jobs/{}{}", lsn, operation_.suffix),
                                               .body = operation_.force ? "{\"force\":true}" : ""});
        if (!answer) {
            if (answer.error().kind == ErrorKind::Io) return failedWith(answer.error());
            refuse(lsn, answer.error().message);
        } else if (invocation_.json) {
            fmt::print("{}\n", answer->text);
        } else {
            fmt::print("{} {}\n", lsn, operation_.past);
        }
        return code_;
    }

    /// As many requests as the limit on one asks for.
    Outcome<int> many(const std::vector<std::int64_t>& lsns) {
        for (std::size_t at = 0; at < lsns.size(); at += kMaxInOne) {
            const auto end = std::min(at + kMaxInOne, lsns.size());
            const json::array piece(lsns.data() + at, lsns.data() + end);
            if (auto asked = ask({{"lsns", piece}}); !asked) return std::unexpected(asked.error());
        }
        return finish();
    }

    Outcome<int> matching(const std::string& filter) {
        if (auto asked = ask({{"filter", filter}}); !asked) return std::unexpected(asked.error());
        return finish();
    }

private:
    Outcome<void> ask(json::object selection) {
        if (operation_.force) selection["force"] = true;
        auto answer = invocation_.engine.call({.method = "POST",
                                               .path = fmt::format("jobs/{}", operation_.name),
                                               .body = compactJson(selection),
                                               .silence = std::chrono::seconds(60)});
        if (!answer) return failedWith(answer.error());
        changed_ += integerOf(answer->object, "changed").value_or(0);
        if (invocation_.json) fmt::print("{}\n", answer->text);
        if (const json::array* refused = arrayOf(answer->object, "refused"))
            for (const json::value& entry : *refused)
                if (const json::object* r = entry.if_object()) {
                    const auto sentence = textOf(*r, "message");
                    refuse(integerOf(*r, "lsn").value_or(0),
                           printable(sentence.empty() ? textOf(*r, "error") : sentence));
                }
        return {};
    }

    int finish() const {
        if (!invocation_.json) fmt::print("{} {}\n", changed_, operation_.past);
        return code_;
    }

    void refuse(std::int64_t lsn, const std::string& why) {
        std::fflush(stdout);
        // Most sentences of the engine name the action themselves.
        if (why.find(fmt::format("ction {}", lsn)) == std::string::npos)
            fmt::print(stderr, "yardctl: action {}: {}\n", lsn, why);
        else
            fmt::print(stderr, "yardctl: {}\n", why);
        code_ = kExitFailed;
    }

    const Invocation& invocation_;
    const Operation& operation_;
    std::int64_t changed_ = 0;
    int code_ = 0;
};

Outcome<int> steer(const Invocation& invocation, const Operation& operation) {
    const auto filter = invocation.arguments.value("filter");
    const auto& words = invocation.arguments.operands();
    if (filter.has_value() != words.empty())
        return usageError(fmt::format("'{}' wants the LSNs of actions, or --filter, or --all", operation.name));
    Steering steering(invocation, operation);
    if (filter) return steering.matching(*filter);
    auto lsns = parseLsns(words);
    if (!lsns) return std::unexpected(lsns.error());
    if (lsns->size() > kSingly) return steering.many(*lsns);
    Outcome<int> code = 0;
    for (const std::int64_t lsn : *lsns)
        if (code = steering.one(lsn); !code) break;
    return code;
}

/// Whom a terminal can ask is asked; a script that says --all means it.
bool isMeant(const Invocation& invocation, const Operation& operation) {
    if (!operation.isForGood || invocation.arguments.has("yes")) return true;
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return true;
    fmt::print(stderr, "yardctl: {} all there is in every queue, for good? [y/N] ", operation.name);
    std::array<char, 64> line{};
    return std::fgets(line.data(), line.size(), stdin) && (line[0] == 'y' || line[0] == 'Y');
}

Outcome<int> steerOrAll(const Invocation& invocation, const Operation& operation) {
    if (!invocation.arguments.has("all")) return steer(invocation, operation);
    if (!invocation.arguments.operands().empty() || invocation.arguments.has("filter"))
        return usageError("--all means every queue; leave it out to name actions");
    if (!isMeant(invocation, operation)) return failed("nothing was done");
    if (!operation.allOf.empty()) return Steering(invocation, operation).matching(std::string(operation.allOf));
    auto answer = invocation.engine.post(std::string(operation.name));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("every queue is {}\n", operation.past);
    return 0;
}

} // namespace

Outcome<int> cancelCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"cancel", "cancelled", "POST", "/cancel", false, kActive, true});
}

Outcome<int> retryCommand(const Invocation& invocation) {
    return steerOrAll(invocation,
                      {"retry", "goes again", "POST", "", invocation.arguments.has("force"), kCanGoAgain});
}

Outcome<int> retireCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"retire", "retired", "DELETE", "", false, kFinished, true});
}

Outcome<int> holdCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"hold", "held", "POST", "/hold"});
}

Outcome<int> releaseCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"release", "released", "POST", "/release"});
}

} // namespace yard::ctl
