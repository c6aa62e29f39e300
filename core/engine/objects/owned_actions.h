// Actions that objects submitted: whose each one is, and the wake of its object once it has ended.
//
// Owner: engine thread; one cooperative thread while a commit of ends is on its way. Lifetime: that of Objects. Bounds:
// one entry for each owned action that has not ended, or whose object is not woken yet; a commit takes store::kMostObjects
// of those. Where the journal refuses such a commit, the next start wakes the objects again.
#pragma once

#include "core/base/owner.h"
#include "core/engine/objects/object_io.h"
#include "core/engine/objects/object_view.h"
#include "core/store/object_reads.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::engine {

class OwnedActions {
public:
    struct Parts {
        const ObjectIo& io;
        std::function<coro::Task<Result<ActionResult>>(Lsn)> action;
        /// An object is due, as that action ended; called when that is handed to the journal.
        std::function<void(std::int64_t object, Lsn ended, WallMicros at)> wake;
    };
    explicit OwnedActions(Parts parts)
        : parts_(std::move(parts)) {}

    /// Objects whose action ended while no engine told them are woken by tellEnds().
    void restore(std::span<const store::OwnedAction> actions);
    void add(Lsn lsn, std::int64_t object);
    /// The object that an action which has not ended belongs to; 0: to none.
    std::int64_t ownerOf(Lsn lsn) const;
    /// Objects with actions that have not ended.
    std::unordered_set<std::int64_t> owners() const;
    /// The journal has the end of an action: its object, where it belongs to one, is due now.
    void ended(Lsn lsn);
    /// Wakes the objects of those that ended: many in one commit, and one commit at a time.
    void tellEnds();
    /// No end is told any more; the next start finds them.
    void stop() { isStopped_ = true; }
    /// Those that are not known any more are left out. One that cannot be read now is an error: to a look it would seem
    /// never to have been submitted.
    coro::Task<Result<std::vector<OwnedActionView>>> views(std::vector<std::pair<std::string, Lsn>> named);

private:
    coro::Task<void> commitEnds(PostedObjects posted);

    Parts parts_;
    std::map<Lsn, std::int64_t> owned_{};               ///< actions that have not ended, and whose they are
    std::vector<std::pair<Lsn, std::int64_t>> ended_{}; ///< and whose they were: their objects are not woken yet
    bool isTellingEnds_ = false;                        ///< a commit of some is on its way
    bool isStopped_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
