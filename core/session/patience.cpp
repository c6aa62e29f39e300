// What was passed over, and what is kept for it: as it is, and in another session that goes on where this one is.
#include "core/session/impl.h"

#include <algorithm>
#include <memory>
#include <unordered_set>

namespace yard::session {

std::optional<Order::Patience> Order::patienceOf(std::uint32_t cls) const {
    const std::uint32_t at = classes_[cls].shape;
    if (at == kNone) return std::nullopt;
    const Shape& shape = *shapes_[at];
    if (at != reserved_ && shape.passedOver == 0 && shape.doublings == 0 && !shape.standing) return std::nullopt;
    return Patience{.shape = at,
                    .passedOver = shape.passedOver,
                    .since = shape.passedSince,
                    .doublings = shape.doublings,
                    .reservedSince = at == reserved_ ? std::optional(reservedSince_) : std::nullopt,
                    .standing = shape.standing.get()};
}

void Order::setPatience(std::uint32_t cls, const Patience& patience, std::unique_ptr<Standing> standing) {
    const std::uint32_t at = classes_[cls].shape;
    if (at == kNone) return;
    Shape& shape = *shapes_[at];
    forgetPassedOver(shape);
    shape.passedOver = patience.passedOver;
    shape.passedSince = patience.since;
    shape.doublings = patience.doublings;
    if (standing) ++standing_;
    shape.standing = std::move(standing);
    if (!patience.reservedSince) return;
    reserved_ = at;
    reservedSince_ = *patience.reservedSince;
}

void Session::Impl::setPassed(std::span<const Passed> passed) {
    for (const Passed& one : passed) {
        std::unique_ptr<Standing> standing;
        if (one.wasGivenUp) standing = std::make_unique<Standing>(capacity_->idle());
        for (const Lsn lsn : one.standing)
            if (const std::uint32_t record = records_.find(lsn); standing && record != kNone)
                standing->addAttempt(record, order_.resourcesOf(lanes_[records_[record].lane].cls));
        for (const Hold& hold : holds_)
            if (standing && std::ranges::find(one.holds, hold.key) != one.holds.end())
                standing->addHold(hold.key, hold.resources);
        order_.setPatience(one.cls.value,
                           {.passedOver = one.starts,
                            .since = one.since,
                            .doublings = one.doublings,
                            .reservedSince = one.reservedSince},
                           std::move(standing));
    }
}

std::vector<Passed> Session::Impl::passed(std::span<const std::uint32_t> classes) const {
    std::vector<Passed> all;
    std::unordered_set<std::uint32_t> shapes;
    for (const std::uint32_t cls : classes) {
        const auto patience = order_.patienceOf(cls);
        if (!patience || !shapes.insert(patience->shape).second) continue;
        Passed& one = all.emplace_back();
        one.cls = ClassId(cls);
        one.starts = patience->passedOver;
        one.since = patience->since;
        one.doublings = patience->doublings;
        one.reservedSince = patience->reservedSince;
        one.wasGivenUp = patience->standing != nullptr;
        if (!patience->standing) continue;
        for (const std::uint32_t record : patience->standing->attempts())
            one.standing.push_back(records_.lsnOf(records_[record]));
        one.holds.assign(patience->standing->holds().begin(), patience->standing->holds().end());
    }
    return all;
}

} // namespace yard::session
