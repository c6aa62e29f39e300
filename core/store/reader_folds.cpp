// Arrays and lists as one row: of actions, and all as runs of LSNs.
#include "core/store/read_budget.h"
#include "core/store/reader_impl.h"

namespace yard::store {

Result<std::vector<FoldRow>> Reader::folds(std::span<const Lsn> lsns) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    std::vector<FoldRow> found;
    found.reserve(lsns.size());
    for (const Lsn lsn : lsns) {
        FoldRow& fold = found.emplace_back();
        QueryScope row(reader.foldUpTo, lsn);
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up an array or a list");
        if (rc == SQLITE_DONE || row->integer(1) < lsn.value) continue;
        const std::int64_t first = row->integer(0);
        fold.lsns = {Lsn(first), row->integer(1) - first + 1};
        fold.kind = row->integer(2) == 0 ? FoldKind::Array : FoldKind::List;
        for (std::size_t at = 0; at < fold.ended.size(); ++at)
            fold.ended[at] = row->integer(3 + static_cast<int>(at));
        fold.gone = row->integer(7);
        fold.started = row->integer(8);
    }
    return found;
}

Result<Reader::FoldRuns> Reader::foldRuns(Lsn behind, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    FoldRuns found;
    QueryScope rows(reader.foldsBehind, behind);
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) {
        const Lsn first(rows->integer(0));
        found.runs.push_back({first, rows->integer(1) - first.value + 1});
        found.cursor = first;
        if (looking.isOverAfter() || found.runs.size() == kMostFoldRuns) return found;
    }
    if (rc != SQLITE_DONE) return reader.failed(rc, "looking for arrays and lists");
    found.cursor = {};
    return found;
}

} // namespace yard::store
