// Resources that are kept for something large. A shape that did not fit at so many starts of others, or for so long,
// gets the one reservation: nothing starts that would take what it waits for, until one of it did or the reservation
// is over. Then it gets none before so much of what runs at that moment has ended that the rest could be its own, and
// the next one lasts twice as long: an action without an end costs others one reservation, and what has an end is
// waited for in the end (docs/scheduling.md). Private to session; owner: engine thread. Part of the order.
//
// Invariants: at most one shape has the reservation; one with `standing` has none.
#pragma once

#include "core/base/clock.h"
#include "core/session/capacity.h"
#include "core/session/listings.h"
#include "core/session/standing.h"
#include "core/session/work_classes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace yard::session {

inline constexpr std::uint32_t kPassedOver = 1'000;
inline constexpr Duration kPassedOverFor{30'000'000};
inline constexpr Duration kReserve{60'000'000};
inline constexpr int kMostDoublings = 12;

class Reservation {
public:
    /// `listings`: what waits. `capacity`: what is free.
    Reservation(const WorkClasses& classes, const Listings& listings, const Capacity& capacity)
        : classes_(classes)
        , listings_(listings)
        , capacity_(capacity) {}

    /// There are so many shapes by now.
    void growTo(std::uint32_t shapes) {
        if (shapes_.size() < shapes) shapes_.resize(shapes);
    }
    /// The present, for how long a shape was passed over.
    void setNow(MonoTime now) { present_ = now; }
    /// How long the first reservation of a shape lasts at most.
    void setLimit(Duration limit) { limit_ = limit; }
    Duration limit() const { return limit_; }

    // -- what is kept
    bool isActive() const { return reserved_ != kNone; }
    /// The shape that resources are kept for; kNone: none.
    std::uint32_t shape() const { return reserved_; }
    /// Taking these leaves what is being kept.
    bool leaves(const Demand& need) const {
        return reserved_ == kNone || capacity_.leaves(need, classes_.demandOfShape(reserved_));
    }
    /// A start of this shape is the one it is kept for, or leaves it.
    bool allows(std::uint32_t shape) const { return reserved_ == shape || leaves(classes_.demandOfShape(shape)); }
    /// When it ends by itself.
    std::optional<MonoTime> ends() const;

    // -- what happens to it
    /// One of this shape started: what waits and does not fit was passed over.
    void started(std::uint32_t shape);
    /// It is over; `standing`: all that is in use now.
    void giveUp(std::unique_ptr<Standing> standing);
    /// What it was for waits no more.
    void end();
    /// These may have stood in the way of a shape whose reservation was given up.
    void attemptEnded(std::uint32_t record, const Demand& taken);
    void holdEnded(HoldKey key, const Demand& taken);
    /// What this shape lacks is about to become free (shortage.h): it is kept for that one, unless something is kept
    /// already or the last reservation of it was given up.
    void keepFor(std::uint32_t shape);
    /// Keeps resources again for one in whose way nothing stands any more.
    void renew();

    // -- for another session that goes on (patience.h)
    /// How long a class was passed over, with all others of its shape, and what came of it.
    struct Patience {
        std::uint32_t shape = kNone;
        std::uint32_t passedOver = 0; ///< starts of others
        MonoTime since{};
        int doublings = 0;
        std::optional<MonoTime> reservedSince; ///< it has the reservation
        const Standing* standing = nullptr;    ///< it had one, which was given up because of these
    };
    /// Nothing: it was not.
    std::optional<Patience> patienceOf(std::uint32_t cls) const;
    void setPatience(std::uint32_t cls, const Patience& patience, std::unique_ptr<Standing> standing);

    std::size_t memoryBytes() const { return shapes_.capacity() * sizeof(OfShape); }
    void check() const;

private:
    struct OfShape {
        std::uint32_t passedOver = 0; ///< starts of others since it last fitted
        MonoTime passedSince{};
        int doublings = 0;                  ///< of what its next reservation lasts
        std::unique_ptr<Standing> standing; ///< its last one was given up because of this
    };
    bool takes(std::uint32_t shape) const { return classes_.takesShape(shape); }
    void reserve(std::uint32_t shape);
    void forget(OfShape& shape);

    const WorkClasses& classes_;
    const Listings& listings_;
    const Capacity& capacity_;
    std::vector<OfShape> shapes_;
    std::uint32_t reserved_ = kNone; ///< shape
    MonoTime reservedSince_{};
    Duration limit_ = kReserve;
    int standing_ = 0; ///< shapes with `standing`
    MonoTime present_{};
};

} // namespace yard::session
