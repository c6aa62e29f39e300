// What hooks are told of objects, their actors and effects, and what hooks are asked before something is made or
// changed. Without hooks nothing is made ready for them.
//
// Owner: engine thread. Lifetime: that of Objects, after the orchestrator; `hooks` outlives it. Bounds: those of Hooks;
// one request is asked about for kCleanedWithin.
#pragma once

#include "core/base/owner.h"
#include "core/engine/objects/hooks.h"
#include "core/engine/objects/object_actor.h"
#include "core/engine/objects/object_view.h"
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"
#include "core/store/object_operations.h"
#include "core/store/object_reads.h"

#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

class ObjectHooks {
public:
    /// Hooks may be asked about one request so long, however many objects it has.
    static constexpr Duration kCleanedWithin = std::chrono::seconds(30);
    /// What hooks see of a write beside it.
    struct View {
        lifecycle::TypeNumber type = 0;
        lifecycle::HookObject object{};
        std::string actor{}; ///< empty: it has ended, and its hooks have run
    };

    /// `hooks` null: there are none.
    ObjectHooks(const lifecycle::Orchestrator& orchestrator, Hooks* hooks)
        : orchestrator_(orchestrator)
        , hooks_(hooks) {}

    bool wants(lifecycle::HookPoint point) const { return hooks_ && hooks_->wants(point); }
    void fire(lifecycle::HookPoint point) const;
    /// An actor that ends while it looks has the look fail with it.
    void fireActor(lifecycle::HookPoint point, lifecycle::ActorNumber number, const ObjectActor& actor,
                   std::string error = {}) const;
    void fireLook(lifecycle::HookPoint point, lifecycle::ActorNumber number, const ObjectActor& actor,
                  std::string error = {}) const;
    void fireEffect(lifecycle::HookPoint point, const lifecycle::CarryOut& effect, std::string error = {}) const;
    void fireNew(lifecycle::HookPoint point, lifecycle::TypeNumber type, const store::NewObject& made) const;
    void fireDeleted(const lifecycle::Object& object) const;

    /// Some hook wants to know of moves and changes.
    bool tellsWrites() const;
    /// Tells hooks that a write is on its way to the journal. Nothing: no hook wants to know.
    std::optional<View> tellBefore(const lifecycle::Write& write, const lifecycle::Object& object,
                                   const ObjectMoveNote& note) const;
    void tellAfter(const lifecycle::Write& write, bool ok, const View& view) const;

    /// With the fields that hooks make of what is given. Errors: as Hooks::clean().
    coro::Task<Result<GivenObject>> cleaned(GivenObject given);
    /// All of a request, within kCleanedWithin; an error's index is that of the object. NotAccepting: they took longer.
    coro::Task<Result<std::vector<GivenObject>>> allCleaned(std::vector<GivenObject> given);
    /// What is set, as hooks make it.
    coro::Task<Result<std::string>> cleanedSet(lifecycle::Type type, store::ObjectRow before, std::string set);

    /// As the history names it.
    std::string actorName(lifecycle::ActorNumber number, lifecycle::TypeNumber type) const;

private:
    void fire(const lifecycle::HookEvent& event) const;
    coro::Task<Result<std::vector<GivenObject>>> cleanedInTurn(std::vector<GivenObject> given);

    const lifecycle::Orchestrator& orchestrator_;
    Hooks* hooks_;
    OwnerCheck owner_;
};

} // namespace yard::engine
