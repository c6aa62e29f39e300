// yardctl cancel, retry, retire, hold, release, priority: one operation on the actions that were named, match a
// filter, or of every queue.
#include "app/yardctl/action_view.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// Up to this many are asked for one by one: each refusal then comes with its own sentence.
constexpr std::size_t kSingly = 16;

/// How an operation is asked for: of one action, and of many by POST jobs/<name>.
struct Operation {
    std::string_view name;   ///< "cancel"
    std::string_view past;   ///< "cancelled"
    std::string_view would;  ///< "cancelled", after "would be"
    std::string_view method; ///< of one action
    std::string_view suffix; ///< after jobs/{lsn}
    bool force = false;
    /// What of every queue --all means; empty: the queues themselves.
    std::string_view allOf{};
    bool isForGood = false; ///< --all of it is asked about on a terminal
    std::size_t singly = kSingly;
    json::object set{}; ///< what PATCH sets; empty: the operation has a path of its own
};

constexpr std::string_view kActive = "state:pending,submitting,running";
constexpr std::string_view kCanGoAgain = "state:failed,abandoned";
constexpr std::string_view kFinished = "state:completed,failed,abandoned,cancelled";

/// LSNs in one request.
constexpr std::size_t kMaxInOne = 1000;

/// What --dry-run and --at-most say.
struct Bound {
    bool dryRun = false;
    std::optional<std::int64_t> atMost{};
    bool isGiven() const { return dryRun || atMost; }
};

Outcome<Bound> boundOf(const Arguments& arguments) {
    Bound bound{.dryRun = arguments.has("dry-run")};
    const auto most = arguments.value("at-most");
    if (!most) return bound;
    const auto number = parseInteger(*most, "--at-most");
    if (!number) return std::unexpected(number.error());
    if (*number < 0) return usageError("--at-most wants a number of actions");
    bound.atMost = *number;
    return bound;
}

class Steering {
public:
    Steering(const Invocation& invocation, const Operation& operation, const Bound& bound)
        : invocation_(invocation)
        , operation_(operation)
        , bound_(bound) {}

    Outcome<int> one(std::int64_t lsn) {
        auto answer = invocation_.engine.call({.method = std::string(operation_.method),
                                               .path = fmt::format("jobs/{}{}", lsn, operation_.suffix),
                                               .body = bodyOfOne()});
        if (!answer) {
            if (answer.error().kind == ErrorKind::Io) return failedWith(answer.error());
            refuse(lsn, answer.error().message);
        } else if (invocation_.json) {
            fmt::print("{}\n", answer->text);
        } else if (const json::value* ending = answer->object.if_contains("ending"); ending && ending->is_bool()) {
            fmt::print("{} is being {}\n", lsn, operation_.past);
        } else {
            fmt::print("{} {}{}\n", lsn, operation_.past,
                       withRevived(integerOf(answer->object, "revived").value_or(0)));
        }
        return code_;
    }

    /// As many requests as the limit on one asks for.
    Outcome<int> many(const std::vector<std::int64_t>& lsns) {
        if (auto within = countFirst(lsns); !within) return std::unexpected(within.error());
        for (std::size_t at = 0; at < lsns.size(); at += kMaxInOne)
            if (auto asked = ask({{"lsns", piece(lsns, at)}}); !asked) return std::unexpected(asked.error());
        return finish();
    }

    Outcome<int> matching(const std::string& filter) {
        if (auto asked = ask({{"filter", filter}}); !asked) return std::unexpected(asked.error());
        return finish();
    }

private:
    std::string bodyOfOne() const {
        if (!operation_.set.empty()) return compactJson(operation_.set);
        return operation_.force ? "{\"force\":true}" : "";
    }

    static json::array piece(const std::vector<std::int64_t>& lsns, std::size_t at) {
        return json::array(lsns.data() + at, lsns.data() + std::min(at + kMaxInOne, lsns.size()));
    }

    Result<Answer> post(json::object selection, bool dryRun, std::optional<std::int64_t> atMost) {
        if (operation_.force) selection["force"] = true;
        if (dryRun) selection["dry_run"] = true;
        if (atMost) selection["at_most"] = *atMost;
        const bool sets = !operation_.set.empty();
        if (sets) selection["set"] = operation_.set;
        // A million actions take their time.
        return invocation_.engine.call({.method = sets ? "PATCH" : "POST",
                                        .path = sets ? "jobs" : fmt::format("jobs/{}", operation_.name),
                                        .body = compactJson(selection),
                                        .silence = std::chrono::hours(1)});
    }

    /// What takes several requests is counted before the first of them changes anything.
    Outcome<void> countFirst(const std::vector<std::int64_t>& lsns) {
        if (bound_.dryRun || !bound_.atMost || lsns.size() <= kMaxInOne) return {};
        std::int64_t count = 0;
        for (std::size_t at = 0; at < lsns.size(); at += kMaxInOne) {
            const auto answer = post({{"lsns", piece(lsns, at)}}, true, {});
            if (!answer) return failedWith(answer.error());
            count += integerOf(answer->object, "count").value_or(0);
        }
        if (count <= *bound_.atMost) return {};
        return failed(fmt::format("this would change {} actions, more than --at-most {}: nothing was changed",
                                  count, *bound_.atMost));
    }

    Outcome<void> ask(json::object selection) {
        std::optional<std::int64_t> left = bound_.atMost;
        if (left) left = std::max<std::int64_t>(*left - changed_, 0);
        auto answer = post(std::move(selection), bound_.dryRun, left);
        if (!answer) return failedWith(answer.error());
        changed_ += integerOf(answer->object, bound_.dryRun ? "count" : "changed").value_or(0);
        revived_ += integerOf(answer->object, "revived").value_or(0);
        ending_ += integerOf(answer->object, "ending").value_or(0);
        if (invocation_.json) fmt::print("{}\n", answer->text);
        if (const json::array* refused = arrayOf(answer->object, "refused"))
            for (const json::value& entry : *refused)
                if (const json::object* r = entry.if_object()) {
                    const auto sentence = textOf(*r, "message");
                    refuse(integerOf(*r, "lsn").value_or(0),
                           printable(sentence.empty() ? textOf(*r, "error") : inCommandWords(sentence)));
                }
        return {};
    }

    int finish() const {
        if (!invocation_.json && bound_.dryRun)
            fmt::print("{} would be {}\n", changed_, operation_.would);
        else if (!invocation_.json)
            fmt::print("{}{}\n", changedWords(), withRevived(revived_));
        return code_;
    }

    /// "12 cancelled, 618 are being cancelled".
    std::string changedWords() const {
        std::string ended = fmt::format("{} {}", changed_ - ending_, operation_.past);
        if (ending_ == 0) return ended;
        const std::string ending =
            fmt::format("{} {} being {}", ending_, ending_ == 1 ? "is" : "are", operation_.past);
        return changed_ == ending_ ? ending : fmt::format("{}, {}", ended, ending);
    }

    static std::string withRevived(std::int64_t revived) {
        return revived > 0 ? fmt::format(", and {} that had failed only because of that", revived) : std::string();
    }

    void refuse(std::int64_t lsn, const std::string& why) {
        std::fflush(stdout);
        // Most sentences of the engine name the action themselves.
        const bool isNamed = why.find(fmt::format("ction {}", lsn)) != std::string::npos;
        fmt::print(stderr, "{}",
                   errorLine(invocation_.json, "refused", isNamed ? why : fmt::format("action {}: {}", lsn, why)));
        code_ = kExitFailed;
    }

    const Invocation& invocation_;
    const Operation& operation_;
    const Bound& bound_;
    std::int64_t changed_ = 0; ///< or, in a dry run, would be
    std::int64_t revived_ = 0;
    std::int64_t ending_ = 0; ///< of changed_: told to end, and not ended yet
    int code_ = 0;
};

Outcome<int> steer(const Invocation& invocation, const Operation& operation,
                   const std::vector<std::string>& words) {
    const auto filter = invocation.arguments.value("filter");
    if (filter.has_value() != words.empty())
        return usageError(fmt::format("'{}' wants the LSNs of actions, or --filter, or --all", operation.name));
    const auto bound = boundOf(invocation.arguments);
    if (!bound) return std::unexpected(bound.error());
    Steering steering(invocation, operation, *bound);
    if (filter) return steering.matching(*filter);
    auto lsns = parseLsns(words);
    if (!lsns) return std::unexpected(lsns.error());
    if (lsns->size() > operation.singly || bound->isGiven()) return steering.many(*lsns);
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
    if (!invocation.arguments.has("all")) return steer(invocation, operation, invocation.arguments.operands());
    if (!invocation.arguments.operands().empty() || invocation.arguments.has("filter"))
        return usageError("--all means every queue; leave it out to name actions");
    const auto bound = boundOf(invocation.arguments);
    if (!bound) return std::unexpected(bound.error());
    if (operation.allOf.empty() && bound->isGiven())
        return usageError("--all holds or releases queues, not actions: leave --dry-run and --at-most out");
    if (!bound->dryRun && !isMeant(invocation, operation)) return failed("nothing was done");
    if (!operation.allOf.empty())
        return Steering(invocation, operation, *bound).matching(std::string(operation.allOf));
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
    return steerOrAll(invocation, {"cancel", "cancelled", "cancelled", "POST", "/cancel", false, kActive, true});
}

Outcome<int> retryCommand(const Invocation& invocation) {
    // One of several may come back with another of them: only the engine knows that this is no mistake.
    return steerOrAll(invocation, {"retry", "goes again", "retried", "POST", "", invocation.arguments.has("force"),
                                   kCanGoAgain, false, 1});
}

Outcome<int> retireCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"retire", "retired", "retired", "DELETE", "", false, kFinished, true});
}

Outcome<int> priorityCommand(const Invocation& invocation) {
    std::vector<std::string> words = invocation.arguments.operands();
    const auto priority = parseInteger(words.front(), "the priority");
    if (!priority) return std::unexpected(priority.error());
    if (*priority < -100 || *priority > 100) return usageError("a priority is a number from -100 to 100");
    words.erase(words.begin());
    const std::string past = fmt::format("now at priority {}", *priority);
    const std::string would = fmt::format("set to priority {}", *priority);
    Operation operation{.name = "priority", .past = past, .would = would, .method = "PATCH", .suffix = ""};
    operation.set["priority"] = *priority;
    return steer(invocation, operation, words);
}

Outcome<int> holdCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"hold", "held", "held", "POST", "/hold"});
}

Outcome<int> releaseCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"release", "released", "released", "POST", "/release"});
}

} // namespace yard::ctl
