// The engine's end of the journal: posts operations, gives each acknowledgement to whoever waits for it, and
// collects those of results for the scheduler's turn.
//
// Owner: engine thread; deliver() is called by the store thread. Lifetime: attach() before use; the store stops
// first.
#pragma once

#include "core/base/owner.h"
#include "core/coro/loop.h"
#include "core/coro/one_shot.h"
#include "core/store/journal.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// What became of a posted Finish or Retry.
struct ResultAck {
    enum class Kind : unsigned char { Finish, Retry } kind = Kind::Finish;
    Lsn lsn;
    bool ok = true;
    ActionState state = ActionState::Failed; ///< of a Retry: that of its attempt
    Reason reason = Reason::None;
    std::optional<int> exitCode;
    MonoTime posted{};
    std::vector<store::LsnRun> more; ///< of a FinishMany: all of them; `lsn` is the first
};

class Committer {
public:
    /// `wake` is called on the engine thread when takeAcks() has something, or writable() changed.
    Committer(coro::Loop& loop, std::function<void()> wake)
        : loop_(loop)
        , wake_(std::move(wake)) {}

    void attach(store::Store& store) { store_ = &store; }
    /// Store thread: hands a group's answers to the engine thread.
    void deliver(store::Acks acks);

    /// Posts and waits for the commit. AckDetail::error says why nothing happened.
    coro::Task<store::AckDetail> commit(store::Action action);
    /// The same in two steps: posted when this returns, so that what is posted next comes after it.
    std::unique_ptr<coro::OneShot<store::AckDetail>> begin(store::Action action);
    /// Queue a result for the next flush().
    void finish(store::Finish finish, bool somebodyWaits);
    void finishMany(store::FinishMany finish);
    void retry(store::Retry retry);
    void flush();

    std::vector<ResultAck> takeAcks() { return std::exchange(acks_, {}); }
    bool hasAcks() const { return !acks_.empty(); }
    /// Actions whose result is posted and not acknowledged.
    std::size_t outstandingResults() const { return outstanding_; }
    bool writable() const { return writable_; }
    /// While it is not writable: why, and what to do.
    const std::string& failure() const { return failure_; }

private:
    void receive(store::Acks acks);
    ResultAck take(ResultAck::Kind kind, Lsn lsn);

    coro::Loop& loop_;
    std::function<void()> wake_;
    store::Store* store_ = nullptr;
    std::vector<store::Operation> results_;
    std::deque<ResultAck> posted_; ///< results on their way, in the order of their answers
    std::size_t outstanding_ = 0;  ///< actions in posted_
    std::vector<ResultAck> acks_;
    std::unordered_map<std::uint64_t, coro::Promise<store::AckDetail>> commands_;
    std::uint64_t nextCommand_ = 1;
    bool writable_ = true;
    std::string failure_;
    OwnerCheck owner_;
};

} // namespace yard::engine
