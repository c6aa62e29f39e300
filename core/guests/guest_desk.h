// The desk at which one yard gets its work done here: its frames go in, and so does what the content store and the
// runner of this machine say. What follows is put into an outbox. No link, store, runner or clock of its own.
//
// Owner: the engine thread of the machine. Lifetime: one for each yard, as long as anything of it is held; the budget
// outlives it.
// Invariants:
//  - whatever a yard sends is hostile until it was vetted. What no honest yard sends ends the link with a Refused;
//  - nothing is given to the runner unless link::GuestLeases::begin() allowed it right before that;
//  - a result is kept until the yard settles it, and told again on each new connection until then;
//  - a yard reads by hash only what its own attempts left;
//  - bounds: kHeldBytes of what it holds (more is handed back), GuestLimits, kResultBytes of results every kPause.
#pragma once

#include "core/guests/desk_out.h"
#include "core/guests/guest_budget.h"
#include "core/guests/guest_inputs.h"
#include "core/guests/guest_results.h"
#include "core/guests/guest_vetting.h"
#include "core/guests/held_guests.h"
#include "core/guests/result_queue.h"
#include "core/guests/update_batch.h"
#include "core/link/guest_leases.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::guests {

/// Answers still to come for what was dropped; as many as the caller has under way.
class LateAnswers {
public:
    void expect(link::AttemptRef id) { ++late_[id]; }
    /// The answer that came is for one that was dropped.
    bool take(link::AttemptRef id) {
        const auto found = late_.find(id);
        if (found == late_.end()) return false;
        if (--found->second == 0) late_.erase(found);
        return true;
    }

private:
    std::map<link::AttemptRef, std::size_t> late_;
};

/// How something ends of which nothing ran.
link::Finished unrun(link::GuestEnd cause, std::string_view why);

class GuestDesk {
public:
    /// How this machine introduces itself.
    struct Self {
        std::string runId;
        std::string name;
        std::string platform;
        std::string version;
        std::uint32_t slots = 0;
        std::vector<std::string> tags{};
        std::int32_t (*utcOffset)() = nullptr; ///< of this machine now, minutes; null: none
        bool takesWorkers = false;             ///< runs actions of registered workers, too
    };
    static constexpr std::size_t kHeldBytes = 64u << 20;
    static constexpr std::size_t kResultBytes = ResultQueue::kBytes;
    static constexpr Duration kPause = UpdateBatch::kPause;

    GuestDesk(Self self, GuestBudget& budget)
        : self_(std::move(self))
        , budget_(budget)
        , inputs_(budget.limits().storeBytes)
        , guests_(budget, inputs_) {}
    ~GuestDesk() = default;
    GuestDesk(const GuestDesk&) = delete;
    GuestDesk& operator=(const GuestDesk&) = delete;

    // --- the link

    /// A connection is there. Takes the place of any other.
    void connected(link::BootTime now);
    void disconnected();
    /// `closeLink` may be in the outbox afterwards: what comes over that connection still is passed over.
    void frame(const link::Frame& frame, link::BootTime now);
    bool isUp() const { return leases_.isUp(); }

    // --- time

    /// Ten times a second, and first of all after a wait: also at until().
    void tick(link::BootTime now);
    link::BootTime until() const { return leases_.until(); }

    // --- the content store

    /// The answer to a Lookup. Each gets one, in their order, be it dropped meanwhile.
    void lookedUp(link::AttemptRef id, LookedUp answer, link::BootTime now);
    /// The same, of a command: what of it is missing.
    void lacking(link::AttemptRef id, const std::vector<Hash256>& missing, link::BootTime now) {
        lookedUp(id, {.missing = missing}, now);
    }
    void stored(const Hash256& hash, link::BootTime now);
    /// It could not be kept: `why` for people, one sentence without a stop.
    void notStored(const Hash256& hash, std::string_view why, link::BootTime now);
    /// All pieces of a Serve have gone out, or it cannot be read any more. Of one of an earlier connection nothing
    /// follows.
    void served(const DeskOut::Serve& serve) { results_.served(serve); }

    // --- the runner

    /// The answer to `prepares`. Each gets one, in their order. Of one that was dropped meanwhile nothing follows, even
    /// if the yard has leased the same attempt again: that one has an answer of its own.
    void prepared(link::AttemptRef id, link::BootTime now);
    void notPrepared(link::AttemptRef id, std::string_view why, link::BootTime now);
    /// What happens to it: Running, figures, progress, output.
    void update(link::Update update, link::BootTime now);
    /// No process of it lives. Id and waiting time of `end` are filled in here; its streams are within
    /// link::kInlineBytes or have a hash.
    void ended(link::Finished end, link::AttemptRef id, link::BootTime now);
    /// It was given to the runner and never began.
    void returned(link::AttemptRef id, link::BootTime now);

    // --- the machine

    /// It goes soon: nothing new, what waits is handed back.
    void leave(link::LeavingCause cause, Duration in, std::string_view sentence, link::BootTime now);

    std::size_t count() const { return guests_.count(); }
    /// Those of guests that wait or run: nothing else may refer to them here.
    void addInputs(std::vector<Hash256>& to) const { guests_.addInputs(to); }
    /// As it called itself; empty: it has not been welcomed yet.
    const std::string& yardName() const { return yardName_; }
    DeskOut out;

private:
    // guest_desk_frames.cpp: what a yard may send. False: no honest one does.
    bool takeFrame(const link::Frame& frame, link::BootTime now);
    bool takeWhileGreeting(const link::Frame& frame, link::BootTime now);
    bool welcomed(std::string_view body, link::BootTime now);
    bool refused(std::string_view body);
    bool leased(std::string_view body, link::BootTime now);
    bool chunk(std::string_view body);
    void refuse(link::RefusalCause cause, std::string sentence);

    void catchUp(link::BootTime now);
    void take(GuestAttempt attempt, std::size_t size, link::BootTime now);
    void lookUp(Guest& guest);
    void fetch(Guest& guest, const std::vector<Hash256>& missing);
    void inputsAreHere(Guest& guest);
    void handBack(link::AttemptRef id);
    void finish(link::AttemptRef id, Guest& guest, link::Finished end);
    void failAll(const link::AttemptRefs& ids, std::string_view why);
    void carry(link::GuestOut what);
    void forget(link::AttemptRef id);
    void linkGone();
    void settle(link::BootTime now);
    void beginReady(link::BootTime now);

    Self self_;
    std::string yardName_;
    GuestBudget& budget_;
    link::GuestLeases leases_;
    GuestInputs inputs_;
    GuestResults results_;
    UpdateBatch updates_;
    HeldGuests guests_;
    link::AttemptRefs prepared_; ///< some may be gone
    ResultQueue toTell_;
    LateAnswers lateLookups_;
    LateAnswers latePreparations_;
    link::BootTime renewAt_{};
    link::BootTime runUntil_{}; ///< as it was told
    bool isGreeting_ = false;
    bool isLeaving_ = false;
};

} // namespace yard::guests
