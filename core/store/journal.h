// The journal: one SQLite connection that writes and checkpoints, on a thread of its own, the *store thread*.
// Operations come in through a mailbox, are written in groups (one transaction of what is there, never waiting for
// company unless nobody waits) and answered by one acknowledgement per group.
//
// Life: open() on any thread, restore() once, start(); then everything runs on the store thread. Readers (reader.h)
// and the ChunkStore must be gone before it: the destructor asserts it. It outlives nobody else's callbacks: stop()
// commits what was posted, delivers the last acknowledgements and joins. Order: one FIFO for submissions,
// operations and results. Nobody but this connection ever checkpoints (SQLite before 3.51.3 corrupts a WAL
// otherwise).
#pragma once

#include "core/base/error.h"
#include "core/store/chunk_files.h"
#include "core/store/journal_log.h"
#include "core/store/operations.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yard::store {

enum class Durability : unsigned char {
    Process, ///< survives the death of the process
    Power    ///< every group, chunk and directory is synced
};

struct StoreOptions {
    std::string path; ///< of journal.sqlite
    Durability durability = Durability::Process;
    std::string vfs;              ///< SQLite VFS; empty: the default. Tests make writes fail with it.
    Duration linger{10'000};      ///< how long a group of unhurried operations may wait for company
    Duration retryFirst{100'000}; ///< first wait after a group that failed for the disk's reasons, then doubled
    Duration retryMost{5'000'000};
    std::int64_t submissionRows = 100'000;
    std::size_t submissionBytes = 64u << 20;
    std::size_t operationBytes = 16u << 20;
    std::size_t largeGroup = 4u << 20; ///< a group with more small-chunk bytes packs those over 4 KiB into one file
};

/// A spec as asked for by fetchSpecs. `spec` is null when the action is not pending (any more) or cannot be parsed;
/// then `error` says why.
struct FetchedSpec {
    Lsn lsn;
    SpecPtr spec;     ///< array index applied
    std::string text; ///< as posted; of an array the whole array's
    std::string error;
};

/// All are called on the store thread; they should post and return.
struct StoreCallbacks {
    std::move_only_function<void(Acks)> acks;
    std::move_only_function<void(std::vector<FetchedSpec>)> specs;
    std::move_only_function<void()> begun{}; ///< first of all; may be empty
};

/// What a start finds, pending rows apart.
struct Restored {
    std::vector<QueueRow> queues; ///< 0 is always there
    std::vector<WorkerRow> workers;
    std::vector<LabelEntry> labels;
    std::vector<ClassEntry> classes;
    std::vector<MarkedRun> marks;           ///< in the order of LSNs
    std::vector<CommentRow> comments;       ///< the oldest first
    std::vector<OpRow> ops;                 ///< were left of the last engine; restore() has carried them out
    std::vector<DocumentRow> documents;     ///< by kind, then by name
    std::vector<ObjectTypeRow> objectTypes; ///< by number
    std::vector<EffectRow> effects;         ///< by object, revision and position
    std::vector<OwnedAction> ownedActions;  ///< by LSN
    std::int64_t lastObject = 0;            ///< highest number of an object ever used
    std::int64_t lastObjectType = 0;
    LsnBlock lsns;                      ///< a block begun by this start
    std::int64_t lastQueue = 0;         ///< highest queue number ever used
    std::optional<LogDamage> logDamage; ///< what the log of the last engine has lost; told in the log of this one
    QueueCounters past;                 ///< ends of actions whose queues are gone
};

class Store {
public:
    /// Opens or creates the journal, sets it up and migrates. `files` outlives the store. Errors: Io, NoSpace;
    /// WrongState when a newer version made the file.
    static Result<std::unique_ptr<Store>> open(StoreOptions options, ChunkFiles& files, StoreCallbacks callbacks);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Everything a start needs. `rows` gets the pending rows in LSN order, in batches of at most 1,000. Blocks (a
    /// million rows in half a second). Before start().
    Result<Restored> restore(const std::function<void(std::span<PendingRow>)>& rows);
    /// All objects in the order of their numbers, in batches of at most 1,000. After restore(), before start().
    Result<void> restoreObjects(const std::function<void(std::span<ObjectStanding>)>& rows);
    /// Starts the store thread.
    void start();
    /// All else of the start succeeded as well: from now on a clean end lets go of the copies that upgrades left.
    /// Thread-safe.
    void startSucceeded();
    /// Commits what is in the mailbox, delivers, checkpoints and joins. Results that cannot be written get an error
    /// acknowledgement after one more try. Afterwards post() is refused.
    void stop();

    /// Posts operations; they are acknowledged in this order. Thread-safe, does not block. Busy when submissions
    /// are over 100,000 rows or 64 MiB, or other operations over 16 MiB: then nothing of `operations` was taken and
    /// it is unchanged. Lists of results only are always taken: what bounds them is that a slot waits for its
    /// acknowledgement. A list that is too large by itself is taken when nothing else is there. WrongState after
    /// stop().
    Result<void> post(std::vector<Operation>& operations);
    Result<void> post(std::vector<Operation>&& operations) { return post(operations); }
    Result<void> post(Operation operation);

    /// Asks for specs of pending actions, and of up to `ahead` further pending ones that follow the last of them.
    /// Answered by the specs callback, in one or more parts. Thread-safe. At most 10,000 wait; Busy beyond.
    Result<void> fetchSpecs(std::vector<Lsn> lsns, int ahead = 200);

    /// Carries out one operation and waits for its commit; it has no Ack, and no AckDetail but the error. For http
    /// and helpers (small chunks): never on the engine, http loop or store thread, never before start().
    Result<void> carryOutAndWait(Action action);

    /// False while groups fail for the disk's reasons. Thread-safe.
    bool writable() const;
    const std::string& path() const;

    /// Counts for /metrics and tests. Thread-safe.
    struct Stats {
        std::uint64_t groups = 0;
        std::uint64_t operations = 0;
        std::uint64_t failedGroups = 0;
        std::uint64_t replays = 0;
        std::uint64_t checkpoints = 0; ///< by hand: idle, or a WAL that got long
    };
    Stats stats() const;

private:
    friend class Reader;
    friend class Survey;
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::store
