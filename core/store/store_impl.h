// Private to core/store: the inside of Store. All but `mailbox`, `writable`, `startSucceeded`, `readers` and `counts`
// belongs to the store thread while that runs, to the caller of open() and restore() before.
#pragma once

#include "core/store/journal.h"
#include "core/store/journal_log.h"
#include "core/store/journal_writer.h"
#include "core/store/log_state.h"
#include "core/store/mailbox.h"
#include "core/store/spec_source.h"

#include <atomic>
#include <deque>
#include <thread>

namespace yard::store {

struct Store::Impl {
    /// One operation on its way. Its batch gives its room back when the last of it is answered.
    struct Item {
        std::shared_ptr<Batch> batch;
        Operation* operation = nullptr;
        std::unique_ptr<AckDetail> detail;
    };

    Impl(StoreOptions given, ChunkFiles& chunkFiles, StoreCallbacks functions)
        : options(std::move(given))
        , files(chunkFiles)
        , callbacks(std::move(functions))
        , mailbox(options) {}
    Result<void> open();
    Result<void> passOverLostLsns();
    void watchLog();
    void committed(int inLog);

    void run();
    std::optional<MonoTime> nextWake() const;
    void enqueue(Batch batch);
    struct Group {
        std::size_t operations = 0; ///< from the front of `waiting`
        std::int64_t rows = 0;      ///< that they write, about
    };
    Group nextGroup() const;
    /// Writes the front of `waiting` as one transaction and answers it. Not OK: nothing happened.
    int writeGroup();
    bool movesPacks(std::size_t size) const;
    int commitGroup(std::size_t size);
    int replay(std::size_t size);
    int abandon(std::size_t size, int rc);
    Applied reserve(const ReserveLsns& reserve);
    void answer(std::size_t size);
    void answer(std::deque<Item>& items);
    void refuse(Item& item, Error error);
    // while the journal cannot be written
    void fall(int rc);
    void refuseAllButResults();
    void tryAgain();
    void giveUp();
    // between groups
    void serveRequests();
    void checkpointIfDue(bool afterUpkeep);
    void checkpoint();
    bool isCheckpointDueInPause() const;
    void pause(Duration quietFor);
    void idle();
    void restartLongWal();

    const StoreOptions options;
    ChunkFiles& files;
    StoreCallbacks callbacks;
    Mailbox mailbox;
    std::atomic<bool> writable{true};
    std::atomic<bool> startSucceeded{false};
    std::atomic<int> readers{0};
    struct {
        std::atomic<std::uint64_t> groups{0}, operations{0}, failedGroups{0}, replays{0}, checkpoints{0};
    } counts;

    std::optional<LogDamage> logDamage; ///< found by open(), for restore()
    std::unique_ptr<LogState> logState; ///< null: it could not be made
    Database database;
    std::unique_ptr<JournalWriter> writer;
    std::unique_ptr<SpecSource> specs;
    std::thread thread;

    std::deque<Item> waiting;
    std::deque<SpecRequest> requests;
    bool dirty = false; ///< written since the last checkpoint by hand
    int walPages = 0;   ///< in the journal's log, as the last commit told
    std::int64_t rowsSinceCheckpoint = 0;
    bool checkpointed = true; ///< since the last group
    MonoTime lastWork{};
    bool toldWritable = true; ///< what the last Acks said
    Error journalFailure;     ///< why it is not writable
    Duration retryWait{};
    MonoTime retryAt{};
    std::uint64_t groupsSincePrune = 0;
};

} // namespace yard::store
