#include "core/engine/state/failure_mutes.h"

#include "core/model/failure_line.h"

#include <charconv>
#include <fmt/format.h>

namespace yard::engine {

void FailureMutes::restore(std::span<const store::DocumentRow> rows) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::DocumentRow& row : rows) {
        if (mutes_.size() == kMostMutes) break;
        WallMicros until = 0;
        const char* const end = row.body.data() + row.body.size();
        const auto read = std::from_chars(row.body.data(), end, until);
        if (row.kind == kKind && read.ec == std::errc() && read.ptr == end && isFailureId(row.name))
            mutes_[row.name] = until;
    }
}

/// What the journal has to be told, so that it has `after` where it had `before`.
static store::PutDocuments changesOf(const std::map<std::string, WallMicros, std::less<>>& before,
                                     const std::map<std::string, WallMicros, std::less<>>& after) {
    store::PutDocuments put;
    const std::string kind(FailureMutes::kKind);
    for (const auto& [group, until] : before)
        if (!after.contains(group)) put.changes.push_back({.kind = kind, .name = group, .body = std::nullopt});
    for (const auto& [group, until] : after) {
        const auto at = before.find(group);
        if (at == before.end() || at->second != until)
            put.changes.push_back({.kind = kind, .name = group, .body = std::to_string(until)});
    }
    return put;
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
        store::AckDetail done = co_await parts_.commit(changesOf(mutes_, changed));
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
