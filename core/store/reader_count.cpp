// How many finished actions match: counted by SQLite where it can tell, else row by row, a part at a time.
#include "core/store/page_windows.h"
#include "core/store/reader_impl.h"

namespace yard::store {

Result<Reader::Counted> Reader::count(const PageFilter& filter, Lsn cursor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto wanted = reader.understand(filter);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    Counted counted;
    if (wanted->impossible) return counted;
    const bool all = !wanted->label && !wanted->classes && filter.numbers.empty() && !filter.reason &&
                     !filter.queue && filter.states.empty() && filter.from.value == 0 && filter.to.value == 0;
    if (all && cursor.value == 0) {
        Selecting row(reader.countAll);
        if (const int rc = row.step(); rc != SQLITE_ROW) return reader.failed(rc, "counting");
        counted.count = row->integer(0);
        return counted;
    }
    // Between windows alone: a part of one that was counted would be counted again.
    Looking looking(filter.lookFor, std::numeric_limits<int>::max());
    const WallMicros now = wallNow();
    const bool inSql = !wanted->classes && filter.numbers.empty();
    Statement& statement = inSql ? reader.countDone : reader.doneUp;
    PageWindows windows(rangeOf(filter, PageOrder::OldestFirst, cursor), PageOrder::OldestFirst, reader.doneBelow,
                        reader.doneAbove);
    const auto [firstClass, lastClass] = spanOf(wanted->classes);
    std::optional<int> reason;
    if (filter.reason) reason = std::to_underlying(*filter.reason);
    const auto each = [&](const Selecting& rows) -> std::expected<Seen, int> {
        if (inSql)
            counted.count += rows->integer(0);
        else if (Impl::matches(filter, *wanted, rows->integer(1), rows->integer(2), rows->integer(3)) &&
                 filter.numbers.matches(Impl::doneRow(statement), now))
            ++counted.count;
        return Seen::PassedOver;
    };
    const int rc = walk(statement, windows, looking, counted.cursor, each, numberOf(filter.queue), wanted->label,
                        firstClass, lastClass, wanted->states, reason);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "counting");
    return counted;
}

} // namespace yard::store
