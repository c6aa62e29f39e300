#include "core/engine/objects/look_ahead.h"

#include <utility>

namespace yard::engine {

void LookAhead::childEnded(lifecycle::ObjectId parent) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = endingChildren_.find(parent);
    if (found != endingChildren_.end() && --found->second == 0) endingChildren_.erase(found);
}

std::vector<std::int64_t> LookAhead::begin(const std::vector<lifecycle::Claim>& claims, const BatchPtr& batch) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<std::int64_t> ids;
    for (const lifecycle::Claim& claim : claims) {
        if (endingChildren_.contains(claim.id)) continue;
        ids.push_back(claim.id.value);
        ahead_[claim.id] = batch;
    }
    return ids;
}

LookAhead::BatchPtr LookAhead::take(lifecycle::ObjectId id) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = ahead_.extract(id);
    return found.empty() ? nullptr : found.mapped();
}

void LookAhead::forget(const std::vector<lifecycle::Claim>& claims) {
    YARD_ASSERT_OWNER(owner_);
    for (const lifecycle::Claim& claim : claims) ahead_.erase(claim.id);
}

coro::Task<std::optional<store::ObjectWithRelatives>> LookAhead::wait(BatchPtr batch, lifecycle::Seen seen) {
    if (!batch) co_return std::nullopt;
    if (!batch->isRead.isSet()) co_await batch->isRead.wait();
    auto row = batch->rows.extract(seen.id.value);
    if (row.empty() || row.mapped().row.revision != seen.revision) co_return std::nullopt;
    co_return std::move(row.mapped());
}

coro::Task<void> LookAhead::fill(BatchPtr batch, Read read, std::vector<std::int64_t> ids) {
    auto rows = co_await read(std::move(ids), kMostBytes);
    if (rows)
        for (store::ObjectWithRelatives& one : *rows) {
            const std::int64_t id = one.row.id;
            batch->rows.emplace(id, std::move(one));
        }
    batch->isRead.set();
}

} // namespace yard::engine
