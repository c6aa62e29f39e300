// The store thread: groups, their answers, and what happens while the journal cannot be written.
#include "core/store/store_impl.h"

#include "core/base/log.h"
#include "core/store/journal_copy.h"
#include "core/store/schema.h"

#include <algorithm>

namespace yard::store {

/// After this long without work the WAL is checkpointed, once.
static constexpr Duration kIdleCheckpoint = std::chrono::milliseconds(500);
/// A checkpoint syncs twice, which takes milliseconds: with some pages in the WAL it is done in the next pause this
/// long.
static constexpr Duration kPause = std::chrono::milliseconds(5);
static constexpr int kSomePages = 250;
/// Without a pause: what many rows have changed is many different pages and soon too much to copy at once, what few
/// rows have changed is the same few pages again and again.
static constexpr std::int64_t kManyRows = 1'000;
static constexpr int kManyPages = 2'500;
/// A WAL this long means that readers kept it from starting over: then they are waited for.
static constexpr int kLongWalPages = 8'000;
/// One transaction takes at most this much, so that no answer waits for a whole backlog.
static constexpr std::int64_t kGroupRows = 10'000;
static constexpr std::size_t kGroupOperations = 10'000;
static constexpr std::size_t kGroupBytes = 16u << 20;
static constexpr std::size_t kSpecsAtOnce = 1'000;
static constexpr std::uint64_t kGroupsBetweenPrunes = 1'000;

void Store::Impl::run() {
    for (;;) {
        auto taken = mailbox.take(nextWake());
        const bool nothingCame = taken.empty();
        for (auto& batch : taken.batches) enqueue(std::move(batch));
        for (auto& request : taken.requests) requests.push_back(std::move(request));
        if (!writable) refuseAllButResults();
        while (writable && !waiting.empty())
            if (const int rc = writeGroup(); rc != SQLITE_OK) fall(rc);
        serveRequests();
        if (!writable && (taken.closed || MonoClock::now() >= retryAt)) tryAgain();
        if (!writable && taken.closed) giveUp();
        if (taken.closed && nothingCame && waiting.empty() && requests.empty()) break;
        if (nothingCame && dirty && writable) pause(MonoClock::now() - lastWork);
    }
    // The connection that wrote is the one that checkpoints last.
    specs.reset();
    writer.reset();
    checkpoint();
    logState.reset();
    database = Database();
    letGoOfLog(options.path);
    // What did not get onto the disk is no clean end, nor is that of a start that failed.
    if (writable && startSucceeded) letGoOfCopies(options.path);
}

std::optional<MonoTime> Store::Impl::nextWake() const {
    if (!requests.empty() || (writable && !waiting.empty())) return MonoTime{};
    if (!writable) return retryAt;
    if (dirty) return lastWork + (isCheckpointDueInPause() ? kPause : kIdleCheckpoint);
    return std::nullopt;
}

void Store::Impl::enqueue(Batch batch) {
    auto shared = std::make_shared<Batch>(std::move(batch));
    shared->open = shared->operations.size();
    for (auto& operation : shared->operations) waiting.push_back({shared, &operation, nullptr});
}

/// How much of `waiting` makes one transaction. Reserving LSNs syncs, so it is one by itself.
Store::Impl::Group Store::Impl::nextGroup() const {
    std::int64_t rows = 0;
    std::size_t bytes = 0;
    Group group;
    for (const Item& item : waiting) {
        const Action& action = item.operation->action;
        if (std::holds_alternative<ReserveLsns>(action))
            return {.operations = std::max<std::size_t>(group.operations, 1), .rows = group.rows};
        rows += costInRows(action);
        bytes += footprint(action);
        const bool isFull = rows > kGroupRows || bytes > kGroupBytes || group.operations >= kGroupOperations;
        if (group.operations > 0 && isFull) break;
        group.rows = rows;
        ++group.operations;
    }
    return group;
}

int Store::Impl::writeGroup() {
    const auto [size, rows] = nextGroup();
    for (std::size_t i = 0; i < size; ++i)
        if (auto valid = validate(waiting[i].operation->action); !valid)
            refuse(waiting[i], std::move(valid.error()));

    int rc = SQLITE_OK;
    if (const auto* lsns = std::get_if<ReserveLsns>(&waiting.front().operation->action)) {
        if (!waiting.front().detail) {
            auto applied = reserve(*lsns);
            rc = applied.rc;
            waiting.front().detail = std::move(applied.detail);
        }
    } else {
        rc = commitGroup(size);
    }
    if (rc != SQLITE_OK) return abandon(size, rc);
    counts.groups.fetch_add(1, std::memory_order_relaxed);
    counts.operations.fetch_add(size, std::memory_order_relaxed);
    dirty = true;
    lastWork = MonoClock::now();
    rowsSinceCheckpoint += rows;
    checkpointed = false;
    const bool isUpkeepOnly = std::all_of(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(size),
                                          [](const Item& item) { return isUpkeep(item.operation->action); });
    answer(size);
    checkpointIfDue(isUpkeepOnly); // nobody who waits for this group waits for that, too
    restartLongWal();
    return SQLITE_OK;
}

/// Forgets what the failed attempt at a group noted.
int Store::Impl::abandon(std::size_t size, int rc) {
    counts.failedGroups.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < size; ++i) waiting[i].detail.reset();
    return rc;
}

static std::size_t smallChunkBytes(const Action& action) {
    const std::vector<SmallChunk>* chunks = nullptr;
    if (const auto* finish = std::get_if<Finish>(&action)) chunks = &finish->chunks;
    if (const auto* retry = std::get_if<Retry>(&action)) chunks = &retry->chunks;
    if (const auto* put = std::get_if<PutChunk>(&action)) return put->chunk.bytes.size();
    std::size_t bytes = 0;
    if (chunks)
        for (const auto& chunk : *chunks) bytes += chunk.bytes.size();
    return bytes;
}

namespace {

/// While it lives groups are synced, whatever the durability.
class SyncedGroups {
public:
    SyncedGroups(Database& database, bool wanted)
        : database_(database)
        , wanted_(wanted) {
        if (wanted_) rc_ = database_.exec("PRAGMA synchronous=FULL");
    }
    ~SyncedGroups() {
        if (wanted_) (void)database_.exec("PRAGMA synchronous=NORMAL");
    }
    SyncedGroups(const SyncedGroups&) = delete;
    SyncedGroups& operator=(const SyncedGroups&) = delete;
    int rc() const { return rc_; }

private:
    Database& database_;
    bool wanted_;
    int rc_ = SQLITE_OK;
};

} // namespace

/// What moves or removes bytes that were on the disk may not be half on it.
bool Store::Impl::movesPacks(std::size_t size) const {
    return std::any_of(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(size), [](const Item& item) {
        return std::holds_alternative<CompactPack>(item.operation->action);
    });
}

int Store::Impl::commitGroup(std::size_t size) {
    std::size_t chunkBytes = 0;
    for (std::size_t i = 0; i < size; ++i) chunkBytes += smallChunkBytes(waiting[i].operation->action);
    const SyncedGroups synced(database, options.durability == Durability::Process && movesPacks(size));
    int rc = synced.rc();
    if (rc == SQLITE_OK) rc = writer->begin();
    writer->packLarge(chunkBytes > options.largeGroup);
    for (std::size_t i = 0; rc == SQLITE_OK && i < size; ++i) {
        if (waiting[i].detail) continue; // refused already
        auto applied = writer->apply(waiting[i].operation->action);
        rc = applied.rc;
        waiting[i].detail = std::move(applied.detail);
        if (rc == SQLITE_OK || isDiskFailure(rc)) continue;
        writer->rollback();
        for (std::size_t k = 0; k <= i; ++k) // what was noted up to here is noted again
            if (waiting[k].detail && validate(waiting[k].operation->action)) waiting[k].detail.reset();
        return replay(size);
    }
    if (rc == SQLITE_OK) rc = writer->commit();
    if (rc != SQLITE_OK) writer->rollback();
    return rc;
}

/// The group failed on one operation: one by one, each undone by itself when it fails, so that the others do not
/// pay.
int Store::Impl::replay(std::size_t size) {
    counts.replays.fetch_add(1, std::memory_order_relaxed);
    int rc = writer->begin();
    for (std::size_t i = 0; rc == SQLITE_OK && i < size; ++i) {
        Item& item = waiting[i];
        if (item.detail) continue;
        rc = writer->savepoint();
        if (rc != SQLITE_OK) break;
        auto applied = writer->apply(item.operation->action);
        if (isDiskFailure(applied.rc)) {
            rc = applied.rc;
            break;
        }
        item.detail = std::move(applied.detail);
        if (applied.rc != SQLITE_OK) {
            const char* why = sqlite3_errmsg(database.handle());
            logError("store", "an operation was refused by the journal: {}", why);
            refuse(item, fail(ErrorKind::Internal, fmt::format("the journal refused this: {}", why)).error());
        }
        rc = writer->endSavepoint(applied.rc == SQLITE_OK);
    }
    if (rc == SQLITE_OK) rc = writer->commit();
    if (rc != SQLITE_OK) writer->rollback();
    return rc;
}

/// The end of a block is on the disk before the first of it is given out, whatever the durability.
Applied Store::Impl::reserve(const ReserveLsns& reserve) {
    const SyncedGroups synced(database, options.durability == Durability::Process);
    Applied applied;
    applied.rc = synced.rc();
    if (applied.rc == SQLITE_OK) applied.rc = writer->begin();
    if (applied.rc == SQLITE_OK) applied = writer->apply(reserve);
    if (applied.rc == SQLITE_OK) applied.rc = writer->commit();
    if (applied.rc != SQLITE_OK) writer->rollback();
    return applied;
}

void Store::Impl::refuse(Item& item, Error error) {
    item.detail = std::make_unique<AckDetail>();
    item.detail->error = std::move(error);
}

void Store::Impl::answer(std::size_t size) {
    std::deque<Item> answered;
    for (std::size_t i = 0; i < size; ++i) {
        answered.push_back(std::move(waiting.front()));
        waiting.pop_front();
    }
    answer(answered);
}

void Store::Impl::answer(std::deque<Item>& items) {
    Acks acks;
    acks.writable = writable;
    if (!writable) acks.failure = journalFailure.message;
    acks.acks.reserve(items.size());
    for (Item& item : items) {
        if (item.batch->waiter) {
            const bool failed = item.detail && item.detail->error;
            item.batch->waiter->set_value(failed ? Result<void>(std::unexpected(std::move(*item.detail->error)))
                                                 : Result<void>());
        } else {
            acks.acks.push_back({item.operation->tag, std::move(item.detail)});
        }
        if (--item.batch->open == 0) mailbox.release(*item.batch);
    }
    items.clear();
    if (acks.acks.empty() && acks.writable == toldWritable) return;
    toldWritable = acks.writable;
    callbacks.acks(std::move(acks));
}

// --- the journal cannot be written

void Store::Impl::fall(int rc) {
    journalFailure = journalError(rc, sqlite3_errmsg(database.handle()));
    logError("store", "{}", journalFailure.message);
    writable = false;
    retryWait = options.retryFirst;
    retryAt = MonoClock::now() + retryWait;
    refuseAllButResults();
}

void Store::Impl::refuseAllButResults() {
    std::deque<Item> refused;
    std::deque<Item> kept;
    for (Item& item : waiting) {
        const bool keep = isResult(item.operation->action);
        if (!keep) refuse(item, journalFailure);
        (keep ? kept : refused).push_back(std::move(item));
    }
    waiting.swap(kept);
    answer(refused);
}

void Store::Impl::tryAgain() {
    if (writer->probe() != SQLITE_OK) {
        retryWait = std::min(retryWait * 2, options.retryMost);
        retryAt = MonoClock::now() + retryWait;
        return;
    }
    writable = true;
    while (writable && !waiting.empty())
        if (const int rc = writeGroup(); rc != SQLITE_OK) {
            // It takes a little and no more: keep the longer wait.
            const Duration wait = std::min(retryWait * 2, options.retryMost);
            fall(rc);
            retryWait = wait;
            retryAt = MonoClock::now() + retryWait;
            return;
        }
    logInfo("store", "the journal can be written again");
    dirty = true;
    lastWork = MonoClock::now();
    std::deque<Item> none;
    answer(none); // in case no result was waiting: says that it is writable
}

void Store::Impl::giveUp() {
    for (Item& item : waiting) refuse(item, journalFailure);
    if (!waiting.empty())
        logError("store", "{} results could not be written: those actions run again at the next start",
                 waiting.size());
    answer(waiting);
}

// --- between groups

void Store::Impl::serveRequests() {
    std::size_t served = 0;
    while (!requests.empty() && served < kSpecsAtOnce) {
        auto fetched = specs->fetch(std::move(requests.front().lsns), requests.front().ahead);
        requests.pop_front();
        served += fetched.size();
        callbacks.specs(std::move(fetched));
    }
}

/// Right after a step of clearing up somebody else may be about to write; whoever has just had his answer is not.
void Store::Impl::checkpointIfDue(bool afterUpkeep) {
    const bool manyRows = walPages >= kSomePages && rowsSinceCheckpoint >= kManyRows && !afterUpkeep;
    if (manyRows || walPages >= kManyPages) checkpoint();
}

/// Passive: takes what no reader needs, waits for nobody. What fails is tried again after the next group.
void Store::Impl::checkpoint() {
    int inLog = -1;
    int copied = -1;
    const int rc =
        sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &inLog, &copied);
    if (rc == SQLITE_OK && inLog == copied) walPages = 0; // it starts over with the next group
    if (rc == SQLITE_OK && copied >= 0 && logState) logState->checkpointed(static_cast<std::uint32_t>(copied));
    rowsSinceCheckpoint = 0;
    checkpointed = true;
}

bool Store::Impl::isCheckpointDueInPause() const {
    return walPages >= kSomePages && !checkpointed;
}

void Store::Impl::pause(Duration quietFor) {
    if (quietFor >= kIdleCheckpoint)
        idle();
    else if (isCheckpointDueInPause() && quietFor >= kPause)
        checkpoint();
}

void Store::Impl::idle() {
    (void)writer->pruneIdempotency(wallNow());
    checkpoint();
    counts.checkpoints.fetch_add(1, std::memory_order_relaxed);
    dirty = false;
}

void Store::Impl::restartLongWal() {
    if (++groupsSincePrune >= kGroupsBetweenPrunes) {
        groupsSincePrune = 0;
        (void)writer->pruneIdempotency(wallNow());
    }
    if (walPages < kLongWalPages) return;
    int copied = -1;
    const int rc =
        sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, &copied);
    if (rc == SQLITE_OK && copied >= 0 && logState) logState->checkpointed(static_cast<std::uint32_t>(copied));
    counts.checkpoints.fetch_add(1, std::memory_order_relaxed);
}

} // namespace yard::store
