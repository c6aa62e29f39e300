#include "core/engine/state/annotations.h"

#include "core/engine/state/lsn_ranges.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace yard::engine {

namespace {

std::size_t sizeOfComment(const Comment& comment) {
    return comment.by.size() + comment.text.size();
}

std::optional<CommentSummary> summaryIn(const std::vector<Comment>* comments) {
    if (!comments) return std::nullopt;
    return CommentSummary{.count = std::ssize(*comments), .last = comments->back()};
}

template<class Key>
const std::vector<Comment>* commentsIn(const std::map<Key, std::vector<Comment>>& all, Key key) {
    const auto found = all.find(key);
    return found == all.end() ? nullptr : &found->second;
}

/// A term that means what has no mark is found by what it does not mean.
bool isFoundByOthers(const FilterTerm& term) {
    return term.key == FilterKey::Mark && meansMark(term, Mark::None);
}

} // namespace

// --- runs

Mark MarkedRuns::of(Lsn lsn) const {
    auto at = runs_.upper_bound(lsn.value);
    if (at == runs_.begin()) return Mark::None;
    --at;
    return lsn.value <= at->second.last ? at->second.mark : Mark::None;
}

/// One that holds `lsn` and what is before it becomes two.
void MarkedRuns::cutBefore(std::int64_t lsn) {
    auto at = runs_.upper_bound(lsn);
    if (at == runs_.begin()) return;
    --at;
    if (at->first == lsn || at->second.last < lsn) return;
    runs_.emplace_hint(std::next(at), lsn, at->second);
    at->second.last = lsn - 1;
}

MarkedRuns::Runs::iterator MarkedRuns::joinedWithNext(Runs::iterator at) {
    const auto next = std::next(at);
    if (next == runs_.end() || next->first != at->second.last + 1 || next->second.mark != at->second.mark)
        return at;
    at->second.last = next->second.last;
    runs_.erase(next);
    return at;
}

void MarkedRuns::set(const store::LsnRun& lsns, Mark mark) {
    const std::int64_t first = lsns.first.value;
    const std::int64_t last = lsns.last().value;
    cutBefore(first);
    cutBefore(last + 1);
    const auto begin = runs_.lower_bound(first);
    const auto end = runs_.upper_bound(last);
    for (auto at = begin; at != end; ++at) count_ -= at->second.last - at->first + 1;
    const auto behind = runs_.erase(begin, end);
    if (mark == Mark::None) return;
    const auto at = joinedWithNext(runs_.emplace_hint(behind, first, Rest{last, mark}));
    if (at != runs_.begin()) joinedWithNext(std::prev(at));
    count_ += lsns.count;
}

std::int64_t MarkedRuns::within(const store::LsnRun& lsns) const {
    const std::int64_t last = lsns.last().value;
    auto at = runs_.upper_bound(lsns.first.value);
    if (at != runs_.begin()) --at;
    std::int64_t marked = 0;
    for (; at != runs_.end() && at->first <= last; ++at) {
        const std::int64_t from = std::max(at->first, lsns.first.value);
        const std::int64_t to = std::min(at->second.last, last);
        marked += std::max<std::int64_t>(0, to - from + 1);
    }
    return marked;
}

// --- asking

void Annotations::restore(const std::vector<store::MarkedRun>& marks, std::vector<store::CommentRow> comments) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::MarkedRun& run : marks) marks_.set(run.lsns, run.mark);
    for (store::CommentRow& row : comments) {
        if (row.lsn.value > 0)
            add(row.lsn, std::move(row.comment));
        else
            add(row.queue, std::move(row.comment));
    }
}

const std::vector<Comment>* Annotations::commentsOf(Lsn lsn) const {
    return commentsIn(ofActions_, lsn);
}

const std::vector<Comment>* Annotations::commentsOf(QueueId queue) const {
    return commentsIn(ofQueues_, queue);
}

std::optional<CommentSummary> Annotations::summaryOf(QueueId queue) const {
    return summaryIn(commentsOf(queue));
}

void Annotations::addTo(ActionResult& row) const {
    YARD_ASSERT_OWNER(owner_);
    row.mark = marks_.of(row.lsn);
    row.comments = summaryIn(commentsOf(row.lsn));
}

Lsn Annotations::findMeant(const FilterTerm& term, Lsn from, std::size_t most,
                           std::vector<FilterTerm::Range>& into) const {
    YARD_ASSERT_OWNER(owner_);
    if (term.key == FilterKey::Mark) {
        const bool byOthers = isFoundByOthers(term);
        return marks_.walk(from, most, [&](const store::LsnRun& run, Mark mark) {
            if (meansMark(term, mark) != byOthers) extend(into, run);
        });
    }
    const std::vector<std::string> patterns = commentPatterns(term);
    auto at = ofActions_.lower_bound(from);
    for (; at != ofActions_.end() && most > 0; ++at) {
        const auto found = std::ranges::find_if(at->second, [&](const Comment& comment) {
            most -= std::min(most, 1 + comment.text.size() / 1024);
            return meansComment(patterns, comment.text);
        });
        if (found != at->second.end()) extend(into, {at->first, 1});
    }
    return at == ofActions_.end() ? Lsn{} : at->first;
}

void Annotations::finish(const FilterTerm& term, std::vector<FilterTerm::Range>& found) {
    if (!isFoundByOthers(term)) return;
    std::vector<FilterTerm::Range> between;
    between.reserve(found.size() + 1);
    double next = 0;
    for (const FilterTerm::Range& other : found) {
        if (other.low > next) between.push_back({next, other.low - 1});
        next = other.high + 1;
    }
    between.push_back({next, std::numeric_limits<double>::infinity()});
    found = std::move(between);
}

// --- changing

Result<void> Annotations::mayMark(const std::vector<store::LsnRun>& lsns) const {
    std::int64_t more = 0;
    for (const store::LsnRun& run : lsns) more += run.count - marks_.within(run);
    if (marks_.count() + more <= kMostMarked) return {};
    return fail(ErrorKind::AtLimit,
                fmt::format("{} actions have a mark, and {} is the most: take it from those that need it no more "
                            "(mark none, with a filter such as mark:grey), or mark fewer.",
                            marks_.count(), kMostMarked));
}

Result<void> Annotations::mayAdd(const Comments* there, const Comment& comment) const {
    if (there && there->size() >= kMostComments)
        return fail(ErrorKind::AtLimit, fmt::format("It has {} comments, and no more fit: write what is new into a "
                                                    "file or ticket that one of them names.",
                                                    kMostComments));
    if (comments_ >= kMostCommentsInAll || commentBytes_ + sizeOfComment(comment) > kMostCommentBytes)
        return fail(ErrorKind::AtLimit,
                    fmt::format("There are {} comments of {} MiB, and no more fit: retire finished actions whose "
                                "comments nobody needs any more (the filter comment:* finds them).",
                                comments_, commentBytes_ >> 20));
    return {};
}

Result<void> Annotations::mayComment(Lsn lsn, const Comment& comment) const {
    return mayAdd(commentsOf(lsn), comment);
}

Result<void> Annotations::mayComment(QueueId queue, const Comment& comment) const {
    return mayAdd(commentsOf(queue), comment);
}

void Annotations::count(const Comment& comment) {
    YARD_ASSERT_OWNER(owner_);
    ++comments_;
    commentBytes_ += sizeOfComment(comment);
}

void Annotations::uncount(const Comments& gone) {
    YARD_ASSERT_OWNER(owner_);
    comments_ -= gone.size();
    for (const Comment& comment : gone) commentBytes_ -= sizeOfComment(comment);
}

void Annotations::add(Lsn lsn, Comment comment) {
    count(comment);
    ofActions_[lsn].push_back(std::move(comment));
}

void Annotations::add(QueueId queue, Comment comment) {
    count(comment);
    ofQueues_[queue].push_back(std::move(comment));
}

void Annotations::forget(Lsn lsn) {
    if (marks_.count() > 0) marks_.set({lsn, 1}, Mark::None);
    const auto gone = ofActions_.find(lsn);
    if (gone == ofActions_.end()) return;
    uncount(gone->second);
    ofActions_.erase(gone);
}

void Annotations::forget(QueueId queue) {
    const auto gone = ofQueues_.find(queue);
    if (gone == ofQueues_.end()) return;
    uncount(gone->second);
    ofQueues_.erase(gone);
}

} // namespace yard::engine
