// Reader: objects. Their statements are made when they are asked for: most journals have none.
#include "core/store/object_reads.h"
#include "core/store/read_budget.h"
#include "core/store/reader_impl.h"

#include <array>
#include <fmt/format.h>

namespace yard::store {

namespace {

constexpr int kMatchColumn = 15; ///< of pageSql(), behind these
constexpr std::string_view kColumns = "id, type, parent, revision, retries, retry_at, start_ts, end_ts, created, "
                                      "modified, stuck, status, key, fields, "
                                      "last_error";
constexpr std::string_view kBareColumns =
    "id, type, parent, revision, retries, retry_at, start_ts, end_ts, created, "
    "modified, stuck, status, key, '{}', NULL";

ObjectRow rowOf(const Statement& row) {
    ObjectRow object;
    const std::array<std::int64_t*, 10> numbers{&object.id,      &object.type,    &object.parent,  &object.revision,
                                                &object.retries, &object.retryAt, &object.started, &object.ended,
                                                &object.created, &object.modified};
    int column = 0;
    for (std::int64_t* number : numbers) *number = row.integer(column++);
    object.isStuck = row.integer(10) != 0;
    object.status = row.text(11);
    if (!row.isNull(12)) object.key = std::string(row.text(12));
    object.fields = row.text(13);
    if (!row.isNull(14)) object.lastError = row.text(14);
    return object;
}

/// Numbers of bound values; those of fields are two each, behind them those of statuses.
constexpr int kStatus = 4;
constexpr int kFirstField = 5;
int firstStatus(const ObjectQuestion& question) {
    return kFirstField + 2 * static_cast<int>(question.fields.size());
}

/// Rows of another status are passed over in the walk, where there is no index by it.
bool hasIndexedStatus(const ObjectQuestion& question) {
    return question.type != 0 && question.parent == 0;
}

/// Whether a row matches what no index has is its last column: so each step of the statement is one row, and the walk can
/// end at any of them.
std::string columnsSql(const ObjectQuestion& question) {
    std::string sql = fmt::format("SELECT {}, 1", question.isBare ? kBareColumns : kColumns);
    if (!question.status.empty() && !hasIndexedStatus(question)) sql += fmt::format(" AND status=?{}", kStatus);
    if (question.endedBefore != 0) sql += fmt::format(" AND ifnull(end_ts<{}, 0)", question.endedBefore);
    // Names of fields are checked by who asks; they are bound all the same.
    for (int at = 0; at < static_cast<int>(question.fields.size()); ++at)
        sql += fmt::format(" AND ifnull(CAST(json_extract(fields, '$.\"' || ?{} || '\"') AS TEXT)=?{}, 0)",
                           kFirstField + 2 * at, kFirstField + 1 + 2 * at);
    return sql;
}

/// What has one status (a parameter's number; 0: any), without an order. `+` keeps an index out of use: few are of one
/// parent, or named by their numbers.
std::string rowsSql(const ObjectQuestion& question, int status) {
    const char* const plain = question.parent != 0 || question.among ? "+" : "";
    std::string sql = columnsSql(question) + " FROM object WHERE 1";
    if (question.cursor != 0) sql += question.newestFirst ? " AND id<?1" : " AND id>?1";
    if (question.type != 0) sql += fmt::format(" AND {}type=?2", plain);
    if (question.parent != 0) sql += question.among ? " AND +parent=?3" : " AND parent=?3";
    if (status != 0) sql += fmt::format(" AND {}status=?{}", plain, status);
    if (question.among) {
        sql += " AND id IN (0";
        for (const std::int64_t id : *question.among) sql += fmt::format(",{}", id);
        sql += ")";
    }
    return sql;
}

/// The index of a type has its objects by status, and of each status by number: a page of all of them is merged from one of
/// each, as otherwise the whole type would be sorted for it.
bool isMerged(const ObjectQuestion& question) {
    return hasIndexedStatus(question) && question.status.empty() && !question.among && !question.statuses.empty();
}

std::string pageSql(const ObjectQuestion& question) {
    std::string sql;
    if (isMerged(question))
        for (int at = 0; at < static_cast<int>(question.statuses.size()); ++at)
            sql += fmt::format("{}{}", at > 0 ? " UNION ALL " : "", rowsSql(question, firstStatus(question) + at));
    else
        sql = rowsSql(question, !question.status.empty() && hasIndexedStatus(question) ? kStatus : 0);
    return sql + (question.newestFirst ? " ORDER BY 1 DESC" : " ORDER BY 1");
}

/// The numbers of pageSql().
void bindPage(Statement& rows, const ObjectQuestion& question) {
    rows.bind(question.cursor, question.type, question.parent, question.status);
    int at = kFirstField;
    for (const auto& [name, value] : question.fields) {
        rows.bindAt(at++, name);
        rows.bindAt(at++, value);
    }
    if (!isMerged(question)) return;
    for (const std::string& status : question.statuses) rows.bindAt(at++, status);
}

} // namespace

Result<void> Reader::Impl::prepareObject() {
    if (objectActions) return {};
    const auto keep = [this](Statement& statement, const std::string& sql) -> Result<void> {
        auto made = database.prepare(sql);
        if (!made) return std::unexpected(made.error());
        statement = *std::move(made);
        return {};
    };
    auto kept = keep(object, fmt::format("SELECT {} FROM object WHERE id=?", kColumns));
    if (kept) kept = keep(objectChildren, "SELECT status, count(*) FROM object WHERE parent=? GROUP BY status");
    if (kept)
        kept = keep(objectActions, "SELECT name, max(lsn) FROM object_action WHERE object=? AND name<>'' "
                                   "GROUP BY name ORDER BY 2 DESC LIMIT ?");
    return kept;
}

Result<std::optional<ObjectWithRelatives>> Reader::object(std::int64_t id) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const auto made = reader.prepareObject(); !made) return std::unexpected(made.error());
    const auto find = [&](std::int64_t number) -> Result<std::optional<ObjectRow>> {
        QueryScope row(reader.object, number);
        const int rc = row.step();
        if (rc == SQLITE_DONE) return std::optional<ObjectRow>();
        if (rc != SQLITE_ROW) return reader.failed(rc, "reading an object");
        return std::optional(rowOf(reader.object));
    };
    auto found = find(id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return std::optional<ObjectWithRelatives>();
    ObjectWithRelatives all{.row = std::move(**found)};
    if (all.row.parent != 0) {
        auto parent = find(all.row.parent);
        if (!parent) return std::unexpected(parent.error());
        all.parent = std::move(*parent);
    }
    QueryScope row(reader.objectChildren, id);
    int rc = SQLITE_ROW;
    while ((rc = row.step()) == SQLITE_ROW)
        all.children.push_back({.status = std::string(row->text(0)), .count = row->integer(1)});
    if (rc != SQLITE_DONE) return reader.failed(rc, "counting children");
    QueryScope action(reader.objectActions, id, kMostObjectActions);
    while ((rc = action.step()) == SQLITE_ROW) all.actions.emplace_back(action->text(0), Lsn(action->integer(1)));
    if (rc != SQLITE_DONE) return reader.failed(rc, "reading the actions of an object");
    return std::optional(std::move(all));
}

Result<ObjectPage> Reader::objects(const ObjectQuestion& question) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto rows = reader.database.prepare(pageSql(question));
    if (!rows) return std::unexpected(rows.error());
    bindPage(*rows, question);
    ReadBudget looking(question.lookFor);
    ObjectPage page;
    std::int64_t last = 0; // looked at
    int rc = SQLITE_ROW;
    while ((rc = rows->step()) == SQLITE_ROW) {
        if (std::ssize(page.rows) == question.limit || page.isBounded) {
            page.cursor = last;
            return page;
        }
        const bool isShown = rows->integer(kMatchColumn) != 0;
        last = rows->integer(0);
        if (isShown) page.rows.push_back(rowOf(*rows));
        page.isBounded = looking.isOverAfter(isShown);
    }
    if (rc != SQLITE_DONE) return reader.failed(rc, "reading objects");
    page.isBounded = false; // there was no more
    return page;
}

Result<std::vector<ObjectMoveRow>> Reader::objectHistory(std::int64_t id) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto moves = reader.database.prepare(
        "SELECT t, tick_ms, came_from, went_to, actor FROM object_history WHERE object=? ORDER BY revision");
    if (!moves) return std::unexpected(moves.error());
    std::vector<ObjectMoveRow> all;
    QueryScope row(*moves, id);
    int rc = SQLITE_ROW;
    while ((rc = row.step()) == SQLITE_ROW)
        all.push_back({.t = row->integer(0),
                       .tickMs = row->integer(1),
                       .from = std::string(row->text(2)),
                       .to = std::string(row->text(3)),
                       .actor = std::string(row->text(4))});
    if (rc != SQLITE_DONE) return reader.failed(rc, "reading the history of an object");
    return all;
}

} // namespace yard::store
