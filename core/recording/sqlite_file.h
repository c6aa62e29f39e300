// Private to core/recording: one SQLite file and its statements, for files that may be anybody's. One thread at a time.
// Nothing of the file is run: no triggers, no views, no functions of its schema.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::recording {

/// Bytes to bind as a BLOB. They live until the statement has run.
struct Blob {
    std::string_view bytes;
};
inline Blob blobOf(const Hash256& hash) {
    return {{reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()}};
}

class Query {
public:
    Query() = default;
    explicit Query(sqlite3_stmt* statement)
        : statement_(statement) {}
    Query(Query&& other) noexcept
        : statement_(std::exchange(other.statement_, nullptr)) {}
    Query& operator=(Query&& other) noexcept {
        std::swap(statement_, other.statement_);
        return *this;
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query() { sqlite3_finalize(statement_); }

    /// Begins again with these parameters.
    template<class... Values>
    void begin(const Values&... values) {
        sqlite3_reset(statement_);
        int i = 0;
        (bind(++i, values), ...);
    }
    /// SQLITE_ROW, SQLITE_DONE or an error.
    int step() { return sqlite3_step(statement_); }
    void reset() { sqlite3_reset(statement_); }
    /// Runs it to its end: for statements without rows. SQLITE_OK or an error.
    template<class... Values>
    int run(const Values&... values) {
        begin(values...);
        const int code = step();
        reset();
        return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
    }

    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    std::optional<std::int64_t> optionalInteger(int column) const;
    /// Of a text or a blob; valid until the next step.
    std::string_view text(int column) const;
    /// Nothing unless it has 32 bytes.
    std::optional<Hash256> hash(int column) const;

private:
    template<std::integral T>
    void bind(int i, T value) {
        sqlite3_bind_int64(statement_, i, static_cast<std::int64_t>(value));
    }
    void bind(int i, std::string_view text) {
        sqlite3_bind_text64(statement_, i, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    void bind(int i, const std::string& text) { bind(i, std::string_view(text)); }
    void bind(int i, Blob blob) {
        sqlite3_bind_blob64(statement_, i, blob.bytes.data() ? blob.bytes.data() : "", blob.bytes.size(),
                            SQLITE_STATIC);
    }
    void bind(int i, std::nullptr_t) { sqlite3_bind_null(statement_, i); }
    template<class T>
    void bind(int i, const std::optional<T>& value) {
        value ? bind(i, *value) : bind(i, nullptr);
    }
    void bind(int i, const std::optional<Hash256>& hash) { hash ? bind(i, blobOf(*hash)) : bind(i, nullptr); }

    sqlite3_stmt* statement_ = nullptr;
};

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
    Result<Query> prepare(std::string_view sql);
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
