#include "core/recording/sqlite_file.h"

#include <fmt/format.h>

namespace yard::recording {

namespace {

constexpr int kLongestValue = 80 << 20; // a frame of one action, and what SQLite adds

} // namespace

Result<SqliteFile> SqliteFile::open(const std::string& path, How how) {
    int flags = how == How::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (how == How::Create) flags |= SQLITE_OPEN_CREATE;
    SqliteFile made;
    int code = made.connection_.open(path, flags);
    if (code == SQLITE_OK) code = made.connection_.distrust(kLongestValue);
    if (code != SQLITE_OK) return std::unexpected(made.error(code));
    return made;
}

Result<void> SqliteFile::execute(const std::string& sql) {
    return outcome(connection_.execute(sql.c_str()));
}

Result<Statement> SqliteFile::prepare(std::string_view sql) {
    auto made = connection_.prepare(sql);
    if (!made) return std::unexpected(error(made.error()));
    return std::move(*made);
}

Result<std::int64_t> SqliteFile::number(std::string_view sql) {
    const auto number = connection_.number(sql);
    if (!number) return std::unexpected(error(number.error()));
    return *number;
}

Error SqliteFile::error(int code) const {
    const std::string words = connection_.words(code);
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
