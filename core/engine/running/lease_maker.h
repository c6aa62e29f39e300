// What an attempt asks of its runner, made of its spec, its class, its queue, its worker and the settings as they are
// when it is handed over.
//
// Owner: engine thread. Lifetime: after the session, the workers and the values that are never kept. It keeps nothing.
#pragma once

#include "core/base/owner.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/unkept_values.h"
#include "core/engine/state/worker_registry.h"
#include "core/host/gpu.h"
#include "core/lease/runner.h"
#include "core/model/settings.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class LeaseMaker {
public:
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        const WorkerRegistry& workers;
        const UnkeptValues& unkept;
        const Settings& settings;           ///< in force now
        const std::vector<host::Gpu>& gpus; ///< of this machine
        bool isDurable = false;             ///< a power cut loses nothing
        std::function<std::optional<pool::GroupId>(const std::string& worker)> warmGroup;
        std::function<bool(const QueueConfig* config)> isIdlePriority = {}; ///< of what starts in such a queue
    };
    explicit LeaseMaker(Parts parts)
        : parts_(std::move(parts)) {}

    /// An action of a warm worker that has a directory: its io is not inline, or it has inputs or outputs.
    bool needsDirectory(const Attempt& attempt) const;
    /// Of one that needs no directory of its own.
    runners::Lease bare(const Attempt& attempt) const;
    /// Of one that a warm process serves, in the directory it has, if any.
    runners::Lease warm(const Attempt& attempt) const;
    /// Bytes that one in a sandbox of another machine may take, by what that machine tells of it; 0: any. It is ended here,
    /// as at home: nobody there knows what it was given for. As in a sandbox here that is what the command asks for, or its
    /// worker; what its kind is known to take is set aside, and bounds nothing.
    std::int64_t memoryLimitElsewhere(const Attempt& attempt) const;
    /// What every lease says beside its program. Notes in the attempt which variables have no value any more.
    void complete(Attempt& attempt, runners::Lease& lease) const;

private:
    Duration deadlineOf(const Attempt& attempt) const;
    bool isLastTry(const Attempt& attempt) const;
    void addUnkept(Attempt& attempt, runners::Lease& lease) const;
    const ClassKey& classOf(const Attempt& attempt) const { return parts_.dictionary.classKey(attempt.cls.value); }

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
