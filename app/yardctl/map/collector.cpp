#include "app/yardctl/map/collector.h"

#include "app/yardctl/action_progress.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/pages.h"
#include "core/base/clock.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostLooked = 1'000; ///< rows of a request
constexpr std::size_t kLeastLooked = 64;
constexpr std::chrono::milliseconds kShortPause{5};
constexpr std::chrono::milliseconds kLongPause{80};
constexpr std::chrono::milliseconds kAwaitSome{100};
constexpr std::size_t kLeastForMedian = 3;
constexpr std::size_t kMostForMedian = 10'000;

/// It has an attempt.
bool hasBegun(const json::object& row) {
    return textOf(row, "state") != "pending" || integerOf(row, "retry_count").value_or(0) > 0;
}

/// Ctrl+C or somebody else was first.
bool isCancelledAlready(const Error& error) {
    return error.kind == ErrorKind::WrongState;
}

bool isUnderWay(const json::object& row) {
    return textOf(row, "state") == "running" || textOf(row, "state") == "submitting";
}

} // namespace

Collector::Collector(Parts parts)
    : parts_(std::move(parts))
    , halt_(parts_.options.halt)
    , tellsWaits_(!parts_.json && (parts_.options.showsBar || ::isatty(STDERR_FILENO) == 1))
    , news_(parts_.submitsHeld) {}

Outcome<void> Collector::run() {
    std::size_t looked = kLeastLooked;
    auto pause = kShortPause;
    while (true) {
        const auto lsns = parts_.inFlight.oldest(isEnding_ ? kMostLooked : looked);
        if (lsns.empty()) {
            if (parts_.inFlight.isFinished() && parts_.inFlight.size() == 0) break;
            parts_.inFlight.awaitSome(kAwaitSome);
            continue;
        }
        const auto seen = look(lsns);
        if (!seen) return std::unexpected(seen.error());
        if (auto told = deliverReady(); !told) return told;
        for (const std::int64_t lsn : seen->underWay) // after those that ended before they began
            if (const auto tag = parts_.inFlight.tagOf(lsn)) parts_.delivery.begun(lsn, *tag);
        if (auto read = parts_.delivery.checkReader(); !read) return read;
        tellWait(lsns.front(), *seen);
        if (isHeld_ && !isEnding_)
            if (auto ended = endHeld(*seen); !ended) return ended;
        if (auto total = parts_.inFlight.total()) counts_.total = total;
        counts_.parts = seen->parts;
        lookAhead();
        parts_.progress.show(counts_);
        // Those behind the last one that has begun have not begun either.
        const bool isAllBegun = seen->begun == lsns.size();
        looked = isAllBegun ? std::min(looked * 2, kMostLooked)
                            : std::clamp(seen->begun * 2 + kLeastLooked / 2, kLeastLooked, kMostLooked);
        pause = seen->ended > 0 ? kShortPause : std::min(pause * 2, kLongPause);
        if (seen->ended < kMostLooked / 2) std::this_thread::sleep_for(pause);
    }
    if (auto total = parts_.inFlight.total()) counts_.total = total;
    counts_.parts = 0;
    if (auto told = deliverReady(); !told) return told;
    parts_.progress.show(counts_, true);
    return {};
}

Outcome<Collector::Rows> Collector::rowsOf(std::span<const std::int64_t> lsns) {
    Rows rows;
    const std::string path = fmt::format("jobs?limit=1000&lsn={}", fmt::join(lsns, ","));
    for (Pages pages(parts_.engine, Pages::Asking::Patiently); !pages.atEnd();) {
        auto page = pages.next(path);
        if (!page) {
            page.error().exitCode = kExitNotRun; // no words of the command line asked for this
            return std::unexpected(std::move(page.error()));
        }
        auto* jobs = page->object.if_contains("jobs");
        if (!jobs || !jobs->is_array()) continue;
        for (json::value& value : jobs->get_array())
            if (auto* row = value.if_object()) rows.emplace(integerOf(*row, "lsn").value_or(0), std::move(*row));
    }
    return rows;
}

Outcome<Collector::Seen> Collector::look(std::span<const std::int64_t> lsns) {
    const auto rows = rowsOf(lsns);
    if (!rows) return std::unexpected(rows.error());
    Seen seen;
    for (std::size_t i = 0; i < lsns.size(); ++i) {
        const auto found = rows->find(lsns[i]);
        const json::object* row = found == rows->end() ? nullptr : &found->second;
        if (!row || hasBegun(*row)) seen.begun = i + 1;
        if (row && isUnderWay(*row)) {
            ++seen.running;
            seen.parts += fractionOf(*row).value_or(0);
            endLongOnes(lsns[i], *row);
            seen.underWay.push_back(lsns[i]);
        }
        if (row && !isEnded(*row)) continue;
        ++seen.ended;
        if (auto taken = take(lsns[i], row); !taken) return std::unexpected(taken.error());
    }
    parts_.inFlight.freeTaken();
    return seen;
}

/// `row`: null when it was retired before its end was seen.
Outcome<void> Collector::take(std::int64_t lsn, const json::object* row) {
    auto job = parts_.inFlight.take(lsn);
    if (!job) return {};
    const bool isOurCancel = row && textOf(*row, "state") == "cancelled" && isEnding_ && !cancelled_.contains(lsn);
    if (isOurCancel) return {};
    EndedJob ended{.lsn = lsn, .exitCode = kExitNotRun, .shellCode = kExitNotRun};
    if (row)
        ended = endedJob(lsn, std::move(*job), *row);
    else
        ended.job = std::move(*job);
    if (row && parts_.json) ended.row = compactJson(*row);
    if (row) tellOdd(ended.job.seq, *row);
    ++counts_.ended;
    if (ended.shellCode != 0) ++counts_.failed;
    if (ended.shellCode == 0 && parts_.options.timeoutPercent && took_.size() < kMostForMedian)
        took_.push_back(ended.seconds);
    if (auto total = parts_.inFlight.total()) halt_.setTotal(*total);
    const bool wasHalted = halt_.exitCode().has_value();
    const auto when = halt_.note(ended.shellCode);
    if (!wasHalted && when != HaltPolicy::When::Never) {
        (void)writeOutput(STDERR_FILENO, errorLine(false, {},
                                                   fmt::format("stopping because of job {}: {}", ended.job.seq,
                                                               printable(ended.job.command))));
        if (auto halted = halt(when); !halted) return halted;
    }
    const std::int64_t place = parts_.options.keepsOrder ? ended.job.seq : ++order_;
    ready_.insert_or_assign(place, std::move(ended));
    return {};
}

/// As `run` does: what the first of them waits for, where none of them begins.
void Collector::tellWait(std::int64_t lsn, const Seen& seen) {
    if (parts_.submitsHeld && !parts_.json && !std::exchange(isToldHeld_, true)) {
        parts_.progress.clear();
        tellHeldJobs(parts_.queue);
    }
    const auto now = std::chrono::steady_clock::now();
    const bool isIdle = seen.begun == 0 && seen.ended == 0 && !isHeld_ && !isEnding_;
    if (!isIdle || nextTold_ == std::chrono::steady_clock::time_point{}) nextTold_ = now + WaitNews::kFirst;
    if (!isIdle || !tellsWaits_ || now < nextTold_) return;
    nextTold_ = now + WaitNews::kNext;
    const auto why = parts_.engine.get(fmt::format("jobs/{}/why", lsn));
    const std::string sentence = why ? news_.sentence(lsn, why->object, wallNow()) : std::string();
    if (sentence.empty()) return;
    parts_.progress.clear();
    (void)writeOutput(STDERR_FILENO, errorLine(false, "waiting", sentence));
}

/// What the engine expects of the queue, from what work of this kind took before. Where many end each second their rate says
/// as much, and costs nothing.
void Collector::lookAhead() {
    constexpr double kMany = 50; // each second
    constexpr std::chrono::seconds kEvery{2};
    const auto now = std::chrono::steady_clock::now();
    if (!parts_.progress.isShown() || now < nextAhead_) return;
    nextAhead_ = now + kEvery;
    counts_.left.reset();
    const double seconds = std::chrono::duration<double>(now - began_).count();
    if (!counts_.total || static_cast<double>(counts_.ended) > kMany * seconds) return;
    const auto queue = parts_.engine.get("queues/" + parts_.queue);
    if (!queue) return;
    const auto toDo = static_cast<double>(*counts_.total - counts_.ended);
    counts_.left = secondsLeft(queue->object, toDo, wallNow());
}

/// What is not the program's own end is said.
void Collector::tellOdd(std::int64_t seq, const json::object& row) {
    const std::string_view reason = textOf(row, "reason");
    if (parts_.json || textOf(row, "state") == "completed" || reason == "exit_code" || reason == "signal") return;
    parts_.progress.clear();
    const std::int64_t lsn = integerOf(row, "lsn").value_or(0);
    const bool isTooLong = textOf(row, "state") == "cancelled" && cancelled_.contains(lsn);
    const std::string words =
        isTooLong ? fmt::format("took over {:g} % of the median", parts_.options.timeoutPercent.value_or(0))
                  : endWords(row);
    (void)writeOutput(STDERR_FILENO, errorLine(false, {}, fmt::format("job {}, action {}: {}", seq, lsn, words)));
}

Outcome<void> Collector::deliverReady() {
    while (!ready_.empty()) {
        const auto first = ready_.begin();
        if (parts_.options.keepsOrder)
            if (const auto lowest = parts_.inFlight.lowestSeq(); lowest && *lowest < first->first) break;
        if (auto told = parts_.delivery.deliver(first->second); !told) return told;
        ready_.erase(first);
        parts_.progress.show(counts_);
    }
    parts_.inFlight.keepBack(ready_.size());
    return {};
}

Outcome<void> Collector::halt(HaltPolicy::When when) {
    parts_.inFlight.stop();
    const bool isNow = when == HaltPolicy::When::Now;
    if (isNow) isEnding_ = true;
    isHeld_ = true;
    const auto done = parts_.engine.callPatiently(
        {.method = "POST", .path = fmt::format("queues/{}/{}", parts_.queue, isNow ? "cancel" : "hold")});
    if (!done && !isCancelledAlready(done.error())) return failedWith(done.error());
    return {};
}

/// Once what had begun has ended, the rest is cancelled. A start may be on its way: it is seen twice.
Outcome<void> Collector::endHeld(const Seen& seen) {
    idleLooks_ = seen.running == 0 ? idleLooks_ + 1 : 0;
    if (idleLooks_ < 2) return {};
    isEnding_ = true;
    const auto done =
        parts_.engine.callPatiently({.method = "POST", .path = fmt::format("queues/{}/cancel", parts_.queue)});
    if (!done && !isCancelledAlready(done.error())) return failedWith(done.error());
    return {};
}

void Collector::endLongOnes(std::int64_t lsn, const json::object& row) {
    if (!parts_.options.timeoutPercent || took_.size() < kLeastForMedian || cancelled_.contains(lsn)) return;
    const auto middle = took_.begin() + static_cast<std::ptrdiff_t>(took_.size() / 2);
    std::ranges::nth_element(took_, middle);
    const json::object* times = objectOf(row, "timestamps");
    const auto begin = times ? integerOf(*times, "running") : std::nullopt;
    if (!begin) return;
    const double seconds = static_cast<double>(wallNow() - *begin) / 1e6;
    if (seconds < *middle * *parts_.options.timeoutPercent / 100) return;
    if (parts_.engine.callPatiently({.method = "POST", .path = fmt::format("jobs/{}/cancel", lsn)}))
        cancelled_.insert(lsn);
}

void tellHeldJobs(const std::string& queue) {
    (void)writeOutput(
        STDERR_FILENO,
        fmt::format("yardctl: the jobs are held; 'yardctl release --filter queue:{}' lets them start\n", queue));
}

} // namespace yard::ctl
