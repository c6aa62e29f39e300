// Session::actions(): what people ask of one live action: to end it, to hold it, to move it. Owner: engine thread.
// Lives as long as the session, above the ends.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/session/attempts.h"
#include "core/session/dependencies.h"
#include "core/session/ends.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/queue_commands.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace yard::session {

class ActionCommands {
public:
    /// The parts that a command changes.
    struct Parts {
        Ledger& ledger;
        Timers& timers;
        Dependencies& dependencies;
        Entrance& entrance;
        Attempts& attempts;
        Ends& ends;
    };
    /// `queues` says whether one takes an action.
    ActionCommands(const Parts& parts, const ServiceState& service, const QueueCommands& queues)
        : parts_(parts)
        , records_(parts.ledger.records())
        , lanes_(parts.ledger.lanes())
        , service_(service)
        , queues_(queues) {}

    /// Pending: Finish without an attempt. Leased ahead: TakeBack first. Running: Stop; its end is Cancelled
    /// whatever it says. NotFound, or WrongState when it has ended. Asking twice is fine.
    Result<void> cancel(Lsn lsn, Outbox& out);
    /// The same in two parts, for many: from now on it does not start. True: finishCancelled() must follow, and
    /// gives it its Finish; false: nothing more is to be done.
    Result<bool> cancelLater(Lsn lsn, Outbox& out);
    void finishCancelled(Lsn lsn, Outbox& out);
    /// WrongState unless pending. A lease ahead is taken back.
    Result<void> hold(Lsn lsn, Outbox& out);
    Result<void> release(Lsn lsn);
    /// WrongState unless pending and not handed to a runner. setQueue also as QueueCommands::accepts().
    Result<void> setPriority(Lsn lsn, int priority);
    Result<void> setQueue(Lsn lsn, QueueId queue);
    /// To another place within its priority (PlaceCommands::plan). False: it is not pending any more, or is being
    /// cancelled; it is left as it is.
    bool setPlace(Lsn lsn, const PlaceKey& to);

    /// What cancel(), hold(), and setPriority() or setQueue() would answer; nothing changes.
    Result<void> mayCancel(Lsn lsn) const;
    Result<void> mayHold(Lsn lsn) const;
    Result<void> mayMove(Lsn lsn) const;

private:
    Result<std::uint32_t> findMovable(Lsn lsn) const;
    void move(std::uint32_t from, std::uint32_t queue, int priority);
    void liveOn(std::uint32_t from, std::uint32_t queue, int priority, std::optional<PlaceKey> place);

    Parts parts_;
    Records& records_;
    Lanes& lanes_;
    const ServiceState& service_;
    const QueueCommands& queues_;
    OwnerCheck owner_;
};

} // namespace yard::session
