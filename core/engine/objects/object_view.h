// Objects and types as people and actors see them, and their JSON (docs/objects.md). Values and pure functions; any
// thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/objects/pokes.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/lifecycle/hook_queue.h"
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/type.h"
#include "core/model/result.h"
#include "core/store/object_reads.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

/// An action that a look of an object submitted, under the name that it gave.
struct OwnedActionView {
    std::string name{};
    ActionResult action{};
};

struct ObjectView {
    store::ObjectRow row{};
    std::uint32_t pending = 0; ///< of a look: children that have not ended
    std::string type{};
    std::vector<store::StatusCount> children{};  ///< of one object; not in a list
    std::vector<store::ObjectMoveRow> history{}; ///< likewise
    std::vector<OwnedActionView> actions{};      ///< likewise
    std::vector<Poke> pokes{};                   ///< likewise; the oldest first
    bool isHot = false;                          ///< looked at as often as may be
    bool isReached = true;                       ///< of a wait: it has the status that was waited for
};
struct ObjectList {
    std::vector<ObjectView> rows{};
    std::int64_t cursor = 0; ///< 0: that was all
    bool isBounded = false;  ///< so many match of those that were looked at in its time
};

struct ObjectTypeView {
    std::string name{};
    std::string body{}; ///< the descriptor as it was posted, without white space
    std::vector<store::StatusCount> counts{};
};

struct OrchestratorView {
    struct Actor {
        std::string key{};
        std::string process{};   ///< as the pool calls it
        std::int64_t object = 0; ///< 0: it looks at none now
        WallMicros since = 0;    ///< when it was given that, or was started
        bool isReady = false;
    };
    struct Move {
        std::string from{}; ///< empty: they were made
        std::string to{};
        double perMinute = 0; ///< of the last ten
    };
    struct Type {
        std::string name{};
        std::size_t due = 0;
        unsigned wanted = 0; ///< actors that its queues are worth
        std::vector<Move> moves{};
        std::vector<Actor> actors{};
        std::string why{}; ///< the last actor of it could not be started: what went wrong
    };
    struct Orphan {
        std::int64_t id = 0;
        std::string type{};
        std::string status{};
        std::string_view reason{};
    };
    std::vector<Type> types{};
    std::vector<Orphan> orphans{}; ///< kMostOrphans at most
    std::size_t orphanCount = 0;
    std::size_t objects = 0;
    std::size_t stuck = 0;
    std::size_t outbox = 0;
    std::optional<WallMicros> nextLook{};
    std::vector<lifecycle::HookFigures> hooks{};
    static constexpr std::size_t kMostOrphans = lifecycle::Orphans::kMostShown;
};

/// The members of an object, but for its actions; `history` where there is some.
void writeObject(JsonWriter& writer, const ObjectView& view);
inline constexpr std::size_t kMostActionBytes = std::size_t{512} << 10;
/// Products of the actions of an object are shown as long as all of it has no more bytes than `most`; the newest come first.
void writeActions(JsonWriter& writer, const std::vector<OwnedActionView>& actions,
                  std::size_t most = kMostActionBytes);
void writeHistory(JsonWriter& writer, const std::vector<store::ObjectMoveRow>& history);
void writePokes(JsonWriter& writer, const std::vector<Poke>& pokes);
void writeCounts(JsonWriter& writer, const std::vector<store::StatusCount>& counts);

/// An object as it is posted, or as an effect has it.
struct GivenObject {
    std::string type{};
    std::string fields = "{}";
    std::optional<std::string> key{};
    std::string status{}; ///< empty: the initial one
    WallMicros retryAt = 0;
    std::int64_t parent = 0;
};
/// Invalid names the member.
Result<GivenObject> readGivenObject(JsonView given);
/// One, or a list of at most store::kMostObjects. Malformed, Invalid with the index.
Result<std::vector<GivenObject>> readGivenObjects(std::string_view json, bool& isList);

/// Values of the fields that make the launch key, after `set` (empty: none). Nothing: one of them is missing.
std::optional<std::string> launchKey(const lifecycle::Type& type, std::string_view fields, std::string_view set);
/// The key as people see it: values with a "/" in between.
std::string shownKey(std::string_view key);
/// `set` names a field of the launch key.
bool setsKey(const lifecycle::Type& type, std::string_view set);

/// What an actor is sent, as members for runners::WarmCall::look: with products of actions where all of it has no more
/// bytes than `most` with them, else without any.
std::string tickMembers(const ObjectView& view, const std::optional<ObjectView>& parent, WallMicros now,
                        Duration limit, std::size_t most);
/// `body`: of a `call` effect, in JSON. Nothing: it is none.
std::optional<std::string> callMembers(std::string_view body, std::int64_t object, unsigned attempt);

} // namespace yard::engine
