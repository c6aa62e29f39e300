// How many finished actions match: counted by SQLite where it can tell, else row by row, a part at a time.
#include "core/store/page_windows.h"
#include "core/store/reader_impl.h"
#include "core/store/schema.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>

namespace yard::store {

namespace {

struct KindHash {
    std::size_t operator()(const EndedKind& kind) const noexcept {
        std::size_t sum = 0;
        const auto add = [&sum](std::size_t part) { sum = (sum ^ part) * 0x9e3779b97f4a7c15ull; };
        add(static_cast<std::size_t>(kind.queue.value));
        add((std::size_t{kind.classNumber} << 32) + kind.label);
        add(static_cast<std::size_t>(kind.state) * 512 + static_cast<std::size_t>(kind.reason) * 2 +
            (kind.wasStarted ? 1 : 0));
        if (!kind.machine.empty()) add(std::hash<std::string>{}(kind.machine));
        return sum ^ (sum >> 32);
    }
};

/// Adds up rows. Neighbours are mostly of one kind: those are not looked up.
class Kinds {
public:
    explicit Kinds(std::vector<KindCount>& counts)
        : counts_(counts) {}
    /// False: there are kMaxKinds now.
    bool add(const EndedKind& kind) {
        if (counts_.empty() || counts_[last_].kind != kind) {
            const auto [at, isNew] = places_.try_emplace(kind, counts_.size());
            if (isNew) counts_.push_back({kind});
            last_ = at->second;
        }
        ++counts_[last_].count;
        return counts_.size() < kMaxKinds;
    }

private:
    std::vector<KindCount>& counts_;
    std::unordered_map<EndedKind, std::size_t, KindHash> places_;
    std::size_t last_ = 0;
};

/// Of a row of the statement `kindsDone`.
EndedKind kindOf(const Statement& row) {
    return {.state = static_cast<ActionState>(row.integer(4)),
            .reason = static_cast<Reason>(row.integer(5)),
            .queue = QueueId(row.integer(1)),
            .classNumber = static_cast<ClassNumber>(row.integer(2)),
            .label = static_cast<LabelNumber>(row.integer(3)),
            .wasStarted = !row.isNull(6)};
}

/// Of a row of kDoneColumns, and of what was read from it.
EndedKind kindOf(const Statement& row, const ActionResult& result) {
    return {.state = result.state,
            .reason = result.outcome ? result.outcome->reason : Reason::None,
            .queue = result.queue,
            .classNumber = static_cast<ClassNumber>(row.integer(2)),
            .label = static_cast<LabelNumber>(row.integer(3)),
            .wasStarted = result.times[ActionState::Submitting] != 0};
}

} // namespace

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
        QueryScope row(reader.countAll);
        if (const int rc = row.step(); rc != SQLITE_ROW) return reader.failed(rc, "counting");
        counted.count = row->integer(0);
        return counted;
    }
    // Between windows alone: a part of one that was counted would be counted again.
    ReadBudget looking(filter.lookFor, std::numeric_limits<int>::max());
    const WallMicros now = wallNow();
    const bool inSql = !wanted->classes && filter.numbers.empty();
    Statement& statement = inSql ? reader.countDone : reader.doneUp;
    PageWindows windows(rangeOf(filter, PageOrder::OldestFirst, cursor), PageOrder::OldestFirst, reader.doneBelow,
                        reader.doneAbove);
    const auto [firstClass, lastClass] = spanOf(wanted->classes);
    std::optional<int> reason;
    if (filter.reason) reason = std::to_underlying(*filter.reason);
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
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

int Reader::Impl::addMachine(EndedKind& kind, Lsn lsn, std::int64_t count) {
    if (!kind.wasStarted || count == 0) return SQLITE_OK;
    QueryScope row(machineOf, (lsn.value << kAttemptBits) | std::min<std::int64_t>(count, (1 << kAttemptBits) - 1));
    const int rc = row.step();
    if (rc == SQLITE_ROW) kind.machine = row->text(0);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

Result<Reader::Counted> Reader::countKinds(const PageFilter& filter, Lsn cursor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto wanted = reader.understand(filter);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    Counted counted;
    if (wanted->impossible) return counted;
    ReadBudget looking(filter.lookFor);
    const WallMicros now = wallNow();
    // Terms about numbers need the whole row.
    const bool whole = !filter.numbers.empty();
    Statement& statement = whole ? reader.doneUp : reader.kindsDone;
    PageWindows windows(rangeOf(filter, PageOrder::OldestFirst, cursor), PageOrder::OldestFirst, reader.doneBelow,
                        reader.doneAbove);
    const auto [firstClass, lastClass] = spanOf(wanted->classes);
    std::optional<int> reason;
    if (filter.reason) reason = std::to_underlying(*filter.reason);
    Kinds kinds(counted.kinds);
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        counted.cursor = Lsn(rows->integer(0));
        if (!Impl::matches(filter, *wanted, rows->integer(1), rows->integer(2), rows->integer(3)))
            return Seen::PassedOver;
        std::optional<EndedKind> kind;
        if (whole) {
            const ActionResult result = Impl::doneRow(statement);
            if (!filter.numbers.matches(result, now)) return Seen::PassedOver;
            kind = kindOf(statement, result);
        } else {
            kind = kindOf(statement);
        }
        if (filter.wantsMachines) {
            const std::int64_t attempts = rows->integer(whole ? 12 : 7);
            if (const int rc = reader.addMachine(*kind, counted.cursor, attempts); rc != SQLITE_OK)
                return std::unexpected(rc);
        }
        ++counted.count;
        return kinds.add(*kind) ? Seen::PassedOver : Seen::ShownAndLast;
    };
    const int rc = walk(statement, windows, looking, counted.cursor, each, numberOf(filter.queue), wanted->label,
                        firstClass, lastClass, wanted->states, reason);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "counting");
    return counted;
}

} // namespace yard::store
