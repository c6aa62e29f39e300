// yardctl edit: an action as it was submitted, changed in an editor and submitted again, with all that failed only
// because of it.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/followers.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

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

/// Waits for the editor, which a shell starts: it may have arguments of its own.
Outcome<void> edit(const std::string& path) {
    std::string line = editor() + " \"$1\"";
    std::string shell = "sh";
    std::string option = "-c";
    std::string file = path;
    std::array<char*, 6> argv{shell.data(), option.data(), line.data(), shell.data(), file.data(), nullptr};
    pid_t pid = 0;
    if (const int code = ::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, argv.data(), environ); code != 0)
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
};

/// Refuses what could only be done by half.
Outcome<Plan> planOf(const Invocation& invocation, std::int64_t lsn) {
    const auto known = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (!known) return failedWith(known.error());
    Plan plan{.queue = integerOf(known->object, "queue_id").value_or(0), .hasEnded = isEnded(known->object)};
    if (invocation.arguments.has("replace") && !plan.hasEnded) {
        const auto waiting = pendingFollowers(invocation.engine, lsn);
        if (!waiting) return std::unexpected(waiting.error());
        if (!waiting->empty())
            return failed(
                fmt::format("--replace would cancel {0}, which is waited for by {1}. Cancel {1} first, or "
                            "edit without --replace. Nothing was submitted.",
                            lsn, *waiting));
    }
    if (invocation.arguments.has("alone")) return plan;
    auto followers = followersOf(invocation.engine, known->object);
    if (!followers) return std::unexpected(followers.error());
    plan.followers = std::move(*followers);
    return plan;
}

/// Names the copy that the engine did not take.
std::string refusalOf(const Error& error, const Plan& plan) {
    if (error.index < 1 || static_cast<std::size_t>(error.index) > plan.followers.size()) return error.message;
    return fmt::format("the copy of {}: {}", plan.followers[static_cast<std::size_t>(error.index) - 1].first,
                       error.message);
}

void tell(const Invocation& invocation, std::int64_t lsn, const Plan& plan, Answer answer) {
    const json::array* lsns = arrayOf(answer.object, "lsns");
    if (plan.followers.empty() || !lsns) {
        if (invocation.json)
            fmt::print("{}\n", answer.text);
        else
            fmt::print("{}\n", integerOf(answer.object, "lsn").value_or(0));
        return;
    }
    if (!invocation.json) {
        fmt::print("{}", replacedWords(lsn, plan.followers, *lsns));
        return;
    }
    json::array replaced{lsn};
    for (const Follower& follower : plan.followers) replaced.emplace_back(follower.first);
    answer.object["replaces"] = std::move(replaced);
    fmt::print("{}\n", compactJson(answer.object));
}

/// Cancels the old one, unless it has ended, maybe just now.
Outcome<void> replace(const Invocation& invocation, std::int64_t lsn, bool hasEnded) {
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

} // namespace

Outcome<int> editCommand(const Invocation& invocation) {
    const auto lsns = parseLsns(invocation.arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    if (lsns->size() != 1) return usageError("'edit' takes one action at a time");
    const std::int64_t lsn = lsns->front();
    if (const auto possible = planOf(invocation, lsn); !possible) return std::unexpected(possible.error());
    const auto spec = invocation.engine.get(fmt::format("jobs/{}/spec?element=1", lsn));
    if (!spec) return failedWith(spec.error());
    const std::string before = membersApart(spec->text);
    auto draft = Draft::make(lsn, before);
    if (!draft) return std::unexpected(draft.error());
    if (auto edited = edit(draft->path()); !edited) return std::unexpected(edited.error());
    auto after = readFile(draft->path());
    if (!after) return failed(fmt::format("{} cannot be read: nothing was submitted", draft->path()));
    if (*after == before) return failed("nothing was changed, so nothing was submitted");

    // Much may have happened while it was edited.
    const auto plan = planOf(invocation, lsn);
    if (!plan) return draft->keptBecause(plan.error().message);
    if (!plan->followers.empty()) {
        auto list = listOf(lsn, *after, plan->followers);
        if (!list) return draft->keptBecause(list.error().message);
        *after = std::move(*list);
    }
    auto answer =
        invocation.engine.call({.method = "POST",
                                .path = plan->queue == 0 ? "jobs" : fmt::format("queues/{}/jobs", plan->queue),
                                .body = *after,
                                .idempotencyKey = randomHex(16)});
    if (!answer) return draft->keptBecause(refusalOf(answer.error(), *plan));
    tell(invocation, lsn, *plan, std::move(*answer));
    if (invocation.arguments.has("replace"))
        if (auto replaced = replace(invocation, lsn, plan->hasEnded); !replaced)
            return std::unexpected(replaced.error());
    return 0;
}

} // namespace yard::ctl
