// Marks and comments of what is kept, all of them in memory: they are few, and an action without any costs nothing.
// The journal has the same (AnnotationRows).
//
// Owner: engine thread. Lifetime: before the queues and the rows. Invariants: what is here is committed, but for a
// moment in which its action or queue goes; there is never more than the limits of core/model/annotation.h allow.
#pragma once

#include "core/base/owner.h"
#include "core/model/annotation.h"
#include "core/model/filter.h"
#include "core/model/result.h"
#include "core/store/bulk.h"
#include "core/store/rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

namespace yard::engine {

/// Which action has which mark, as runs of LSNs: what was marked together takes little.
class MarkedRuns {
public:
    Mark of(Lsn lsn) const;
    /// None takes them away.
    void set(const store::LsnRun& lsns, Mark mark);
    /// How many of these have a mark.
    std::int64_t within(const store::LsnRun& lsns) const;
    /// How many there are in all.
    std::int64_t count() const { return count_; }
    /// Calls `each(run, mark)` for what is marked from `from` on, at most `most` runs. Where to go on, also when marks
    /// change meanwhile; 0: that was all.
    template<class F>
    Lsn walk(Lsn from, std::size_t most, F each) const {
        auto at = runs_.upper_bound(from.value); // the run may have been joined with one to its left meanwhile
        if (at != runs_.begin() && std::prev(at)->second.last >= from.value) --at;
        for (; at != runs_.end() && most > 0; ++at, --most) {
            const std::int64_t first = std::max(at->first, from.value);
            each(store::LsnRun{Lsn(first), at->second.last - first + 1}, at->second.mark);
        }
        return at == runs_.end() ? Lsn{} : Lsn(at->first);
    }

private:
    struct Rest {
        std::int64_t last;
        Mark mark;
    };
    using Runs = std::map<std::int64_t, Rest>; ///< by the first LSN; they do not overlap
    void cutBefore(std::int64_t lsn);
    Runs::iterator joinedWithNext(Runs::iterator at);

    Runs runs_;
    std::int64_t count_ = 0;
};

class Annotations {
public:
    void restore(const std::vector<store::MarkedRun>& marks, std::vector<store::CommentRow> comments);

    // --- asking
    Mark markOf(Lsn lsn) const { return marks_.of(lsn); }
    /// The oldest first; null: there are none.
    const std::vector<Comment>* commentsOf(Lsn lsn) const;
    const std::vector<Comment>* commentsOf(QueueId queue) const;
    std::optional<CommentSummary> summaryOf(QueueId queue) const;
    /// What the row shows of them.
    void addTo(ActionResult& row) const;
    /// Adds to `into` what a term about marks or comments means among `most` marked runs or comments from `from` on
    /// (a KiB of text counts as one), as FilterTerm::found. Where to go on; 0: that was all, call finish() then.
    Lsn findMeant(const FilterTerm& term, Lsn from, std::size_t most, std::vector<FilterTerm::Range>& into) const;
    static void finish(const FilterTerm& term, std::vector<FilterTerm::Range>& found);

    // --- changing; each when the journal has it
    /// AtLimit, with what to do.
    Result<void> mayMark(const std::vector<store::LsnRun>& lsns) const;
    Result<void> mayComment(Lsn lsn, const Comment& comment) const;
    Result<void> mayComment(QueueId queue, const Comment& comment) const;
    void mark(const store::LsnRun& lsns, Mark mark) { marks_.set(lsns, mark); }
    void add(Lsn lsn, Comment comment);
    void add(QueueId queue, Comment comment);
    /// It is not kept any more.
    void forget(Lsn lsn);
    void forget(QueueId queue);

private:
    using Comments = std::vector<Comment>;
    Result<void> mayAdd(const Comments* there, const Comment& comment) const;
    void count(const Comment& comment);
    void uncount(const Comments& gone);

    MarkedRuns marks_;
    std::map<Lsn, Comments> ofActions_;
    std::map<QueueId, Comments> ofQueues_;
    std::size_t comments_ = 0;     ///< of both together
    std::size_t commentBytes_ = 0; ///< texts and names
    OwnerCheck owner_;
};

} // namespace yard::engine
