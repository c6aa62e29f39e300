#include "core/store/restore.h"

#include "core/store/packing.h"
#include "core/store/schema.h"

#include <charconv>
#include <filesystem>
#include <unordered_map>
#include <utility>

namespace yard::store {
namespace {

constexpr std::size_t kBatch = 1'000;

template<class Read>
Result<void> eachRow(Database& database, std::string_view sql, Read read) {
    auto rows = database.prepare(sql);
    if (!rows) return std::unexpected(std::move(rows.error()));
    int rc = rows->step();
    for (; rc == SQLITE_ROW; rc = rows->step()) read(*rows);
    if (rc != SQLITE_DONE) return std::unexpected(database.error(ErrorKind::Io, sql));
    return {};
}

void readPendingRow(const Statement& row, PendingRow& out) {
    const std::int64_t flags = row.integer(5);
    out.lsn = Lsn(row.integer(0));
    out.queue = QueueId(row.integer(1));
    out.classNumber = static_cast<ClassNumber>(row.integer(2));
    out.label = static_cast<LabelNumber>(row.integer(3));
    out.priority = static_cast<std::int16_t>(row.integer(4));
    out.held = (flags & kHeld) != 0;
    out.cancelRequested = (flags & kCancelRequested) != 0;
    out.backoff = (flags & kBackoff) != 0;
    out.tNew = row.integer(6);
    out.tPending = row.isNull(7) ? 0 : out.tNew + row.integer(7);
    out.notBefore = row.integer(8);
    out.arrayBase = Lsn(row.integer(9));
    out.arrayIndex = row.integer(10);
    out.attempts = static_cast<std::uint32_t>(row.integer(11));
    out.retryCount = static_cast<std::uint32_t>(row.integer(12));
    out.ownFailures = static_cast<std::uint32_t>(row.integer(13));
    out.interruptions = static_cast<std::uint32_t>(row.integer(14));
    out.after.clear();
    if (!row.isNull(15)) out.after = unpackEdges(row.text(15));
    out.place = row.isNull(16) ? std::nullopt : placeKeyFrom(row.text(16));
}

/// Says of each edge what its predecessor is now.
class EdgeStates {
public:
    static Result<EdgeStates> create(Database& database) {
        EdgeStates states;
        auto pending = database.prepare("SELECT 1 FROM pending WHERE lsn=?");
        if (!pending) return std::unexpected(std::move(pending.error()));
        auto done = database.prepare("SELECT state FROM done WHERE lsn=?");
        if (!done) return std::unexpected(std::move(done.error()));
        auto elements = database.prepare("SELECT lsn, state FROM done WHERE lsn BETWEEN ? AND ? AND state<>?");
        if (!elements) return std::unexpected(std::move(elements.error()));
        states.elements_ = std::move(*elements);
        states.pending_ = std::move(*pending);
        states.done_ = std::move(*done);
        return states;
    }
    void resolve(Edge& edge) {
        if (edge.count > 0) return resolveArray(edge);
        QueryScope pending(pending_, edge.lsn);
        QueryScope done(done_, edge.lsn);
        if (pending.step() == SQLITE_ROW)
            edge.state = ActionState::Pending;
        else if (done.step() == SQLITE_ROW)
            edge.state = static_cast<ActionState>(done->integer(0));
        else
            edge.state = ActionState::New;
    }

private:
    void resolveArray(Edge& edge) {
        const auto [known, isNew] = arrays_.try_emplace(edge.lsn.value);
        if (isNew) {
            QueryScope rows(elements_, edge.lsn, edge.lsn.value + edge.count - 1,
                            std::to_underlying(ActionState::Completed));
            while (rows.step() == SQLITE_ROW) {
                const bool failed = rows->integer(1) == std::to_underlying(ActionState::Failed);
                ++(failed ? known->second.failed : known->second.other);
                if (failed || known->second.failed == 0) known->second.otherwise = Lsn(rows->integer(0));
            }
        }
        edge.failed = known->second.failed;
        edge.other = known->second.other;
        edge.otherwise = known->second.otherwise;
    }

    Statement pending_, done_, elements_;
    std::unordered_map<std::int64_t, Edge> arrays_; ///< by first LSN
};

/// None where the file is damaged.
Mark markIn(const Statement& row, int column) {
    const std::int64_t number = row.integer(column);
    return number > 0 && number < std::int64_t{kMarks} ? static_cast<Mark>(number) : Mark::None;
}

Result<void> readMarks(Database& database, std::vector<MarkedRun>& marks) {
    return eachRow(database, "SELECT lsn, colour FROM mark ORDER BY lsn", [&marks](const Statement& row) {
        const Lsn lsn(row.integer(0));
        const Mark mark = markIn(row, 1);
        if (lsn.value <= 0 || mark == Mark::None) return;
        if (!marks.empty() && marks.back().mark == mark && marks.back().lsns.last().value + 1 == lsn.value)
            ++marks.back().lsns.count;
        else
            marks.push_back({.lsns = {lsn, 1}, .mark = mark});
    });
}

Result<void> readComments(Database& database, std::vector<CommentRow>& comments) {
    return eachRow(database, "SELECT lsn, queue, t, who, text FROM comment ORDER BY id",
                   [&comments](const Statement& row) {
                       comments.push_back({.lsn = Lsn(row.integer(0)),
                                           .queue = QueueId(row.integer(1)),
                                           .comment = {.t = row.integer(2),
                                                       .by = std::string(row.text(3)),
                                                       .text = std::string(row.text(4))}});
                   });
}

Result<void> readQueues(Database& database, Restored& restored) {
    return eachRow(database,
                   "SELECT id, token, tag, state, held, config, created, completed, failed, abandoned, cancelled, "
                   "failed_before, mark, deleting "
                   "FROM queue ORDER BY id",
                   [&restored](const Statement& row) {
                       QueueRow& queue = restored.queues.emplace_back();
                       queue.id = QueueId(row.integer(0));
                       queue.token = row.text(1);
                       queue.tag = row.text(2);
                       queue.state = static_cast<QueueState>(row.integer(3));
                       queue.held = row.integer(4) != 0;
                       queue.config = row.text(5);
                       queue.created = row.integer(6);
                       queue.counters.completed = row.integer(7);
                       queue.counters.failed = row.integer(8);
                       queue.counters.abandoned = row.integer(9);
                       queue.counters.cancelled = row.integer(10);
                       queue.failedBefore = row.integer(11);
                       queue.mark = markIn(row, 12);
                       queue.deleting = row.integer(13) != 0;
                   });
}

Result<void> readDocuments(Database& database, Restored& restored) {
    return eachRow(database, "SELECT kind, name, body FROM document ORDER BY kind, name",
                   [&restored](const Statement& row) {
                       restored.documents.push_back({.kind = std::string(row.text(0)),
                                                     .name = std::string(row.text(1)),
                                                     .body = std::string(row.text(2))});
                   });
}

Result<void> readOfObjects(Database& database, Restored& restored) {
    auto read =
        eachRow(database, "SELECT id, name, body FROM object_type ORDER BY id", [&restored](const Statement& row) {
            restored.objectTypes.push_back(
                {.id = row.integer(0), .name = std::string(row.text(1)), .body = std::string(row.text(2))});
        });
    if (read)
        read =
            eachRow(database,
                    "SELECT object, revision, position, kind, body FROM outbox ORDER BY object, revision, position",
                    [&restored](const Statement& row) {
                        restored.effects.push_back({.object = row.integer(0),
                                                    .revision = row.integer(1),
                                                    .position = row.integer(2),
                                                    .kind = row.integer(3),
                                                    .body = std::string(row.text(4))});
                    });
    if (read)
        read = eachRow(database, "SELECT name, seq FROM sqlite_sequence", [&restored](const Statement& row) {
            if (row.text(0) == "object") restored.lastObject = row.integer(1);
            if (row.text(0) == "object_type") restored.lastObjectType = row.integer(1);
        });
    return read;
}

Result<void> readMeta(Database& database, Restored& restored) {
    return eachRow(database, "SELECT key, value FROM meta", [&restored](const Statement& row) {
        const std::string_view key = row.text(0);
        const std::string_view value = row.text(1);
        if (key == "last_queue") std::from_chars(value.data(), value.data() + value.size(), restored.lastQueue);
        const std::array<std::int64_t*, 4> past{&restored.past.completed, &restored.past.failed,
                                                &restored.past.abandoned, &restored.past.cancelled};
        for (std::size_t which = 0; which < past.size(); ++which)
            if (key == kPastKeys[which]) std::from_chars(value.data(), value.data() + value.size(), *past[which]);
    });
}

} // namespace

Result<void> readPendingRows(Database& database, const std::function<void(std::span<PendingRow>)>& rows) {
    auto edges = EdgeStates::create(database);
    if (!edges) return std::unexpected(std::move(edges.error()));
    std::vector<PendingRow> batch(kBatch);
    std::size_t used = 0;
    auto read = eachRow(
        database,
        "SELECT lsn, queue, class, label, priority, flags, t_new, d_pending, not_before, array_base, "
        "array_index, attempts, retry_count, own_failures, interruptions, edges, place FROM pending ORDER BY lsn",
        [&](const Statement& row) {
            readPendingRow(row, batch[used]);
            for (Edge& edge : batch[used].after) edges->resolve(edge);
            if (++used < kBatch) return;
            rows(batch);
            used = 0;
        });
    if (read && used > 0) rows(std::span(batch.data(), used));
    return read;
}

Result<void> readObjects(Database& database, const std::function<void(std::span<ObjectStanding>)>& rows) {
    std::vector<ObjectStanding> batch;
    auto read =
        eachRow(database,
                "SELECT id, type, parent, revision, retries, retry_at, modified, status, launch, stuck FROM object "
                "ORDER BY id",
                [&](const Statement& row) {
                    ObjectStanding& object = batch.emplace_back();
                    object.id = row.integer(0);
                    object.type = row.integer(1);
                    object.parent = row.integer(2);
                    object.revision = row.integer(3);
                    object.retries = row.integer(4);
                    object.retryAt = row.integer(5);
                    object.modified = row.integer(6);
                    object.status = row.text(7);
                    if (!row.isNull(8)) object.launch = std::string(row.text(8));
                    object.isStuck = row.integer(9) != 0;
                    if (batch.size() < kBatch) return;
                    rows(batch);
                    batch.clear();
                });
    if (read && !batch.empty()) rows(batch);
    return read;
}

Result<std::vector<WorkerRow>> readWorkers(Database& database) {
    std::vector<WorkerRow> workers;
    auto read = eachRow(database, "SELECT id, canonical, registered, chunks FROM worker ORDER BY registered, id",
                        [&workers](const Statement& row) {
                            const auto id = row.hash(0);
                            if (id)
                                workers.push_back(
                                    {*id, std::string(row.text(1)), row.integer(2), unpackHashes(row.text(3))});
                        });
    if (!read) return std::unexpected(std::move(read.error()));
    return workers;
}

Result<std::vector<OwnedAction>> readOwnedActions(Database& database) {
    std::vector<OwnedAction> actions;
    auto read =
        eachRow(database,
                "SELECT a.lsn, a.object, EXISTS(SELECT 1 FROM pending p WHERE p.lsn=a.lsn) FROM object_action a "
                "WHERE a.told=0 ORDER BY a.lsn",
                [&actions](const Statement& row) {
                    actions.push_back(
                        {.lsn = Lsn(row.integer(0)), .object = row.integer(1), .isPending = row.integer(2) != 0});
                });
    if (!read) return std::unexpected(std::move(read.error()));
    return actions;
}

Result<Restored> readEverythingElse(Database& database) {
    Restored restored;
    auto workers = readWorkers(database);
    if (!workers) return std::unexpected(std::move(workers.error()));
    restored.workers = std::move(*workers);
    auto read = readQueues(database, restored);
    if (read) read = readMeta(database, restored);
    if (read) read = readDocuments(database, restored);
    if (read) read = readOfObjects(database, restored);
    if (read) read = readMarks(database, restored.marks);
    if (read) read = readComments(database, restored.comments);
    if (read)
        read = eachRow(database, "SELECT id, text FROM dict_label ORDER BY id", [&restored](const Statement& row) {
            restored.labels.push_back({static_cast<LabelNumber>(row.integer(0)), std::string(row.text(1))});
        });
    if (read)
        read = eachRow(database, "SELECT id, text, worker, worker_name, function FROM dict_class ORDER BY id",
                       [&restored](const Statement& row) {
                           restored.classes.push_back({static_cast<ClassNumber>(row.integer(0)),
                                                       std::string(row.text(1)), std::string(row.text(2)),
                                                       std::string(row.text(3)), std::string(row.text(4))});
                       });
    if (read)
        read = eachRow(database, "SELECT id, body, last, cursor FROM op ORDER BY id",
                       [&restored](const Statement& row) {
                           restored.ops.push_back({row.integer(0), std::string(row.text(1)), Lsn(row.integer(2)),
                                                   Lsn(row.integer(3))});
                       });
    if (!read) return std::unexpected(std::move(read.error()));
    return restored;
}

Result<void> removeStrayPacks(Database& database, const ChunkFiles& files) {
    auto known = database.prepare("SELECT 1 FROM pack WHERE id=?");
    if (!known) return std::unexpected(std::move(known.error()));
    std::error_code error;
    for (std::filesystem::directory_iterator i(files.directory() + "/packs", error), end; !error && i != end;
         i.increment(error)) {
        const std::string name = i->path().filename();
        std::int64_t id = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
        if (parsed.ptr == name.data() + name.size()) {
            QueryScope row(*known, id);
            if (row.step() != SQLITE_DONE) continue;
        }
        std::error_code ignored; // tried again at the next start
        std::filesystem::remove(i->path(), ignored);
    }
    return {};
}

} // namespace yard::store
