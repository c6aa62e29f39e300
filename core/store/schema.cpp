#include "core/store/schema.h"

#include "core/base/files.h"
#include "core/store/big_endian.h"
#include "core/store/journal_copy.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <string>

namespace yard::store {

// Times are microseconds; d_… are differences to t_new, NULL when the state was not entered. `class` and `label`
// are numbers of dict_…; `spec` is a table of its own from the start: moving 300 bytes at the end of every action
// halves the rate (measured: 120,000 against 190,000 whole lives a second). Elements of an array share the spec of
// `array_base`. `recent` is what finished last, in order of the end, without an index on a time: a ring of packed
// LSNs, written once per group.
static constexpr const char* kVersion1 = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE pending(
    lsn INTEGER PRIMARY KEY, queue INTEGER NOT NULL, class INTEGER NOT NULL, label INTEGER NOT NULL,
    priority INTEGER NOT NULL, flags INTEGER NOT NULL, t_new INTEGER NOT NULL, d_pending INTEGER, not_before INTEGER,
    array_base INTEGER, array_index INTEGER, attempts INTEGER NOT NULL, retry_count INTEGER NOT NULL,
    own_failures INTEGER NOT NULL, interruptions INTEGER NOT NULL, edges BLOB) STRICT;
CREATE TABLE done(
    lsn INTEGER PRIMARY KEY, queue INTEGER NOT NULL, class INTEGER NOT NULL, label INTEGER NOT NULL,
    priority INTEGER NOT NULL, state INTEGER NOT NULL, reason INTEGER NOT NULL, exit_code INTEGER, signal INTEGER,
    cpu_us INTEGER, max_rss INTEGER, flags INTEGER NOT NULL, attempts INTEGER NOT NULL, retry_count INTEGER NOT NULL,
    own_failures INTEGER NOT NULL, interruptions INTEGER NOT NULL, t_new INTEGER NOT NULL, d_pending INTEGER,
    d_submitting INTEGER, d_running INTEGER, d_exited INTEGER, d_end INTEGER, array_base INTEGER, array_index INTEGER,
    note TEXT) STRICT;
CREATE INDEX done_not_completed ON done(state, queue, reason) WHERE state<>4;
CREATE TABLE spec(lsn INTEGER PRIMARY KEY, text TEXT NOT NULL, chunks BLOB) STRICT;
CREATE TABLE array(base INTEGER PRIMARY KEY, live INTEGER NOT NULL) STRICT;
CREATE TABLE attempt(
    id INTEGER PRIMARY KEY, state INTEGER NOT NULL, reason INTEGER NOT NULL, exit_code INTEGER, signal INTEGER,
    cpu_us INTEGER, max_rss INTEGER, flags INTEGER NOT NULL, t_submitting INTEGER, t_running INTEGER, t_exited INTEGER,
    t_end INTEGER, out BLOB, err BLOB, outputs BLOB, result TEXT, denied BLOB, note TEXT) STRICT;
CREATE TABLE blob(
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, bytes BLOB, pack INTEGER,
    at INTEGER) STRICT;
CREATE INDEX blob_key ON blob(key);
CREATE TABLE pack(id INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT;
CREATE TABLE op(id INTEGER PRIMARY KEY, body TEXT NOT NULL, last INTEGER NOT NULL, cursor INTEGER NOT NULL) STRICT;
CREATE TABLE queue(
    id INTEGER PRIMARY KEY, token TEXT NOT NULL, tag TEXT NOT NULL, state INTEGER NOT NULL, held INTEGER NOT NULL,
    config TEXT NOT NULL, created INTEGER NOT NULL, completed INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0, abandoned INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE worker(
    id BLOB PRIMARY KEY, canonical TEXT NOT NULL, registered INTEGER NOT NULL, chunks BLOB) STRICT, WITHOUT ROWID;
CREATE TABLE dict_label(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE dict_class(
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, worker TEXT NOT NULL, worker_name TEXT NOT NULL,
    function TEXT NOT NULL) STRICT;
CREATE TABLE idem(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body BLOB NOT NULL, answer TEXT NOT NULL, t INTEGER NOT NULL) STRICT;
CREATE TABLE recent(slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, lsns BLOB NOT NULL) STRICT;
INSERT INTO queue(id, token, tag, state, held, config, created) VALUES(0, '', '', 0, 0, '{}', 0);
INSERT INTO meta VALUES('next_lsn', '1'), ('last_queue', '0');
)";

static constexpr const char* kVersion2 = "ALTER TABLE queue ADD COLUMN failed_before INTEGER NOT NULL DEFAULT 0;";

// What clearing up needs: how many rows `done` has, written with each group; the rows of a pack; the specs that
// refer to chunks. Both indexes are of few rows.
static constexpr const char* kVersion3 = R"(
INSERT INTO meta SELECT 'finished', CAST(count(*) AS TEXT) FROM done;
CREATE INDEX blob_pack ON blob(pack) WHERE pack IS NOT NULL;
CREATE INDEX spec_chunks ON spec(lsn) WHERE chunks IS NOT NULL;
)";

// Submissions of which not all parts are there yet: their rows are nobody's, and a start removes them.
static constexpr const char* kVersion4 =
    "CREATE TABLE accepting(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;";

// What an attempt used while it ran: samples, packed.
static constexpr const char* kVersion5 = "ALTER TABLE attempt ADD COLUMN samples BLOB;";

// Who was to wait for whom, for as long as the action that waited is known. Of an array its first LSN and how many.
// What was submitted before this table came is found in its specification.
static constexpr const char* kVersion6 = R"(
CREATE TABLE dependent(
    parent INTEGER NOT NULL, lsn INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(parent, lsn)) STRICT, WITHOUT ROWID;
CREATE INDEX dependent_lsn ON dependent(lsn);
INSERT OR IGNORE INTO dependent
    SELECT CASE a.type WHEN 'object' THEN json_extract(a.value, '$.lsn') ELSE a.value END, s.lsn,
        coalesce(json_extract(s.text, '$.array.to') - coalesce(json_extract(s.text, '$.array.from'), 0), 0) + 1
    FROM spec s, json_each(s.text, '$.after') a WHERE instr(s.text, '"after"') > 0 AND json_valid(s.text);
)";

// What an action without a label is called: its command in short, of an element of an array with "{index}" in it.
// In the row, as lists want it and a specification may be gone or megabytes long; NULL where there is nothing to
// say.
static constexpr const char* kVersion7 =
    "ALTER TABLE pending ADD COLUMN name TEXT; ALTER TABLE done ADD COLUMN name TEXT;";

// Lists whose actions name each other: the `id` of each. Who waits for a whole array: `span` is how many elements
// it had, 1 of an action alone; `size` says that of an array.
static constexpr const char* kVersion8 = R"(
ALTER TABLE pending ADD COLUMN id TEXT;
ALTER TABLE done ADD COLUMN id TEXT;
ALTER TABLE array ADD COLUMN size INTEGER;
UPDATE array SET size=(SELECT json_extract(text, '$.array.to') - json_extract(text, '$.array.from') + 1 FROM spec
    WHERE lsn=base AND json_valid(text));
ALTER TABLE dependent ADD COLUMN span INTEGER NOT NULL DEFAULT 1;
CREATE INDEX dependent_arrays ON dependent(parent, span) WHERE span>1;
)";

// Actions that were submitted again with changes, and as which one, for as long as they are known. Few have a row.
static constexpr const char* kVersion9 =
    "CREATE TABLE replaced(lsn INTEGER PRIMARY KEY, successor INTEGER NOT NULL) STRICT;";

// What attempts read from disks and wrote to them; unknown of those before.
static constexpr const char* kVersion10 =
    "ALTER TABLE done ADD COLUMN io_bytes INTEGER; ALTER TABLE attempt ADD COLUMN io_bytes INTEGER;";

// Colours and comments of what is kept; few have any, so neither is a column of an action's row. A comment is of an
// action or of a queue. Numbers of colours: model's Mark.
static constexpr const char* kVersion11 = R"(
CREATE TABLE mark(lsn INTEGER PRIMARY KEY, colour INTEGER NOT NULL) STRICT;
CREATE TABLE comment(
    id INTEGER PRIMARY KEY, lsn INTEGER, queue INTEGER, t INTEGER NOT NULL, who TEXT NOT NULL,
    text TEXT NOT NULL) STRICT;
CREATE INDEX comment_lsn ON comment(lsn) WHERE lsn IS NOT NULL;
CREATE INDEX comment_queue ON comment(queue) WHERE queue IS NOT NULL;
ALTER TABLE queue ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
)";

// Arrays and lists that are shown as one row: counts of what ended and what is gone, written once per group, so that no
// question walks through millions of elements. They do not overlap. What was a list before is not known; 4 to 7 are the
// numbers of the end states.
static constexpr const char* kVersion12 = R"(
CREATE TABLE fold(
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, kind INTEGER NOT NULL, completed INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0, abandoned INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,
    gone INTEGER NOT NULL DEFAULT 0, started INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO fold SELECT a.base, a.base+a.size-1, 0, coalesce(sum(d.state=4), 0), coalesce(sum(d.state=5), 0),
        coalesce(sum(d.state=6), 0), coalesce(sum(d.state=7), 0), a.size-a.live, coalesce(min(d.t_new+d.d_running), 0)
    FROM array a LEFT JOIN done d ON d.lsn BETWEEN a.base AND a.base+a.size-1
    WHERE a.size>1 AND NOT EXISTS (SELECT 1 FROM accepting c WHERE a.base BETWEEN c.first AND c.last)
    GROUP BY a.base;
)";

// Queues that are deleted once the last of their actions has ended.
static constexpr const char* kVersion13 = "ALTER TABLE queue ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0;";

// Where pending actions stand that people moved (core/model/place_key.h); most were not.
static constexpr const char* kVersion14 = "ALTER TABLE pending ADD COLUMN place TEXT;";

// Small durable things of the engine's, by kind and name: those that have no table of their own. Mutes of failures were
// one value with all of them.
static constexpr const char* kVersion15 = R"(
CREATE TABLE document(
    kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(kind, name)) STRICT, WITHOUT ROWID;
INSERT INTO document SELECT 'failure_mute', m.key, CAST(m.value AS TEXT)
    FROM meta, json_each(CASE WHEN json_valid(meta.value) THEN meta.value ELSE '{}' END) m
    WHERE meta.key='engine.failure_mutes' AND m.type='integer' AND length(m.key) BETWEEN 1 AND 256;
DELETE FROM meta WHERE key LIKE 'engine.%';
)";

// Objects: work that has a life (docs/objects.md). retry_at is there exactly while the status is not final. Numbers of
// objects and types are never used twice. An effect of a transition is a row of `outbox` from the same commit on.
static constexpr const char* kVersionObjects = R"(
CREATE TABLE object_type(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
CREATE TABLE object(
    id INTEGER PRIMARY KEY AUTOINCREMENT, type INTEGER NOT NULL, status TEXT NOT NULL, retry_at INTEGER, key TEXT,
    launch TEXT, parent INTEGER, fields TEXT NOT NULL, retries INTEGER NOT NULL DEFAULT 0,
    stuck INTEGER NOT NULL DEFAULT 0, start_ts INTEGER, end_ts INTEGER, created INTEGER NOT NULL,
    modified INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 0, last_error TEXT, note TEXT) STRICT;
CREATE UNIQUE INDEX object_key ON object(type, key) WHERE key IS NOT NULL;
CREATE INDEX object_status ON object(type, status);
CREATE INDEX object_parent ON object(parent) WHERE parent IS NOT NULL;
CREATE TABLE object_history(
    object INTEGER NOT NULL, revision INTEGER NOT NULL, t INTEGER NOT NULL, came_from TEXT NOT NULL,
    went_to TEXT NOT NULL, actor TEXT NOT NULL, tick_ms INTEGER NOT NULL,
    PRIMARY KEY(object, revision)) STRICT, WITHOUT ROWID;
CREATE TABLE outbox(
    object INTEGER NOT NULL, revision INTEGER NOT NULL, position INTEGER NOT NULL, kind INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY(object, revision, position)) STRICT, WITHOUT ROWID;
)";

// Which pieces an attempt had of resources that are told apart, as JSON; most had none.
static constexpr const char* kVersionGiven = "ALTER TABLE attempt ADD COLUMN given TEXT;";

// The machine that an attempt ran on, where that was not the engine's own; most did not.
static constexpr const char* kVersionMachine = "ALTER TABLE attempt ADD COLUMN machine TEXT;";

// Actions that effects of objects submitted, for as long as they are known; `told`: the object was woken for the end.
static constexpr const char* kVersionOwned = R"(
CREATE TABLE object_action(
    lsn INTEGER PRIMARY KEY, object INTEGER NOT NULL, name TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX object_action_object ON object_action(object, name);
CREATE INDEX object_action_untold ON object_action(lsn) WHERE told=0;
)";

static constexpr const char* kMigrations[] = {
    kVersion1,  kVersion2,       kVersion3,     kVersion4,       kVersion5,    kVersion6,  kVersion7,
    kVersion8,  kVersion9,       kVersion10,    kVersion11,      kVersion12,   kVersion13, kVersion14,
    kVersion15, kVersionObjects, kVersionGiven, kVersionMachine, kVersionOwned};
static_assert(std::size(kMigrations) == kSchemaVersion);

Result<void> migrate(Database& database, std::span<const char* const> steps) {
    auto version = database.number("PRAGMA user_version");
    if (!version) return std::unexpected(std::move(version.error()));
    for (auto next = static_cast<std::size_t>(*version); next < steps.size(); ++next) {
        const std::string step =
            fmt::format("BEGIN IMMEDIATE;{}PRAGMA user_version={};COMMIT", steps[next], next + 1);
        if (auto done = database.execute(step); !done) {
            (void)database.exec("ROLLBACK");
            done.error().message =
                fmt::format("cannot bring the journal to version {}: {}", next + 1, done.error().message);
            return done;
        }
    }
    return {};
}

static Result<void> refuseNewer(std::int64_t version) {
    constexpr std::int64_t kMostVersions = 10'000;
    if (version <= kSchemaVersion && version >= 0) return {};
    if (version < 0 || version > kMostVersions)
        return fail(
            ErrorKind::WrongState,
            fmt::format("the journal is damaged (it names version {}, and there is none like that): restore it "
                        "from a backup, or choose another --data-dir",
                        version));
    return fail(
        ErrorKind::WrongState,
        fmt::format("the journal was written by a newer yardmaster (version {}, this one knows {}): start that "
                    "one, or choose another --data-dir",
                    version, kSchemaVersion));
}

/// user_version as it stands in the file's header; nothing where it is no database.
static std::optional<std::int64_t> versionInHeader(int fd) {
    constexpr std::size_t kHeader = 100;
    constexpr std::size_t kAt = 60;
    const auto header = readFileAt(fd, 0, kHeader);
    if (!header || header->size() < kHeader || !header->starts_with("SQLite format 3")) return std::nullopt;
    return static_cast<std::int32_t>(bigEndian(*header, kAt)); // as SQLite reads it
}

Result<void> refuseNewerJournal(const std::string& path, int fd) {
    struct stat log{};
    if (stat((path + "-wal").c_str(), &log) != 0 || log.st_size == 0)
        return refuseNewer(versionInHeader(fd).value_or(0));
    // After a kill the newest version may stand in the log alone.
    auto database = Database::openForReading(path, {});
    if (!database) return {};
    return refuseNewer(database->number("PRAGMA user_version").value_or(0));
}

/// SQLite answers with the mode that holds: another one where the file system cannot share memory.
static Result<void> useWriteAheadLog(Database& database) {
    auto statement = database.prepare("PRAGMA journal_mode=WAL");
    if (!statement) return std::unexpected(std::move(statement.error()));
    if (statement->step() != SQLITE_ROW)
        return std::unexpected(database.error(ErrorKind::Io, "PRAGMA journal_mode"));
    if (statement->text(0) == "wal") return {};
    return fail(
        ErrorKind::WrongState,
        "the journal needs a file system that can share memory between processes, and this one (of a network or "
        "a virtual machine) cannot: choose a --data-dir on a disk of this machine");
}

Result<void> prepareJournal(Database& database, Durability durability) {
    auto version = database.number("PRAGMA user_version");
    if (!version) return std::unexpected(std::move(version.error()));
    if (auto fine = refuseNewer(*version); !fine) return fine;
    if (*version == 0) {
        auto tables = database.number("SELECT count(*) FROM sqlite_schema");
        if (!tables) return std::unexpected(std::move(tables.error()));
        if (*tables > 0)
            return fail(ErrorKind::Io,
                        "journal.sqlite holds tables that are not yardmaster's: choose another --data-dir");
        // before the first table, or they have no effect
        if (auto done = database.execute("PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL"); !done)
            return done;
    }
    if (auto done = useWriteAheadLog(database); !done) return done;
    const char* sync = durability == Durability::Power ? "FULL" : "NORMAL";
    auto setUp = database.execute(fmt::format("PRAGMA synchronous={}; PRAGMA cache_size=-8192;"
                                              "PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=memory;"
                                              "PRAGMA journal_size_limit=16777216",
                                              sync));
    if (!setUp) return setUp;
    if (*version > 0 && *version < kSchemaVersion)
        if (auto kept = keepCopy(database, *version); !kept) return kept;
    return migrate(database, kMigrations);
}

} // namespace yard::store
