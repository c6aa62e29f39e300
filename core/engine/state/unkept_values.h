// Values of variables that the journal must not hold (setting env_never_kept), by action: in memory only, so the
// next engine has none of them. Equal sets, as of one shell that submits a thousand actions, are held once.
//
// Owner: engine thread. Bound: kMostBytes. Where it is reached those of failed and abandoned actions go, the oldest
// first, kept only in case somebody runs them again; what does not fit then is refused.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/states.h"
#include "core/model/unkept_env.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace yard::engine {

class UnkeptValues {
public:
    static constexpr std::size_t kMostBytes = 16u << 20;
    explicit UnkeptValues(std::size_t mostBytes = kMostBytes)
        : mostBytes_(mostBytes) {}

    /// Of `count` actions from `first` on. Busy when there is no room.
    Result<void> put(Lsn first, std::int64_t count, Variables values);
    /// They were not accepted.
    void drop(Lsn first);
    /// Null: there were none, or they are gone.
    const Variables* find(Lsn lsn) const;
    /// An action has ended for good; it may be run again.
    void ended(Lsn lsn, ActionState state);
    std::size_t bytes() const { return bytes_; }
    std::size_t size() const { return sets_.size(); }
    std::size_t limit() const { return mostBytes_; }

private:
    struct Set {
        std::size_t users = 0;
        std::size_t bytes = 0;
    };
    using Sets = std::map<Variables, Set>;
    struct Entry {
        std::int64_t count = 1;
        std::int64_t active = 1; ///< have not ended
        bool mayComeBack = false;
        Sets::iterator set;
    };
    using Entries = std::map<Lsn, Entry>;

    Entries::iterator entryOf(Lsn lsn);
    void erase(Entries::iterator entry);
    void makeRoomFor(std::size_t bytes);

    const std::size_t mostBytes_;
    std::size_t bytes_ = 0;
    Sets sets_;
    Entries entries_;       ///< by the first LSN
    std::deque<Lsn> ended_; ///< entries that may come back, in the order of their ends; some are gone
};

} // namespace yard::engine
