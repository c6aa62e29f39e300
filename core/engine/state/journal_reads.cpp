#include "core/engine/state/journal_reads.h"

#include "core/engine/state/list_parts.h"

namespace yard::engine {

auto JournalReader::get(Lsn lsn) -> Answer<std::optional<ActionResult>> {
    return ask([lsn](store::Reader& reader) { return reader.get(lsn); });
}

auto JournalReader::getAll(std::vector<Lsn> lsns) -> Answer<std::vector<ActionResult>> {
    return ask([lsns = std::move(lsns)](store::Reader& reader) -> Result<std::vector<ActionResult>> {
        std::vector<ActionResult> found;
        for (const Lsn lsn : lsns) {
            auto row = reader.get(lsn);
            if (!row) return std::unexpected(row.error());
            if (*row) found.push_back(std::move(**row));
        }
        return found;
    });
}

auto JournalReader::rows(std::vector<Lsn> lsns, Duration lookFor) -> Answer<store::PartialPage> {
    return ask([lsns = std::move(lsns), until = MonoClock::now() + lookFor](store::Reader& reader) {
        return reader.rows(lsns, lookLeft(until, MonoClock::now()));
    });
}

auto JournalReader::pages(PagesQuestion question) -> Answer<TwoPages> {
    const MonoTime until = MonoClock::now() + question.filter.lookFor;
    return ask([q = std::move(question), until](store::Reader& reader) mutable -> Result<TwoPages> {
        TwoPages pages;
        if (q.live) {
            const Duration left = lookLeft(until, MonoClock::now());
            q.filter.lookFor = q.ended ? left / 2 : left;
            auto page = reader.pagePending(q.filter, q.order, q.limit, q.cursor);
            if (!page) return std::unexpected(page.error());
            pages[0] = std::move(*page);
        }
        if (q.ended) {
            q.filter.lookFor = lookLeft(until, MonoClock::now());
            auto page = reader.page(q.filter, q.order, q.limit, q.cursor);
            if (!page) return std::unexpected(page.error());
            pages[1] = std::move(*page);
        }
        return pages;
    });
}

auto JournalReader::page(store::PageFilter filter, int limit, Lsn cursor) -> Answer<store::Page> {
    return ask([filter = std::move(filter), limit, cursor](store::Reader& reader) {
        return reader.page(filter, store::PageOrder::OldestFirst, limit, cursor);
    });
}

auto JournalReader::count(store::PageFilter filter, Lsn cursor) -> Answer<store::Reader::Counted> {
    return ask(
        [filter = std::move(filter), cursor](store::Reader& reader) { return reader.count(filter, cursor); });
}

auto JournalReader::countKinds(store::PageFilter filter, Lsn cursor) -> Answer<store::Reader::Counted> {
    return ask(
        [filter = std::move(filter), cursor](store::Reader& reader) { return reader.countKinds(filter, cursor); });
}

auto JournalReader::sortKeys(store::PageFilter filter, SortField field, Lsn cursor, WallMicros now)
    -> Answer<store::SortKeys> {
    return ask([filter = std::move(filter), field, cursor, now](store::Reader& reader) {
        return reader.sortKeys(filter, field, cursor, now);
    });
}

auto JournalReader::pendingNamed(IsWanted isWanted, Lsn behind, Duration lookFor) -> Answer<store::Reader::Named> {
    return ask([isWanted = std::move(isWanted), behind, lookFor](store::Reader& reader) {
        return reader.pendingNamed(isWanted, behind, lookFor);
    });
}

auto JournalReader::dependents(Lsn first, Lsn last, int most) -> Answer<store::LsnSet> {
    return ask([=](store::Reader& reader) { return reader.dependents(first, last, most); });
}

auto JournalReader::pendingDependents(Lsn parent, int most) -> Answer<store::LsnSet> {
    return ask([=](store::Reader& reader) { return reader.pendingDependents(parent, most); });
}

auto JournalReader::states(std::vector<Lsn> lsns) -> Answer<std::vector<ActionState>> {
    return ask([lsns = std::move(lsns)](store::Reader& reader) { return reader.states(lsns); });
}

auto JournalReader::specText(Lsn lsn) -> Answer<std::optional<store::Reader::SpecText>> {
    return ask([lsn](store::Reader& reader) { return reader.specText(lsn); });
}

auto JournalReader::history(int limit, std::optional<QueueId> queue) -> Answer<std::vector<ActionResult>> {
    return ask([=](store::Reader& reader) { return reader.history(limit, queue); });
}

auto JournalReader::uses(store::UseQuestion question, Lsn cursor, ShowUse show) -> Answer<Lsn> {
    return ask([question, cursor, show = std::move(show)](store::Reader& reader) {
        return reader.uses(question, cursor, show);
    });
}

auto JournalReader::kept() -> Answer<store::Reader::Kept> {
    return ask([](store::Reader& reader) { return reader.kept(); });
}

auto JournalReader::waitUnits(std::vector<store::LsnRun> runs) -> Answer<std::vector<store::WaitUnit>> {
    return ask([runs = std::move(runs)](store::Reader& reader) { return reader.waitUnits(runs); });
}

auto JournalReader::waitParents(std::vector<store::LsnRun> children, Duration lookFor)
    -> Answer<store::ParentEdges> {
    return ask([children = std::move(children), lookFor](store::Reader& reader) {
        return reader.waitParents(children, lookFor);
    });
}

auto JournalReader::waitChildren(std::vector<store::LsnRun> parents, store::WaitPlace from, int most,
                                 Duration lookFor) -> Answer<store::ChildEdges> {
    return ask([parents = std::move(parents), from, most, lookFor](store::Reader& reader) {
        return reader.waitChildren(parents, from, most, lookFor);
    });
}

auto JournalReader::waitsOfQueue(QueueId queue, Lsn below, Duration lookFor) -> Answer<store::WaitsOfQueue> {
    return ask([=](store::Reader& reader) { return reader.waitsOfQueue(queue, below, lookFor); });
}

auto JournalReader::waitNames(std::vector<Lsn> lsns, Duration lookFor) -> Answer<std::vector<store::WaitName>> {
    return ask(
        [lsns = std::move(lsns), lookFor](store::Reader& reader) { return reader.waitNames(lsns, lookFor); });
}

auto JournalReader::folds(std::vector<Lsn> lsns) -> Answer<std::vector<store::FoldRow>> {
    return ask([lsns = std::move(lsns)](store::Reader& reader) { return reader.folds(lsns); });
}

auto JournalReader::foldRuns(Lsn behind, Duration lookFor) -> Answer<store::Reader::FoldRuns> {
    return ask([=](store::Reader& reader) { return reader.foldRuns(behind, lookFor); });
}

} // namespace yard::engine
