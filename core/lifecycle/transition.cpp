#include "core/lifecycle/transition.h"

#include <fmt/format.h>

#include <utility>

namespace yard::lifecycle {
namespace {

Write unchanged(const Seen& seen, WallMicros now) {
    Write write;
    write.id = seen.id;
    write.from = write.to = seen.status;
    write.revision = seen.revision;
    write.newRevision = seen.revision + 1;
    write.retries = seen.retries;
    write.at = now;
    return write;
}

void enter(const Type& type, Write& write, StateNumber to, WallMicros retryAt) {
    write.moves = true;
    write.to = to;
    write.starts = write.from == type.initial() && to != write.from;
    write.ends = type.isFinal(to);
    write.retries = to == write.from ? write.retries + 1 : 0;
    write.retryAt = write.ends ? 0 : retryAt;
}

/// Over max_retries: to the bad end where there is one, else out of the way and listed.
void limitRetries(const Type& type, Write& write, WallMicros now) {
    if (write.retries <= type.maxRetries) return;
    if (write.lastError.empty())
        write.lastError = fmt::format("The object entered {} more than {} times in a row.",
                                      type.states[write.to].name, type.maxRetries);
    if (const auto bad = type.badEnd()) return enter(type, write, *bad, 0);
    write.isStuck = true;
    write.retryAt = now + kFar.count();
}

} // namespace

std::string_view name(EffectKind kind) {
    switch (kind) {
    case EffectKind::Create: return "create";
    case EffectKind::Submit: return "submit";
    case EffectKind::Wake: return "wake";
    case EffectKind::Call: return "call";
    }
    return "";
}

std::string EffectKey::text() const {
    return fmt::format("{}/{}/{}", object.value, revision, position);
}

Result<Write> transitionOf(const Type& type, const Seen& seen, const Answer& answer, WallMicros now) {
    Write write = unchanged(seen, now);
    write.isOfTick = true;
    write.set = answer.set;
    write.effects = answer.effects;
    if (!answer.move) {
        write.retryAt = now + answer.lookIn.value_or(type.backoff).count();
        const bool isOnlyAWait = answer.set.empty() && answer.effects.empty();
        if (isOnlyAWait) write.newRevision = seen.revision;
        return write;
    }
    const auto to = type.find(*answer.move);
    if (!to)
        return invalid(
            "move", fmt::format("The type {} has no state {}.", type.name, answer.move->substr(0, kMaxTypeName)));
    if (!type.allows(seen.status, *to))
        return invalid(
            "move", fmt::format("No transition leads from {} to {}.", type.states[seen.status].name, *answer.move));
    enter(type, write, *to, now + answer.lookIn.value_or(Duration::zero()).count());
    limitRetries(type, write, now);
    return write;
}

Write exceptionOf(const Type& type, const Seen& seen, std::string error, WallMicros now) {
    Write write = unchanged(seen, now);
    write.isOfTick = true;
    write.lastError = std::move(error);
    write.retries = seen.retries + 1;
    write.retryAt = now + type.backoff.count();
    limitRetries(type, write, now);
    return write;
}

Result<Write> moveByHand(const Type& type, const Seen& seen, std::string_view to, bool isForced, WallMicros now) {
    const auto state = type.find(to);
    if (!state)
        return invalid("to", fmt::format("The type {} has no state {}.", type.name, to.substr(0, kMaxTypeName)));
    if (!isForced && !type.allows(seen.status, *state))
        return fail(ErrorKind::WrongState,
                    fmt::format("No transition leads from {} to {}; use force to move it all the same.",
                                type.states[seen.status].name, to));
    Write write = unchanged(seen, now);
    enter(type, write, *state, now);
    write.retries = 0;
    return write;
}

Write changeByHand(const Object& object, std::string set, WallMicros now) {
    Write write = unchanged(object.seen(), now);
    write.retryAt = object.retryAt;
    write.isStuck = object.isStuck;
    write.set = std::move(set);
    return write;
}

} // namespace yard::lifecycle
