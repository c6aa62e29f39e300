// Remembers the ends of actions that a submission under way waits for: the journal may accept the submission while
// its predecessor is pending, and the predecessor be gone from the session before the submission enters it. Owner:
// engine thread.
#pragma once

#include "core/base/ids.h"
#include "core/model/states.h"
#include "core/store/rows.h"

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
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        void add(const std::vector<store::Edge>& edges) {
            for (const store::Edge& edge : edges) {
                ++watch_.ends_[edge.lsn].users;
                lsns_.push_back(edge.lsn);
            }
        }

    private:
        PredecessorWatch& watch_;
        std::vector<Lsn> lsns_;
    };

    /// The end of this action is stored.
    void ended(Lsn lsn, ActionState state) {
        if (ends_.empty()) return;
        if (const auto at = ends_.find(lsn); at != ends_.end()) at->second.state = state;
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
    std::unordered_map<Lsn, Entry> ends_;
};

} // namespace yard::engine
