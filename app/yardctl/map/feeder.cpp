#include "app/yardctl/map/feeder.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "core/base/hash.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {
constexpr std::chrono::milliseconds kBusyPause{200};
constexpr std::int64_t kMostQueued = 100'000; ///< of a queue that nobody collects from
} // namespace

void Feeder::run() {
    auto fed = feed();
    inFlight_.finish(fed ? std::nullopt : std::optional(fed.error()));
}

Outcome<void> Feeder::feed() {
    List list;
    while (!inFlight_.isStopped()) {
        tellTotal();
        const bool isFull = list.jobs.size() >= (parts_.options.delaySeconds > 0 ? 1 : kMaxListJobs) ||
                            list.body.size() >= kMaxListBytes || list.blockBytes >= kMaxListBlocks;
        const bool mustGo = !list.jobs.empty() && (isFull || !parts_.planner.isReady());
        if (mustGo || inFlight_.awaitRoom(list.jobs.size()) == 0) {
            if (list.jobs.empty()) break; // stopped
            if (auto sent = submit(std::exchange(list, {})); !sent) return sent;
            continue;
        }
        auto job = parts_.planner.next();
        if (!job) return std::unexpected(job.error());
        if (!*job) break;
        if (const auto known = parts_.done.find((*job)->seq); known != parts_.done.end()) {
            compare(**job, known->second);
            continue;
        }
        if (auto taken = take(std::move(**job), list); !taken) return taken;
    }
    if (inFlight_.isStopped()) return {};
    tellTotal();
    return list.jobs.empty() ? Outcome<void>() : submit(std::move(list));
}

/// Once. With {%} a command is another one each time.
void Feeder::compare(const PlannedJob& job, std::size_t logged) {
    if (isToldOther_ || parts_.command.usesSlot() || loggedHash(flying(job, 0).command) == logged) return;
    isToldOther_ = true;
    (void)writeOutput(STDERR_FILENO,
                      errorLine(false, {},
                                fmt::format("job {} has another command in the job log: jobs are known by their "
                                            "numbers, and those in the log do not run again",
                                            job.seq)));
}

/// What the job log has does not come to an end again.
void Feeder::tellTotal() {
    const auto total = parts_.planner.total();
    if (!total || total == toldTotal_) return;
    toldTotal_ = total;
    inFlight_.setTotal(*total -
                       std::ranges::count_if(parts_.done, [&](const auto& job) { return job.first <= *total; }));
}

FlyingJob Feeder::flying(const PlannedJob& job, int slot) const {
    FlyingJob out{.seq = job.seq, .slot = slot, .sent = job.block ? job.block->size() : 0};
    out.command = parts_.command.line(job.words(slot));
    if (parts_.options.tags) out.tag = parts_.command.tag(job.values);
    if (parts_.options.results) out.values = job.values;
    return out;
}

Outcome<void> Feeder::take(PlannedJob job, List& list) {
    if (const auto known = parts_.there.find(job.seq); known != parts_.there.end()) {
        if (parts_.options.detaches) return {};
        // In the order of their numbers, which is that of the output.
        if (!list.jobs.empty())
            if (auto sent = submit(std::exchange(list, {})); !sent) return sent;
        inFlight_.add(known->second, flying(job, 0));
        return {};
    }
    const int slot = parts_.command.usesSlot() ? inFlight_.takeSlot() : 0;
    auto text = parts_.actions.text(job, parts_.command, slot, list.files);
    if (!text) return std::unexpected(text.error());
    list.body += list.body.empty() ? '[' : ',';
    list.body += *text;
    if (job.block) list.blockBytes += job.block->size();
    list.jobs.push_back(flying(job, slot));
    return {};
}

/// Where nobody waits for the ends, the queue says how far it is.
Outcome<void> Feeder::awaitQueue() {
    while (!inFlight_.isStopped()) {
        const auto queue = parts_.engine->callPatiently({.path = "queues/" + parts_.queue});
        if (!queue) return failedWith(queue.error());
        if (integerOf(queue->object, "active").value_or(0) < kMostQueued) return {};
        inFlight_.pause(kBusyPause);
    }
    return {};
}

/// --delay is between the beginnings of jobs: of those that there is a place for, which begin when they are submitted.
void Feeder::awaitBeginning() {
    using Clock = std::chrono::steady_clock;
    if (parts_.options.delaySeconds <= 0) return;
    while (!inFlight_.isStopped() && Clock::now() < nextBeginning_)
        inFlight_.pause(std::chrono::ceil<std::chrono::milliseconds>(nextBeginning_ - Clock::now()));
    nextBeginning_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(parts_.options.delaySeconds));
}

Outcome<void> Feeder::submit(List list) {
    awaitBeginning();
    if (inFlight_.isStopped()) return {};
    if (parts_.options.detaches)
        if (auto room = awaitQueue(); !room) return room;
    const Call call{.method = "POST",
                    .path = fmt::format("queues/{}/jobs", parts_.queue),
                    .body = list.body + ']',
                    .idempotencyKey = randomHex(16)};
    auto answer = postWithChunks(*parts_.engine, call, list.files);
    while (!answer && answer.error().kind == ErrorKind::Busy && !inFlight_.isStopped()) {
        inFlight_.pause(kBusyPause);
        answer = postWithChunks(*parts_.engine, call, list.files);
    }
    if (!answer && inFlight_.isStopped()) return {};
    if (!answer) {
        Error error = answer.error();
        error.message = inOptionWords(error.message);
        return failedWith(std::move(error));
    }
    const json::array* lsns = arrayOf(answer->object, "lsns");
    if (!lsns || lsns->size() != list.jobs.size())
        return failed(fmt::format(
            "the engine accepted jobs but did not say as which; 'yardctl ls queue:{}' shows them", parts_.queue));
    submitted_ += static_cast<std::int64_t>(lsns->size());
    if (parts_.options.detaches) return {};
    for (std::size_t i = 0; i < lsns->size(); ++i)
        inFlight_.add((*lsns)[i].is_int64() ? (*lsns)[i].get_int64() : 0, std::move(list.jobs[i]));
    return {};
}

} // namespace yard::ctl
