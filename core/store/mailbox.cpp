#include "core/store/mailbox.h"

#include <algorithm>

namespace yard::store {

Mailbox::Mailbox(const StoreOptions& options)
    : options_(options) {}

/// MonoClock and steady_clock are both CLOCK_MONOTONIC; the condition variable knows the latter.
static std::chrono::steady_clock::time_point steady(MonoTime t) {
    return std::chrono::steady_clock::time_point(t.time_since_epoch());
}

static void measure(Batch& batch) {
    for (const auto& operation : batch.operations) {
        const std::size_t bytes = footprint(operation.action);
        if (std::holds_alternative<Accept>(operation.action)) {
            batch.rows += rowCount(operation.action);
            batch.submissionBytes += bytes;
        } else {
            batch.operationBytes += bytes;
        }
        batch.resultsOnly = batch.resultsOnly && isResult(operation.action);
        batch.hurried = batch.hurried || !operation.unhurried;
    }
}

Result<void> Mailbox::post(Batch& batch) {
    if (batch.operations.empty()) return {};
    measure(batch);
    ThreadLock lock(mutex_);
    const auto refuse = [&batch](ErrorKind kind, const char* message) {
        batch.rows = 0;
        batch.submissionBytes = batch.operationBytes = 0;
        batch.resultsOnly = true;
        batch.hurried = false;
        return fail(kind, message);
    };
    if (closed_) return refuse(ErrorKind::WrongState, "the journal is closed");
    // A list too large by itself passes when nothing of its kind is waiting: it could never pass otherwise.
    const bool rowsFull = rows_ > 0 && rows_ + batch.rows > options_.submissionRows;
    const bool bytesFull =
        submissionBytes_ > 0 && submissionBytes_ + batch.submissionBytes > options_.submissionBytes;
    if (batch.submissionBytes > 0 && (rowsFull || bytesFull))
        return refuse(ErrorKind::Busy, "too many submissions are waiting to be written: try again in a second");
    const bool operationsFull =
        operationBytes_ > 0 && operationBytes_ + batch.operationBytes > options_.operationBytes;
    if (!batch.resultsOnly && batch.operationBytes > 0 && operationsFull)
        return refuse(ErrorKind::Busy, "too many operations are waiting to be written: try again in a second");

    rows_ += batch.rows;
    submissionBytes_ += batch.submissionBytes;
    operationBytes_ += batch.operationBytes;
    if (batches_.empty()) first_ = MonoClock::now();
    hurried_ = hurried_ || batch.hurried;
    batches_.push_back(std::move(batch));
    const bool signal = asleep_ && (!lingering_ || ready());
    if (signal) asleep_ = false;
    lock.unlock();
    if (signal) wake_.notifyOne();
    return {};
}

Result<void> Mailbox::request(SpecRequest request) {
    if (request.lsns.empty()) return {};
    ThreadLock lock(mutex_);
    if (closed_) return fail(ErrorKind::WrongState, "the journal is closed");
    if (requested_ > 0 && requested_ + request.lsns.size() > kMaxRequests)
        return fail(ErrorKind::Busy, "too many specs are asked for at once");
    requested_ += request.lsns.size();
    requests_.push_back(std::move(request));
    const bool signal = std::exchange(asleep_, false);
    lock.unlock();
    if (signal) wake_.notifyOne();
    return {};
}

void Mailbox::close() {
    const ThreadLock lock(mutex_);
    closed_ = true;
    asleep_ = false;
    wake_.notifyOne();
}

/// After a group the thread sleeps for `linger` by itself, so that the first of the next one need not wake it.
std::optional<MonoTime> Mailbox::lingersUntil(MonoTime now) const {
    const MonoTime quiet = lastTaken_ + options_.linger;
    if (!batches_.empty()) return quiet > first_ ? quiet : first_ + options_.linger;
    if (quiet > now) return quiet;
    return std::nullopt;
}

Mailbox::Taken Mailbox::take(std::optional<MonoTime> deadline) {
    ThreadLock lock(mutex_);
    while (!ready()) {
        const MonoTime now = MonoClock::now();
        if (deadline && now >= *deadline) break;
        const std::optional<MonoTime> lingered = lingersUntil(now);
        if (lingered && now >= *lingered) break;
        lingering_ = lingered.has_value();
        std::optional<MonoTime> until = deadline;
        if (lingered && (!until || *lingered < *until)) until = lingered;
        asleep_ = true;
        if (until)
            wake_.waitUntil(mutex_, steady(*until));
        else
            wake_.wait(mutex_);
        asleep_ = false;
    }
    Taken taken;
    taken.batches.swap(batches_);
    taken.requests.swap(requests_);
    taken.closed = closed_;
    requested_ = 0;
    hurried_ = false;
    if (!taken.batches.empty()) lastTaken_ = MonoClock::now();
    return taken;
}

void Mailbox::release(const Batch& batch) {
    const ThreadLock lock(mutex_);
    rows_ -= batch.rows;
    submissionBytes_ -= batch.submissionBytes;
    operationBytes_ -= batch.operationBytes;
}

} // namespace yard::store
