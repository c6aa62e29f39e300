#include "core/recording/sqlite_file.h"

#include <fmt/format.h>

namespace yard::recording {

namespace {

constexpr int kLongestValue = 80 << 20; // a frame of one action, and what SQLite adds

} // namespace

Result<SqliteFile> SqliteFile::open(const std::string& path, How how) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= how == How::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (how == How::Create) flags |= SQLITE_OPEN_CREATE;
    SqliteFile made;
    const int code = sqlite3_open_v2(path.c_str(), &made.file_, flags, nullptr);
    if (code != SQLITE_OK) return std::unexpected(made.error(code));
    made.waitForOthers(1000);
    for (const auto& [option, value] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)})
        sqlite3_db_config(made.file_, option, value, nullptr);
    sqlite3_limit(made.file_, SQLITE_LIMIT_LENGTH, kLongestValue);
    if (auto set = made.execute("PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA temp_store=memory"); !set)
        return std::unexpected(set.error());
    return made;
}

SqliteFile::Watch::Watch(SqliteFile& file, const std::function<bool()>& goOn)
    : file_(file) {
    constexpr int kSteps = 10'000; // between two questions
    const auto ask = [](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 0 : 1; };
    sqlite3_progress_handler(file_.file_, kSteps, ask, const_cast<std::function<bool()>*>(&goOn));
}

SqliteFile::Watch::~Watch() {
    sqlite3_progress_handler(file_.file_, 0, nullptr, nullptr);
}

Result<void> SqliteFile::execute(const std::string& sql) {
    return outcome(sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, nullptr));
}

Result<Statement> SqliteFile::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(file_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &statement, nullptr);
    if (code != SQLITE_OK) return std::unexpected(error(code));
    return Statement(statement);
}

Result<std::int64_t> SqliteFile::number(std::string_view sql) {
    auto query = prepare(sql);
    if (!query) return std::unexpected(query.error());
    const int code = query->step();
    if (code == SQLITE_ROW) return query->integer(0);
    if (code == SQLITE_DONE) return 0;
    return std::unexpected(error(code));
}

Error SqliteFile::error(int code) const {
    const std::string words = sqlite::plainWords(file_ ? sqlite3_errmsg(file_) : sqlite3_errstr(code));
    switch (code & 0xff) {
    case SQLITE_FULL: return fail(ErrorKind::NoSpace, "The disk is full: free some of it.").error();
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR: // of a schema that is not ours
        return fail(ErrorKind::Malformed, fmt::format("This is no recording, or it is damaged: {}.", words))
            .error();
    default: return fail(ErrorKind::Io, fmt::format("The recording cannot be read or written: {}.", words)).error();
    }
}

Result<void> SqliteFile::outcome(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return {};
    return std::unexpected(error(code));
}

} // namespace yard::recording
