#include "core/engine/state/committer.h"

#include <algorithm>
#include <cassert>

namespace yard::engine {

namespace {

// The tag that travels with an operation says whose it is: two bits of kind, then the LSN or the command's number.
constexpr std::uint64_t kFinishTag = 1ull << 62;
constexpr std::uint64_t kRetryTag = 2ull << 62;
constexpr std::uint64_t kKindMask = 3ull << 62;

std::uint64_t lsnTag(std::uint64_t kind, Lsn lsn) {
    return kind | static_cast<std::uint64_t>(lsn.value);
}

std::size_t actionsIn(const ResultAck& ack) {
    if (ack.more.empty()) return 1;
    std::size_t actions = 0;
    for (const store::LsnRun& run : ack.more) actions += static_cast<std::size_t>(run.count);
    return actions;
}

} // namespace

void Committer::deliver(store::Acks acks) {
    loop_.post([this, acks = std::move(acks)]() mutable { receive(std::move(acks)); }, coro::Band::Results);
}

void Committer::receive(store::Acks acks) {
    YARD_ASSERT_OWNER(owner_);
    writable_ = acks.writable;
    failure_ = std::move(acks.failure);
    for (store::Ack& ack : acks.acks) {
        const std::uint64_t kind = ack.tag & kKindMask;
        if (kind == 0) {
            const auto at = commands_.find(ack.tag);
            if (at == commands_.end()) continue;
            at->second.set(ack.detail ? std::move(*ack.detail) : store::AckDetail{});
            commands_.erase(at);
            continue;
        }
        const Lsn lsn{static_cast<std::int64_t>(ack.tag & ~kKindMask)};
        ResultAck known = take(kind == kFinishTag ? ResultAck::Kind::Finish : ResultAck::Kind::Retry, lsn);
        known.ok = ack.ok();
        acks_.push_back(std::move(known));
    }
    wake_();
}

/// Results are answered in the order they were posted: the first is the one.
ResultAck Committer::take(ResultAck::Kind kind, Lsn lsn) {
    const auto at = std::ranges::find_if(
        posted_, [&](const ResultAck& known) { return known.lsn == lsn && known.kind == kind; });
    assert(at != posted_.end());
    ResultAck known = std::move(*at);
    posted_.erase(at);
    outstanding_ -= actionsIn(known);
    return known;
}

namespace {

ResultAck onItsWay(const store::Operation& operation) {
    ResultAck known;
    known.posted = MonoClock::now();
    if (const auto* finish = std::get_if<store::Finish>(&operation.action)) {
        known.lsn = finish->lsn;
        known.state = finish->state;
        known.reason = finish->reason;
        if (finish->attempt) known.exitCode = finish->attempt->outcome.exitCode;
    } else if (const auto* many = std::get_if<store::FinishMany>(&operation.action)) {
        known.lsn = many->runs.front().first;
        known.state = many->state;
        known.reason = many->reason;
        known.more = many->runs;
    } else {
        const auto& retry = std::get<store::Retry>(operation.action);
        known.kind = ResultAck::Kind::Retry;
        known.lsn = retry.lsn;
        known.state = retry.attempt.outcome.state;
        known.reason = retry.attempt.outcome.reason;
    }
    return known;
}

} // namespace

coro::Task<store::AckDetail> Committer::commit(store::Action action) {
    const auto shot = begin(std::move(action));
    co_return co_await shot->get();
}

std::unique_ptr<coro::OneShot<store::AckDetail>> Committer::begin(store::Action action) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint64_t tag = nextCommand_++;
    auto shot = std::make_unique<coro::OneShot<store::AckDetail>>("commit");
    const auto command = commands_.emplace(tag, shot->promise()).first;
    flush(); // one FIFO: what was decided before this operation is written before it
    const Result<void> posted =
        store_->post(store::Operation{.tag = tag, .unhurried = false, .action = std::move(action)});
    if (!posted) {
        store::AckDetail refused;
        refused.error = posted.error();
        command->second.set(std::move(refused));
        commands_.erase(command);
    }
    return shot;
}

void Committer::finish(store::Finish finish, bool somebodyWaits) {
    const std::uint64_t tag = lsnTag(kFinishTag, finish.lsn);
    results_.push_back({.tag = tag, .unhurried = !somebodyWaits, .action = std::move(finish)});
}

void Committer::finishMany(store::FinishMany finish) {
    const std::uint64_t tag = lsnTag(kFinishTag, finish.runs.front().first);
    results_.push_back({.tag = tag, .unhurried = false, .action = std::move(finish)});
}

void Committer::retry(store::Retry retry) {
    const std::uint64_t tag = lsnTag(kRetryTag, retry.lsn);
    results_.push_back({.tag = tag, .unhurried = true, .action = std::move(retry)});
}

void Committer::flush() {
    if (results_.empty()) return;
    const std::size_t before = posted_.size();
    std::size_t actions = 0;
    for (const store::Operation& operation : results_)
        actions += actionsIn(posted_.emplace_back(onItsWay(operation)));
    // Lists of results are always taken; only a stopped store refuses, and then the journal keeps what it has: the
    // next start runs these attempts again.
    if (store_->post(results_))
        outstanding_ += actions;
    else
        posted_.resize(before);
    results_.clear();
}

} // namespace yard::engine
