#include "core/engine/objects/owned_actions.h"

#include "core/store/object_operations.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

void OwnedActions::restore(std::span<const store::OwnedAction> actions) {
    for (const store::OwnedAction& action : actions)
        if (action.isPending)
            owned_[action.lsn] = action.object;
        else
            ended_.emplace_back(action.lsn, action.object);
}

void OwnedActions::add(Lsn lsn, std::int64_t object) {
    YARD_ASSERT_OWNER(owner_);
    owned_[lsn] = object;
}

std::int64_t OwnedActions::ownerOf(Lsn lsn) const {
    const auto owned = owned_.find(lsn);
    return owned == owned_.end() ? 0 : owned->second;
}

std::unordered_set<std::int64_t> OwnedActions::owners() const {
    std::unordered_set<std::int64_t> owners;
    for (const auto& [lsn, object] : owned_) owners.insert(object);
    return owners;
}

void OwnedActions::ended(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    const auto owned = owned_.extract(lsn);
    if (owned.empty() || isStopped_) return; // a start finds that it was not told
    ended_.emplace_back(lsn, owned.mapped());
    parts_.io.wakeUp();
}

void OwnedActions::tellEnds() {
    YARD_ASSERT_OWNER(owner_);
    if (ended_.empty() || isTellingEnds_) return;
    const auto last =
        ended_.begin() + std::min(std::ssize(ended_), static_cast<std::ptrdiff_t>(store::kMostObjects));
    store::WakeObjects wake{.ids = {}, .effect = {}, .at = parts_.io.now()};
    for (auto one = ended_.begin(); one != last; ++one) {
        wake.told.push_back(one->first);
        wake.ids.push_back(one->second);
        parts_.wake(one->second, one->first, wake.at);
    }
    ended_.erase(ended_.begin(), last);
    isTellingEnds_ = true;
    parts_.io.spawn("object actions", commitEnds(parts_.io.post(std::move(wake))));
}

coro::Task<void> OwnedActions::commitEnds(PostedObjects posted) {
    if (const store::AckDetail done = co_await posted->get(); done.error) parts_.io.refused(*done.error);
    isTellingEnds_ = false;
    parts_.io.wakeUp();
}

coro::Task<Result<std::vector<OwnedActionView>>>
OwnedActions::views(std::vector<std::pair<std::string, Lsn>> named) {
    std::vector<OwnedActionView> views;
    for (auto& [name, lsn] : named) {
        auto action = co_await parts_.action(lsn);
        if (action)
            views.push_back({.name = std::move(name), .action = *std::move(action)});
        else if (action.error().kind != ErrorKind::NotFound)
            co_return std::unexpected(std::move(action.error()));
    }
    co_return views;
}

} // namespace yard::engine
