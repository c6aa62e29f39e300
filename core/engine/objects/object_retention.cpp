#include "core/engine/objects/object_retention.h"

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

/// Some object of the type has ended.
static bool hasEnded(const lifecycle::Orchestrator& orchestrator, TypeNumber number) {
    const lifecycle::Type& type = orchestrator.type(number);
    for (std::size_t state = 0; state < type.states.size(); ++state)
        if (type.states[state].isFinal && orchestrator.count(number, static_cast<StateNumber>(state)) > 0)
            return true;
    return false;
}

void ObjectRetention::begin(TypeNumber number, WallMicros now) {
    YARD_ASSERT_OWNER(owner_);
    if (at_.size() <= number) at_.resize(std::size_t{number} + 1);
    at_[number] = parts_.orchestrator.type(number).keepDays > 0 ? now + kFirstKeeping : 0;
    changed_.set();
}

std::optional<WallMicros> ObjectRetention::next() const {
    std::optional<WallMicros> next;
    for (std::size_t at = 0; at < at_.size(); ++at) {
        if (at_[at] == 0 || !parts_.orchestrator.isThere(static_cast<TypeNumber>(at))) continue;
        next = next ? std::min(*next, at_[at]) : at_[at];
    }
    return next;
}

coro::Task<void> ObjectRetention::run() {
    YARD_ASSERT_OWNER(owner_);
    while (!isStopped_) {
        changed_.clear();
        const WallMicros now = parts_.now();
        const auto due = next();
        if (!due)
            co_await changed_.wait();
        else if (*due > now)
            (void)co_await coro::comesWithin(Duration(*due - now), changed_);
        for (std::size_t at = 0; at < at_.size() && !isStopped_; ++at) {
            if (at_[at] == 0 || at_[at] > parts_.now()) continue;
            at_[at] = parts_.now() + kKeepingEvery;
            co_await dropOld(static_cast<TypeNumber>(at));
        }
    }
}

bool ObjectRetention::mayDropOld(TypeNumber number) const {
    return !isStopped_ && parts_.orchestrator.isThere(number) && parts_.steadyType(number) &&
           parts_.orchestrator.type(number).keepDays > 0;
}

/// In portions. A type that is changed or removed meanwhile is left for its next time.
coro::Task<void> ObjectRetention::dropOld(TypeNumber number) {
    const auto id = parts_.steadyType(number);
    if (!id || !mayDropOld(number) || !hasEnded(parts_.orchestrator, number)) co_return;
    store::ObjectQuestion question{.type = *id, .limit = kDroppedAtOnce, .newestFirst = false};
    question.isBare = true;
    std::int64_t count = 0;
    Result<std::int64_t> gone = 0;
    do {
        const lifecycle::Type& type = parts_.orchestrator.type(number);
        question.statuses.clear();
        for (const lifecycle::State& state : type.states)
            if (state.isFinal) question.statuses.push_back(state.name);
        question.endedBefore = parts_.now() - type.keepDays * kDayOfKeeping;
        const auto page = co_await parts_.page(question);
        if (!page) {
            gone = std::unexpected(page.error());
            break;
        }
        question.cursor = page->cursor;
        std::vector<std::int64_t> ids;
        if (mayDropOld(number)) ids = droppable(page->rows);
        if (!ids.empty()) gone = co_await parts_.remove(std::move(ids));
        count += gone.value_or(0);
        if (gone && question.cursor != 0) co_await coro::sleepFor(kKeepingPause);
        if (gone) gone = 0;
    } while (gone && question.cursor != 0 && mayDropOld(number));
    if (count > 0) logInfo("objects", "{} that ended are deleted: their type keeps them no longer", count);
    if (!gone) logWarning("objects", "those that ended are kept for another hour: {}", gone.error().message);
}

/// Of those nothing goes on, and they are as the journal said.
std::vector<std::int64_t> ObjectRetention::droppable(const std::vector<store::ObjectRow>& rows) const {
    const std::unordered_set<std::int64_t> owners = parts_.owners();
    std::vector<std::int64_t> ids;
    for (const store::ObjectRow& row : rows) {
        const ObjectId id(row.id);
        const lifecycle::Object* object = parts_.orchestrator.find(id);
        if (!object || object->revision != row.revision) continue;
        if (!parts_.orchestrator.type(object->type).isFinal(object->status) || object->pendingChildren > 0)
            continue;
        if (owners.contains(row.id) || parts_.isChanging(id)) continue;
        ids.push_back(row.id);
    }
    return ids;
}

} // namespace yard::engine
