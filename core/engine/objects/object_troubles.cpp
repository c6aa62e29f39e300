#include "core/engine/objects/object_troubles.h"

#include "core/base/log.h"

#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using lifecycle::OrphanReason;
using lifecycle::TypeNumber;

namespace {

/// Of which people are told. Objects whose own creates are on their way are no orphans here.
constexpr std::array kToldReasons{OrphanReason::NoActor, OrphanReason::StatusNotClaimed,
                                  OrphanReason::WorkerUnknown, OrphanReason::KeyMissing};
constexpr std::array kTroubleKinds{ObjectTroubles::Kind::Stuck, ObjectTroubles::Kind::Orphans};

std::string stuckText(const std::string& type, std::size_t count) {
    return fmt::format("Objects of the type {} do not get on, {} of them: they were retried too often.", type,
                       count);
}

} // namespace

ObjectTroubles::TypeEntry& ObjectTroubles::entryOf(TypeNumber number) {
    if (types_.size() <= number) types_.resize(std::size_t{number} + 1);
    return types_[number];
}

void ObjectTroubles::warnOf(const lifecycle::WarnOrphan& orphan) {
    YARD_ASSERT_OWNER(owner_);
    const lifecycle::Object* object = orchestrator_.find(orphan.object);
    if (!object || std::exchange(entryOf(object->type).isWarned[std::to_underlying(orphan.why)], true)) return;
    const lifecycle::Type& type = orchestrator_.type(object->type);
    logWarning("objects",
               "object {} ({} {}) is due, and no actor looks at it: {}; of others of its type nothing is said",
               orphan.object.value, type.name, type.states[object->status].name, lifecycle::name(orphan.why));
}

void ObjectTroubles::createFailed(const lifecycle::CarryOut& effect) {
    YARD_ASSERT_OWNER(owner_);
    const lifecycle::Object* object = orchestrator_.find(effect.key.object);
    if (object && effect.attempt > 1 && failing_.emplace(effect.key, object->type).second)
        ++entryOf(object->type).failing;
}

void ObjectTroubles::createIsOver(const lifecycle::EffectKey& key) {
    if (const auto was = failing_.extract(key); !was.empty()) --entryOf(was.mapped()).failing;
}

void ObjectTroubles::tellAll() {
    YARD_ASSERT_OWNER(owner_);
    if (!hasPassed_) return; // who is an orphan is not known yet
    for (std::size_t at = 0; at < orchestrator_.typeCount(); ++at)
        if (const auto number = static_cast<TypeNumber>(at); orchestrator_.isThere(number))
            for (const Kind what : kTroubleKinds) tell(number, what);
}

void ObjectTroubles::tellChanged() {
    YARD_ASSERT_OWNER(owner_);
    for (std::size_t at = 0; at < orchestrator_.typeCount(); ++at)
        for (std::size_t why = 0; why < lifecycle::kOrphanReasons; ++why)
            if (const auto number = static_cast<TypeNumber>(at);
                orchestrator_.orphans().count(number, static_cast<OrphanReason>(why)) == 0)
                entryOf(number).isWarned[why] = false;
    if (!std::exchange(hasPassed_, true)) return tellAll();
    for (std::size_t at = 0; at < orchestrator_.typeCount(); ++at)
        for (const Kind what : kTroubleKinds)
            if (const auto number = static_cast<TypeNumber>(at);
                (countOf(number, what) > 0) != entryOf(number).told[std::to_underlying(what)])
                tell(number, what);
}

std::size_t ObjectTroubles::countOf(TypeNumber number, Kind what) {
    if (what == Kind::Stuck) return orchestrator_.stuck(number);
    std::size_t count = entryOf(number).failing;
    for (const auto why : kToldReasons) count += orchestrator_.orphans().count(number, why);
    return count;
}

void ObjectTroubles::tell(TypeNumber number, Kind what) {
    const std::size_t count = countOf(number, what);
    entryOf(number).told[std::to_underlying(what)] = count > 0;
    if (!tell_) return;
    const std::string& type = orchestrator_.type(number).name;
    std::string text;
    if (count > 0) text = what == Kind::Stuck ? stuckText(type, count) : orphansText(number);
    tell_(what, type, text);
}

std::string ObjectTroubles::orphansText(TypeNumber number) {
    std::string why;
    for (const auto reason : kToldReasons)
        if (orchestrator_.orphans().count(number, reason) > 0)
            why += fmt::format("{}{}", why.empty() ? "" : ", ", lifecycle::name(reason));
    if (why.empty())
        return fmt::format("Objects of the type {} cannot create what they are to, {} of it; the log says why.",
                           orchestrator_.type(number).name, entryOf(number).failing);
    return fmt::format("Objects of the type {} are due, and no actor looks at them: {}.",
                       orchestrator_.type(number).name, why);
}

} // namespace yard::engine
