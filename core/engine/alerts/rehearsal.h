// The dry run of a rule: what it would have told, by the actions that the journal still has and the memory that was in use.
// In slices, so that others get their turns. What is not kept (disk, machines, silence) is said to be unknown.
//
// Owner: engine thread. Lifetime: before Alerts. Bounds: kMostAtOnce run, kMostActions actions are looked at, kMostTold
// messages are answered, and after kMostMessages it ends; it looks no more than a day ahead.
#pragma once

#include "core/alerts/book.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/task.h"
#include "core/model/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

struct RehearsalAnswer {
    std::vector<alerts::Message> fired; ///< in the order of time
    std::int64_t count = 0;             ///< of all, also of those beyond kMostTold
    std::int64_t looked = 0;            ///< actions
    bool isWhole = true;                ///< all of the time was looked at
    std::string note{};                 ///< one sentence where nothing, or not all, is known
};

class Rehearsal {
public:
    static constexpr int kMostAtOnce = 4;
    static constexpr std::size_t kMostActions = 100'000;
    static constexpr std::size_t kMostTold = 1'000;
    static constexpr std::int64_t kMostMessages = 10'000;

    struct Page {
        std::vector<ActionResult> rows;
        Lsn cursor{}; ///< to go on with; 0: that was all
    };
    /// An action that has not ended.
    struct Unended {
        Lsn lsn{};
        QueueId queue{};
        WallMicros came = 0;
        WallMicros begun = 0;    ///< 0: it has not
        bool isHeldBack = false; ///< it waits because somebody said so, and grows too old for nobody
    };
    struct MemoryUse {
        std::vector<std::pair<WallMicros, double>> percents; ///< with their times, in their order
        Duration apart{}; ///< the most that two of them are where none is missing
    };
    struct Parts {
        /// Actions that have ended, by LSN, from after `cursor` on.
        std::function<coro::Task<Result<Page>>(Lsn cursor)> page;
        std::function<coro::Task<std::vector<Unended>>(std::size_t most)> unended;
        std::function<coro::Task<MemoryUse>(WallMicros from, WallMicros to)> memory;
        std::function<coro::Task<void>(std::function<void()>)> onHelper; ///< what takes long
        std::function<std::vector<std::string>(QueueId)> queueNames;
        std::function<WallMicros()> now;
    };
    explicit Rehearsal(Parts parts)
        : parts_(std::move(parts)) {}

    /// {"rule","from","to"}: `from` is a week ago and `to` now where they are not given; both are from 1970 on, until
    /// tomorrow. Malformed, Invalid, Busy.
    coro::Task<Result<RehearsalAnswer>> run(std::string json);

private:
    struct Asked;
    coro::Task<Result<RehearsalAnswer>> play(Asked asked);
    coro::Task<Result<void>> playActions(const Asked& asked, RehearsalAnswer& answer);

    Parts parts_;
    int running_ = 0;
};

} // namespace yard::engine
