// SQLite's prepared statements as owners, for the journal and for recordings. One thread at a time: connections are opened
// without SQLite's own mutexes. Errors are SQLite's result codes; whoever has the connection makes sentences of them.
#pragma once

#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/measures.h"

#include <sqlite3.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::sqlite {

/// Bytes to bind as a BLOB. Must live until the statement has run.
struct Bytes {
    std::string_view data;
};
inline Bytes bytesOf(const Hash256& hash) {
    return {{reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()}};
}

/// A prepared statement, kept for the life of its connection.
class Statement {
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* stmt)
        : stmt_(stmt) {}
    Statement(Statement&& other) noexcept
        : stmt_(std::exchange(other.stmt_, nullptr)) {}
    Statement& operator=(Statement&& other) noexcept {
        if (this != &other) sqlite3_finalize(std::exchange(stmt_, std::exchange(other.stmt_, nullptr)));
        return *this;
    }
    ~Statement() { sqlite3_finalize(stmt_); }

    /// There is one.
    explicit operator bool() const { return stmt_ != nullptr; }

    /// Binds all parameters, in order: integers, std::string_view (TEXT), Bytes and Hash256 (BLOB), nullptr,
    /// optionals of these, Measures (one parameter each).
    template<class... Args>
    void bind(const Args&... args) {
        int i = 0;
        (bindNext(i, args), ...);
    }
    /// As bind(), from the beginning: for statements whose rows may not all have been read.
    template<class... Args>
    void begin(const Args&... args) {
        reset();
        bind(args...);
    }
    /// Binds one by its number, from 1 on: for a text that is put together, and does not always have the same ones.
    void bindAt(int i, std::string_view text) { bindOne(i, text); }
    /// Binds, runs to the end, resets: for statements without rows.
    template<class... Args>
    int run(const Args&... args) {
        bind(args...);
        const int rc = sqlite3_step(stmt_);
        sqlite3_reset(stmt_);
        return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
    }
    /// SQLITE_ROW, SQLITE_DONE or an error.
    int step() { return sqlite3_step(stmt_); }
    void reset() { sqlite3_reset(stmt_); }

    std::int64_t integer(int column) const { return sqlite3_column_int64(stmt_, column); }
    bool isNull(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
    /// TEXT or BLOB; valid until the next step.
    std::string_view text(int column) const;
    std::optional<std::int64_t> optionalInteger(int column) const;
    /// Nothing unless exactly 32 bytes.
    std::optional<Hash256> hash(int column) const;

private:
    template<class T>
    void bindNext(int& i, const T& value) {
        bindOne(++i, value);
    }
    /// One parameter each.
    void bindNext(int& i, const Measures& measures) {
        for (const MeasureInfo& info : kMeasureTable) bindOne(++i, measures[info.measure]);
    }
    template<std::integral T>
    void bindOne(int i, T value) {
        sqlite3_bind_int64(stmt_, i, static_cast<std::int64_t>(value));
    }
    template<class Tag, class Rep>
    void bindOne(int i, Id<Tag, Rep> id) {
        sqlite3_bind_int64(stmt_, i, static_cast<std::int64_t>(id.value));
    }
    void bindOne(int i, std::string_view text) {
        sqlite3_bind_text64(stmt_, i, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    void bindOne(int i, const std::string& text) { bindOne(i, std::string_view(text)); }
    void bindOne(int i, const char* text) { bindOne(i, std::string_view(text)); }
    void bindOne(int i, Bytes bytes) {
        sqlite3_bind_blob64(stmt_, i, bytes.data.data() ? bytes.data.data() : "", bytes.data.size(), SQLITE_STATIC);
    }
    void bindOne(int i, const Hash256& hash) { bindOne(i, bytesOf(hash)); }
    void bindOne(int i, std::nullptr_t) { sqlite3_bind_null(stmt_, i); }
    template<class T>
    void bindOne(int i, const std::optional<T>& value) {
        value ? bindOne(i, *value) : bindOne(i, nullptr);
    }

    sqlite3_stmt* stmt_ = nullptr;
};

/// Resets a statement at the end of a scope: a SELECT that is left open holds its read transaction.
class QueryScope {
public:
    template<class... Args>
    explicit QueryScope(Statement& statement, const Args&... args)
        : statement_(statement) {
        statement_.bind(args...);
    }
    ~QueryScope() { statement_.reset(); }
    QueryScope(const QueryScope&) = delete;
    QueryScope& operator=(const QueryScope&) = delete;
    int step() { return statement_.step(); }
    const Statement* operator->() const { return &statement_; }

private:
    Statement& statement_;
};

/// What SQLite says, for a sentence: it quotes what it read, and of a damaged file that is any bytes.
std::string plainWords(std::string_view text);

} // namespace yard::sqlite
