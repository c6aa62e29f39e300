// The ledger of a session: the records of its live actions, the lanes and the order they stand in, and every counter
// that follows from their phases. Private to session; owner: engine thread. Lives as long as the session, below all
// other parts, which hold references to it.
//
// It decides nothing: what becomes of an action is up to the parts above. It has over 40 functions because its parts are
// handed out in pairs, const and not, and because each that moves a record keeps all counters in step: one matter.
//
// Invariants (asserted by check()):
//   - a record's phase changes in setPhase() only, which keeps every counter of phases
//   - stored.pending and stored.running of a queue count its records by kCountsRunning, dead ones not
//   - every record refers to its lane, every lane with references to its queue
//   - an order of places has an action while it is in a pending phase: entered and left here only
//   - all but the dead are found by their LSN; a dead one is freed with the last entry or edge that leads to it
#pragma once

#include "core/base/owner.h"
#include "core/session/lanes.h"
#include "core/session/order.h"
#include "core/session/places.h"
#include "core/session/queues.h"
#include "core/session/record.h"
#include "core/session/work_classes.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace yard::session {

class Ledger {
public:
    explicit Ledger(const Capacity& capacity);
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    Records& records() { return records_; }
    const Records& records() const { return records_; }
    Lanes& lanes() { return lanes_; }
    const Lanes& lanes() const { return lanes_; }
    WorkClasses& classes() { return classes_; }
    const WorkClasses& classes() const { return classes_; }
    Order& order() { return order_; }
    const Order& order() const { return order_; }
    Places& places() { return places_; }
    const Places& places() const { return places_; }

    // -- queues
    /// The place of a queue in the order; kNone: unknown, or forgotten.
    std::uint32_t findQueue(QueueId id) const { return queueIndex_.find(id.value); }
    const Queue* queueNamed(QueueId id) const;
    /// The place of the queue, made when there is none, with these ends of its actions on top.
    std::uint32_t addQueue(QueueId id, const QueueCounters& ended);
    /// A deleted queue is unknown from now on if nothing of it is active any more: Outbox::forgotten.
    void tryForget(std::uint32_t queue, Outbox& out);
    Queue& queueOf(const Record& r) { return order_.queue(lanes_[r.lane].queue); }
    const Queue& queueOf(const Record& r) const { return order_.queue(lanes_[r.lane].queue); }

    // -- records
    /// A record in phase Waiting that is in no lane yet and not held; its LSN is mapped to it.
    std::uint32_t make(const NewAction& action, std::uint32_t queue);
    void setPhase(std::uint32_t record, Phase to);
    /// It is held or not; in its lane or gate it stays where it is.
    void setHeld(std::uint32_t record, bool held);
    /// No lane has an entry of it, and others may refer to its place: it stays there, in another lane.
    void moveInPlace(std::uint32_t record, std::uint32_t queue, int priority);
    /// It stands elsewhere in its queue; in no lane, gate or other order of its own.
    void setPlace(std::uint32_t record, const PlaceKey& to);
    /// No longer live: unmapped, and freed once nothing leads to it.
    void retire(std::uint32_t record);
    /// An entry or an edge that led to it was taken away without its being started: a dead one may be free now.
    void entryDropped(std::uint32_t record);
    /// Something visible of it changed.
    void touch(Record& r) { r.revision = ++revision_; }

    // -- those who look on
    /// Others see the action differently from now on.
    void tellChange(const Record& r, ActionState seen, const StoredEnd* end = nullptr) {
        if (changeSink_) sendChange(r, seen, end);
    }
    void setChangeSink(std::function<void(const Change&)> sink) { changeSink_ = std::move(sink); }
    std::uint32_t revision() const { return revision_; }

    // -- ends, counted per queue and in all
    /// Ends of actions whose queues are gone.
    void addPast(const QueueCounters& ended) { addEnded(total_.stored, ended); }
    /// It is in phase Ending: its Finish is on its way.
    void countClosing(const Record& r);
    /// Its Finish is in the journal.
    void countEnd(const Record& r);
    /// What ended so is run again.
    void takeEndBack(std::uint32_t queue, ActionState was);
    const Tally& total() const { return total_; }
    std::int64_t submitting() const { return submitting_; }
    std::int64_t held() const { return held_; }
    std::int64_t dead() const { return dead_; }
    /// Pending ones that people moved.
    std::int64_t moved() const { return moved_; }

    std::size_t memoryBytes() const;
    void check() const; // check.cpp
    /// Made on one thread, owned by the next that uses it.
    void releaseOwner() const { owner_.release(); }

private:
    static void addEnded(QueueCounters& to, const QueueCounters& ended);
    static bool isReferredTo(const Record& r) { return r.has(Record::kInLane) || r.unmet > 0; }
    void free(std::uint32_t record);
    void sendChange(const Record& r, ActionState seen, const StoredEnd* end);
    void tellMove(const Record& r, Phase from, Phase to);
    void checkRecord(std::uint32_t place) const;

    Records records_;
    Lanes lanes_;
    Places places_{records_, lanes_};
    WorkClasses classes_;
    Order order_;
    IdMap queueIndex_;
    Tally total_;
    std::int64_t submitting_ = 0;
    std::int64_t held_ = 0; ///< pending and held by themselves
    std::int64_t moved_ = 0;
    std::int64_t dead_ = 0; ///< records that only wait for their entry to be met
    std::uint32_t revision_ = 0;
    std::function<void(const Change&)> changeSink_; ///< empty: nobody looks on
    OwnerCheck owner_;
};

} // namespace yard::session
