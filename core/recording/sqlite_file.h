// Private to core/recording: one SQLite file, which may be anybody's. One thread at a time.
// Nothing of the file is run: no triggers, no views, no functions of its schema.
#pragma once

#include "core/base/error.h"
#include "core/sqlite/statement.h"

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::recording {

using sqlite::Bytes;
using sqlite::bytesOf;
using sqlite::Statement;

class SqliteFile {
public:
    enum class How : unsigned char { Create, Write, Read };
    SqliteFile() = default;
    SqliteFile(SqliteFile&& other) noexcept
        : file_(std::exchange(other.file_, nullptr)) {}
    SqliteFile& operator=(SqliteFile&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;
    ~SqliteFile() { sqlite3_close_v2(file_); }

    /// Io, NoSpace; Malformed: it is no SQLite database.
    static Result<SqliteFile> open(const std::string& path, How how);
    Result<void> execute(const std::string& sql);
    Result<Statement> prepare(std::string_view sql);
    /// First column of the first row; 0 without rows.
    Result<std::int64_t> number(std::string_view sql);
    /// Of a code that is no success.
    Error error(int code) const;
    Result<void> outcome(int code) const;
    /// Whether a transaction is open: a full disk ends it.
    bool isInTransaction() const { return sqlite3_get_autocommit(file_) == 0; }

    /// So many milliseconds for what somebody else reads or writes.
    void waitForOthers(int most) { sqlite3_busy_timeout(file_, most); }
    /// While it lives, what runs ends with SQLITE_INTERRUPT once `goOn` says no. Both outlive it.
    class Watch {
    public:
        Watch(SqliteFile& file, const std::function<bool()>& goOn);
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch();

    private:
        SqliteFile& file_;
    };

private:
    sqlite3* file_ = nullptr;
};

} // namespace yard::recording
