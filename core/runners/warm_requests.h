// Requests for warm processes: a place for each from when it is submitted to when what became of it is told, its entry
// in `slots.warm` while a process may run it, and what is to be told to whoever submitted it.
//
// Owner: the thread of the warm runner. Lifetime: after WarmShared; before whoever routes requests.
// Invariants: a place is used again only once its request is told as Ended or Returned, each of which is told once;
// a number on the socket (WarmRequest::wire) is never used again. What may not begin a second time has a mark with
// its entry, and isMarked() only once that is on the disk.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/lease/runner.h"
#include "core/lease/slots.h"
#include "core/model/given_resources.h"
#include "core/pool/pool.h"
#include "core/runners/warm_state.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::runners {

struct WarmProcess;

/// What runs for so long is told to run; most has ended by then, and one update says both.
inline constexpr Duration kTellStarted{2'000};
/// Actions that shared crashes and may come back; of one more all are forgotten.
inline constexpr std::size_t kMostSuspects = 1'024;
/// Of the file of sent requests: each slot is a ring of 64.
inline constexpr unsigned kEntrySlots = 128;
/// Of a request, from its number on the socket.
constexpr std::uint32_t placeOf(std::uint64_t wire) {
    return static_cast<std::uint32_t>(wire);
}

struct WarmRequest {
    enum class State : unsigned char {
        None,
        Held,     ///< for a look at the restart files
        Remaking, ///< its directory is made again
        Waiting,  ///< in the pool
        Unsent,   ///< its process is known
        Ahead,    ///< sent
        Running   ///< on a lane
    };
    State state = State::None;
    AttemptId id;
    WarmCall call;
    Duration deadline{};
    Duration grace{};
    std::uint64_t wire = 0; ///< number on the socket: use << 32 | place
    std::uint32_t use = 0;
    WarmProcess* process = nullptr; ///< from when its process is known
    std::uint32_t lane = 0;         ///< of its process's
    pool::WaiterId waiter;
    unsigned attempts = 0;      ///< processes that had it and ended before they read anything
    unsigned sharedCrashes = 0; ///< of processes that worked on this and others
    bool isSlow = false;        ///< its function takes long, or is not known: nothing is sent ahead behind it
    std::uint64_t endsAt = 0;   ///< its last byte, in what its process was sent
    bool told = false;
    std::optional<StopCause> stop;
    bool isSoiled = false; ///< a process was sent it, and may have written to its directory
    MonoTime sentAt{};
    MonoTime laneAt{};
    GivenResources given; ///< pieces that its process had when it was sent
    SlotId entrySlot{};   ///< of its entry in slots.warm
    bool hasEntry = false;
    ReportedProgress said;  ///< by its process, of how far it is
    std::uint64_t mark = 0; ///< which of those that wait until their entry is on the disk; 0: none

    /// Nobody can tell whether it is the one that crashes them, unless it has a process for itself.
    bool isSuspect() const { return sharedCrashes >= 2; }
    /// On its lane: its deadline has passed.
    bool isOverdue(MonoTime now) const { return deadline > Duration::zero() && now >= laneAt + deadline; }
};

class RequestTable {
public:
    explicit RequestTable(WarmShared& shared)
        : shared_(shared) {}
    /// Makes the file of entries again.
    Result<void> open(const std::string& path);

    std::uint32_t add(Lease lease);
    WarmRequest& operator[](std::uint32_t place) { return requests_[place]; }
    const WarmRequest& operator[](std::uint32_t place) const { return requests_[place]; }
    std::optional<std::uint32_t> find(AttemptId id) const;
    std::vector<AttemptId> all() const;
    std::size_t count() const { return requests_.size() - free_.size(); }
    /// What a process works on, for people.
    void show(const std::vector<std::uint32_t>& lanes, WarmProcessView& view) const;
    /// The process was sent what has this number, and has not answered it.
    bool isWith(const WarmProcess& process, std::uint64_t wire) const;

    // --- entries
    /// Written before it is sent: the next start of the engine finds there what may have run. False: none is free.
    bool takeEntry(std::uint32_t place, int pid);
    /// One that may not begin a second time is not sent before its entry is on the disk: a power cut may follow.
    bool isMarked(std::uint32_t place);
    /// What WarmHost::syncEntries() was asked for is done or failed. Returns up to which mark.
    std::uint64_t noteSynced(bool isSynced);
    /// True: a request could not be sent for lack of an entry.
    bool freeEntry(SlotId slot, AttemptId id);

    // --- time
    /// It runs, on this lane of its process.
    void run(std::uint32_t place, std::uint32_t lane, MonoTime now);
    /// Those that run for long enough are told as Started.
    void tellStarted(MonoTime now);
    /// A deadline may have passed: noteDeadline() is to be called for each that runs and has not.
    bool areDeadlinesDue(MonoTime now);
    void noteDeadline(const WarmRequest& request);
    void armDeadline() { shared_.timer.armAt(nextDeadline_); }

    // --- ends: each tells, and frees the place
    void finish(std::uint32_t place, Ended ended);
    void fail(std::uint32_t place, EndCause cause, std::string message, bool overMemory = false);
    void failStart(std::uint32_t place, SpawnFailure failure);
    /// A process that worked on it ended, and not for its sake alone: it may have run.
    void interrupt(std::uint32_t place, std::string message);
    /// It never ran, or what it did is void: as if it had not been submitted.
    void giveBack(std::uint32_t place);

    bool hasUpdates() const { return !updates_.empty(); }
    std::vector<Update> takeUpdates();

private:
    void endNow(std::uint32_t place, Ended ended);
    void forget(std::uint32_t place);

    WarmShared& shared_;
    SlotsFile entries_; ///< requests that were sent, for the next start of the engine
    std::uint32_t nextEntrySlot_ = 0;
    bool starved_ = false;      ///< no entry was free for a request
    std::uint64_t marked_ = 0;  ///< entries of what may not begin a second time, ever
    std::uint64_t syncing_ = 0; ///< so many will be on the disk; 0: nothing is synced
    std::uint64_t synced_ = 0;  ///< so many are
    MonoTime nextDeadline_ = MonoTime::max();
    std::vector<Update> updates_;
    std::vector<std::uint64_t> untold_; ///< running requests whose Started was not sent yet, by wire id
    std::deque<WarmRequest> requests_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<AttemptId, std::uint32_t> byAttempt_;
    std::unordered_map<Lsn, unsigned> suspects_; ///< crashes they shared, of those that were interrupted
    OwnerCheck owner_;
};

} // namespace yard::runners
