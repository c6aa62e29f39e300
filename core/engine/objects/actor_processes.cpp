#include "core/engine/objects/actor_processes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <variant>

namespace yard::engine {

namespace {

std::int64_t thousandths(double amount) {
    return std::llround(amount * 1'000);
}

/// A group of its own with one process, and with the resources of the type where it names some.
std::shared_ptr<const WorkerDescriptor> descriptorOf(const ActorProcesses::Order& order) {
    auto own = std::make_shared<WorkerDescriptor>(*order.descriptor);
    own->pool.group = ActorProcesses::groupName(order.name, order.actor);
    own->pool.minProcesses = 0;
    own->pool.maxProcesses = 1;
    own->pool.maxRequests = 0;
    own->pool.maxIdle = Duration::zero();
    own->pool.globalQueue = true;
    own->resources = resourcesOf(order.resources, std::move(own->resources));
    return own;
}

std::string whyEnded(const runners::Ended& ended) {
    const std::string& more = ended.cause == runners::EndCause::SpawnError ? ended.spawn.message : ended.message;
    const std::string_view word = ended.cause == runners::EndCause::SpawnError ? "spawn_error" : "worker_crashed";
    return more.empty() ? std::string(word) : fmt::format("{}: {}", word, more);
}

} // namespace

Resources resourcesOf(const std::vector<std::pair<std::string, double>>& named, Resources worker) {
    for (const auto& [name, amount] : named) {
        if (name == "cores") {
            worker.milliCores = thousandths(amount);
        } else if (name == "memory_mb") {
            worker.memoryMb = std::llround(amount);
        } else {
            std::erase_if(worker.named, [&name](const auto& one) { return one.first == name; });
            worker.named.emplace_back(name, thousandths(amount));
        }
    }
    std::ranges::sort(worker.named);
    return worker;
}

std::string ActorProcesses::groupName(const std::string& name, lifecycle::ActorNumber actor) {
    return fmt::format("{} #{}", name, actor);
}

void ActorProcesses::start(const Order& order) {
    YARD_ASSERT_OWNER(owner_);
    Actor& actor = actors_[order.actor];
    actor.id = fmt::format("{}#{}", order.worker, order.actor);
    // One that is named twice would be held by the actor itself.
    std::vector<std::string> locks = order.locks;
    std::ranges::sort(locks);
    locks.erase(std::ranges::unique(locks).begin(), locks.end());
    actor.group = parts_.add(actor.id, descriptorOf(order), order.worker, std::move(locks));
    runners::WarmCall call;
    call.isStart = true;
    submit(order.actor, actor, std::move(call));
}

void ActorProcesses::ask(lifecycle::ActorNumber number, const std::string& function, std::string members) {
    YARD_ASSERT_OWNER(owner_);
    const auto actor = actors_.find(number);
    if (actor == actors_.end()) return;
    ActionSpec spec;
    spec.function = function;
    runners::WarmCall call;
    call.spec = std::make_shared<const ActionSpec>(std::move(spec));
    call.look = std::move(members);
    submit(number, actor->second, std::move(call));
}

void ActorProcesses::submit(lifecycle::ActorNumber number, Actor& actor, runners::WarmCall call) {
    actor.asked = last_++;
    asked_.emplace(actor.asked, number);
    call.group = actor.group;
    runners::Lease lease;
    lease.id = {.lsn = Lsn(actor.asked), .attempt = 1};
    lease.deadline = Duration::zero(); // the orchestrator's is the one
    lease.warm = std::move(call);
    parts_.submit(std::move(lease));
}

void ActorProcesses::end(lifecycle::ActorNumber number, bool atOnce) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = actors_.find(number);
    if (found == actors_.end()) return;
    const Actor actor = std::move(found->second);
    actors_.erase(found);
    if (actor.asked != 0) {
        asked_.erase(actor.asked);
        if (atOnce) parts_.stop({.lsn = Lsn(actor.asked), .attempt = 1});
    }
    parts_.remove(actor.id);
}

void ActorProcesses::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    for (runners::Update& update : batch) {
        const auto asked = asked_.find(update.id.lsn.value);
        if (asked == asked_.end()) continue;
        const lifecycle::ActorNumber number = asked->second;
        if (std::holds_alternative<runners::Started>(update.what)) {
            told_.began(number);
        } else if (auto* ended = std::get_if<runners::Ended>(&update.what)) {
            asked_.erase(asked);
            take(number, *ended);
        } else if (std::holds_alternative<runners::Returned>(update.what)) {
            end(number, false);
            told_.ended(number, "spawn_error: the pool did not take it");
        }
    }
}

void ActorProcesses::take(lifecycle::ActorNumber number, runners::Ended& ended) {
    const auto found = actors_.find(number);
    if (found == actors_.end()) return;
    Actor& actor = found->second;
    actor.asked = 0;
    if (ended.cause != runners::EndCause::Exited) {
        end(number, false);
        return told_.ended(number, whyEnded(ended));
    }
    if (std::exchange(actor.isReady, true)) return told_.answered(number, std::move(ended.result));
    told_.ready(number);
}

} // namespace yard::engine
