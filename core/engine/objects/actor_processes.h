// Actors as warm processes: each actor is a group of one process in the warm pool, which is started for it, asked one
// thing at a time, and ended with it. It reports what comes of that in the words of the orchestrator.
//
// Owner: engine thread. Lifetime: made before Objects, which it reports to, and before the warm runner; it reaches both
// through functions.
// Invariants: an actor has at most one request out; after end() nothing is reported of it.
#pragma once

#include "core/base/owner.h"
#include "core/lease/runner.h"
#include "core/lifecycle/decisions.h"
#include "core/model/worker.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

/// What a type names, in place of what its worker has of the same names.
Resources resourcesOf(const std::vector<std::pair<std::string, double>>& named, Resources worker);

class ActorProcesses {
public:
    struct Parts {
        std::function<pool::GroupId(const std::string& id, std::shared_ptr<const WorkerDescriptor>,
                                    const std::string& worker, std::vector<std::string> locks)>
            add; ///< WarmRunner::addActor()
        std::function<void(const std::string& id)> remove;
        std::function<void(runners::Lease)> submit;
        std::function<void(runners::AttemptId)> stop; ///< the process that has it ends
    };
    /// Whom it reports to.
    struct Told {
        std::function<void(lifecycle::ActorNumber)> ready;
        std::function<void(lifecycle::ActorNumber)> began; ///< what it was asked has its process
        std::function<void(lifecycle::ActorNumber, std::string answer)> answered;
        std::function<void(lifecycle::ActorNumber, std::string error)> ended;
    };
    struct Order {
        lifecycle::ActorNumber actor = 0;
        std::string worker{}; ///< id of the registered one
        std::shared_ptr<const WorkerDescriptor> descriptor{};
        std::string name{}; ///< of its group in the pool, for people
        std::vector<std::pair<std::string, double>> resources{};
        std::vector<std::string> locks{}; ///< named ones, which it holds while it lives
    };
    explicit ActorProcesses(Parts parts)
        : parts_(std::move(parts)) {}
    void attach(Told told) { told_ = std::move(told); }
    /// What the pool calls the one process of an actor.
    static std::string groupName(const std::string& name, lifecycle::ActorNumber actor);

    void start(const Order& order);
    /// `members`: see runners::WarmCall::look.
    void ask(lifecycle::ActorNumber actor, const std::string& function, std::string members);
    /// `atOnce`: with what it was asked; else it has nothing to do.
    void end(lifecycle::ActorNumber actor, bool atOnce);
    void updates(std::vector<runners::Update> batch);

private:
    struct Actor {
        std::string id{};
        pool::GroupId group{};
        std::int64_t asked = 0; ///< number of the request that is out; 0: none
        bool isReady = false;
    };
    void submit(lifecycle::ActorNumber number, Actor& actor, runners::WarmCall call);
    void take(lifecycle::ActorNumber number, runners::Ended& ended);

    Parts parts_;
    Told told_;
    std::map<lifecycle::ActorNumber, Actor> actors_;
    std::unordered_map<std::int64_t, lifecycle::ActorNumber> asked_; ///< by the number of the request
    std::int64_t last_ = runners::kFirstLookLsn;
    OwnerCheck owner_;
};

} // namespace yard::engine
