// yardctl edit: an action as it was submitted, changed in an editor and submitted again, with all that failed only
// because of it. One that has not begun is cancelled with that, and what waits for it goes on with the new one.
#include "app/yardctl/accepted.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/confirm.h"
#include "app/yardctl/followers.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/own_terminal.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"
#include "core/model/right.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

namespace {

/// The members of an object a line each: the text is valid JSON without white space, and stays as it was written
/// beyond that.
std::string membersApart(std::string_view text) {
    std::string out;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool closes = !quoted && (c == '}' || c == ']') && --depth == 0;
        if (closes) out += '\n';
        out += c;
        if (quoted && c == '\\' && i + 1 < text.size()) {
            out += text[++i];
            continue;
        }
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if ((c == '{' || c == '[') && depth++ == 0) out += "\n  ";
        if (c == ',' && depth == 1) out += "\n  ";
        if (c == ':' && depth == 1) out += ' ';
    }
    return out + "\n";
}

std::string editor() {
    for (const char* name : {"VISUAL", "EDITOR"})
        if (const char* value = std::getenv(name); value && *value) return value;
    return "vi";
}

/// vi draws on a terminal and waits for keys: without one it would wait for nobody.
Outcome<void> checkEditor() {
    if (editor() != "vi" || OwnTerminal::isThere()) return {};
    return failed("there is no terminal here for the editor vi: set $EDITOR to a program that changes the file it "
                  "is given, as EDITOR='sed -i s/1G/2G/'");
}

/// Waits for the editor, which a shell starts: it may have arguments of its own.
Outcome<void> edit(const std::string& path) {
    const std::vector<std::string> words = {"/bin/sh", "-c", editor() + " \"$1\"", "sh", path};
    pid_t pid = 0;
    if (const int code = SpawnPlan(SpawnPlan::Apart::No).run(pid, words); code != 0)
        return failed(fmt::format("cannot start the editor: {}", ::strerrordesc_np(code)));
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return failed(fmt::format("the editor ({}) failed: nothing was submitted", editor()));
}

/// A file of its own that is gone at the end, unless it is kept.
class Draft {
public:
    static Outcome<Draft> make(std::int64_t lsn, std::string_view text) {
        const char* directory = std::getenv("TMPDIR");
        std::string path =
            fmt::format("{}/yardctl-{}-XXXXXX.json", directory && *directory ? directory : "/tmp", lsn);
        const UniqueFd file(::mkostemps(path.data(), 5, O_CLOEXEC));
        if (!file) return failed(fmt::format("cannot make a file in {}: {}", path, ::strerrordesc_np(errno)));
        Draft draft(std::move(path));
        if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            return failed(fmt::format("cannot write {}: {}", draft.path_, ::strerrordesc_np(errno)));
        return draft;
    }
    Draft(Draft&& other) noexcept
        : path_(std::exchange(other.path_, {})) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    Draft& operator=(Draft&&) = delete;
    ~Draft() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }
    /// What was typed is not lost with the error.
    std::unexpected<Failure> keptBecause(const std::string& why) {
        return failed(fmt::format("{} ({} has what you wrote)", why, std::exchange(path_, {})));
    }

private:
    explicit Draft(std::string path)
        : path_(std::move(path)) {}
    std::string path_;
};

/// What is to be submitted along, and whether the old one has ended.
struct Plan {
    std::vector<Follower> followers{};
    std::int64_t queue = 0;
    bool hasEnded = false;
    bool isPending = false;   ///< the engine cancels it when it takes the new one
    bool wasReplaced = false; ///< already: the new one is beside the other, and replaces none
};

/// The newest of those that replaced it one after the other, as far as they are kept; nothing: none did.
std::optional<std::int64_t> newestOf(Engine& engine, const json::object& action) {
    std::optional<std::int64_t> newest;
    // A replacement is newer than what it replaces: this comes to an end.
    for (auto by = integerOf(action, "replaced_by"); by && *by > newest.value_or(0);) {
        newest = by;
        const auto next = engine.get(fmt::format("jobs/{}", *by));
        by = next ? integerOf(next->object, "replaced_by") : std::nullopt;
    }
    return newest;
}

/// Refuses what could only be done by half, or was done already.
Outcome<Plan> planOf(const Invocation& invocation, std::int64_t lsn) {
    const auto known = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (!known) return failedWith(known.error());
    const bool again = invocation.arguments.has("again");
    if (!again)
        if (const auto newest = newestOf(invocation.engine, known->object))
            return failed(fmt::format("action {0} was replaced by {1} already: edit that one, or add --again to "
                                      "edit {0} all the same",
                                      lsn, *newest));
    Plan plan{.queue = integerOf(known->object, "queue_id").value_or(0),
              .hasEnded = isEnded(known->object),
              .isPending = textOf(known->object, "state") == "pending",
              .wasReplaced = isReplaced(known->object)};
    const bool alone = invocation.arguments.has("alone");
    if (plan.isPending ? alone : invocation.arguments.has("replace") && !plan.hasEnded) {
        const auto waiting = pendingFollowers(invocation.engine, lsn);
        if (!waiting) return std::unexpected(waiting.error());
        if (!waiting->empty())
            return failed(plan.isPending
                              ? fmt::format("--alone would cancel {0}, which is waited for by {1}. Edit without "
                                            "--alone, and they go on with the new one. Nothing was submitted.",
                                            lsn, *waiting)
                              : fmt::format("--replace would cancel {0}, which is waited for by {1}. Cancel {1} "
                                            "first, or edit without --replace. Nothing was submitted.",
                                            lsn, *waiting));
    }
    if (alone) return plan;
    auto followers = followersOf(invocation.engine, known->object, again);
    if (!followers) return std::unexpected(followers.error());
    plan.followers = std::move(*followers);
    return plan;
}

bool reachesQueue(const json::object& token, std::int64_t queue) {
    const json::array* queues = arrayOf(token, "queues");
    return queues && std::ranges::any_of(*queues, [queue](const json::value& each) { return each == queue; });
}

/// Said before a person writes, not after. An engine that does not tell what the token allows decides in the end.
/// Beside what was replaced already it is a new action, which submit adds to any queue: but such a token is not told
/// the environment, the inputs and stdin of the old one, so the new one would be without them.
Outcome<void> checkRight(const Invocation& invocation, const Plan& plan) {
    const auto token = invocation.engine.get("token");
    const auto right = token ? rightFrom(textOf(token->object, "rights")) : std::nullopt;
    if (!right || *right >= Right::Operate) return {};
    if (*right == Right::Submit && reachesQueue(token->object, plan.queue)) return {};
    return std::unexpected(Failure(
        fmt::format("the token in use has the right {}: what is in queue {} is changed with operate, or with "
                    "submit for that queue; 'yardctl whoami' shows it",
                    name(*right), plan.queue),
        kExitFailed, errorName(ErrorKind::Forbidden)));
}

/// Names the copy that the engine did not take.
std::string refusalOf(const Error& error, const Plan& plan) {
    if (error.index < 1 || static_cast<std::size_t>(error.index) > plan.followers.size()) return error.message;
    return fmt::format("the copy of {}: {}", plan.followers[static_cast<std::size_t>(error.index) - 1].first,
                       error.message);
}

std::string acceptedText(const Invocation& invocation, std::int64_t lsn, const Plan& plan, Answer answer) {
    const json::array* lsns = arrayOf(answer.object, "lsns");
    if (plan.followers.empty() || !lsns)
        return invocation.json ? answer.text + '\n'
                               : fmt::format("{}\n", integerOf(answer.object, "lsn").value_or(0));
    if (!invocation.json) return replacedWords(lsn, plan.followers, *lsns, plan.isPending);
    json::array replaced{lsn};
    for (const Follower& follower : plan.followers) replaced.emplace_back(follower.first);
    answer.object["replaces"] = std::move(replaced);
    return compactJson(answer.object) + '\n';
}

Outcome<void> tell(const Invocation& invocation, std::int64_t lsn, const Plan& plan, Answer answer) {
    std::vector<std::int64_t> accepted;
    if (const auto one = integerOf(answer.object, "lsn")) accepted.push_back(*one);
    if (const json::array* lsns = arrayOf(answer.object, "lsns"))
        for (const json::value& each : *lsns)
            if (each.is_int64()) accepted.push_back(each.get_int64());
    return printAccepted(acceptedText(invocation, lsn, plan, std::move(answer)), accepted);
}

/// One that runs goes on beside the new one, and so does the wait for it.
void tellWhoStays(const Invocation& invocation, std::int64_t lsn) {
    const auto waiting = pendingFollowers(invocation.engine, lsn);
    if (!waiting || waiting->empty()) return;
    std::fflush(stdout);
    fmt::print(stderr,
               "yardctl: {} runs on, and is still waited for by {}: 'yardctl edit' makes them wait for another\n",
               lsn, *waiting);
}

/// It may have begun between our last look and the engine's.
void tellIfItRuns(const Invocation& invocation, std::int64_t lsn) {
    const auto known = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (known && !isEnded(known->object) && textOf(known->object, "ending").empty())
        fmt::print(stderr, "yardctl: {0} has begun meanwhile and goes on; 'yardctl cancel {0}' ends it\n", lsn);
}

/// Cancels the old one, unless it has ended, maybe just now.
Outcome<void> cancelReplaced(const Invocation& invocation, std::int64_t lsn, bool hasEnded) {
    if (!hasEnded) {
        const auto cancelled =
            invocation.engine.call({.method = "POST", .path = fmt::format("jobs/{}/cancel", lsn)});
        if (cancelled) return {};
        const auto known = invocation.engine.get(fmt::format("jobs/{}", lsn));
        if (!known || !isEnded(known->object)) return failedWith(cancelled.error());
    }
    fmt::print(stderr, "yardctl: {} has ended, so there was nothing to cancel\n", lsn);
    return {};
}

/// The engine took the copies.
struct AcceptedCopies {
    Plan plan;
    Answer answer;
};

/// Much may have happened while it was edited: all is looked at again.
Outcome<AcceptedCopies> submitChanged(const Invocation& invocation, std::int64_t lsn, std::string text) {
    auto plan = planOf(invocation, lsn);
    if (!plan) return std::unexpected(plan.error());
    if (!plan->wasReplaced) text = replacing(lsn, std::move(text));
    if (!plan->followers.empty()) {
        auto list = listOf(lsn, text, plan->followers);
        if (!list) return std::unexpected(list.error());
        text = std::move(*list);
    }
    auto answer =
        invocation.engine.call({.method = "POST",
                                .path = plan->queue == 0 ? "jobs" : fmt::format("queues/{}/jobs", plan->queue),
                                .body = std::move(text),
                                .idempotencyKey = randomHex(16)});
    if (!answer) return failed(refusalOf(answer.error(), *plan));
    return AcceptedCopies{.plan = std::move(*plan), .answer = std::move(*answer)};
}

Outcome<int> editCommand(const Invocation& invocation) {
    const auto named = theNamedAction("edit", invocation.arguments.operands().front());
    if (!named) return std::unexpected(named.error());
    const std::int64_t lsn = *named;
    const auto possible = planOf(invocation, lsn);
    if (!possible) return std::unexpected(possible.error());
    if (auto may = checkRight(invocation, *possible); !may) return std::unexpected(may.error());
    if (auto can = checkEditor(); !can) return std::unexpected(can.error());
    const auto known = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (!known) return failedWith(known.error());
    const auto spec = invocation.engine.get(fmt::format("jobs/{}/spec?element=1", lsn));
    if (!spec) return failedWith(spec.error());
    const bool isPending = textOf(known->object, "state") == "pending";
    const std::string before = membersApart(isPending ? asItIsNow(spec->text, known->object) : spec->text);
    auto draft = Draft::make(lsn, before);
    if (!draft) return std::unexpected(draft.error());
    std::optional<AcceptedCopies> accepted;
    while (!accepted) {
        if (auto edited = edit(draft->path()); !edited) return std::unexpected(edited.error());
        auto after = readFile(draft->path());
        if (!after) return failed(fmt::format("{} cannot be read: nothing was submitted", draft->path()));
        if (*after == before) return failed("nothing was changed, so nothing was submitted");
        auto submitted = submitChanged(invocation, lsn, std::move(*after));
        if (submitted)
            accepted.emplace(std::move(*submitted));
        else if (!isTriedAgain(submitted.error().message, "edit it again?"))
            return draft->keptBecause(submitted.error().message);
    }
    const Plan& plan = accepted->plan;
    const auto told = tell(invocation, lsn, plan, std::move(accepted->answer));
    if (plan.isPending)
        tellIfItRuns(invocation, lsn);
    else if (!invocation.arguments.has("replace") && !plan.hasEnded)
        tellWhoStays(invocation, lsn);
    else if (invocation.arguments.has("replace"))
        if (auto replaced = cancelReplaced(invocation, lsn, plan.hasEnded); !replaced)
            return std::unexpected(replaced.error());
    if (!told) return std::unexpected(told.error());
    return 0;
}

} // namespace

Command editRow() {
    return {
        .name = "edit",
        .usage = "[options] LSN",
        .summary = "change an action in an editor, and submit it again",
        .details =
            "The editor is $VISUAL, else $EDITOR, else vi at a terminal. Prints the LSN of the new action, which "
            "goes to the "
            "queue "
            "of the old one. Nothing is submitted when nothing was changed, or the editor fails.\n"
            "What failed only because of the old one (dependency_failed) is submitted again along with it, and so "
            "is what failed because of that. It waits for the new one, and a line for each says which is which. "
            "Where this cannot be done as it was, as across queues, nothing is submitted, and the message says "
            "why.\n"
            "One that has not begun is cancelled as soon as the new one is there, and what waits for it goes on "
            "with "
            "the new one likewise. One that runs goes on, unless --replace is given.\n"
            "Of an action that has ended there is nothing to cancel, and --replace says so. While pending actions "
            "wait for one that runs, --replace is refused, as they would fail with it.\n"
            "Each old one says by which it is replaced, and 'retry --filter' passes it over. One that was "
            "replaced "
            "already is refused, and the message names the newest one; --again edits it all the same.",
        .examples = "yardctl edit 12\n"
                    "yardctl edit --alone 12\n"
                    "yardctl edit --replace 12",
        .options = {{"replace", 'r', "", "cancel the old one that runs once the new one is accepted"},
                    {"alone", 0, "", "submit only this one, not what failed because of it"},
                    {"again", 0, "", "also one that was replaced already"}},
        .minOperands = 1,
        .maxOperands = 1,
        .function = editCommand};
}

} // namespace yard::ctl
