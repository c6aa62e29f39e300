// Classes of work as the session knows them: what asks for the same resources, locks and worker is scheduled alike.
// The dictionary numbers them; here they get what they need, and those of a warm worker the gate of its pool.
//
// Owner: engine thread. Lifetime: after the session, the dictionary and the registry.
#pragma once

#include "core/base/owner.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/worker_registry.h"
#include "core/session/session.h"
#include "core/store/journal.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

class WorkClasses {
public:
    /// On which platform programs for another one run, by whatever; the same where they do not.
    using HostOf = std::function<std::string(const std::string& platform)>;
    WorkClasses(session::Session& session, InternTable& dictionary, const WorkerRegistry& workers,
                HostOf hostOf = {})
        : session_(session)
        , dictionary_(dictionary)
        , workers_(workers)
        , hostOf_(std::move(hostOf)) {}

    /// Labels and classes of the journal, under their numbers. Journal: one of them cannot be read.
    Result<void> restore(const std::vector<store::LabelEntry>& labels,
                         const std::vector<store::ClassEntry>& classes);
    /// The number of a class, which the session knows from then on.
    InternTable::Interned intern(const ClassKey& key);
    /// The same with so many MiB of memory, where that ever fits here; else as it is, and so for a warm worker, whose
    /// processes have what it asks for, whoever they serve.
    ClassKey withMemory(ClassKey key, std::int64_t memoryMb);
    /// What such actions usually take, for those that have a deadline: where twice that is shorter, it counts for what a
    /// machine's lifetime has to leave.
    void usually(session::ClassId cls, Duration time);
    /// A worker has come: its classes may be known from before it was removed, and then they were like any other.
    void workerCame(const std::string& worker);
    /// Of a warm worker, by id: no number is given twice. Nothing: it is not registered, or not warm.
    std::optional<session::GateId> gateOf(const std::string& worker);
    /// Of a warm worker: its processes, which hold what it names, may come up here. Invalid: never.
    Result<void> mayBeServed(const ClassKey& key) const;
    /// Nothing: the class asks for no memory.
    std::optional<session::ResourceNeed> memoryNeed(session::ClassId cls) const;
    /// Actions of this worker wait for memory that is not free.
    bool lacksMemory(const std::string& worker) const;

private:
    void define(std::uint32_t cls);
    session::Where whereOf(const ClassKey& key) const;
    Duration longestOf(std::uint32_t cls) const;

    session::Session& session_;
    InternTable& dictionary_;
    const WorkerRegistry& workers_;
    HostOf hostOf_;
    std::unordered_map<std::string, std::uint32_t> gates_;
    std::unordered_map<std::uint32_t, std::int64_t> usual_; ///< by class: twice that, as ClassKey::longestS
    OwnerCheck owner_;
};

} // namespace yard::engine
