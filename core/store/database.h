// Private to core/store: a connection to the journal, which is our own file. One thread at a time. Errors are SQLite's result
// codes; error() makes a sentence of one.
#pragma once

#include "core/base/error.h"
#include "core/sqlite/connection.h"
#include "core/sqlite/statement.h"

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::store {

using sqlite::Bytes;
using sqlite::bytesOf;
using sqlite::QueryScope;
using sqlite::Statement;

class Database {
public:
    static Result<Database> openForWriting(const std::string& path, const std::string& vfs);
    /// Read-only, query_only, no checkpoint on close.
    static Result<Database> openForReading(const std::string& path, const std::string& vfs);

    int exec(const char* sql) { return connection_.execute(sql); }
    Result<void> execute(const std::string& sql);
    Result<Statement> prepare(std::string_view sql);
    /// First column of the first row of a query; 0 without rows.
    Result<std::int64_t> number(const std::string& sql);
    Error error(ErrorKind kind, std::string_view doing) const;
    sqlite3* handle() const { return connection_.handle(); }
    explicit operator bool() const { return static_cast<bool>(connection_); }

private:
    static Result<Database> open(const std::string& path, const std::string& vfs, int flags);

    sqlite::Connection connection_;
};

/// The file, not the operation, is at fault: disk full, I/O, read-only, corrupt, out of memory.
bool isDiskFailure(int rc);
/// Journal error for a result code: a sentence with what to do. It ends with kGoesOn.
Error journalError(int rc, std::string_view detail);
inline constexpr std::string_view kGoesOn = ", the engine then goes on by itself";
/// The same while nothing runs yet, where the engine does not start.
Error withoutGoingOn(Error error);

} // namespace yard::store
