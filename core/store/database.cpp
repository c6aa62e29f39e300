#include "core/store/database.h"

#include "core/base/memory_ledger.h"

#include <fmt/format.h>

#include <cstdlib>
#include <malloc.h>

namespace yard::store {

Database::~Database() {
    if (db_) sqlite3_close_v2(db_);
}

/// As SQLite's own, which asks malloc, and counted.
static const sqlite3_mem_methods& countedMemory() {
    static constexpr auto sizeOf = [](void* block) { return static_cast<int>(::malloc_usable_size(block)); };
    static const sqlite3_mem_methods methods{
        .xMalloc = [](int size) -> void* {
            void* block = std::malloc(static_cast<std::size_t>(size));
            if (block) chargeMemory(MemoryOwner::Journal, ::malloc_usable_size(block));
            return block;
        },
        .xFree =
            [](void* block) {
                if (block) releaseMemory(MemoryOwner::Journal, ::malloc_usable_size(block));
                std::free(block);
            },
        .xRealloc = [](void* block, int size) -> void* {
            const std::size_t before = block ? ::malloc_usable_size(block) : 0;
            void* moved = std::realloc(block, static_cast<std::size_t>(size));
            if (!moved) return nullptr; // the block stays
            if (block) releaseMemory(MemoryOwner::Journal, before);
            chargeMemory(MemoryOwner::Journal, ::malloc_usable_size(moved));
            return moved;
        },
        .xSize = sizeOf,
        .xRoundup = [](int size) { return (size + 7) & ~7; },
        .xInit = [](void*) { return SQLITE_OK; },
        .xShutdown = [](void*) {},
        .pAppData = nullptr};
    return methods;
}

static Result<sqlite3*> openHandle(const std::string& path, const std::string& vfs, int flags) {
    // Its own counting takes a lock in each allocation. Before its first use.
    [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    [[maybe_unused]] static const int counted = sqlite3_config(SQLITE_CONFIG_MALLOC, &countedMemory());
    sqlite3* db = nullptr;
    const int rc = sqlite3_open_v2(path.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   vfs.empty() ? nullptr : vfs.c_str());
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(db, 1000);
        return db;
    }
    Error error{.kind = (rc & 0xff) == SQLITE_FULL ? ErrorKind::NoSpace : ErrorKind::Io,
                .message = fmt::format("cannot open {}: {}", path,
                                       sqlite::plainWords(db ? sqlite3_errmsg(db) : sqlite3_errstr(rc))),
                .field = {},
                .need = {}};
    sqlite3_close_v2(db);
    return std::unexpected(std::move(error));
}

Result<Database> Database::openForWriting(const std::string& path, const std::string& vfs) {
    auto handle = openHandle(path, vfs, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!handle) return std::unexpected(std::move(handle.error()));
    Database database;
    database.db_ = *handle;
    return database;
}

Result<Database> Database::openForReading(const std::string& path, const std::string& vfs) {
    auto handle = openHandle(path, vfs, SQLITE_OPEN_READONLY);
    if (!handle) return std::unexpected(std::move(handle.error()));
    Database database;
    database.db_ = *handle;
    sqlite3_db_config(database.db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (auto done = database.execute("PRAGMA query_only=1; PRAGMA temp_store=memory; PRAGMA cache_size=-4096");
        !done)
        return std::unexpected(std::move(done.error()));
    return database;
}

int Database::exec(const char* sql) {
    return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
}

Result<void> Database::execute(const std::string& sql) {
    if (exec(sql.c_str()) == SQLITE_OK) return {};
    return std::unexpected(error(ErrorKind::Io, sql.substr(0, sql.find_first_of("(\n"))));
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* stmt = nullptr;
    const int rc = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &stmt, nullptr);
    if (rc != SQLITE_OK) return std::unexpected(error(ErrorKind::Io, sql));
    return Statement(stmt);
}

Result<std::int64_t> Database::number(const std::string& sql) {
    auto statement = prepare(sql);
    if (!statement) return std::unexpected(std::move(statement.error()));
    const int rc = statement->step();
    if (rc == SQLITE_ROW) return statement->integer(0);
    if (rc == SQLITE_DONE) return 0;
    return std::unexpected(error(ErrorKind::Io, sql));
}

Error Database::error(ErrorKind kind, std::string_view doing) const {
    const int rc = sqlite3_extended_errcode(db_);
    if ((rc & 0xff) == SQLITE_FULL) kind = ErrorKind::NoSpace;
    return {.kind = kind,
            .message = fmt::format("the journal failed at \"{}\": {} (SQLite {})", doing,
                                   sqlite::plainWords(sqlite3_errmsg(db_)), rc),
            .field = {},
            .need = {},
            .index = -1,
            .sysErrno = sqlite3_system_errno(db_)};
}

bool isDiskFailure(int rc) {
    switch (rc & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PERM:
    case SQLITE_NOLFS: return true;
    default: return false;
    }
}

Error journalError(int rc, std::string_view detail) {
    const char* advice = (rc & 0xff) == SQLITE_FULL ? "free some disk space" : "look at the disk";
    const std::string_view known = sqlite3_errstr(rc);
    const bool more = !detail.empty() && detail != known && detail != sqlite3_errstr(SQLITE_OK);
    return {.kind = ErrorKind::Journal,
            .message = fmt::format("the journal cannot be written now ({}{}{}): {}{}", known, more ? ", " : "",
                                   more ? sqlite::plainWords(detail) : "", advice, kGoesOn),
            .field = {},
            .need = {}};
}

Error withoutGoingOn(Error error) {
    if (error.message.ends_with(kGoesOn)) error.message.resize(error.message.size() - kGoesOn.size());
    return error;
}

} // namespace yard::store
