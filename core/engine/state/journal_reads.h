// What rows, lists, watchers and operations ask the journal. It is answered on the reader thread, which sees every group that was
// acknowledged before; tests answer from memory.
//
// Owner: engine thread asks. Lifetime: before those who ask. A journal that cannot be read, or has too many
// questions already, is an error of the answer.
#pragma once

#include "core/coro/one_shot.h"
#include "core/coro/task.h"
#include "core/store/reader.h"

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace yard::engine {

class JournalReads {
public:
    template<class T>
    using Answer = coro::Task<Result<T>>;
    using IsWanted = std::function<bool(std::string_view)>;
    /// Of pending actions, then of those that ended.
    using TwoPages = std::array<store::Page, 2>;
    struct PagesQuestion {
        store::PageFilter filter; ///< `lookFor`: from now on, not from when its turn comes
        store::PageOrder order = store::PageOrder::OldestFirst;
        int limit = 0;
        Lsn cursor{};
        bool live = false;  ///< asks for pending ones
        bool ended = false; ///< asks for those that ended
    };

    JournalReads() = default;
    virtual ~JournalReads() = default;
    JournalReads(const JournalReads&) = delete;
    JournalReads& operator=(const JournalReads&) = delete;

    virtual Answer<std::optional<ActionResult>> get(Lsn lsn) = 0;
    /// All of these that are known, whole.
    virtual Answer<std::vector<ActionResult>> getAll(std::vector<Lsn> lsns) = 0;
    /// See Reader::rows(). `lookFor`: from now on.
    virtual Answer<store::PartialPage> rows(std::vector<Lsn> lsns, Duration lookFor) = 0;
    /// Pending ones are read first: what ends in between is then seen at least once.
    virtual Answer<TwoPages> pages(PagesQuestion question) = 0;
    /// Of those that ended, the oldest first.
    virtual Answer<store::Page> page(store::PageFilter filter, int limit, Lsn cursor) = 0;
    virtual Answer<store::Reader::Counted> count(store::PageFilter filter, Lsn cursor) = 0;
    virtual Answer<store::Reader::Counted> countKinds(store::PageFilter filter, Lsn cursor) = 0;
    virtual Answer<store::SortKeys> sortKeys(store::PageFilter filter, SortField field, Lsn cursor,
                                             WallMicros now) = 0;
    virtual Answer<store::Reader::Named> pendingNamed(IsWanted isWanted, Lsn behind, Duration lookFor) = 0;
    virtual Answer<store::LsnSet> dependents(Lsn first, Lsn last, int most) = 0;
    /// See Reader::pendingDependents().
    virtual Answer<store::LsnSet> pendingDependents(Lsn parent, int most) = 0;
    virtual Answer<std::vector<ActionState>> states(std::vector<Lsn> lsns) = 0;
    virtual Answer<std::optional<store::Reader::SpecText>> specText(Lsn lsn) = 0;
    virtual Answer<std::vector<ActionResult>> history(int limit, std::optional<QueueId> queue) = 0;
    using ShowUse = std::function<void(const store::ActionUse&)>;
    /// See Reader::uses(). `show` is called on the reader thread, and not after the answer.
    virtual Answer<Lsn> uses(store::UseQuestion question, Lsn cursor, ShowUse show) = 0;
    virtual Answer<store::Reader::Kept> kept() = 0;
    /// See Reader.
    virtual Answer<std::vector<store::WaitUnit>> waitUnits(std::vector<store::LsnRun> runs) = 0;
    virtual Answer<store::ParentEdges> waitParents(std::vector<store::LsnRun> children, Duration lookFor) = 0;
    virtual Answer<store::ChildEdges> waitChildren(std::vector<store::LsnRun> parents, store::WaitPlace from,
                                                   int most, Duration lookFor) = 0;
    virtual Answer<store::WaitsOfQueue> waitsOfQueue(QueueId queue, Lsn below, Duration lookFor) = 0;
    virtual Answer<std::vector<store::WaitName>> waitNames(std::vector<Lsn> lsns, Duration lookFor) = 0;
    virtual Answer<std::vector<store::FoldRow>> folds(std::vector<Lsn> lsns) = 0;
    virtual Answer<store::Reader::FoldRuns> foldRuns(Lsn behind, Duration lookFor) = 0;
};

/// The journal itself.
class JournalReader final : public JournalReads {
public:
    using Post = std::function<Result<void>(store::ReaderThread::Job)>;
    explicit JournalReader(Post post)
        : post_(std::move(post)) {}

    /// Runs `function` on the reader thread.
    template<class F, class R = std::invoke_result_t<F&, store::Reader&>>
    coro::Task<R> ask(F function) {
        coro::OneShot<R> shot("journal read");
        const Result<void> posted =
            post_([promise = shot.promise(), function = std::move(function)](store::Reader& reader) mutable {
                promise.setFrom([&] { return function(reader); });
            });
        if (!posted) co_return std::unexpected(posted.error());
        co_return co_await shot.get();
    }

    Answer<std::optional<ActionResult>> get(Lsn lsn) override;
    Answer<std::vector<ActionResult>> getAll(std::vector<Lsn> lsns) override;
    Answer<store::PartialPage> rows(std::vector<Lsn> lsns, Duration lookFor) override;
    Answer<TwoPages> pages(PagesQuestion question) override;
    Answer<store::Page> page(store::PageFilter filter, int limit, Lsn cursor) override;
    Answer<store::Reader::Counted> count(store::PageFilter filter, Lsn cursor) override;
    Answer<store::Reader::Counted> countKinds(store::PageFilter filter, Lsn cursor) override;
    Answer<store::SortKeys> sortKeys(store::PageFilter filter, SortField field, Lsn cursor,
                                     WallMicros now) override;
    Answer<store::Reader::Named> pendingNamed(IsWanted isWanted, Lsn behind, Duration lookFor) override;
    Answer<store::LsnSet> dependents(Lsn first, Lsn last, int most) override;
    Answer<store::LsnSet> pendingDependents(Lsn parent, int most) override;
    Answer<std::vector<ActionState>> states(std::vector<Lsn> lsns) override;
    Answer<std::optional<store::Reader::SpecText>> specText(Lsn lsn) override;
    Answer<std::vector<ActionResult>> history(int limit, std::optional<QueueId> queue) override;
    Answer<Lsn> uses(store::UseQuestion question, Lsn cursor, ShowUse show) override;
    Answer<store::Reader::Kept> kept() override;
    Answer<std::vector<store::WaitUnit>> waitUnits(std::vector<store::LsnRun> runs) override;
    Answer<store::ParentEdges> waitParents(std::vector<store::LsnRun> children, Duration lookFor) override;
    Answer<store::ChildEdges> waitChildren(std::vector<store::LsnRun> parents, store::WaitPlace from, int most,
                                           Duration lookFor) override;
    Answer<store::WaitsOfQueue> waitsOfQueue(QueueId queue, Lsn below, Duration lookFor) override;
    Answer<std::vector<store::WaitName>> waitNames(std::vector<Lsn> lsns, Duration lookFor) override;
    Answer<std::vector<store::FoldRow>> folds(std::vector<Lsn> lsns) override;
    Answer<store::Reader::FoldRuns> foldRuns(Lsn behind, Duration lookFor) override;

private:
    Post post_;
};

} // namespace yard::engine
