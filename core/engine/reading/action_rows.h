// Rows of actions: what the journal has of them, overlaid with what the session and the attempt under way know now.
// What is in flight is not in the journal.
//
// Owner: engine thread. Lifetime: after the notes.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/estimates.h"
#include "core/engine/reading/notes.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/annotations.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace yard::engine {

class ActionRows {
public:
    struct Parts {
        const session::Session& session;
        session::PlaceCommands& places;
        const InternTable& dictionary;
        JournalReads& journal;
        const Reasons& reasons;
        const Estimates& estimates;
        Notes& notes;
        const Annotations& annotations;
        const Settings& settings; ///< in force now
        const WallScale& scale;
        std::string machineName;
        std::function<std::string(const std::string& machine)> platformOf; ///< empty: it is not there any more
        std::function<const Attempt*(Lsn)> attempt;                        ///< null: none is under way
        std::function<std::optional<int>(runners::AttemptId)> tokens = {}; ///< of its jobserver, that it has now
        std::function<MonoTime()> now;
    };
    explicit ActionRows(Parts parts)
        : parts_(std::move(parts)) {}

    /// With its note. NotFound.
    coro::Task<Result<ActionResult>> action(Lsn lsn);
    /// Without it. NotFound.
    coro::Task<Result<ActionResult>> row(Lsn lsn);
    /// Brings a row that was read up to now. False: it ended, or entered, while it was read.
    bool update(ActionResult& row) const;
    /// Then. It stays where it is; has no attempts afterwards. False: it is gone.
    coro::Task<bool> readAgain(ActionResult& row);
    /// What the session and its attempt say of one that lives.
    void overlay(ActionResult& row) const;
    /// And what people noted on them, and their places where the orders of their queues are known within that time.
    coro::Task<void> addNotes(std::span<ActionResult> rows, Duration pendingFor = Notes::kDescribeFor);
    void addAnnotations(std::span<ActionResult> rows) const {
        for (ActionResult& row : rows) parts_.annotations.addTo(row);
    }
    /// Machine and platform of what was handed to one, for filters.
    void nameMachine(ActionResult& row) const;
    /// What only filters ask for.
    ActionResult withNames(ActionResult row) const;
    /// What the journal will say of an action whose first attempt ends it; nothing of others, which have more to
    /// tell.
    std::optional<ActionResult> ofFinish(const store::Finish& finish) const;

    /// The session's action of a row. Since when it is pending is remembered.
    session::NewAction entering(const store::PendingRow& row);

    // --- since when it is pending, of what was so before
    void putBack(Lsn lsn, WallMicros when) { putBack_[lsn] = when; }
    void ended(Lsn lsn) { putBack_.erase(lsn); }
    WallMicros pendingSince(const session::LiveView& live) const;

private:
    coro::Task<void> addPlaces(std::span<ActionResult> rows, Duration pendingFor);

    Parts parts_;
    std::unordered_map<Lsn, WallMicros> putBack_; ///< of what lives
    OwnerCheck owner_;
};

/// NotFound: neither the session nor the journal has it.
std::unexpected<Error> unknownAction(Lsn lsn);

} // namespace yard::engine
