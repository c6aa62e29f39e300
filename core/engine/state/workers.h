// Registered workers: who comes, who goes, and who is meant. One that goes takes no new actions from the moment it
// is asked for; it is gone once nothing of it is live.
//
// Owner: engine thread. Lifetime: after the session, the dictionary and the helpers.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/task.h"
#include "core/engine/state/in_flight_submissions.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/views.h"
#include "core/engine/state/worker_registry.h"
#include "core/session/session.h"
#include "core/store/journal.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace yard::engine {

class Workers {
public:
    using Descriptor = std::shared_ptr<const WorkerDescriptor>;
    struct Parts {
        session::Session& session;
        InternTable& dictionary;
        WorkerRegistry& registry;
        coro::HelperPool& helpers;
        const Settings& settings; ///< in force now
        /// Answered once the journal has it.
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<Result<void>()> mayRun; ///< workers can be kept in their sandbox here
        /// Of one for another platform. Absent: refuseForeign().
        std::function<Result<void>(const WorkerDescriptor&)> mayRunForeign = {};
        std::function<void(const WorkerDescriptor&)> checkFiles; ///< puts damaged ones aside; on a helper
        std::function<coro::Task<Result<void>>(std::string id)> cancelAll;
        /// Returns when the action has ended, or after so long. NotFound: it is gone.
        std::function<coro::Task<Result<void>>(Lsn, Duration)> waitFor;
        std::function<void(const std::string& id, const Descriptor&)> came;
        std::function<void(const std::string& id)> left;
        std::function<void()> changed;
        std::function<MonoTime()> now;
    };
    explicit Workers(Parts parts)
        : parts_(std::move(parts)) {}

    /// Those of the journal in the order of their registration, before anything else. One that cannot be read is
    /// told and left out.
    void restore(const std::vector<store::WorkerRow>& rows);

    coro::Task<Result<void>> add(ParsedWorker worker);
    coro::Task<std::vector<WorkerView>> list();
    /// By id, name (the newest registered) or name@version. NotFound.
    coro::Task<Result<WorkerView>> get(std::string ref);
    /// `force` cancels its actions; without it WrongState where there are some. Busy: their ends take their time.
    coro::Task<Result<void>> remove(std::string ref, bool force);

    /// Takes new actions: it is registered and does not leave. "exec" always does.
    bool takesActions(const std::string& id) const;
    /// What a submission holds while its actions are on their way in.
    InFlightSubmissions& entered() { return entered_; }

private:
    coro::Task<Lsn> firstLiveOf(std::string workerId, Lsn from);
    coro::Task<Result<void>> endAllOf(std::string workerId, std::string name, bool force);

    Parts parts_;
    InFlightSubmissions entered_;
    WallMicros lastRegistered_ = 0; ///< the next is later, also where the clock was set back
    OwnerCheck owner_;
};

/// Invalid: its files were built for another machine than this one.
Result<void> refuseForeign(const WorkerDescriptor& worker);
/// NotFound, of a worker that is not registered.
std::unexpected<Error> unknownWorker(const std::string& ref);

} // namespace yard::engine
