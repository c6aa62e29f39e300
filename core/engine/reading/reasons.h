// Why an action has not started, or has not ended: what the session, the pool, the guards and the locks know, and its
// predecessors from the journal.
//
// Owner: engine thread. Lifetime: after the session, the dictionary, the locks and the estimates.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/estimates.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/lock_watch.h"
#include "core/engine/state/views.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"
#include "core/store/reader.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yard::engine {

/// Slots for what takes one core.
struct CoreSlots {
    std::int64_t all = 0;
    std::int64_t busy = 0;
    std::int64_t cores = 0;
    std::string limit; ///< why there are fewer of them than cores
};

class Reasons {
public:
    struct Parts {
        session::Session& session;
        InternTable& dictionary;
        LockWatch& locks;
        Estimates& estimates;
        const WallScale& scale;
        std::function<const Attempt*(Lsn)> attempt;     ///< null: none is under way
        std::function<bool(const Attempt&)> isStarting; ///< nothing else has its slot
        std::function<CoreSlots()> slots;
        std::function<std::optional<Wait>()> nothingStarts; ///< why nothing at all does, beside the session's hold
        std::function<bool()> writesJournal;                ///< false while the disk is full
        std::function<std::optional<runners::WarmWait>(const std::string& worker)> poolWait;
        std::function<std::string(session::HoldKey)> holderName;
        std::function<std::optional<Wait>()> courtesyHold =
            {}; ///< why a queue that follows courtesy starts nothing
        std::function<std::optional<Wait>()> courtesyFreeze = {}; ///< why what runs stands still
        std::function<std::optional<Wait>()> courtesyCores = {}; ///< why there are fewer cores than the machine has
        /// What is to be said of a worker by id that no machine here runs; empty: nothing.
        std::function<std::string(const std::string& worker)> foreignWords = {};
        /// What a machine said when it did not take an action, while it gets nothing for that; empty: nothing.
        std::function<std::string(session::MachineId)> machineWords = {};
        /// waitsOfParents(), of the journal.
        std::function<coro::Task<Result<std::vector<Wait>>>(Lsn)> parents;
        std::function<coro::Task<Result<ActionState>>(Lsn)> stateOf; ///< of one that is not live
        std::function<MonoTime()> now;
    };
    explicit Reasons(Parts parts)
        : parts_(std::move(parts)) {}

    /// What it waits for, in every state; NotFound when it never was or is retired.
    coro::Task<Result<Why>> why(Lsn lsn);
    /// The first reason in short, without its place in line; nothing: it is on its way.
    std::optional<Wait> first(Lsn lsn, const session::Waiting& waiting) const;
    /// The same in words, of what waits for others with their number.
    std::string firstWords(Lsn lsn, const session::Waiting& waiting) const;
    /// Its program has ended, and the journal does not take that.
    std::optional<Wait> journalWait(const Attempt& attempt) const;
    /// Estimates and the note of a pending action, with its place in line: takes some microseconds.
    void describe(ActionResult& result) const;
    /// The same for a page, as far as that goes within `atMost`.
    void describe(std::span<ActionResult> page, Duration atMost) const;

private:
    /// All reasons but which actions it waits for; `shortly`: the first one only, without its position.
    std::vector<Wait> waitsOf(Lsn lsn, const session::Waiting& waiting, bool shortly) const;
    std::vector<Wait> beforeCapacity(const session::Waiting& waiting, bool namesParents) const;
    std::optional<Wait> leavingWait(const session::LiveView& live) const;
    coro::Task<Result<std::vector<Wait>>> parentsOf(Lsn lsn);
    std::optional<Wait> processWait(const session::Waiting& waiting) const;
    std::optional<Wait> slotWait(const session::Waiting& waiting) const;
    std::optional<Wait> machineWait(const session::Waiting& waiting) const;
    std::optional<Wait> startWait(Lsn lsn) const;
    std::optional<Wait> collectingWait(Lsn lsn) const;
    std::optional<Wait> endingWait(Lsn lsn) const;
    std::optional<Wait> frozenWait(Lsn lsn) const;
    std::string unmetWords(Lsn lsn) const;
    std::string nameOfHolder(Lsn lsn) const;
    void nameHolders(Wait& wait) const;
    void sayWhenFree(Wait& wait) const;

    Parts parts_;
    OwnerCheck owner_;
};

/// Those that this action was posted to wait for and that have not ended; of arrays all, whatever became of them.
Result<std::vector<Wait>> waitsOfParents(store::Reader& reader, Lsn lsn);

} // namespace yard::engine
