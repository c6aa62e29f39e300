// Private to core/recording: one SQLite file, which may be anybody's. One thread at a time.
// Nothing of the file is run: no triggers, no views, no functions of its schema.
#pragma once

#include "core/base/error.h"
#include "core/sqlite/connection.h"
#include "core/sqlite/statement.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::recording {

using sqlite::Bytes;
using sqlite::bytesOf;
using sqlite::Statement;

class SqliteFile {
public:
    enum class How : unsigned char { Create, Write, Read };
    /// Io, NoSpace; Malformed: it is no SQLite database.
    static Result<SqliteFile> open(const std::string& path, How how);
    Result<void> execute(const std::string& sql);
    Result<Statement> prepare(std::string_view sql);
    /// First column of the first row; 0 without rows.
    Result<std::int64_t> number(std::string_view sql);
    /// Of a code that is no success.
    Error error(int code) const;
    Result<void> outcome(int code) const;
    sqlite::Connection& connection() { return connection_; }

private:
    sqlite::Connection connection_;
};

} // namespace yard::recording
