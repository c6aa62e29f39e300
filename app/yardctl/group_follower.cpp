#include "app/yardctl/group_follower.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/display_width.h"
#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/pages.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{500};
/// What started so long before the last look is asked for again: it may have come into the list later.
constexpr std::chrono::seconds kOverlap{5};
constexpr std::size_t kMostKnown = 20'000; ///< of those that are not followed the oldest are forgotten
constexpr std::size_t kMemberNameWidth = 24;

} // namespace

/// One action that is followed.
struct GroupFollower::Member {
    std::int64_t lsn = 0;
    std::vector<std::unique_ptr<OutputFollower>> followers{};
    std::vector<std::thread> threads{};
    std::atomic<std::int64_t> attempt{0}; ///< the last one of which something came
    std::size_t open = 0;                 ///< streams; guarded by the mutex
    std::optional<Failure> refused{};     ///< what its output did not take; guarded by the mutex
};

GroupFollower::GroupFollower(Engine& engine, What what)
    : engine_(engine)
    , what_(std::move(what))
    , out_(STDOUT_FILENO)
    , err_(STDERR_FILENO) {}

GroupFollower::~GroupFollower() {
    for (const auto& member : members_)
        for (const auto& follower : member->followers) follower->stop();
    for (const auto& member : members_)
        for (std::thread& thread : member->threads) thread.join();
}

bool GroupFollower::isFollowed(std::int64_t lsn) const {
    return std::ranges::any_of(members_, [lsn](const auto& member) { return member->lsn == lsn; });
}

/// All of the queue that match, page by page. `isFirst`: what has ended is known, and not followed.
Outcome<void> GroupFollower::look(const std::string& filter, bool isFirst) {
    std::string path = "jobs?limit=1000&sort=lsn";
    if (what_.queue) path += "&queue=" + percentEncode(*what_.queue);
    const std::string all = what_.filter.empty() ? filter : what_.filter + ' ' + filter;
    path += "&q=" + percentEncode(all);
    Pages pages(engine_, Pages::Asking::Patiently);
    while (!pages.atEnd()) {
        const auto page = pages.next(path);
        if (!page) return std::unexpected(page.error());
        const json::array* jobs = arrayOf(page->object, "jobs");
        for (const json::value& job : jobs ? *jobs : json::array()) {
            const json::object* action = job.if_object();
            const auto lsn = action ? integerOf(*action, "lsn") : std::nullopt;
            if (!lsn) continue;
            if (isFirst && isEnded(*action))
                known_.try_emplace(*lsn, attemptNumber(*action));
            else
                note(*action);
        }
    }
    return {};
}

/// One that was not seen before, or that runs once more since.
void GroupFollower::note(const json::object& action) {
    const std::int64_t lsn = integerOf(action, "lsn").value_or(0);
    const std::int64_t attempt = attemptNumber(action);
    const auto [at, isNew] = known_.try_emplace(lsn, attempt);
    if (!isNew && attempt <= at->second) return;
    at->second = attempt;
    if (isFollowed(lsn)) return; // over its attempts
    wait({.lsn = lsn, .attempt = attempt, .name = whatWords(action)});
    for (auto old = known_.begin(); known_.size() > kMostKnown && old != known_.end();)
        old = isFollowed(old->first) ? std::next(old) : known_.erase(old);
}

void GroupFollower::wait(Joining joining) {
    if (waiting_.size() < kMostWaiting) return waiting_.push_back(std::move(joining));
    if (!std::exchange(toldOfLeftOut_, true))
        (void)err_.write(fmt::format("yardctl: more than {} wait to be followed: the output of others is left out; "
                                     "'yardctl logs LSN' has it\n",
                                     kMostWaiting));
}

void GroupFollower::letIn() {
    while (!waiting_.empty() && members_.size() < kMostAtOnce) {
        Joining next = std::move(waiting_.front());
        waiting_.pop_front();
        if (!isFollowed(next.lsn)) start(std::move(next));
    }
    if (!waiting_.empty() && !std::exchange(toldOfMany_, true))
        (void)err_.write(fmt::format("yardctl: {} are followed at once; others join as these end\n", kMostAtOnce));
}

/// "12 cook  | "; names that come later are in line with the widest one before.
std::string GroupFollower::prefixOf(const Joining& joining) {
    const std::string name = fmt::format("{} {}", joining.lsn, fitted(joining.name, kMemberNameWidth));
    width_ = std::max(width_, displayWidth(name));
    return name + std::string(width_ - displayWidth(name), ' ') + " | ";
}

void GroupFollower::start(Joining joining) {
    const std::string prefix = prefixOf(joining);
    Member& member = *members_.emplace_back(std::make_unique<Member>());
    member.lsn = joining.lsn;
    member.open = what_.streams.size();
    for (std::size_t i = 0; i < what_.streams.size(); ++i) followStream(member, i, joining, prefix);
}

void GroupFollower::followStream(Member& member, std::size_t stream, const Joining& joining,
                                 const std::string& prefix) {
    const std::string& name = what_.streams[stream];
    OutputSink take;
    std::function<Result<void>()> finish;
    if (what_.json) {
        auto lines = std::make_shared<JsonLines>(out_, joining.lsn, name);
        take = [lines](std::int64_t attempt, std::string_view bytes) { return lines->take(attempt, bytes); };
        finish = [lines] { return lines->finish(); };
    } else {
        auto lines = std::make_shared<PrefixedLines>(name == "stderr" ? err_ : out_, prefix);
        take = [lines](std::int64_t attempt, std::string_view bytes) { return lines->take(attempt, bytes); };
        finish = [lines] { return lines->finish(); };
    }
    const auto refuse = [this, &member](const Error& error) {
        const ThreadLock lock(mutex_);
        member.refused = Failure(error);
    };
    const bool announces = !what_.json && stream + 1 == what_.streams.size();
    auto& follower = member.followers.emplace_back(std::make_unique<OutputFollower>(
        engine_.another(),
        OutputFollower::What{
            .lsn = joining.lsn, .stream = name, .firstAttempt = joining.attempt, .announceRetries = announces},
        [&member, take, refuse](std::int64_t attempt, std::string_view bytes) {
            member.attempt = std::max(member.attempt.load(), attempt);
            const auto taken = take(attempt, bytes);
            if (!taken) refuse(taken.error());
            return taken;
        }));
    member.threads.emplace_back([this, &member, follower = follower.get(), finish, refuse, lsn = joining.lsn] {
        const auto followed = follower->run();
        if (const auto finished = finish(); followed && !finished) refuse(finished.error());
        const ThreadLock lock(mutex_);
        // One that fails does not keep the others.
        if (!followed && !member.refused)
            (void)err_.write(fmt::format("yardctl: action {}: {}\n", lsn, printable(followed.error().message)));
        --member.open;
        ++ended_;
        changed_.notifyAll();
    });
}

/// Takes leave of those that have ended. False: nobody takes the output any more.
bool GroupFollower::reap() {
    std::vector<std::unique_ptr<Member>> ended;
    bool isTaken = true;
    {
        const ThreadLock lock(mutex_);
        ended_ = 0;
        for (auto& member : members_) {
            if (member->refused) isTaken = false;
            if (member->open == 0) ended.push_back(std::move(member));
        }
        std::erase(members_, nullptr);
    }
    for (const auto& member : ended) {
        for (std::thread& thread : member->threads) thread.join();
        std::int64_t& known = known_[member->lsn];
        known = std::max(known, member->attempt.load());
        if (member->refused) isTaken = false;
    }
    return isTaken;
}

Failure GroupFollower::run() {
    auto looked = Clock::now();
    if (auto running = look("state:submitting,running", false); !running) return running.error();
    if (auto before = look(fmt::format("started>-{}s", 3 * kOverlap.count()), true); !before) return before.error();
    for (;;) {
        letIn();
        {
            const auto until = Clock::now() + kLookEvery;
            const ThreadLock lock(mutex_);
            while (ended_ == 0 && changed_.waitUntil(mutex_, until)) {
            }
        }
        if (!reap()) return Failure("the output cannot be written", kExitFailed, "io");
        const auto now = Clock::now();
        if (now - looked < kLookEvery) continue;
        const auto since = std::chrono::duration_cast<std::chrono::seconds>(now - looked) + kOverlap;
        if (auto started = look(fmt::format("started>-{}s", since.count()), false); !started)
            return started.error();
        looked = now;
    }
}

} // namespace yard::ctl
