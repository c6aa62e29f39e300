#include "core/engine/state/failure_mutes.h"

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::engine {

std::string FailureMutes::written(const Mutes& mutes) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    for (const auto& [group, until] : mutes) writer.member(group, until);
    writer.closeObject();
    return text;
}

void FailureMutes::restore(std::string_view text) {
    YARD_ASSERT_OWNER(owner_);
    const Result<JsonTape> tape = readJson(text);
    if (!tape || !tape->root().isObject()) return;
    for (const JsonView member : tape->root()) {
        if (mutes_.size() == kMostMutes) break;
        if (member.kind() == JsonKind::Integer && isFailureId(member.key()))
            mutes_[std::string(member.key())] = member.node().integer;
    }
}

coro::Task<Result<void>> FailureMutes::set(std::string group, WallMicros until) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const WallMicros now = parts_.now();
    Mutes changed = mutes_;
    std::erase_if(changed, [now](const auto& mute) { return mute.second <= now; });
    if (until > now)
        changed[group] = until;
    else if (changed.erase(group) == 0)
        co_return fail(ErrorKind::NotFound,
                       fmt::format("{} is not muted: its mute is over, or there was none", group));
    if (changed.size() > kMostMutes)
        co_return fail(
            ErrorKind::AtLimit,
            fmt::format("{} groups of failures are muted, and there are no more: end the mute of one first",
                        kMostMutes));
    if (changed != mutes_) {
        store::AckDetail done = co_await parts_.commit(store::PutMeta{std::string(kKey), written(changed)});
        if (done.error) co_return std::unexpected(std::move(*done.error));
        mutes_ = std::move(changed);
    }
    co_return Result<void>();
}

WallMicros FailureMutes::until(std::string_view group) const {
    YARD_ASSERT_OWNER(owner_);
    const auto at = mutes_.find(group);
    return at == mutes_.end() || at->second <= parts_.now() ? 0 : at->second;
}

} // namespace yard::engine
