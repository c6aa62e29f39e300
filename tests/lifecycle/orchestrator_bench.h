// An orchestrator with one type, and its decisions as lines.
#pragma once

#include "core/lifecycle/orchestrator.h"
#include "tests/lifecycle/types.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace yard::lifecycle::test {

inline constexpr WallMicros kSecond = 1'000'000;

/// Decisions of one kind.
template<class Kind>
std::vector<Kind> allOf(const std::vector<Decision>& decisions) {
    std::vector<Kind> found;
    for (const Decision& decision : decisions)
        if (const auto* one = std::get_if<Kind>(&decision)) found.push_back(*one);
    return found;
}

inline std::string line(const Decision& decision) {
    if (const auto* start = std::get_if<StartActor>(&decision))
        return fmt::format("start {} '{}'", start->actor, start->key);
    if (const auto* claim = std::get_if<Claim>(&decision)) return fmt::format("claim {}", claim->id.value);
    if (const auto* tick = std::get_if<SendTick>(&decision))
        return fmt::format("tick {} {}", tick->actor, tick->seen.id.value);
    if (const auto* call = std::get_if<SendCall>(&decision))
        return fmt::format("call {} {}", call->actor, call->effect.text());
    if (const auto* write = std::get_if<Write>(&decision))
        return fmt::format("write {} {}>{}", write->id.value, write->from, write->to);
    if (const auto* end = std::get_if<EndActor>(&decision)) return fmt::format("end {}", end->actor);
    if (const auto* orphan = std::get_if<WarnOrphan>(&decision))
        return fmt::format("orphan {} {}", orphan->object.value, name(orphan->why));
    return "idle";
}
inline std::string lines(const std::vector<Decision>& decisions) {
    std::string all;
    for (const Decision& decision : decisions) all += (all.empty() ? "" : ", ") + line(decision);
    return all;
}

/// What is written is committed when a test says so, with commit().
class OrchestratorBench {
protected:
    std::optional<Orchestrator> orchestrator_;
    TypeNumber type_ = 0;
    WallMicros now_ = 0;
    std::int64_t last_ = 0;
    std::int64_t parentOfNext_ = 0;

    void use(const std::string& actor = R"("max_actors": 4, "max_per_key": 1)") {
        orchestrator_.emplace();
        now_ = 1'000 * kSecond;
        last_ = parentOfNext_ = 0;
        type_ = *orchestrator_->putType(yard::test::parsed(yard::test::snapshotJson(actor)), now_);
    }
    std::int64_t add(const std::string& persona = "anna", const char* status = "queued", WallMicros in = 0) {
        Object object;
        object.id = ObjectId(++last_);
        object.parent = ObjectId(parentOfNext_);
        object.type = type_;
        object.status = *orchestrator_->type(type_).find(status);
        object.key = persona.empty() ? 0 : orchestrator_->keyNumber(type_, persona);
        object.retryAt = orchestrator_->type(type_).isFinal(object.status) ? 0 : now_ + in;
        orchestrator_->add(object);
        return last_;
    }
    std::vector<Decision> decided() {
        orchestrator_->pass(now_);
        return orchestrator_->take();
    }
    std::string pass() { return lines(decided()); }
    /// Everything that is written is committed at once and answered.
    void commit(const std::vector<Decision>& decisions) {
        for (const Decision& decision : decisions) {
            if (const auto* claim = std::get_if<Claim>(&decision)) orchestrator_->claimed(*claim, true, now_);
            if (const auto* write = std::get_if<Write>(&decision)) orchestrator_->written(*write, true, now_);
        }
    }
    /// Starts an actor for what is due, and has it claim its first object.
    std::string begin() {
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        commit(decided());
        return lines(orchestrator_->take());
    }
    void answer(ActorNumber actor, const Answer& answer) {
        orchestrator_->answered(actor, answer, now_);
        commit(orchestrator_->take());
    }
    std::string statusOf(std::int64_t id) const {
        const Object* object = orchestrator_->find(ObjectId(id));
        return orchestrator_->type(type_).states[object->status].name;
    }
    std::int64_t dueIn(std::int64_t id) const { return orchestrator_->find(ObjectId(id))->retryAt - now_; }
};

} // namespace yard::lifecycle::test
