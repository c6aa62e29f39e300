// What a row says in words beside its fields: why it has not started, how long it will take, and the last output line
// of what runs, with how far that says it is. Who was asked for is looked at once a second; the change log hears of its new lines.
//
// Owner: engine thread; one cooperative thread while running actions are looked at. Lifetime: after the reasons.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/task.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/attempt.h"
#include "core/engine/running/output_tails.h"

#include <functional>
#include <span>
#include <utility>

namespace yard::engine {

class Notes {
public:
    /// Of pending actions, where no other time is given: what is left has none.
    static constexpr Duration kDescribeFor{4'000};

    struct Parts {
        const Reasons& reasons;
        coro::HelperPool& helpers;
        const WallScale& scale;
        std::function<const Attempt*(Lsn)> attempt; ///< null: none is under way
        /// The output of a running attempt, reported as it grows from now on. Null: there is none.
        std::function<std::shared_ptr<LiveStreams>(Lsn)> follow;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void(Lsn)> rowChanged;
        std::function<MonoTime()> now;                              ///< of the loop that spawn() uses
        std::function<std::string(const Attempt&)> statusFile = {}; ///< empty: it has none
        std::function<bool()> readsProgress = {};                   ///< from lines of output as well
        /// What its warm process says. Null: nothing.
        std::function<const ReportedProgress*(const Attempt&)> said = {};
    };
    explicit Notes(Parts parts)
        : parts_(std::move(parts)) {}

    /// Notes of what is pending or runs. The rows stay where they are until it returns.
    coro::Task<void> addTo(std::span<ActionResult> rows, Duration pendingFor = kDescribeFor);

private:
    struct ToRead {
        std::vector<LineToRead> lines;
        std::vector<StatusToRead> statuses;
    };
    void askForLines(std::span<ActionResult> rows, ToRead& read);
    void addProgress(ActionResult& row) const;
    bool hear(Lsn lsn, const Attempt& attempt);
    coro::Task<void> tellLines();

    Parts parts_;
    OutputTails lines_;
    bool tells_ = false; ///< tellLines() is under way
    OwnerCheck owner_;
};

} // namespace yard::engine
