// Reading for other orders than that of the LSNs: what to sort by of all that match, and rows by their LSNs.
#include "core/store/page_windows.h"
#include "core/store/reader_impl.h"

#include <fmt/format.h>
#include <utility>

namespace yard::store {

namespace {

constexpr std::size_t kMostKeys = 65'536;

/// In terms of a row of `done`. Classes are counted from 1 there.
std::string columnOf(SortField field) {
    if (const auto measure = measureOf(field))
        return std::string(kMeasureTable[std::to_underlying(*measure)].column);
    switch (field) {
    case SortField::Lsn: return "lsn";
    case SortField::State: return "state";
    case SortField::Queue: return "queue";
    case SortField::Worker:
    case SortField::Function: return "class-1";
    case SortField::Label: return "label";
    case SortField::Reason: return "reason";
    case SortField::ExitCode: return "exit_code";
    case SortField::Signal: return "signal";
    case SortField::RetryCount: return "retry_count";
    case SortField::Priority: return "priority";
    case SortField::Place:
    case SortField::Held:
    case SortField::RetryAt:
    case SortField::HungSince: return "NULL";
    case SortField::New: return "t_new";
    case SortField::Submitting: return "t_new+d_submitting";
    case SortField::Running: return "t_new+d_running";
    case SortField::Exited: return "t_new+d_exited";
    case SortField::Finished: return "t_new+d_end";
    case SortField::Runtime: return "coalesce(d_exited, d_end)-d_running";
    case SortField::Waited: return "coalesce(d_submitting, d_end)-coalesce(d_pending, 0)";
    case SortField::FirstMeasure: break;
    }
    return "lsn";
}

std::int64_t keyOf(const Statement& row, SortField field) {
    if (row.isNull(2)) return SortKey::kUnknown;
    const std::int64_t value = row.integer(2);
    if (field == SortField::Reason) return reasonRank(static_cast<Reason>(value)).value_or(SortKey::kUnknown);
    if (field == SortField::Label && value == 0) return SortKey::kUnknown;
    return value;
}

/// Of a row of kDoneColumns.
std::int64_t keyOf(const ActionResult& result, std::int64_t classNumber, std::int64_t label, SortField field,
                   WallMicros now) {
    if (field == SortField::Label) return label == 0 ? SortKey::kUnknown : label;
    if (isNamed(field)) return classNumber - 1;
    return sortNumber(result, field, now).value_or(SortKey::kUnknown);
}

} // namespace

Result<Statement> Reader::Impl::keysOf(SortField field) {
    return database.prepare(fmt::format(
        "SELECT lsn, class, {} FROM done WHERE lsn BETWEEN ?1 AND ?2 AND (?3 IS NULL OR queue=?3) AND "
        "(?4 IS NULL OR label=?4) AND (?5 IS NULL OR class BETWEEN ?5 AND ?6) AND (?7 >> state) & 1 AND "
        "(?8 IS NULL OR reason=?8) ORDER BY lsn",
        columnOf(field)));
}

Result<SortKeys> Reader::sortKeys(const PageFilter& filter, SortField field, Lsn cursor, WallMicros now) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto wanted = reader.understand(filter);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    SortKeys found;
    if (wanted->impossible) return found;
    // Terms about numbers need the whole row.
    const bool whole = !filter.numbers.empty();
    Statement narrow;
    if (!whole) {
        auto prepared = reader.keysOf(field);
        if (!prepared) return std::unexpected(std::move(prepared.error()));
        narrow = std::move(*prepared);
    }
    Statement& statement = whole ? reader.doneUp : narrow;
    ReadBudget looking(filter.lookFor);
    PageWindows windows(rangeOf(filter, PageOrder::OldestFirst, cursor), PageOrder::OldestFirst, reader.doneBelow,
                        reader.doneAbove);
    const auto [firstClass, lastClass] = spanOf(wanted->classes);
    std::optional<int> reason;
    if (filter.reason) reason = std::to_underlying(*filter.reason);
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        found.cursor = Lsn(rows->integer(0));
        const std::int64_t classNumber = rows->integer(whole ? 2 : 1);
        const bool isWanted =
            !wanted->classes || std::ranges::binary_search(*wanted->classes, static_cast<ClassNumber>(classNumber));
        if (isWanted && !whole) {
            found.keys.push_back({keyOf(statement, field), found.cursor});
        } else if (isWanted) {
            const ActionResult result = Impl::doneRow(statement);
            if (filter.numbers.matches(result, now))
                found.keys.push_back({keyOf(result, classNumber, rows->integer(3), field, now), found.cursor});
        }
        return found.keys.size() >= kMostKeys ? Seen::ShownAndLast : Seen::PassedOver;
    };
    const int rc = walk(statement, windows, looking, found.cursor, each, numberOf(filter.queue), wanted->label,
                        firstClass, lastClass, wanted->states, reason);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "reading what to sort by");
    return found;
}

int Reader::Impl::stillPending(Lsn lsn, std::optional<ActionResult>& result) {
    QueryScope row(pending, lsn);
    const int rc = row.step();
    if (rc != SQLITE_ROW) return rc;
    result = pendingRow(pending);
    const auto classNumber = static_cast<ClassNumber>(row->integer(2));
    const int named = complete(*result, classNumber, static_cast<LabelNumber>(row->integer(3)));
    return named == SQLITE_OK ? SQLITE_ROW : named;
}

Result<PartialPage> Reader::rows(std::span<const Lsn> lsns, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    const ReadBudget looking(lookFor);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "reading rows");
    PartialPage some;
    for (const Lsn lsn : lsns) {
        if (some.looked > 0 && looking.isOver()) break;
        ++some.looked;
        std::optional<ActionResult> result;
        int rc = reader.finished(lsn, result);
        if (rc == SQLITE_DONE && !reader.isHidden(lsn.value)) rc = reader.stillPending(lsn, result);
        if (rc == SQLITE_DONE) continue;
        if (rc != SQLITE_ROW) return reader.failed(rc, "reading rows");
        some.rows.push_back(std::move(*result));
    }
    return some;
}

} // namespace yard::store
