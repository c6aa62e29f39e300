#include "core/session/reservation.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace yard::session {

// -- what is kept

std::optional<MonoTime> Reservation::ends() const {
    if (reserved_ == kNone) return std::nullopt;
    return reservedSince_ + limit_ * (1 << shapes_[reserved_].doublings);
}

void Reservation::reserve(std::uint32_t shape) {
    reserved_ = shape;
    reservedSince_ = present_;
}

/// It fits, started or is wanted no more.
void Reservation::forget(OfShape& shape) {
    shape.passedOver = 0;
    shape.passedSince = {};
    shape.doublings = 0;
    if (std::exchange(shape.standing, nullptr)) --standing_;
}

// -- what happens to it

void Reservation::started(std::uint32_t started) {
    if (!takes(started)) return; // it took nothing that others wait for
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        if (!takes(s)) continue;
        OfShape& shape = shapes_[s];
        const Demand need = classes_.demandOfShape(s);
        if (s == started || listings_.isEmpty(s) || capacity_.fits(need)) {
            forget(shape);
            if (s == reserved_ && s == started) reserved_ = kNone;
            continue;
        }
        if (shape.passedOver++ == 0) shape.passedSince = present_;
        const bool overdue = shape.passedOver >= kPassedOver || present_ - shape.passedSince >= kPassedOverFor;
        if (reserved_ == kNone && overdue && !shape.standing && capacity_.everFits(need)) reserve(s);
    }
}

void Reservation::giveUp(std::unique_ptr<Standing> standing) {
    if (reserved_ == kNone) return;
    shapes_[std::exchange(reserved_, kNone)].standing = std::move(standing);
    ++standing_;
}

void Reservation::end() {
    if (reserved_ == kNone) return;
    forget(shapes_[reserved_]);
    reserved_ = kNone;
}

void Reservation::attemptEnded(std::uint32_t record, const Demand& taken) {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s)
        if (shapes_[s].standing) shapes_[s].standing->attemptEnded(record, taken);
}

void Reservation::holdEnded(HoldKey key, const Demand& taken) {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s)
        if (shapes_[s].standing) shapes_[s].standing->holdEnded(key, taken);
}

void Reservation::keepFor(std::uint32_t shape) {
    if (reserved_ == kNone && !shapes_[shape].standing) reserve(shape);
}

void Reservation::renew() {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s) {
        OfShape& shape = shapes_[s];
        if (!shape.standing || !shape.standing->leavesRoomFor(classes_.demandOfShape(s))) continue;
        shape.standing.reset();
        --standing_;
        // All that it waited for had an end: what runs now has one, too, if a later one.
        shape.doublings = std::min(shape.doublings + 1, kMostDoublings);
        if (reserved_ == kNone && !listings_.isEmpty(s)) reserve(s);
    }
}

// -- for another session

std::optional<Reservation::Patience> Reservation::patienceOf(std::uint32_t cls) const {
    const std::uint32_t at = classes_.shapeOf(cls);
    if (at == kNone) return std::nullopt;
    const OfShape& shape = shapes_[at];
    if (at != reserved_ && shape.passedOver == 0 && shape.doublings == 0 && !shape.standing) return std::nullopt;
    return Patience{.shape = at,
                    .passedOver = shape.passedOver,
                    .since = shape.passedSince,
                    .doublings = shape.doublings,
                    .reservedSince = at == reserved_ ? std::optional(reservedSince_) : std::nullopt,
                    .standing = shape.standing.get()};
}

void Reservation::setPatience(std::uint32_t cls, const Patience& patience, std::unique_ptr<Standing> standing) {
    const std::uint32_t at = classes_.shapeOf(cls);
    if (at == kNone) return;
    OfShape& shape = shapes_[at];
    forget(shape);
    shape.passedOver = patience.passedOver;
    shape.passedSince = patience.since;
    shape.doublings = patience.doublings;
    if (standing) ++standing_;
    shape.standing = std::move(standing);
    if (!patience.reservedSince) return;
    reserved_ = at;
    reservedSince_ = *patience.reservedSince;
}

void Reservation::check() const {
    assert(std::ranges::count_if(shapes_, [](const OfShape& shape) { return shape.standing != nullptr; }) ==
           standing_);
    assert(reserved_ == kNone || reserved_ < shapes_.size());
}

} // namespace yard::session
