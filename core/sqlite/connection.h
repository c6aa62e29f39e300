// A connection of SQLite as an owner, for the journal and for recordings. One thread at a time: SQLite's own mutexes are off.
// Errors are SQLite's result codes; whoever has the connection makes sentences of them.
#pragma once

#include "core/sqlite/statement.h"

#include <sqlite3.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::sqlite {

class Connection {
public:
    Connection() = default;
    Connection(Connection&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)) {}
    Connection& operator=(Connection&& other) noexcept {
        if (this != &other) sqlite3_close_v2(std::exchange(handle_, std::exchange(other.handle_, nullptr)));
        return *this;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { sqlite3_close_v2(handle_); }

    /// Once. `flags`: SQLITE_OPEN_READONLY, or READWRITE with or without CREATE. `vfs`: empty for the system's files.
    /// It waits a second for locks of others. After a failure only words() may be called.
    int open(const std::string& path, int flags, const std::string& vfs = {});
    /// For a file that may be anybody's: nothing of it is run (no triggers, views, functions of its schema), its pages are
    /// checked, none are mapped, and no value is longer than this.
    int distrust(int longestValue);

    int execute(const char* sql);
    /// Kept for the life of the connection.
    std::expected<Statement, int> prepare(std::string_view sql);
    /// First column of the first row; 0 without rows.
    std::expected<std::int64_t, int> number(std::string_view sql);
    /// What SQLite says of the call that failed last with this code: printable, of some hundred bytes at most.
    std::string words(int code) const;

    /// Whether a transaction is open: a full disk ends it.
    bool isInTransaction() const { return sqlite3_get_autocommit(handle_) == 0; }
    /// So many milliseconds for what somebody else reads or writes.
    void waitForOthers(int most) { sqlite3_busy_timeout(handle_, most); }
    sqlite3* handle() const { return handle_; }
    /// There is one.
    explicit operator bool() const { return handle_ != nullptr; }

    /// While it lives, what runs ends with SQLITE_INTERRUPT once `goOn` says no. Both outlive it.
    class Watch {
    public:
        Watch(Connection& connection, const std::function<bool()>& goOn);
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch();

    private:
        Connection& connection_;
    };

private:
    sqlite3* handle_ = nullptr;
};

} // namespace yard::sqlite
