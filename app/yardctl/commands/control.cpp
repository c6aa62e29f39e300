// yardctl cancel, retry, retire, hold, release, priority, move, mark: one operation on the actions that were named, match a
// filter, or of every queue.
#include "app/yardctl/action_view.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/confirm.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/refusals.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/work_options.h"
#include "core/model/annotation.h"
#include "core/model/queue.h"

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
    json::object set{};            ///< what PATCH sets; empty: the operation has a path of its own
    std::string_view pastOfMany{}; ///< "go again"; empty: as of one
    std::string_view ofRanges{};   ///< the filter of those of a range that are meant; empty: all
    std::string_view pastOf(std::int64_t count) const {
        return count == 1 || pastOfMany.empty() ? past : pastOfMany;
    }
};

/// Of what asks before it does away with all there is.
Option yesOption() {
    return {"yes", 'y', "", "--all: do not ask"};
}

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
            if (isGone(answer.error())) return failedWith(answer.error());
            refusals_.add(lsn, errorName(answer.error().kind), answer.error().message);
        } else if (invocation_.json) {
            fmt::print("{}\n", answer->text);
        } else if (const json::value* ending = answer->object.if_contains("ending"); ending && ending->is_bool()) {
            fmt::print("{} is being {}\n", lsn, operation_.past);
        } else {
            fmt::print("{} {}{}{}{}\n", lsn, operation_.past, stillHeldWords(lsn),
                       withRevived(integerOf(answer->object, "revived").value_or(0)),
                       answer->object.contains("terminals")
                           ? fmt::format("; nobody is at its terminal, 'yardctl attach {}' goes there", lsn)
                           : "");
        }
        return code();
    }

    /// What of all this was refused.
    void tellRefused() const {
        if (!refusals_.empty()) std::fflush(stdout);
        for (const Refusal& refusal : refusals_.refusals())
            fmt::print(stderr, "{}", errorLine(invocation_.json, refusal.word, refusal.sentence));
    }

    /// As many requests as the limit on one asks for.
    Outcome<int> many(const std::vector<std::int64_t>& lsns) {
        if (auto within = countFirst(lsns); !within) return std::unexpected(within.error());
        for (std::size_t at = 0; at < lsns.size(); at += kMaxInOne)
            if (auto asked = ask({{"lsns", piece(lsns, at)}}); !asked) return std::unexpected(asked.error());
        return finish();
    }

    Outcome<int> matching(const std::string& filter) {
        auto asked = ask({{"filter", filter}});
        if (asked) return finish();
        // The queue that is not there may be the one to move to.
        if (operation_.set.contains("queue")) return std::unexpected(asked.error());
        return std::unexpected(wrongInFilter(invocation_.engine, asked.error()));
    }

    /// As matching(), of a filter that a person typed, maybe wrong.
    Outcome<int> matchingTyped(const std::string& filter) {
        auto code = matching(filter);
        const bool hasFound = changed_ + replacedLeft_ + terminalsLeft_ > 0 || !refusals_.empty();
        if (!code || hasFound) return code;
        std::fflush(stdout);
        if (auto known = checkQueues(invocation_.engine, {filter}); !known) return std::unexpected(known.error());
        if (invocation_.json) return code;
        const auto any = findsAny(invocation_.engine, filter);
        if (!any || *any) return code; // what was asked for is done, whether this is known or not
        fmt::print(stderr, "{}", errorLine(false, {}, fmt::format("no action matches '{}'", printable(filter))));
        return code;
    }

    /// So many are left out: something was submitted in their place.
    void passOver(std::int64_t replaced) { replacedLeft_ += replaced; }

private:
    /// Of what is released and waits for the release of its queue.
    std::string stillHeldWords(std::int64_t lsn) const {
        if (operation_.name != "release") return {};
        const auto action = invocation_.engine.get(fmt::format("jobs/{}", lsn));
        const auto queue = action ? integerOf(action->object, "queue_id") : std::nullopt;
        if (!queue) return {};
        const auto view = invocation_.engine.get(fmt::format("queues/{}", *queue));
        const json::value* held = view ? view->object.if_contains("held") : nullptr;
        if (!held || !held->is_bool() || !held->get_bool()) return {};
        return fmt::format("; its queue is held: 'yardctl queue release {}'", *queue);
    }

    std::string bodyOfOne() const {
        if (!operation_.set.empty()) return compactJson(operation_.set);
        return operation_.force ? "{\"force\":true}" : "";
    }

    /// A number alone would be taken for that of an action.
    static std::string actionWords(std::int64_t count) {
        return fmt::format("{} action{}", count, count == 1 ? "" : "s");
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
            if (!answer) return failedByWords(answer.error());
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
        if (!answer) return failedByWords(answer.error());
        changed_ += integerOf(answer->object, bound_.dryRun ? "count" : "changed").value_or(0);
        revived_ += integerOf(answer->object, "revived").value_or(0);
        ending_ += integerOf(answer->object, "ending").value_or(0);
        terminals_ += integerOf(answer->object, "terminals").value_or(0);
        if (const json::object* over = objectOf(answer->object, "passed_over")) {
            replacedLeft_ += integerOf(*over, "replaced").value_or(0);
            terminalsLeft_ += integerOf(*over, "terminals").value_or(0);
        }
        if (invocation_.json) fmt::print("{}\n", answer->text);
        if (const json::array* refused = arrayOf(answer->object, "refused"))
            for (const json::value& entry : *refused)
                if (const json::object* r = entry.if_object()) {
                    const auto sentence = textOf(*r, "message");
                    refusals_.add(integerOf(*r, "lsn").value_or(0), textOf(*r, "error"),
                                  printable(sentence.empty() ? textOf(*r, "error") : inCommandWords(sentence)));
                }
        return {};
    }

    int finish() const {
        if (!invocation_.json && bound_.dryRun)
            fmt::print("{} would be {}{}{}\n", actionWords(changed_), operation_.would, withRevived(revived_),
                       bound_.atMost && changed_ > *bound_.atMost
                           ? fmt::format(", but that is more than --at-most {}: none is", *bound_.atMost)
                           : std::string());
        else if (!invocation_.json)
            fmt::print("{}{}\n{}", changedWords(), withRevived(revived_), terminalWords());
        if (!invocation_.json) fmt::print("{}", passedOverWords());
        return code();
    }

    int code() const { return refusals_.empty() ? 0 : kExitFailed; }

    /// "12 actions cancelled, 618 are being cancelled".
    std::string changedWords() const {
        const std::int64_t done = changed_ - ending_;
        std::string ended = fmt::format("{} {}", actionWords(done), operation_.pastOf(done));
        if (ending_ == 0) return ended;
        const std::string ending = fmt::format("{} being {}", ending_ == 1 ? "is" : "are", operation_.past);
        return changed_ == ending_ ? fmt::format("{} {}", actionWords(ending_), ending)
                                   : fmt::format("{}, {} {}", ended, ending_, ending);
    }

    std::string terminalWords() const {
        if (terminals_ == 0) return {};
        return fmt::format("{} of them {} a terminal, and nobody is at it: 'yardctl attach LSN' goes there\n",
                           terminals_, terminals_ == 1 ? "has" : "have");
    }

    /// What matches and is meant only where it is named.
    std::string passedOverWords() const {
        std::string out;
        if (replacedLeft_ > 0)
            out += fmt::format("{} passed over: replaced by {} ('yardctl retry LSN' runs {} all the same)\n",
                               replacedLeft_, replacedLeft_ == 1 ? "another action" : "other actions",
                               replacedLeft_ == 1 ? "it" : "one");
        if (terminalsLeft_ > 0)
            out += fmt::format("{} passed over: nobody would be at {} ('yardctl retry LSN' runs {} all the same)\n",
                               terminalsLeft_, terminalsLeft_ == 1 ? "its terminal" : "their terminals",
                               terminalsLeft_ == 1 ? "it" : "one");
        return out;
    }

    static std::string withRevived(std::int64_t revived) {
        return revived > 0 ? fmt::format(", and {} that had failed only because of that", revived) : std::string();
    }

    const Invocation& invocation_;
    const Operation& operation_;
    const Bound& bound_;
    std::int64_t changed_ = 0; ///< or, in a dry run, would be
    std::int64_t revived_ = 0;
    std::int64_t ending_ = 0;    ///< of changed_: told to end, and not ended yet
    std::int64_t terminals_ = 0; ///< of changed_: have one that nobody is at
    std::int64_t replacedLeft_ = 0;
    std::int64_t terminalsLeft_ = 0;
    Refusals refusals_;
};

/// How many of the ranges an operation leaves out as they were replaced; 0 also when the engine does not say.
std::int64_t replacedIn(Engine& engine, const Operation& operation, const std::vector<std::string>& words) {
    std::int64_t count = 0;
    for (const std::string& word : words) {
        if (operation.ofRanges.empty() || !word.contains("..")) continue;
        const auto replaced = namedActions(engine, {word}, "replaced:yes");
        if (replaced) count += std::ssize(*replaced);
    }
    return count;
}

/// 'ls' takes LSNs and terms of a filter alike; what changes actions wants to be told that many are meant.
Outcome<void> refuseTerms(const std::vector<std::string>& words) {
    std::string terms;
    for (const std::string& word : words)
        if (word.find_first_of(":<>") != std::string::npos) terms += (terms.empty() ? "" : " ") + word;
    if (terms.empty() || terms.contains('\'')) return {};
    return usageError(
        fmt::format("a filter is given with --filter, so that many are not changed by mistake: --filter '{}'",
                    printable(terms)));
}

Outcome<int> steer(const Invocation& invocation, const Operation& operation,
                   const std::vector<std::string>& words) {
    const auto filter = invocation.arguments.value("filter");
    if (filter.has_value() != words.empty())
        return usageError(fmt::format("'{}' wants the LSNs of actions, or --filter{}", operation.name,
                                      operation.set.empty() ? ", or --all" : ""));
    if (auto plain = refuseTerms(words); !plain) return std::unexpected(plain.error());
    const auto bound = boundOf(invocation.arguments);
    if (!bound) return std::unexpected(bound.error());
    Steering steering(invocation, operation, *bound);
    const auto carryOut = [&]() -> Outcome<int> {
        if (filter) return steering.matchingTyped(*filter);
        const auto lsns = namedActions(invocation.engine, words, operation.ofRanges);
        if (!lsns) return std::unexpected(lsns.error());
        steering.passOver(replacedIn(invocation.engine, operation, words));
        if (lsns->size() > operation.singly || bound->isGiven()) return steering.many(*lsns);
        Outcome<int> code = 0;
        for (const std::int64_t lsn : *lsns)
            if (code = steering.one(lsn); !code) break;
        return code;
    };
    auto code = carryOut();
    steering.tellRefused();
    return code;
}

/// Queues are not all that keeps actions from starting.
void warnOfStandstill(Engine& engine) {
    const auto session = engine.get("session");
    if (!session) return;
    const std::string_view state = textOf(session->object, "state");
    std::string told = printable(textOf(session->object, "why"));
    if (!told.empty()) told.insert(0, "nothing starts: ");
    if (state == "paused" || state == "abandoned")
        told = fmt::format("the session is {}{}", state, standstillWords(state));
    if (told.empty()) return;
    std::fflush(stdout);
    fmt::print(stderr, "{}", errorLine(false, {}, told));
}

Outcome<int> steerOrAll(const Invocation& invocation, const Operation& operation) {
    if (!invocation.arguments.has("all")) return steer(invocation, operation, invocation.arguments.operands());
    if (!invocation.arguments.operands().empty() || invocation.arguments.has("filter"))
        return usageError("--all means every queue; leave it out to name actions");
    const auto bound = boundOf(invocation.arguments);
    if (!bound) return std::unexpected(bound.error());
    if (operation.allOf.empty() && bound->isGiven())
        return usageError("--all holds or releases queues, not actions: leave --dry-run and --at-most out");
    if (operation.isForGood && !bound->dryRun &&
        !isMeant(invocation.arguments, fmt::format("{} all there is in every queue, for good?", operation.name)))
        return failed("nothing was done");
    if (!operation.allOf.empty()) {
        Steering steering(invocation, operation, *bound);
        auto code = steering.matching(std::string(operation.allOf));
        steering.tellRefused();
        return code;
    }
    auto answer = invocation.engine.post(std::string(operation.name));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("every queue is {}\n", operation.past);
    if (operation.name == "release" && !invocation.json) warnOfStandstill(invocation.engine);
    return 0;
}

Outcome<int> cancelCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"cancel", "cancelled", "cancelled", "POST", "/cancel", false, kActive, true});
}

Outcome<int> retryCommand(const Invocation& invocation) {
    // The limit is for what the engine repeats by itself, and one that completed never goes again.
    // One of several may come back with another of them: only the engine knows that this is no mistake.
    return steerOrAll(invocation, {.name = "retry",
                                   .past = "goes again",
                                   .would = "retried",
                                   .method = "POST",
                                   .suffix = "",
                                   .force = true,
                                   .allOf = kCanGoAgain,
                                   .singly = 1,
                                   .pastOfMany = "go again",
                                   .ofRanges = "replaced:no"});
}

Outcome<int> retireCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"retire", "retired", "retired", "DELETE", "", false, kFinished, true});
}

Outcome<int> priorityCommand(const Invocation& invocation) {
    std::vector<std::string> words = invocation.arguments.operands();
    const auto priority = parseInteger(words.front(), "the priority");
    if (!priority) return std::unexpected(priority.error());
    if (*priority < -100 || *priority > 100)
        return usageError(fmt::format("a priority is a number from -100 to 100, and comes first: yardctl priority "
                                      "N LSN…; {} is none",
                                      *priority));
    words.erase(words.begin());
    const std::string past = fmt::format("now at priority {}", *priority);
    const std::string would = fmt::format("set to priority {}", *priority);
    Operation operation{.name = "priority", .past = past, .would = would, .method = "PATCH", .suffix = ""};
    operation.set["priority"] = *priority;
    return steer(invocation, operation, words);
}

Outcome<int> moveCommand(const Invocation& invocation) {
    const auto queue = invocation.arguments.value("queue"); // by its number or its token: a tag was looked up
    if (!queue) return movePlaces(invocation);
    const std::string past = fmt::format("moved to queue {}", printable(*queue));
    Operation operation{.name = "move", .past = past, .would = past, .method = "PATCH", .suffix = ""};
    // A token of 24 digits is no number.
    const auto ref = parseQueueRef(*queue);
    operation.set["queue"] = ref && ref->number ? json::value(ref->number->value) : json::value(*queue);
    return steer(invocation, operation, invocation.arguments.operands());
}

} // namespace

Outcome<json::value> markOf(std::string_view word) {
    const auto mark = yard::markFrom(word);
    if (!mark)
        return usageError(
            fmt::format("'{}' is no mark; there are {}, and none takes it away", printable(word), markNames()));
    return *mark == Mark::None ? json::value(nullptr) : json::value(yard::name(*mark));
}

namespace {

Outcome<int> markCommand(const Invocation& invocation) {
    std::vector<std::string> words = invocation.arguments.operands();
    auto mark = markOf(words.front());
    if (!mark) return std::unexpected(mark.error());
    const std::string past = mark->is_null() ? "without a mark" : "marked " + words.front();
    words.erase(words.begin());
    Operation operation{.name = "mark", .past = past, .would = past, .method = "PATCH", .suffix = ""};
    operation.set["mark"] = std::move(*mark);
    return steer(invocation, operation, words);
}

Outcome<int> holdCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"hold", "held", "held", "POST", "/hold"});
}

Outcome<int> releaseCommand(const Invocation& invocation) {
    return steerOrAll(invocation, {"release", "released", "released", "POST", "/release"});
}

} // namespace

Command cancelRow() {
    return {.name = "cancel",
            .usage = "LSN…|--filter F|--all",
            .summary = "cancel actions",
            .details =
                "A running program gets TERM, and KILL once the setting grace_s (2 seconds) is over: until its "
                "processes have ended it is being cancelled. On a terminal --all asks first.",
            .examples = "yardctl cancel 12..20\n"
                        "yardctl cancel --filter 'queue:7 state:pending' --dry-run",
            .options = {{"all", 'a', "", "all that is pending or running, of every queue"},
                        yesOption(),
                        filterOption(),
                        dryRunOption(),
                        atMostOption()},
            .function = cancelCommand,
            .alias = "kill",
            .live = "active"};
}

Command retryRow() {
    return {
        .name = "retry",
        .usage = "LSN…|--filter F|--all",
        .summary = "run failed or abandoned actions again",
        .details =
            "They keep their LSN, and go again whatever their limit of retries says. --filter, --all and ranges "
            "pass over what 'edit' replaced, and what has a terminal: only by its LSN that goes again. Nobody is "
            "at a "
            "terminal then: 'attach' goes there.",
        .examples = "yardctl retry 12\n"
                    "yardctl retry --filter 'state:failed reason:engine_died'",
        .options = {{"force", 0, "", "changes nothing: what is asked for by hand has no limit"},
                    {"all", 'a', "", "all that failed or was abandoned, of every queue"},
                    filterOption(),
                    dryRunOption(),
                    atMostOption()},
        .function = retryCommand,
        .live = "failed"};
}

Command retireRow() {
    return {.name = "retire",
            .usage = "LSN…|--filter F|--all",
            .summary = "forget finished actions and their results",
            .details = "On a terminal --all asks first.",
            .examples = "yardctl retire 12..20\n"
                        "yardctl retire --filter 'label:try*' --at-most 100",
            .options = {{"all", 'a', "", "all that has finished, of every queue"},
                        yesOption(),
                        filterOption(),
                        dryRunOption(),
                        atMostOption()},
            .function = retireCommand,
            .alias = "rm",
            .live = "ended"};
}

Command holdRow() {
    return {.name = "hold",
            .usage = "LSN…|--filter F|--all",
            .summary = "keep pending actions, or all queues, from starting",
            .details = "What runs goes on. 'release' takes it back.",
            .examples = "yardctl hold 12\n"
                        "yardctl hold --all",
            .options = {{"all", 'a', "", "hold every queue"}, filterOption(), dryRunOption(), atMostOption()},
            .function = holdCommand,
            .live = "startable"};
}

Command releaseRow() {
    return {.name = "release",
            .usage = "LSN…|--filter F|--all",
            .summary = "let held actions, or all queues, go on",
            .details = "They start when their turn comes.",
            .examples = "yardctl release 12\n"
                        "yardctl release --all",
            .options = {{"all", 'a', "", "release every queue"}, filterOption(), dryRunOption(), atMostOption()},
            .function = releaseCommand,
            .live = "held"};
}

Command priorityRow() {
    return {.name = "priority",
            .usage = "N LSN…|--filter F",
            .summary = "change the priority of pending actions",
            .details = "N comes first and is -100 to 100; what has a higher one starts first.",
            .examples = "yardctl priority 50 12..20\n"
                        "yardctl priority -10 --filter 'name:\"make *\"'",
            .options = {filterOption(), dryRunOption(), atMostOption()},
            .minOperands = 1,
            .function = priorityCommand,
            .live = "pending"};
}

Command moveRow() {
    return {
        .name = "move",
        .usage = "--queue REF LSN…|--filter F, or LSN…|--filter F top|up|down|bottom|before LSN",
        .summary = "move pending actions to another queue, or within their order",
        .details =
            "In another queue they keep their LSN, their priority and their age, and from then on what that queue "
            "is configured to do holds for them. Within their queue they go to the top, up or down by one, to the "
            "bottom, or before another one, and stay in that order; a higher priority still goes first. 'ls --sort "
            "place' shows the order. What has begun stays where it is. --dry-run and --at-most are for moves to "
            "another queue.",
        .examples = "yardctl move --queue nightly 12..20\n"
                    "yardctl move 12..20 top\n"
                    "yardctl move --filter 'queue:nightly label:urgent*' before 7\n"
                    "yardctl move -q 0 --filter 'queue:nightly label:urgent*' --at-most 10",
        .options = {queueOption(), filterOption(), dryRunOption(), atMostOption()},
        .function = moveCommand,
        .live = "pending"};
}

Command markRow() {
    return {.name = "mark",
            .usage = "COLOUR|none LSN…|--filter F",
            .summary = "give actions a colour, or take it away",
            .details =
                "COLOUR is red, orange, yellow, green, blue, purple or grey. A mark is for people: nothing starts "
                "earlier or later for it. It fits every state, and stays until the action is retired. "
                "'ls mark:red' finds what has it, and 'queue mark' gives one to a queue.",
            .examples = "yardctl mark red 12..20\n"
                        "yardctl mark none --filter 'mark:grey state:completed'",
            .options = {filterOption(), dryRunOption(), atMostOption()},
            .minOperands = 1,
            .function = markCommand};
}

} // namespace yard::ctl
