// Deletes objects that ended `keep_days` of their type ago, and of which nothing goes on: no effect, no action, no child,
// no move by hand. Looks once an hour; the first time a minute after a version of the type begins.
//
// Owner: engine thread; one cooperative thread, run(). Lifetime: that of Objects. Bounds: kDroppedAtOnce objects in one
// commit, with a pause between two. What the journal refuses is tried again in an hour.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/lifecycle/orchestrator.h"
#include "core/store/object_reads.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::engine {

class ObjectRetention {
public:
    struct Parts {
        const lifecycle::Orchestrator& orchestrator;
        /// The number of a type in the journal; nothing: the type is being changed.
        std::function<std::optional<std::int64_t>(lifecycle::TypeNumber)> steadyType;
        std::function<coro::Task<Result<store::ObjectPage>>(store::ObjectQuestion)> page;
        /// How many there were.
        std::function<coro::Task<Result<std::int64_t>>(std::vector<std::int64_t>)> remove;
        /// Objects with actions that have not ended.
        std::function<std::unordered_set<std::int64_t>()> owners;
        /// An effect of it, or a move of it by hand, is on its way.
        std::function<bool(lifecycle::ObjectId)> isChanging;
        std::function<WallMicros()> now; ///< never runs backwards
    };
    explicit ObjectRetention(Parts parts)
        : parts_(std::move(parts)) {}

    /// A version of the type begins at `now`.
    void begin(lifecycle::TypeNumber number, WallMicros now);
    coro::Task<void> run();
    /// Nothing more is deleted.
    void stop() { isStopped_ = true; }

private:
    std::optional<WallMicros> next() const;
    bool mayDropOld(lifecycle::TypeNumber number) const;
    coro::Task<void> dropOld(lifecycle::TypeNumber number);
    std::vector<std::int64_t> droppable(const std::vector<store::ObjectRow>& rows) const;

    Parts parts_;
    std::vector<WallMicros> at_; ///< next look of each type; 0: none
    coro::Event changed_;        ///< a type is another one
    bool isStopped_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
