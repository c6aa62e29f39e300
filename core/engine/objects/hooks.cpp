#include "core/engine/objects/hooks.h"

#include "core/base/files.h"
#include "core/base/last_output.h"
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/lifecycle/field_values.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace yard::engine {

using lifecycle::HookEvent;
using lifecycle::HookRun;
using lifecycle::HookRunNumber;
using lifecycle::HookTarget;

namespace {

constexpr std::size_t kMostRefusalBytes = 1'000;
constexpr Duration kHookGrace = std::chrono::milliseconds(500);

std::vector<HookTarget> programTargets(const HookFolder& folder) {
    std::vector<HookTarget> targets;
    for (const HookFile& file : folder.files) {
        HookTarget& target = targets.emplace_back();
        target.name = file.pattern.text();
        target.patterns.push_back(file.pattern);
    }
    return targets;
}

std::vector<HookTarget> hookTargets(const Hooks::Parts& parts) {
    std::vector<HookTarget> targets = programTargets(parts.folder);
    for (const auto& plugin : parts.plugins)
        targets.push_back({.name = plugin->name(), .patterns = plugin->patterns(), .isPlugin = true});
    return targets;
}

/// A memory file that nobody can change, at its begin.
Result<runners::SharedFd> stdinOf(std::string_view json) {
    UniqueFd fd(::memfd_create("yard-hook", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return failErrno("make a memory file", errno);
    if (auto written = writeAll(fd.get(), json); !written) return std::unexpected(written.error());
    if (::lseek(fd.get(), 0, SEEK_SET) != 0 ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        return failErrno("seal a memory file", errno);
    return std::make_shared<UniqueFd>(std::move(fd));
}

std::string firstLine(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    text = text.substr(0, std::min(text.find_first_of("\r\n"), kMostRefusalBytes));
    return std::string(text);
}

} // namespace

Hooks::Hooks(Parts parts)
    : parts_(std::move(parts))
    , queue_(hookTargets(parts_), parts_.slots) {
    for (std::size_t at = parts_.slots; at > 0; --at)
        free_.emplace_back(parts_.firstSlot + static_cast<std::uint32_t>(at) - 1);
}

void Hooks::fire(const HookEvent& event) {
    YARD_ASSERT_OWNER(owner_);
    if (isStopped_) return;
    for (const std::string& name : queue_.add(event))
        logWarning("hooks",
                   "{} does not keep up: it is told nothing of what happens until it has fewer than {} waiting",
                   name, lifecycle::HookQueue::kMostWaiting);
    goOn();
}

void Hooks::goOn() {
    for (HookRun& run : queue_.take()) begin(std::move(run));
}

void Hooks::begin(HookRun run) {
    if (queue_.target(run.target).isPlugin) return parts_.spawn("plugin", runPlugin(std::move(run)));
    beginProgram(std::move(run));
}

// --- programs

Result<runners::Lease> Hooks::leaseOf(const HookRun& run, SlotId slot) const {
    if (!problem_.empty()) return fail(ErrorKind::Invalid, problem_);
    const std::string& name = queue_.target(run.target).name;
    const auto known =
        std::ranges::find(parts_.folder.files, name, [](const HookFile& one) { return one.pattern.text(); });
    if (known == parts_.folder.files.end()) return fail(ErrorKind::NotFound, "its file is gone");
    const HookFile& file = *known;
    auto plan = parts_.sandboxOf(file, slot);
    if (!plan) return std::unexpected(plan.error());
    auto input = stdinOf(run.json);
    if (!input) return std::unexpected(input.error());
    constexpr std::uint64_t kFiles = 256;
    constexpr std::uint64_t kProcesses = 64;
    runners::Lease lease;
    lease.slot = slot;
    lease.sandbox = *std::move(plan);
    const std::string directory = lease.sandbox ? std::string(sandbox::kHooks) : parts_.folder.directory;
    lease.argv = {fmt::format("{}/{}", directory, file.pattern.text())};
    lease.cwd = lease.sandbox ? lease.sandbox->cwd : parts_.folder.directory;
    lease.env = {{"YARD_HOOK", run.name}};
    lease.input = *std::move(input);
    lease.deadline = kLimit;
    lease.grace = kHookGrace;
    lease.limits.openFiles = kFiles;
    lease.limits.noCoreFiles = true;
    if (lease.sandbox) {
        lease.limits.processes = kProcesses;
        lease.limits.fileBytes = lease.sandbox->tmpBytes;
        lease.limits.dataBytes = lease.sandbox->memoryBytes;
    }
    lease.hurry = true;
    lease.keepsLast = true;
    return lease;
}

void Hooks::beginProgram(HookRun run) {
    const SlotId slot = free_.back(); // the queue lets no more begin than there are
    const Begun begun{.number = run.number, .target = run.target, .isAsked = run.isAsked, .since = parts_.now()};
    auto lease = leaseOf(run, slot);
    if (!lease) return parts_.spawn("hook", failToBegin(begun, std::move(lease.error().message)));
    free_.pop_back();
    lease->id = {.lsn = Lsn(last_++), .attempt = 1};
    running_[lease->id.lsn.value] = {.run = begun, .slot = slot};
    parts_.submit(*std::move(lease));
}

/// In a turn of its own: the next one begins with that, and may fail likewise.
coro::Task<void> Hooks::failToBegin(Begun run, std::string why) {
    ended(run, {.failure = std::move(why)});
    co_return;
}

Hooks::Answer Hooks::answerOf(const runners::Ended& ended) {
    using runners::EndCause;
    Answer answer;
    switch (ended.cause) {
    case EndCause::Exited: break;
    case EndCause::Deadline:
        answer.failure = fmt::format("it took longer than {} s",
                                     std::chrono::duration_cast<std::chrono::seconds>(kLimit).count());
        return answer;
    case EndCause::SpawnError: answer.failure = ended.spawn.message; return answer;
    default: answer.failure = "it was ended with the engine or its launcher"; return answer;
    }
    if (ended.signal) {
        answer.failure = fmt::format("signal {} ended it", *ended.signal);
        return answer;
    }
    answer.code = ended.exitCode.value_or(-1);
    if (answer.code == 0 && ended.out.size > ended.out.bytes.size())
        answer.failure = fmt::format("it said more than {} KiB", kLastOutputBytes >> 10);
    // Of what is cut only the end is there.
    const auto firstOf = [](const auto& said) {
        return said.size > said.bytes.size() ? std::string() : firstLine(said.bytes);
    };
    answer.text = answer.code == 0 ? ended.out.bytes : firstOf(ended.out);
    if (answer.code != 0 && answer.text.empty()) answer.text = firstOf(ended.err);
    return answer;
}

void Hooks::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    for (const runners::Update& update : batch) {
        const auto* over = std::get_if<runners::Ended>(&update.what);
        if (!over && !std::holds_alternative<runners::Returned>(update.what) &&
            !std::holds_alternative<runners::LockBusy>(update.what))
            continue;
        const auto found = running_.find(update.id.lsn.value);
        if (found == running_.end()) continue;
        const Running run = found->second;
        running_.erase(found);
        free_.push_back(run.slot);
        parts_.acknowledge(run.slot, update.id);
        ended(run.run, over ? answerOf(*over) : Answer{.failure = "it could not be started now"});
    }
}

// --- plugins

coro::Task<void> Hooks::runPlugin(HookRun run) {
    const Begun begun{.number = run.number, .target = run.target, .isAsked = run.isAsked, .since = parts_.now()};
    const std::string& name = queue_.target(run.target).name;
    Plugin& plugin =
        **std::ranges::find(parts_.plugins, name, [](const auto& one) { return std::string(one->name()); });
    coro::OneShot<Plugin::Answer> shot("plugin");
    plugin.run(run.name, run.json, shot.promise());
    const auto waitFor = [](coro::OneShot<Plugin::Answer>& of) -> coro::Task<Plugin::Answer> {
        co_return co_await of.get();
    };
    auto said = co_await coro::within(kLimit, waitFor(shot));
    const bool isLate = !said;
    if (isLate) {
        const std::string late = fmt::format("it took longer than {} s",
                                             std::chrono::duration_cast<std::chrono::seconds>(kLimit).count());
        logWarning("hooks", "the plugin {} is slow: {} with {}", plugin.name(), late, run.name);
        tell(run.number, {.failure = late});
        for (const HookRunNumber waiting : queue_.hangs(run.number))
            tell(waiting, {.failure = "it has not returned from what it was told before"});
        said = co_await waitFor(shot); // it is told nothing else before
    }
    Answer answer{.code = said->code, .text = std::move(said->text)};
    if (isLate)
        answer.failure = "it took too long";
    else if (said->isTooLong)
        answer.failure = fmt::format("it said more than {} KiB", Plugin::kMostAnswerBytes >> 10);
    if (answer.code != 0) answer.text = firstLine(answer.text);
    ended(begun, std::move(answer));
}

// --- what came of it

void Hooks::ended(const Begun& run, Answer answer) {
    const bool isRefusal = answer.failure.empty() && answer.code == 1 && run.isAsked;
    if (answer.failure.empty() && answer.code != 0 && !isRefusal)
        answer.failure =
            fmt::format("it ended with {}{}{}", answer.code, answer.text.empty() ? "" : ": ", answer.text);
    const bool isOk = answer.failure.empty();
    queue_.ended(run.number, isOk, std::chrono::duration_cast<Duration>(parts_.now() - run.since));
    if (!isOk)
        warnOnce(run.target, answer.failure);
    else if (!run.isAsked) // what is asked has succeeded once its answer is of use
        failing_.erase(run.target);
    tell(run.number, std::move(answer));
    goOn();
}

void Hooks::warnOnce(std::size_t target, std::string_view why) {
    if (failing_.insert(target).second)
        logWarning("hooks", "{} failed: {}; that is said once until it succeeds", queue_.target(target).name, why);
}

void Hooks::tell(HookRunNumber run, Answer answer) {
    if (auto waiting = asked_.extract(run); !waiting.empty()) waiting.mapped().set(std::move(answer));
}

coro::Task<Result<Hooks::Answer>> Hooks::ask(std::size_t target, HookEvent event) {
    if (isStopped_) co_return fail(ErrorKind::NotAccepting, "The engine ends; try again once it is there again.");
    const auto number = queue_.ask(target, event);
    if (!number) co_return std::unexpected(number.error());
    /// Whoever asked may be gone before there is an answer.
    struct Asking {
        Hooks& hooks;
        HookRunNumber number;
        ~Asking() {
            hooks.queue_.forget(number);
            hooks.asked_.erase(number);
        }
    };
    coro::OneShot<Answer> shot("hook");
    asked_.emplace(*number, shot.promise());
    const Asking asking{*this, *number};
    goOn();
    co_return co_await shot.get();
}

coro::Task<Result<std::string>> Hooks::clean(lifecycle::Type type, HookEvent event) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<std::pair<std::size_t, std::string>> asked;
    for (const std::size_t target : queue_.askedOf(event)) asked.emplace_back(target, queue_.target(target).name);
    for (const auto& one : asked) {
        const std::size_t target = one.first;
        const std::string& name = one.second;
        if (!queue_.isThere(target, name)) continue; // its file went while others were asked
        const auto answer = co_await ask(target, event);
        if (!answer) co_return std::unexpected(answer.error());
        const auto failed = [&name](std::string_view why) {
            return fail(
                ErrorKind::NotAccepting,
                fmt::format("The hook {} has to be asked, and failed: {}. Nothing was changed.", name, why));
        };
        const auto useless = [this, target, &name, &failed](std::string_view why) {
            if (!queue_.isThere(target, name)) return failed(why);
            queue_.failedAfterAll(target);
            warnOnce(target, why);
            return failed(why);
        };
        if (!answer->failure.empty()) co_return failed(answer->failure);
        if (answer->code == 1) {
            failing_.erase(target);
            co_return invalid("fields",
                              answer->text.empty() ? fmt::format("The hook {} refuses it.", name) : answer->text);
        }
        const auto set = lifecycle::cleanedFields(type, answer->text);
        if (!set) co_return useless(fmt::format("what it said cannot be read: {}", set.error().message));
        auto merged = lifecycle::mergedFields(event.object->fields, *set);
        if (!merged) co_return useless(merged.error().message);
        failing_.erase(target);
        event.object->fields = *std::move(merged);
    }
    co_return std::move(event.object->fields);
}

// --- the folder

coro::Task<void> Hooks::watch() {
    if (!parts_.readFolder) co_return;
    for (;;) {
        (void)co_await coro::comesWithin(kRest, used_);
        used_.clear();
        take(co_await parts_.readFolder());
        co_await coro::sleepFor(kReadPause);
    }
}

void Hooks::take(Result<HookFolder> folder) {
    YARD_ASSERT_OWNER(owner_);
    if (isStopped_) return;
    if (folder && !folder->files.empty() && parts_.slots == 0)
        folder = fail(ErrorKind::AtLimit, "There was no room for hooks when the engine started: start it again.");
    const std::string problem = folder ? std::string() : folder.error().message;
    if (std::exchange(problem_, problem) != problem) {
        if (problem.empty())
            logInfo("hooks", "{} can be used again", parts_.folder.directory);
        else
            logError("hooks", "programs of {} are not run: {}", parts_.folder.directory, problem);
    }
    if (!folder || isSame(*folder, parts_.folder)) return;
    parts_.folder = *std::move(folder);
    failing_.clear(); // of others, perhaps
    for (const HookRunNumber waiting : queue_.setPrograms(programTargets(parts_.folder)))
        tell(waiting, {.failure = "its file was taken away"});
    logInfo("hooks", "{} has changed: {} programs are hooks", parts_.folder.directory, parts_.folder.files.size());
    goOn();
}

// --- the end

void Hooks::stop() {
    YARD_ASSERT_OWNER(owner_);
    if (isStopped_) return;
    queue_.clear();
    HookEvent end;
    end.point = lifecycle::HookPoint::OrchestratorShutdown;
    fire(end);
    isStopped_ = true;
    for (auto& [run, answer] : std::exchange(asked_, {})) answer.set(Answer{.failure = "the engine ends"});
}

void Hooks::close() {
    for (const auto& plugin : parts_.plugins)
        if (!plugin->close(kLimit))
            logWarning("hooks", "the plugin {} does not return; its thread is left behind", plugin->name());
}

} // namespace yard::engine
