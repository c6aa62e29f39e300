// Groups of failures that nobody wants to hear of for a while. They are still counted. A mute is in the journal before
// it counts, and ends by itself.
//
// Owner: engine thread. Lifetime: before those who ask. Bound: kMostMutes; what is over goes first.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/failures_view.h"
#include "core/store/operations.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace yard::engine {

class FailureMutes {
public:
    /// Documents of the journal: a group's id, the time when its mute ends.
    static constexpr std::string_view kKind = "failure_mute";

    struct Parts {
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<WallMicros()> now;
    };
    explicit FailureMutes(Parts parts)
        : parts_(std::move(parts)) {}

    /// What the journal has. What cannot be read of it is left out: a mute that is lost is seen, and made again.
    void restore(std::span<const store::DocumentRow> rows);
    /// From now on until then; a time that is over ends the mute. AtLimit: there are too many. Journal.
    coro::Task<Result<void>> set(std::string group, WallMicros until);
    /// 0: it is not muted.
    WallMicros until(std::string_view group) const;

private:
    using Mutes = std::map<std::string, WallMicros, std::less<>>;

    Parts parts_;
    Mutes mutes_;
    coro::Mutex mutex_; ///< one change at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
