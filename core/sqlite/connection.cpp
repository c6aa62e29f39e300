#include "core/sqlite/connection.h"

#include "core/base/memory_ledger.h"

#include <cstdlib>
#include <malloc.h>

namespace yard::sqlite {

namespace {

/// As SQLite's own, which asks malloc, and counted. The journal has nearly all of it.
const sqlite3_mem_methods& countedMemory() {
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

/// Before the first use of SQLite in this process, whoever that is. Its own counting takes a lock in each allocation.
void configureOnce() {
    [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    [[maybe_unused]] static const int counted = sqlite3_config(SQLITE_CONFIG_MALLOC, &countedMemory());
}

} // namespace

int Connection::open(const std::string& path, int flags, const std::string& vfs) {
    configureOnce();
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                     vfs.empty() ? nullptr : vfs.c_str());
    if (code == SQLITE_OK) waitForOthers(1000);
    return code;
}

int Connection::distrust(int longestValue) {
    for (const auto& [option, value] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)})
        sqlite3_db_config(handle_, option, value, nullptr);
    sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, longestValue);
    return execute("PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA temp_store=memory");
}

int Connection::execute(const char* sql) {
    return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
}

std::expected<Statement, int> Connection::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return std::unexpected(code);
    return Statement(statement);
}

std::expected<std::int64_t, int> Connection::number(std::string_view sql) {
    auto query = prepare(sql);
    if (!query) return std::unexpected(query.error());
    const int code = query->step();
    if (code == SQLITE_ROW) return query->integer(0);
    if (code == SQLITE_DONE) return 0;
    return std::unexpected(code);
}

std::string Connection::words(int code) const {
    return plainWords(handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
}

Connection::Watch::Watch(Connection& connection, const std::function<bool()>& goOn)
    : connection_(connection) {
    constexpr int kSteps = 10'000; // between two questions
    const auto ask = [](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 0 : 1; };
    sqlite3_progress_handler(connection_.handle_, kSteps, ask, const_cast<std::function<bool()>*>(&goOn));
}

Connection::Watch::~Watch() {
    sqlite3_progress_handler(connection_.handle_, 0, nullptr, nullptr);
}

} // namespace yard::sqlite
