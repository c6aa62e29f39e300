// Private to core/store: what waits for the store thread. Posters append under a mutex, the store thread swaps the
// whole out; it is signalled only when it declared itself asleep. Room is given back when a batch is committed, not
// when it is taken, so what is posted and what is being written share one bound.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/store/journal.h"

#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace yard::store {

struct Batch {
    std::vector<Operation> operations;
    std::unique_ptr<std::promise<Result<void>>> waiter; ///< carryOutAndWait: told instead of an Ack
    std::size_t open = 0;                               ///< operations not answered yet; store thread
    // what it takes of the bounds
    std::int64_t rows = 0;
    std::size_t submissionBytes = 0;
    std::size_t operationBytes = 0;
    bool resultsOnly = true;
    bool hurried = false;
};

struct SpecRequest {
    std::vector<Lsn> lsns;
    int ahead = 0;
};

class Mailbox {
public:
    explicit Mailbox(const StoreOptions& options);

    /// Any thread. On an error `batch` is unchanged.
    Result<void> post(Batch& batch);
    Result<void> request(SpecRequest request);
    /// Nothing is taken afterwards; wakes the store thread.
    void close();

    struct Taken {
        std::vector<Batch> batches;
        std::vector<SpecRequest> requests;
        bool closed = false;
        bool empty() const { return batches.empty() && requests.empty(); }
    };
    /// Store thread: waits for something, at most until `deadline`. When only unhurried operations are there it
    /// lingers until the first of them is `linger` old, or what was taken before them is, or something hurried
    /// comes.
    Taken take(std::optional<MonoTime> deadline);
    /// Store thread: the batch is committed or refused.
    void release(const Batch& batch);

    static constexpr std::size_t kMaxRequests = 10'000;

private:
    /// Until when nobody but the hurried wakes the store thread, as far as is known now; nothing: anybody does.
    std::optional<MonoTime> lingersUntil(MonoTime now) const YARD_REQUIRES(mutex_);
    bool ready() const YARD_REQUIRES(mutex_) {
        return hurried_ || !requests_.empty() || closed_ || batches_.size() >= kNoLinger;
    }

    static constexpr std::size_t kNoLinger = 4'096; ///< batches: enough company
    const StoreOptions& options_;
    ThreadMutex mutex_;
    ThreadCondition wake_;
    std::vector<Batch> batches_ YARD_GUARDED_BY(mutex_);
    std::vector<SpecRequest> requests_ YARD_GUARDED_BY(mutex_);
    std::size_t requested_ YARD_GUARDED_BY(mutex_) = 0;
    std::int64_t rows_ YARD_GUARDED_BY(mutex_) = 0;
    std::size_t submissionBytes_ YARD_GUARDED_BY(mutex_) = 0;
    std::size_t operationBytes_ YARD_GUARDED_BY(mutex_) = 0;
    MonoTime first_ YARD_GUARDED_BY(mutex_){};     ///< when the oldest of batches_ came
    MonoTime lastTaken_ YARD_GUARDED_BY(mutex_){}; ///< when batches were taken last
    bool hurried_ YARD_GUARDED_BY(mutex_) = false;
    bool asleep_ YARD_GUARDED_BY(mutex_) = false;
    bool lingering_ YARD_GUARDED_BY(mutex_) = false;
    bool closed_ YARD_GUARDED_BY(mutex_) = false;
};

} // namespace yard::store
