// Remembers the ends of actions that a submission under way waits for: the journal may accept the submission while
// its predecessor is pending, and the predecessor be gone from the session before the submission enters it. Owner:
// engine thread.
#pragma once

#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/model/states.h"
#include "core/store/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class PredecessorWatch {
public:
    /// Watches from its making to its end; does not outlive the watch.
    class Scope {
    public:
        explicit Scope(PredecessorWatch& watch)
            : watch_(watch) {}
        ~Scope() {
            for (const Lsn lsn : lsns_)
                if (const auto at = watch_.ends_.find(lsn); --at->second.users == 0) watch_.ends_.erase(at);
            for (const Lsn array : arrays_)
                if (const auto at = watch_.arrays_.find(array); --at->second.users == 0) watch_.arrays_.erase(at);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        void add(const std::vector<store::Edge>& edges) {
            YARD_ASSERT_OWNER(watch_.owner_);
            for (const store::Edge& edge : edges) {
                if (edge.count > 0) {
                    Array& array = watch_.arrays_[edge.lsn];
                    ++array.users;
                    array.count = edge.count;
                    arrays_.push_back(edge.lsn);
                } else {
                    ++watch_.ends_[edge.lsn].users;
                    lsns_.push_back(edge.lsn);
                }
            }
        }

    private:
        PredecessorWatch& watch_;
        std::vector<Lsn> lsns_;
        std::vector<Lsn> arrays_;
    };

    /// How elements of a watched array ended otherwise than completed; one of them may run again since.
    using Ends = std::map<Lsn, ActionState>;

    /// The end of this action is stored.
    void ended(Lsn lsn, ActionState state) {
        YARD_ASSERT_OWNER(owner_);
        if (const auto at = ends_.find(lsn); at != ends_.end()) at->second.state = state;
        auto array = arrays_.upper_bound(lsn);
        if (array == arrays_.begin()) return;
        --array;
        if (lsn.value < array->first.value + array->second.count) note(array->second, lsn, state);
    }
    /// That an element of a watched array had ended, from the journal; what ended since then is known better.
    void hadEnded(Lsn array, Lsn lsn, ActionState state) {
        if (const auto at = arrays_.find(array);
            at != arrays_.end() && at->second.ends.size() < store::kMostOtherwise)
            at->second.ends.try_emplace(lsn, state);
    }
    /// Of an array that is watched; else null.
    const Ends* endsOf(Lsn array) const {
        const auto at = arrays_.find(array);
        return at == arrays_.end() ? nullptr : &at->second.ends;
    }
    /// How a watched one ended meanwhile.
    std::optional<ActionState> endOf(Lsn lsn) const {
        const auto at = ends_.find(lsn);
        return at == ends_.end() ? std::nullopt : at->second.state;
    }

private:
    struct Entry {
        int users = 0;
        std::optional<ActionState> state;
    };
    struct Array {
        int users = 0;
        std::int64_t count = 0;
        Ends ends;
    };
    static void note(Array& array, Lsn lsn, ActionState state) {
        if (state == ActionState::Completed)
            array.ends.erase(lsn);
        else if (array.ends.size() < store::kMostOtherwise)
            array.ends.insert_or_assign(lsn, state);
    }
    std::unordered_map<Lsn, Entry> ends_;
    std::map<Lsn, Array> arrays_; ///< by the first element
    OwnerCheck owner_;
};

} // namespace yard::engine
