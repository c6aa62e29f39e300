// Which live actions a query means, decided from memory alone: for walks over a million of them. What depends on
// the kind of action or on its label is decided once for each.
//
// Owner: engine thread. Lives for one walk; dictionary and queues outlive it, and may grow meanwhile.
#pragma once

#include "core/engine/state/intern_table.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class LiveMatcher {
public:
    struct Parts {
        const InternTable& dictionary;
        /// Names of a queue beside its number: its tag and its token.
        std::function<std::vector<std::string>(QueueId)> queueNames;
        /// Fills in what only the journal's reader or the runner knows, where it is in memory: times and note.
        std::function<void(ActionResult&)> complete;
        /// The wall time of a moment: `retry_at`.
        std::function<WallMicros(MonoTime)> wallOf;
        WallMicros now = 0;
    };
    /// `queue`: the one that the query names, if any.
    LiveMatcher(Parts parts, const ListQuery& query, std::optional<QueueId> queue);

    bool matches(const session::LiveView& live);

private:
    enum class Known : char { No, Yes, NotYet };
    bool stateMatches(const session::LiveView& live) const;
    bool classMatches(session::ClassId cls);
    bool labelMatches(session::LabelId label);
    bool queueMatches(QueueId queue);
    bool restMatches(const session::LiveView& live);

    Parts parts_;
    std::optional<QueueId> queue_;
    std::vector<ActionState> states_;
    bool heldOnly_;
    bool retryOnly_;
    std::string worker_;
    std::optional<std::string> label_;
    std::string text_;
    Filter ofClass_; ///< terms that the kind of action decides
    Filter ofLabel_;
    Filter ofQueue_;
    Filter rest_;
    bool wantsAll_ = false; ///< some term looks at words or times: the whole action is needed
    std::vector<Known> classes_;
    std::vector<Known> labels_;
    std::unordered_map<std::int64_t, bool> queues_;
    ActionResult shown_; ///< of the action in hand
};

} // namespace yard::engine
