// Alerts at work: what comes in goes to the book, what comes out of it to the journal.
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/engine/alerts/alerts.h"

#include <algorithm>

namespace yard::engine {

namespace {

/// Ends whose rows are read at once.
constexpr std::size_t kAlertEndsAtOnce = 256;
/// A look at what waits is not repeated sooner.
constexpr WallMicros kLooksApart = 1'000'000;
constexpr WallMicros kWriteAgain = 10'000'000;
constexpr std::size_t kMostUnwritten = 1'000;

} // namespace

// --- what happens in the engine

void Alerts::ended(Lsn lsn, const alerts::Shape& shape) {
    YARD_ASSERT_OWNER(owner_);
    if ((ownQueue_ && shape.queue == *ownQueue_) || commands_.contains(lsn)) return commandEnded(lsn, shape);
    if (!silent_.empty() && silent_.erase(lsn) > 0) {
        book_.getsOn(lsn, parts_.now());
        work_.set();
    }
    if (book_.watches(alerts::Kind::QueueFinished)) {
        tallies_.count(shape.queue, alerts::isFailure(shape.state), parts_.now());
        queuesToLook_.insert(shape.queue);
        work_.set();
    }
    if (agedQueues_.contains(shape.queue)) workCame();
    const alerts::Book::Wants wants = book_.wants(shape);
    if (wants == alerts::Book::Wants::Nothing) return;
    if (ends_.size() >= kMostWaiting) {
        if (!std::exchange(toldPassedOver_, true))
            logWarning("engine", "more actions end than alerts can look at: some are passed over");
        return;
    }
    ends_.push_back({.lsn = lsn, .shape = shape, .wantsRow = wants == alerts::Book::Wants::Row});
    work_.set();
}

void Alerts::workCame() {
    if (!book_.watches(alerts::Kind::QueueAge)) return;
    const WallMicros soon = parts_.now() + kLooksApart;
    if (agesAt_ && *agesAt_ <= soon) return;
    agesAt_ = soon;
    work_.set();
}

void Alerts::queueGone(QueueId queue) {
    YARD_ASSERT_OWNER(owner_);
    book_.queueGone(queue, parts_.now());
    work_.set();
}

void Alerts::silent(ActionResult row, WallMicros since) {
    YARD_ASSERT_OWNER(owner_);
    if (since == 0) {
        silent_.erase(row.lsn);
        book_.getsOn(row.lsn, parts_.now());
    } else {
        silent_.insert(row.lsn);
        book_.silent(row, since, parts_.now());
    }
    work_.set();
}

void Alerts::sample(alerts::Kind kind, double percent) {
    YARD_ASSERT_OWNER(owner_);
    if (!book_.watches(kind)) return;
    const auto before = book_.wakeAt();
    book_.sample(kind, percent, parts_.now());
    if (book_.wakeAt() != before) work_.set(); // else nothing woke, and nothing has to
}

void Alerts::machines(const std::set<std::string>& lost) {
    YARD_ASSERT_OWNER(owner_);
    book_.machines(lost, parts_.now());
    work_.set();
}

void Alerts::raise(alerts::Kind kind, alerts::Thing thing) {
    book_.raise(kind, std::move(thing), parts_.now());
    work_.set();
}

void Alerts::clear(alerts::Kind kind, const std::string& key) {
    book_.clear(kind, key, parts_.now());
    work_.set();
}

void Alerts::happened(alerts::Kind kind, const alerts::Thing& thing) {
    book_.happened(kind, thing, parts_.now());
    work_.set();
}

// --- the threads

coro::Task<void> Alerts::watchAlarm() {
    for (;;) {
        co_await parts_.rung();
        armed_.reset();
        work_.set();
    }
}

coro::Task<void> Alerts::run() {
    YARD_ASSERT_OWNER(owner_);
    if (isFirst_) co_await makeFirst();
    parts_.tellOthers();
    co_await lookAtSilent();
    for (;;) {
        co_await work_.wait();
        work_.clear();
        co_await takeEnds();
        takeQueues();
        if (agesAt_ && *agesAt_ <= parts_.now()) co_await lookAtAges();
        co_await tell();
        startDeliveries();
        rearm();
        co_await coro::yieldNow();
    }
}

/// Things that held when another engine ended: this one may have missed their ends, and asks for them.
void Alerts::lookAtHeld() {
    for (const alerts::Thing& thing : book_.held(alerts::Kind::Silence)) silent_.insert(thing.lsn);
    for (const alerts::Thing& thing : book_.held(alerts::Kind::QueueAge))
        if (thing.queue) agedQueues_.insert(*thing.queue);
    for (const alerts::Thing& thing : book_.held(alerts::Kind::Failures))
        if (thing.queue && parts_.queueNames(*thing.queue).empty()) book_.queueGone(*thing.queue, parts_.now());
    if (book_.watches(alerts::Kind::QueueAge)) agesAt_ = parts_.now();
}

/// Silent actions that ended before, or that nobody knows any more. The end of one that lives is reported.
coro::Task<void> Alerts::lookAtSilent() {
    if (silent_.empty()) co_return;
    const std::vector<Lsn> asked(silent_.begin(), silent_.end());
    const auto read = co_await parts_.rows(asked);
    if (!read) co_return;
    std::unordered_set<Lsn> living;
    for (const ActionResult& row : *read)
        if (!isEnded(row.state)) living.insert(row.lsn);
    for (const Lsn lsn : asked)
        if (!living.contains(lsn) && silent_.erase(lsn) > 0) book_.getsOn(lsn, parts_.now());
    work_.set();
}

void Alerts::rearm() {
    std::optional<WallMicros> next = book_.wakeAt();
    for (const auto& other : {agesAt_, writeAgainAt_, nextDelivery(), tallies_.due()})
        if (other) next = next ? std::min(*next, *other) : *other;
    if (next == armed_) return;
    armed_ = next;
    parts_.arm(next);
}

/// In their order: what failed in a row is decided by it.
coro::Task<void> Alerts::takeEnds() {
    while (!ends_.empty()) {
        std::vector<Waiting> portion;
        std::vector<Lsn> wanted;
        while (!ends_.empty() && portion.size() < kAlertEndsAtOnce) {
            if (ends_.front().wantsRow) wanted.push_back(ends_.front().lsn);
            portion.push_back(ends_.front());
            ends_.pop_front();
        }
        std::map<Lsn, ActionResult> rows;
        if (!wanted.empty()) {
            auto read = co_await parts_.rows(std::move(wanted));
            if (!read) logDebug("engine", "ended actions are passed over: {}", read.error().message);
            if (read)
                for (ActionResult& row : *read) rows.emplace(row.lsn, std::move(row));
        }
        const WallMicros now = parts_.now();
        for (const Waiting& end : portion) {
            const auto row = rows.find(end.lsn);
            book_.ended(end.lsn, end.shape, row == rows.end() ? nullptr : &row->second, now);
            if (parts_.queueNames(end.shape.queue).empty()) book_.queueGone(end.shape.queue, now);
        }
        co_await coro::yieldNow();
    }
    toldPassedOver_ = false;
}

void Alerts::takeQueues() {
    for (const QueueId queue : std::exchange(queuesToLook_, {})) {
        if (parts_.unfinished(queue) > 0) continue; // the end that empties it comes back here
        if (const auto tally = tallies_.take(queue, parts_.now()))
            book_.queueFinished(queue, tally->ended, tally->failed, parts_.now());
    }
}

/// What waits grows older by itself: the next look is when the oldest of all is too old, or something changes.
coro::Task<void> Alerts::lookAtAges() {
    agesAt_.reset();
    const auto wait = book_.leastWait(alerts::Kind::QueueAge);
    if (!wait) co_return;
    const Ages ages = co_await parts_.ages();
    const WallMicros now = parts_.now();
    const WallMicros limit = alerts::secondsOf(*wait).count();
    for (const QueueId queue : agedQueues_)
        if (!ages.contains(queue)) book_.queueWaits(queue, std::nullopt, now);
    agedQueues_.clear();
    for (const auto& [queue, since] : ages) {
        if (ownQueue_ && queue == *ownQueue_) continue;
        book_.queueWaits(queue, since, now);
        const bool isAged = now - since >= limit;
        if (isAged) agedQueues_.insert(queue);
        // Other rules may wait for longer: past the limit it is looked at as often as that is.
        const WallMicros at = isAged ? now + std::max(limit, kLooksApart) : since + limit;
        agesAt_ = agesAt_ ? std::min(*agesAt_, at) : at;
    }
}

/// One that is too large would be refused each time, and all that is written with it.
void Alerts::addState(const std::string& name, store::PutDocuments& put) const {
    store::DocumentChange change = stateChange(name);
    if (change.body->size() <= store::kMaxDocument)
        put.changes.push_back(std::move(change));
    else
        logWarning("engine", "alert {}: its state is too large to be kept", name);
}

/// In the journal before anybody hears of it; what it does not take now is written later, with what came meanwhile.
coro::Task<void> Alerts::tell() {
    const WallMicros now = parts_.now();
    std::vector<alerts::Message> messages = book_.advance(now);
    for (std::string name : book_.takeTouched()) touched_.insert(std::move(name));
    unwritten_.insert(unwritten_.end(), messages.begin(), messages.end());
    if (unwritten_.size() > kMostUnwritten)
        unwritten_.erase(unwritten_.begin(), unwritten_.end() - static_cast<std::ptrdiff_t>(kMostUnwritten));
    const bool hasNothing = touched_.empty() && unwritten_.empty() && !tallies_.isDue(now);
    if (hasNothing || (writeAgainAt_ && *writeAgainAt_ > now)) co_return;
    writeAgainAt_.reset();
    std::erase_if(unwritten_, [this](const alerts::Message& message) { return !kept_.contains(message.rule); });
    const std::vector<alerts::Message> told = unwritten_;
    std::map<std::string, std::deque<alerts::Message>, std::less<>>
        before; // what came of them may change meanwhile
    for (const alerts::Message& message : told) {
        Kept& kept = kept_.find(message.rule)->second;
        before.try_emplace(message.rule, kept.messages);
        kept.messages.push_back(message);
        if (kept.messages.size() > kMostKept) kept.messages.pop_front();
        touched_.insert(message.rule);
    }
    store::PutDocuments put;
    addDeliveries(told, put);
    for (const std::string& name : touched_)
        if (kept_.contains(name)) addState(name, put);
    const auto names = std::exchange(touched_, {});
    const std::vector<store::DocumentChange> tallies = tallies_.changes();
    put.changes.insert(put.changes.end(), tallies.begin(), tallies.end());
    const auto done = co_await parts_.commit(std::move(put));
    if (done.error) {
        logWarning("engine", "alerts cannot be written, and are told later: {}", done.error->message);
        for (auto& [name, earlier] : before)
            if (const auto at = kept_.find(name); at != kept_.end()) at->second.messages = std::move(earlier);
        std::erase_if(
            outbox_, [this](const auto& each) { return each.second.next == 0 && !inFlight_.contains(each.first); });
        touched_.insert(names.begin(), names.end());
        tallies_.refused(tallies, now);
        writeAgainAt_ = now + kWriteAgain;
        co_return;
    }
    unwritten_.erase(unwritten_.begin(), unwritten_.begin() + static_cast<std::ptrdiff_t>(told.size()));
    for (auto& [id, delivery] : outbox_)
        if (delivery.next == 0) delivery.next = now;
    for (const alerts::Message& message : told) fired_.push_back(message);
    while (fired_.size() > kMostFired) fired_.pop_front();
    if (!told.empty()) parts_.changed();
}

} // namespace yard::engine
