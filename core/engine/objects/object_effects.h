// Carries out effects of committed moves. A create, a submit and a wake go with their row in one commit, or find by their
// key that they were carried out; a call is repeated until its actor says that it was done.
//
// Owner: engine thread; one cooperative thread for each effect on its way. Lifetime: that of Objects, after what Parts
// names. Bounds: lifecycle::Outbox::kMaxOnTheirWay at once; calls that wait for an actor are counted apart.
#pragma once

#include "core/base/owner.h"
#include "core/engine/objects/object_hooks.h"
#include "core/engine/objects/object_io.h"
#include "core/engine/objects/object_troubles.h"
#include "core/engine/objects/object_view.h"
#include "core/engine/objects/owned_actions.h"
#include "core/engine/state/views.h"
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class ObjectEffects {
public:
    struct Parts {
        lifecycle::Orchestrator& orchestrator;
        lifecycle::Outbox& outbox;
        const ObjectIo& io;
        ObjectHooks& hooks;
        ObjectTroubles& troubles;
        OwnedActions& owned;
        std::function<coro::Task<Result<store::ObjectPage>>(store::ObjectQuestion)> page;
        std::function<coro::Task<Result<SubmitAnswer>>(Submission)> submit;
        std::function<bool()> areContained; ///< workers run in sandboxes: no effect of theirs leads out of one
        /// An object is due, as `by` has that effect; called when that is handed to the journal.
        std::function<void(lifecycle::ObjectId object, lifecycle::ObjectId by, WallMicros at)> wake;
        /// In one commit with the effect. Its number; none where the effect was carried out before.
        std::function<coro::Task<Result<std::vector<std::int64_t>>>(GivenObject, store::EffectName)> make;
    };
    explicit ObjectEffects(Parts parts)
        : parts_(std::move(parts)) {}

    void carryOut(lifecycle::CarryOut effect);

    // --- calls
    /// What its actor is asked, as members for runners::WarmCall::look. Nothing: it is over, or waits for its next try.
    std::optional<std::string> beginCall(const lifecycle::EffectKey& key);
    void callEnded(lifecycle::ActorNumber actor, const lifecycle::EffectKey& key,
                   const Result<lifecycle::Answer>& answer);
    /// Nobody takes those of the type: they do not stand in the way of others, and are tried again later.
    void failCalls(lifecycle::TypeNumber number);

private:
    coro::Task<void> makeObject(lifecycle::CarryOut effect);
    coro::Task<void> submitAction(lifecycle::CarryOut effect);
    coro::Task<void> wakeOthers(lifecycle::CarryOut effect);
    coro::Task<void> dropEffect(lifecycle::EffectKey key);
    coro::Task<Result<std::vector<std::int64_t>>> idsToWake(const lifecycle::CarryOut& effect);
    void failed(const lifecycle::CarryOut& effect, const std::string& why);
    void notMade(const lifecycle::CarryOut& effect, const Error& error);
    void succeeded(const lifecycle::CarryOut& effect);

    Parts parts_;
    std::map<lifecycle::EffectKey, lifecycle::CarryOut> calls_{}; ///< that wait for an actor, or for its answer
    OwnerCheck owner_;
};

} // namespace yard::engine
