#include "core/store/database.h"

#include <fmt/format.h>

namespace yard::store {

Result<Database> Database::open(const std::string& path, const std::string& vfs, int flags) {
    Database database;
    const int rc = database.connection_.open(path, flags, vfs);
    if (rc == SQLITE_OK) return database;
    return std::unexpected(Error{.kind = (rc & 0xff) == SQLITE_FULL ? ErrorKind::NoSpace : ErrorKind::Io,
                                 .message = fmt::format("cannot open {}: {}", path, database.connection_.words(rc)),
                                 .field = {},
                                 .need = {}});
}

Result<Database> Database::openForWriting(const std::string& path, const std::string& vfs) {
    return open(path, vfs, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Result<Database> Database::openForReading(const std::string& path, const std::string& vfs) {
    auto database = open(path, vfs, SQLITE_OPEN_READONLY);
    if (!database) return database;
    sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (auto done = database->execute("PRAGMA query_only=1; PRAGMA temp_store=memory; PRAGMA cache_size=-4096");
        !done)
        return std::unexpected(std::move(done.error()));
    return database;
}

Result<void> Database::execute(const std::string& sql) {
    if (exec(sql.c_str()) == SQLITE_OK) return {};
    return std::unexpected(error(ErrorKind::Io, sql.substr(0, sql.find_first_of("(\n"))));
}

Result<Statement> Database::prepare(std::string_view sql) {
    auto statement = connection_.prepare(sql);
    if (!statement) return std::unexpected(error(ErrorKind::Io, sql));
    return std::move(*statement);
}

Result<std::int64_t> Database::number(const std::string& sql) {
    const auto number = connection_.number(sql);
    if (!number) return std::unexpected(error(ErrorKind::Io, sql));
    return *number;
}

Error Database::error(ErrorKind kind, std::string_view doing) const {
    const int rc = sqlite3_extended_errcode(handle());
    if ((rc & 0xff) == SQLITE_FULL) kind = ErrorKind::NoSpace;
    return {.kind = kind,
            .message =
                fmt::format("the journal failed at \"{}\": {} (SQLite {})", doing, connection_.words(rc), rc),
            .field = {},
            .need = {},
            .index = -1,
            .sysErrno = sqlite3_system_errno(handle())};
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
