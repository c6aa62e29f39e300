// Session::views(): live actions, queues and locks as others see them, and how many of them there are. Changes nothing.
// Owner: engine thread. Lives as long as the session, above the attempts.
#pragma once

#include "core/session/attempts.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"
#include "core/session/views.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace yard::session {

class LiveViews {
public:
    LiveViews(const Ledger& ledger, const ServiceState& service, const Timers& timers, const Attempts& attempts)
        : ledger_(ledger)
        , records_(ledger.records())
        , service_(service)
        , timers_(timers)
        , attempts_(attempts) {}

    /// One whose end is kept is not live, whatever a runner has of it still.
    std::optional<LiveView> live(Lsn lsn) const;
    /// Which pieces its attempt has of what is told apart on this machine.
    GivenResources givenTo(Lsn lsn) const;
    /// Shows live actions from `from` on in the order of their LSNs, at most `most`. Returns the LSN to go on with;
    /// 0: that was all.
    Lsn walk(Lsn from, int most, const std::function<void(const LiveView&)>& show) const;
    /// Submitting and running ones, oldest start first is not promised; at most maxOutstanding.
    std::vector<Lsn> running() const;
    std::optional<QueueStatus> queue(QueueId id) const;
    SessionCounts counts() const;
    std::vector<LockElsewhere> locksElsewhere() const;
    /// Locks held by actions of ours.
    std::size_t locksHeld() const;
    /// Locks, held here or elsewhere, for which something waits that would start but for them.
    std::size_t locksWaitedFor() const;

private:
    LiveView viewOf(std::uint32_t record) const;

    const Ledger& ledger_;
    const Records& records_;
    const ServiceState& service_;
    const Timers& timers_;
    const Attempts& attempts_;
};

} // namespace yard::session
