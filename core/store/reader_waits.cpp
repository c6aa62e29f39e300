// Who waits for whom: units, and the edges from and to them.
#include "core/store/read_budget.h"
#include "core/store/reader_impl.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace yard::store {

namespace {

/// Of one that waits, what its specification says of a parent beside that it must have completed.
struct SaidOn {
    Lsn parent;
    DependencyOn on;
};

DependencyOn onFrom(std::string_view word) {
    for (const DependencyOn on : {DependencyOn::Any, DependencyOn::Failed})
        if (word == name(on)) return on;
    return DependencyOn::Completed;
}

/// Rows of `waitOns`: parent, word. By parent.
std::vector<SaidOn> onsIn(QueryScope& rows, int& rc) {
    std::vector<SaidOn> said;
    rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) said.push_back({Lsn(rows->integer(0)), onFrom(rows->text(1))});
    std::ranges::sort(said, {}, [](const SaidOn& one) { return std::pair(one.parent, one.on); });
    return said;
}

void addParent(std::vector<WaitEdge>& edges, WaitEdge edge, const std::vector<SaidOn>& said) {
    const auto those = std::ranges::equal_range(said, edge.parent.first, {}, &SaidOn::parent);
    if (those.empty()) edges.push_back(edge);
    for (const SaidOn& one : those) {
        edge.on = one.on;
        edges.push_back(edge);
    }
}

} // namespace

Result<std::vector<WaitUnit>> Reader::waitUnits(std::span<const LsnRun> runs) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "looking up what waits");
    std::vector<WaitUnit> units;
    units.reserve(runs.size());
    for (const LsnRun& run : runs) {
        WaitUnit& unit = units.emplace_back();
        QueryScope row(reader.waitUnit, run.first, run.last());
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up what waits");
        if (rc == SQLITE_DONE || reader.isHidden(row->integer(0))) continue;
        unit = {.lsns = {Lsn(row->integer(0)), 1},
                .state = static_cast<ActionState>(row->integer(1)),
                .queue = QueueId(row->integer(2)),
                .classNumber = static_cast<ClassNumber>(row->integer(3)),
                .label = static_cast<LabelNumber>(row->integer(4))};
        const auto base = row->optionalInteger(5);
        if (!base) continue;
        // Of an array that came before its size was kept, what the asker knows.
        const std::int64_t size = row->isNull(6) ? run.last().value - *base + 1 : row->integer(6);
        unit.lsns = {Lsn(*base), std::max<std::int64_t>(size, 1)};
    }
    return units;
}

Result<ParentEdges> Reader::waitParents(std::span<const LsnRun> children, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    ParentEdges found;
    bool isOver = false;
    for (const LsnRun& child : children) {
        std::optional<std::vector<SaidOn>> said;
        QueryScope rows(reader.waitParents, child.first);
        int rc = rows.step();
        for (; rc == SQLITE_ROW; rc = rows.step()) {
            if (!said) {
                int read = SQLITE_DONE;
                QueryScope ons(reader.waitOns, child.first);
                said = onsIn(ons, read);
                if (read != SQLITE_DONE) return reader.failed(read, "looking for what is waited for");
            }
            addParent(found.edges, {{Lsn(rows->integer(0)), rows->integer(1)}, child}, *said);
            isOver = looking.isOverAfter() || isOver;
        }
        if (rc != SQLITE_DONE) return reader.failed(rc, "looking for what is waited for");
        ++found.looked;
        isOver = looking.isOverAfter(said.has_value()) || isOver;
        if (isOver) break; // all that this one waits for was looked at
    }
    return found;
}

Result<ChildEdges> Reader::waitChildren(std::span<const LsnRun> parents, WaitPlace from, int most,
                                        Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "looking for what waits");
    ReadBudget looking(lookFor);
    ChildEdges found{.edges = {}, .place = from};
    for (WaitPlace& place = found.place; place.at < parents.size();) {
        const LsnRun& unit = parents[place.at];
        QueryScope rows(reader.waitChildren, std::max(place.parent, unit.first), place.child, unit.last());
        int rc = rows.step();
        for (; rc == SQLITE_ROW; rc = rows.step()) {
            place.parent = Lsn(rows->integer(0));
            place.child = Lsn(rows->integer(1));
            if (reader.isHidden(place.child.value)) continue;
            found.edges.push_back(
                {.parent = {place.parent, rows->integer(3)}, .child = {place.child, rows->integer(2)}});
            if (std::ssize(found.edges) >= most || looking.isOverAfter()) return found;
        }
        if (rc != SQLITE_DONE) return reader.failed(rc, "looking for what waits");
        place = {.at = place.at + 1};
        if (looking.isOverAfter()) break;
    }
    return found;
}

Result<WaitsOfQueue> Reader::waitsOfQueue(QueueId queue, Lsn below, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "looking for what waits");
    ReadBudget looking(lookFor);
    WaitsOfQueue found;
    bool isOver = false;
    QueryScope rows(reader.waitsBelow, below.value > 0 ? below.value : std::numeric_limits<std::int64_t>::max());
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) {
        const Lsn child(rows->integer(0));
        if (isOver && child != found.cursor) return found; // all that this one waits for was looked at
        found.cursor = child;
        if (!reader.isHidden(child.value) && (rows->integer(2) == queue.value || rows->integer(3) == queue.value)) {
            found.lsns.push_back(child);
            found.lsns.emplace_back(rows->integer(1));
        }
        isOver = looking.isOverAfter() || isOver;
    }
    if (rc != SQLITE_DONE) return reader.failed(rc, "looking for what waits");
    found.cursor = {};
    return found;
}

Result<std::vector<WaitName>> Reader::waitNames(std::span<const Lsn> lsns, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    std::vector<WaitName> names;
    for (const Lsn lsn : lsns) {
        QueryScope row(reader.waitName, lsn);
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up a name");
        WaitName& one = names.emplace_back();
        if (rc == SQLITE_ROW) one = {std::string(row->text(0)), std::string(row->text(1)), row->optionalInteger(2)};
        if (looking.isOverAfter()) break;
    }
    return names;
}

} // namespace yard::store
