// A journal in memory, for services that read it: rows are what a test puts there.
#pragma once

#include "core/engine/state/journal_reads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace yard::engine::test {

class MemoryJournal final : public JournalReads {
public:
    std::map<Lsn, ActionResult> pending;
    std::map<Lsn, ActionResult> ended;
    std::map<Lsn, store::LsnSet> children; ///< by what they wait for
    std::map<Lsn, store::Reader::SpecText> specs;
    std::vector<store::FoldRow> foldRows; ///< by their LSNs
    std::optional<Error> error;           ///< it cannot be read
    int perRead = 1'000;                  ///< rows that one answer looks at
    int reads = 0;
    std::function<store::LabelNumber(std::string_view)> labelNumber = [](std::string_view) { return 0u; };
    std::function<void()> whileReading; ///< once, after the next answer is made and before it is given

    void add(ActionResult row) { (isEnded(row.state) ? ended : pending)[row.lsn] = std::move(row); }
    void end(Lsn lsn, ActionState state) {
        ActionResult row = pending.at(lsn);
        pending.erase(lsn);
        row.state = state;
        ended[lsn] = std::move(row);
    }

    Answer<std::optional<ActionResult>> get(Lsn lsn) override { return give(known(lsn)); }
    Answer<std::vector<ActionResult>> getAll(std::vector<Lsn> lsns) override {
        std::vector<ActionResult> found;
        for (const Lsn lsn : lsns)
            if (auto row = known(lsn)) found.push_back(std::move(*row));
        return give(std::move(found));
    }
    Answer<store::PartialPage> rows(std::vector<Lsn> lsns, Duration /*lookFor*/) override {
        store::PartialPage some;
        for (const Lsn lsn : lsns | std::views::take(perRead)) {
            ++some.looked;
            if (auto row = known(lsn)) some.rows.push_back(withoutAttempts(std::move(*row)));
        }
        return give(std::move(some));
    }
    Answer<TwoPages> pages(PagesQuestion question) override {
        TwoPages pages;
        if (question.live) {
            question.filter.numbers = {};
            question.filter.states = {};
            pages[0] = pageOf(pending, question);
        }
        if (question.ended) pages[1] = pageOf(ended, question);
        return give(std::move(pages));
    }
    Answer<store::Page> page(store::PageFilter filter, int limit, Lsn cursor) override {
        return give(pageOf(ended, {.filter = std::move(filter), .limit = limit, .cursor = cursor}));
    }
    Answer<store::Reader::Counted> count(store::PageFilter filter, Lsn cursor) override {
        const store::Page page = pageOf(ended, {.filter = std::move(filter), .limit = perRead, .cursor = cursor});
        return give(store::Reader::Counted{.count = std::ssize(page.rows), .cursor = page.cursor});
    }
    Answer<store::Reader::Counted> countKinds(store::PageFilter filter, Lsn cursor) override {
        const bool wantsMachines = filter.wantsMachines;
        const store::Page page = pageOf(ended, {.filter = std::move(filter), .limit = perRead, .cursor = cursor});
        store::Reader::Counted counted{.count = std::ssize(page.rows), .cursor = page.cursor};
        for (const ActionResult& row : page.rows)
            counted.kinds.push_back({{.state = row.state,
                                      .reason = row.outcome ? row.outcome->reason : Reason::None,
                                      .queue = row.queue,
                                      .classNumber = row.classNumber,
                                      .label = labelNumber(row.label),
                                      .wasStarted = row.times[ActionState::Submitting] != 0,
                                      .machine = wantsMachines && row.outcome ? row.outcome->machine : ""},
                                     1});
        return give(std::move(counted));
    }
    Answer<store::SortKeys> sortKeys(store::PageFilter filter, SortField field, Lsn cursor,
                                     WallMicros now) override {
        const store::Page page = pageOf(ended, {.filter = std::move(filter), .limit = perRead, .cursor = cursor});
        store::SortKeys keys{.keys = {}, .cursor = page.cursor};
        for (const ActionResult& row : page.rows)
            keys.keys.push_back({sortNumber(row, field, now).value_or(store::SortKey::kUnknown), row.lsn});
        return give(std::move(keys));
    }
    Answer<store::Reader::Named> pendingNamed(IsWanted isWanted, Lsn behind, Duration /*lookFor*/) override {
        store::Reader::Named named;
        int looked = 0;
        for (auto at = pending.upper_bound(behind); at != pending.end(); ++at) {
            if (looked++ == perRead) break;
            named.cursor = at->first;
            if (isWanted(at->second.command)) named.lsns.add(at->first);
        }
        if (pending.upper_bound(named.cursor) == pending.end()) named.cursor = {};
        return give(std::move(named));
    }
    Answer<store::LsnSet> dependents(Lsn first, Lsn last, int /*most*/) override {
        store::LsnSet found;
        for (auto at = children.lower_bound(first); at != children.end() && at->first <= last; ++at)
            for (const store::LsnRun& run : at->second.runs())
                for (std::int64_t i = 0; i < run.count; ++i) found.add(Lsn(run.first.value + i));
        return give(std::move(found));
    }
    Answer<store::LsnSet> pendingDependents(Lsn parent, int /*most*/) override {
        return give(children[parent]); // those that a test put there
    }
    Answer<std::vector<ActionState>> states(std::vector<Lsn> lsns) override {
        std::vector<ActionState> found;
        for (const Lsn lsn : lsns) {
            const auto row = known(lsn);
            found.push_back(row ? row->state : ActionState::New);
        }
        return give(std::move(found));
    }
    Answer<std::vector<store::WaitUnit>> waitUnits(std::vector<store::LsnRun> runs) override {
        return give(std::vector<store::WaitUnit>(runs.size()));
    }
    Answer<store::ParentEdges> waitParents(std::vector<store::LsnRun> all, Duration /*lookFor*/) override {
        return give(store::ParentEdges{.edges = {}, .looked = all.size()});
    }
    Answer<store::ChildEdges> waitChildren(std::vector<store::LsnRun> all, store::WaitPlace /*from*/, int /*most*/,
                                           Duration /*lookFor*/) override {
        return give(store::ChildEdges{.edges = {}, .place = {.at = all.size()}});
    }
    Answer<store::WaitsOfQueue> waitsOfQueue(QueueId /*queue*/, Lsn /*below*/, Duration /*lookFor*/) override {
        return give(store::WaitsOfQueue());
    }
    Answer<std::vector<store::WaitName>> waitNames(std::vector<Lsn> lsns, Duration /*lookFor*/) override {
        return give(std::vector<store::WaitName>(lsns.size()));
    }
    Answer<std::vector<store::FoldRow>> folds(std::vector<Lsn> lsns) override {
        std::vector<store::FoldRow> found(lsns.size());
        for (std::size_t i = 0; i < lsns.size(); ++i)
            for (const store::FoldRow& fold : foldRows)
                if (fold.lsns.first <= lsns[i] && lsns[i] <= fold.lsns.last()) found[i] = fold;
        return give(std::move(found));
    }
    Answer<store::Reader::FoldRuns> foldRuns(Lsn behind, Duration /*lookFor*/) override {
        store::Reader::FoldRuns found;
        for (const store::FoldRow& fold : foldRows)
            if (fold.lsns.first > behind) found.runs.push_back(fold.lsns);
        return give(std::move(found));
    }
    Answer<std::optional<store::Reader::SpecText>> specText(Lsn lsn) override {
        const auto at = specs.find(lsn);
        return give(at == specs.end() ? std::nullopt : std::optional(at->second));
    }
    Answer<std::vector<ActionResult>> history(int limit, std::optional<QueueId> queue) override {
        std::vector<ActionResult> found;
        for (const auto& [lsn, row] : ended | std::views::reverse)
            if (std::ssize(found) < limit && (!queue || row.queue == *queue)) found.push_back(row);
        return give(std::move(found));
    }
    /// Nothing: what actions used is read from a real journal (tst_accounting).
    Answer<Lsn> uses(store::UseQuestion /*question*/, Lsn /*cursor*/, ShowUse /*show*/) override {
        return give(Lsn());
    }
    Answer<store::Reader::Kept> kept() override { return give(store::Reader::Kept{.count = std::ssize(ended)}); }

private:
    using Rows = std::map<Lsn, ActionResult>;

    std::optional<ActionResult> known(Lsn lsn) const {
        for (const Rows* rows : {&pending, &ended})
            if (const auto at = rows->find(lsn); at != rows->end()) return at->second;
        return std::nullopt;
    }
    static ActionResult withoutAttempts(ActionResult row) {
        row.attempts.clear();
        return row;
    }
    static bool matches(const store::PageFilter& filter, const ActionResult& row) {
        if (!filter.states.empty() && std::ranges::find(filter.states, row.state) == filter.states.end())
            return false;
        if (filter.queue && row.queue != *filter.queue) return false;
        if (!filter.worker.empty() && row.workerId != filter.worker && row.workerName != filter.worker)
            return false;
        if (filter.label && row.label != *filter.label) return false;
        if (row.lsn < filter.from || (filter.to.value > 0 && row.lsn > filter.to)) return false;
        return filter.numbers.matches(row, 0);
    }
    store::Page pageOf(const Rows& rows, const PagesQuestion& question) const {
        const bool isNewestFirst = question.order == store::PageOrder::NewestFirst;
        std::vector<Lsn> order;
        for (const Lsn lsn : rows | std::views::keys)
            if (question.cursor.value == 0 || (isNewestFirst ? lsn < question.cursor : lsn > question.cursor))
                order.push_back(lsn);
        if (isNewestFirst) std::ranges::reverse(order);
        store::Page page;
        int looked = 0;
        for (const Lsn lsn : order) {
            if (looked++ == perRead || std::ssize(page.rows) == question.limit) return page;
            page.cursor = lsn;
            if (matches(question.filter, rows.at(lsn))) page.rows.push_back(withoutAttempts(rows.at(lsn)));
        }
        page.cursor = {};
        return page;
    }
    template<class T>
    Answer<T> give(T answer) {
        ++reads;
        if (const auto meanwhile = std::exchange(whileReading, nullptr)) meanwhile();
        if (error) co_return std::unexpected(*error);
        co_return answer;
    }
};

} // namespace yard::engine::test
