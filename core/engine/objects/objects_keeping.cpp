// Objects: those that ended go when the `keep_days` of their type are over.
#include "core/engine/objects/objects.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace yard::engine {

using lifecycle::ObjectId;
using lifecycle::StateNumber;
using lifecycle::TypeNumber;

namespace {

/// After a start, and after a change of the type, others have more to do.
constexpr WallMicros kFirstKeeping = 60'000'000;
constexpr WallMicros kKeepingEvery = 3'600'000'000;
/// Between two portions others get the journal.
constexpr Duration kKeepingPause{100'000};
constexpr int kDroppedAtOnce = 500;
constexpr WallMicros kDayOfKeeping = 24LL * 3600 * 1'000'000;

} // namespace

/// A version of the type begins at `now`.
void Objects::keepFrom(TypeNumber number, WallMicros now) {
    types_[number].keepingAt = orchestrator_.type(number).keepDays > 0 ? now + kFirstKeeping : 0;
    keeping_.set();
}

std::optional<WallMicros> Objects::nextKeeping() const {
    std::optional<WallMicros> next;
    for (std::size_t at = 0; at < types_.size(); ++at) {
        const WallMicros due = types_[at].keepingAt;
        if (due == 0 || !orchestrator_.isThere(static_cast<TypeNumber>(at))) continue;
        next = next ? std::min(*next, due) : due;
    }
    return next;
}

coro::Task<void> Objects::keep() {
    YARD_ASSERT_OWNER(owner_);
    while (!isStopped_) {
        keeping_.clear();
        const WallMicros now = parts_.now();
        const auto next = nextKeeping();
        if (!next)
            co_await keeping_.wait();
        else if (*next > now)
            (void)co_await coro::comesWithin(Duration(*next - now), keeping_);
        for (std::size_t at = 0; at < types_.size() && !isStopped_; ++at) {
            if (types_[at].keepingAt == 0 || types_[at].keepingAt > parts_.now()) continue;
            types_[at].keepingAt = parts_.now() + kKeepingEvery;
            co_await dropOld(static_cast<TypeNumber>(at));
        }
    }
}

bool Objects::hasEnded(TypeNumber number) const {
    const lifecycle::Type& type = orchestrator_.type(number);
    for (std::size_t state = 0; state < type.states.size(); ++state)
        if (type.states[state].isFinal && orchestrator_.count(number, static_cast<StateNumber>(state)) > 0)
            return true;
    return false;
}

bool Objects::mayDropOld(TypeNumber number) const {
    return !isStopped_ && orchestrator_.isThere(number) && !types_[number].isLeaving &&
           orchestrator_.type(number).keepDays > 0;
}

/// In portions. A type that is changed or removed meanwhile is left for its next time.
coro::Task<void> Objects::dropOld(TypeNumber number) {
    if (!mayDropOld(number) || !hasEnded(number)) co_return;
    store::ObjectQuestion question{.type = types_[number].id, .limit = kDroppedAtOnce, .newestFirst = false};
    question.isBare = true;
    std::int64_t count = 0;
    Result<std::int64_t> gone = 0;
    do {
        const lifecycle::Type& type = orchestrator_.type(number);
        question.statuses.clear();
        for (const lifecycle::State& state : type.states)
            if (state.isFinal) question.statuses.push_back(state.name);
        question.endedBefore = parts_.now() - type.keepDays * kDayOfKeeping;
        const auto page = co_await parts_.reads.page(question);
        if (!page) {
            gone = std::unexpected(page.error());
            break;
        }
        question.cursor = page->cursor;
        std::vector<std::int64_t> ids;
        if (mayDropOld(number)) ids = droppable(page->rows);
        if (!ids.empty()) gone = co_await remove(std::move(ids));
        count += gone.value_or(0);
        if (gone && question.cursor != 0) co_await coro::sleepFor(kKeepingPause);
        if (gone) gone = 0;
    } while (gone && question.cursor != 0 && mayDropOld(number));
    if (count > 0) logInfo("objects", "{} that ended are deleted: their type keeps them no longer", count);
    if (!gone) logWarning("objects", "those that ended are kept for another hour: {}", gone.error().message);
}

/// Of those nothing goes on, and they are as the journal said.
std::vector<std::int64_t> Objects::droppable(const std::vector<store::ObjectRow>& rows) const {
    const std::unordered_set<std::int64_t> owners = owned_.owners();
    std::vector<std::int64_t> ids;
    for (const store::ObjectRow& row : rows) {
        const ObjectId id(row.id);
        const lifecycle::Object* object = orchestrator_.find(id);
        if (!object || object->revision != row.revision) continue;
        if (!orchestrator_.type(object->type).isFinal(object->status) || object->pendingChildren > 0) continue;
        if (outbox_.has(id) || owners.contains(row.id)) continue;
        const auto byHand = byHand_.lower_bound({id, 0});
        if (byHand != byHand_.end() && byHand->first.first == id) continue; // a move of it is on its way
        ids.push_back(row.id);
    }
    return ids;
}

} // namespace yard::engine
