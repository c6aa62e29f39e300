#include "core/engine/commands/annotating.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

std::vector<Comment> copyOf(const std::vector<Comment>* comments) {
    return comments ? *comments : std::vector<Comment>();
}

} // namespace

/// Those that are there, as runs; the others are told in the answer.
coro::Task<Result<std::vector<store::LsnRun>>> Annotating::known(std::vector<Lsn> lsns, MarkAnswer& answer) {
    const auto states = co_await parts_.journal.states(lsns);
    if (!states) co_return std::unexpected(states.error());
    store::LsnSet there;
    answer.unknown.clear();
    for (std::size_t i = 0; i < lsns.size(); ++i) {
        if ((*states)[i] == ActionState::New)
            answer.unknown.push_back(lsns[i]);
        else
            there.add(lsns[i]);
    }
    answer.marked = there.size();
    co_return there.runs();
}

coro::Task<Result<MarkAnswer>> Annotating::mark(std::vector<Lsn> lsns, Mark mark) {
    YARD_ASSERT_OWNER(owner_);
    std::ranges::sort(lsns);
    const auto guard = co_await mutex_.lock();
    MarkAnswer answer;
    auto runs = co_await known(lsns, answer);
    if (!runs) co_return std::unexpected(runs.error());
    if (runs->empty()) co_return answer;
    if (mark != Mark::None)
        if (auto may = parts_.annotations.mayMark(*runs); !may) co_return std::unexpected(may.error());
    const store::AckDetail done = co_await parts_.commit(store::MarkActions{.runs = *runs, .mark = mark});
    if (done.error) co_return std::unexpected(*done.error);
    for (const store::LsnRun& run : *runs) parts_.annotations.mark(run, mark);
    if (done.marked != answer.marked) { // some were retired before: what goes from now on takes its mark along
        runs = co_await known(std::move(lsns), answer);
        if (!runs) co_return std::unexpected(runs.error());
        for (const Lsn lsn : answer.unknown) parts_.annotations.forget(lsn);
    }
    for (const store::LsnRun& run : *runs)
        for (Lsn lsn = run.first; lsn <= run.last(); ++lsn.value) parts_.changes.noteAnnotated(lsn);
    co_return answer;
}

/// With what the client left out.
Result<void> Annotating::complete(Comment& comment) const {
    if (comment.by.empty()) comment.by = parts_.user;
    comment.t = parts_.now();
    return checkComment(comment);
}

coro::Task<Result<Comment>> Annotating::comment(Lsn lsn, Comment comment) {
    YARD_ASSERT_OWNER(owner_);
    if (auto good = complete(comment); !good) co_return std::unexpected(good.error());
    const auto guard = co_await mutex_.lock();
    if (auto may = parts_.annotations.mayComment(lsn, comment); !may) co_return std::unexpected(may.error());
    const store::AckDetail done =
        co_await parts_.commit(store::AddComment{.lsn = lsn, .queue = {}, .comment = comment});
    if (done.error) co_return std::unexpected(*done.error);
    parts_.annotations.add(lsn, comment);
    parts_.changes.noteAnnotated(lsn);
    co_return comment;
}

coro::Task<Result<Comment>> Annotating::commentQueue(QueueRef ref, Comment comment) {
    YARD_ASSERT_OWNER(owner_);
    if (auto good = complete(comment); !good) co_return std::unexpected(good.error());
    const auto guard = co_await mutex_.lock();
    const Result<QueueId> queue = parts_.queues.existing(ref);
    if (!queue) co_return std::unexpected(queue.error());
    if (auto may = parts_.annotations.mayComment(*queue, comment); !may) co_return std::unexpected(may.error());
    const store::AckDetail done =
        co_await parts_.commit(store::AddComment{.lsn = {}, .queue = *queue, .comment = comment});
    if (done.error) co_return std::unexpected(*done.error);
    if (!parts_.queues.find(*queue)) { // it takes its comments along
        const Result<QueueId> gone = parts_.queues.existing(ref);
        if (!gone) co_return std::unexpected(gone.error());
    }
    parts_.annotations.add(*queue, comment);
    parts_.changes.note(ChangeEntry::Kind::Queue, *queue);
    co_return comment;
}

coro::Task<Result<std::vector<Comment>>> Annotating::comments(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    const auto there = co_await parts_.rows.row(lsn);
    if (!there) co_return std::unexpected(there.error());
    co_return copyOf(parts_.annotations.commentsOf(lsn));
}

coro::Task<Result<std::vector<Comment>>> Annotating::queueComments(QueueRef ref) {
    YARD_ASSERT_OWNER(owner_);
    const Result<QueueId> queue = parts_.queues.existing(ref);
    if (!queue) co_return std::unexpected(queue.error());
    co_return copyOf(parts_.annotations.commentsOf(*queue));
}

} // namespace yard::engine
