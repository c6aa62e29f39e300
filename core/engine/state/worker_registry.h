// The registered workers: by id, by name@version, by name. Answers who implements what an action asks for.
// Owner: engine thread. Descriptors are immutable and shared.
#pragma once

#include "core/base/error.h"
#include "core/model/class_key.h"
#include "core/model/worker.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct RegisteredWorker {
    std::string id; ///< 64 hex digits
    std::string canonical;
    std::shared_ptr<const WorkerDescriptor> descriptor;
    std::uint64_t order = 0; ///< registrations counted: the newest of a name is the one a bare name means
    bool leaving = false;    ///< being removed: takes no new actions
};

/// Why actions of it run on this engine's own machine alone, for people: "Worker \"x\" …", without a stop at its end; empty:
/// machines that take workers run them, too.
std::string whyNotElsewhere(const RegisteredWorker& worker);

class WorkerRegistry {
public:
    /// Adds it, or makes it the newest of its name again when it is there.
    void add(RegisteredWorker worker);
    void remove(std::string_view id);
    void setLeaving(std::string_view id, bool leaving);
    /// By id, name@version or name (the newest registered). Null when there is none.
    const RegisteredWorker* find(std::string_view ref) const;
    std::vector<const RegisteredWorker*> all() const;
    /// The class of an action: its worker must be known and implement its function. `machines`: where what does not
    /// say it runs, as its queue has it. Invalid names the member; WrongState: the worker is leaving.
    Result<ClassKey> resolve(const ActionSpec& spec, const std::vector<std::string>& machines = {}) const;

private:
    std::map<std::string, RegisteredWorker, std::less<>> byId_;                       ///< nodes stay where they are
    std::map<std::string, std::vector<const RegisteredWorker*>, std::less<>> byName_; ///< in order of registration
    std::uint64_t nextOrder_ = 1;
};

} // namespace yard::engine
