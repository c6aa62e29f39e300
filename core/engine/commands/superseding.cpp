#include "core/engine/commands/superseding.h"

#include "core/engine/state/slice.h"
#include "core/session/action_commands.h"
#include "core/session/live_views.h"

#include <fmt/format.h>
#include <optional>
#include <ranges>

namespace yard::engine {
namespace {

/// Submissions that wait for one action, as far as is looked.
constexpr int kMostFollowers = 1'000;

} // namespace

Superseding::~Superseding() {
    for (const Lsn lsn : held_) (void)session_.actions().release(lsn); // whatever became of it meanwhile
}

coro::Task<Result<void>> Superseding::take(const std::vector<Lsn>& replaced, const Dependents& dependents) {
    for (const Lsn lsn : replaced) {
        const auto live = session_.views().live(lsn);
        if (!live || live->state != ActionState::Pending || live->ending) continue;
        if (!live->held) {
            if (!session_.actions().hold(lsn, outbox_)) continue; // it begins just now
            held_.push_back(lsn);
        }
        taken_.insert(lsn);
    }
    for (const Lsn lsn : taken_) {
        const auto children = co_await dependents(lsn, kMostFollowers);
        if (!children) co_return std::unexpected(children.error());
        std::optional<Lsn> stays;
        for (const store::LsnRun& run : children->runs())
            for (Lsn next = run.first; !stays && next.value > 0 && next <= run.last();)
                next = session_.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
                    const bool waits = live.state == ActionState::Pending && live.attempt == 0 && !live.ending;
                    if (waits && live.lsn <= run.last() && !has(live.lsn) && !stays) stays = live.lsn;
                });
        if (stays)
            co_return fail(
                ErrorKind::WrongState,
                fmt::format("Action {0} waits for action {1}, which would be cancelled as it is replaced: "
                            "replace {0} in the same request, or cancel {0} first.",
                            stays->value, lsn.value));
    }
    co_return Result<void>{};
}

void Superseding::cancel() {
    held_.clear();
    // Who waits first: none of them fails because of another.
    for (const Lsn lsn : std::views::reverse(taken_)) (void)session_.actions().cancel(lsn, outbox_);
    taken_.clear();
}

} // namespace yard::engine
