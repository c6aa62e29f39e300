// Hooks: what a change tells to programs and plugins, under which name and with which JSON. Values and pure functions;
// any thread.
//
// The names are those of the specification without its "on_". A name is made of parts: "transition", the type, "from",
// a state, "to", a state, "start". A pattern has "*" in place of a part.
#pragma once

#include "core/lifecycle/object.h"
#include "core/lifecycle/transition.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::lifecycle {

enum class HookPoint : std::uint8_t {
    OrchestratorStartup,
    OrchestratorTickStarted, ///< a pass begins
    OrchestratorIdle,
    OrchestratorShutdown,
    ActorStartup, ///< its process has come up
    ActorTickStart,
    ActorTickEnd,
    ActorTickException,
    ActorShutdown,
    Init,  ///< somebody wants an object
    Clean, ///< is asked: may refuse, or change fields
    Save,  ///< before each commit of an object
    Created,
    Updated,
    Deleted,
    TransitionStart, ///< before its commit
    TransitionEnd,   ///< after it
    EffectStarted,
    EffectSucceeded,
    EffectFailed
};
inline constexpr std::size_t kHookPoints = 20;
using HookPoints = std::bitset<kHookPoints>;

/// An object as a hook sees it.
struct HookObject {
    ObjectId id{}; ///< 0: it is not made yet
    std::string status{};
    std::string fields{}; ///< JSON; empty: not at hand
    std::optional<std::string> key{};
    ObjectId parent{};
    WallMicros retryAt = 0;
    Revision revision = 0;
    unsigned retries = 0;
};

/// One thing that happened. What does not apply is empty.
struct HookEvent {
    HookPoint point = HookPoint::OrchestratorStartup;
    std::string type{};
    std::optional<HookObject> object{};
    std::string actor{};
    std::string from{};
    std::string to{};
    std::string error{};
    std::string effect{};
};

/// "transition_page_from_queued_to_started_end".
std::string hookName(const HookEvent& event);
/// {"hook","type","object","actor","from","to","error","effect"} with what applies.
std::string hookJson(const HookEvent& event);

class HookPattern {
public:
    /// Invalid: no hook could ever have that name.
    static Result<HookPattern> parse(std::string_view text);
    bool matches(const HookEvent& event) const;
    /// Those that it may match.
    HookPoints points() const { return points_; }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    HookPoints points_;
};

/// What a write of an object tells, in this order: before its commit, and after it where it swapped. `object` is as it
/// is before, but for its fields, which are those of the write.
std::vector<HookEvent> hooksBefore(const Type& type, const Write& write, const HookObject& object,
                                   const std::string& actor);
std::vector<HookEvent> hooksAfter(const Type& type, const Write& write, HookObject object,
                                  const std::string& actor);

/// What a program said to Clean: nothing, or fields that replace those that were given: {"fields": {…}}, or these alone.
/// Malformed.
Result<std::string> cleanedFields(const Type& type, std::string_view said);

} // namespace yard::lifecycle
