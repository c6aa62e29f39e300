// A journal as an earlier version left it: each migration taken back, the newest first. A new one has its line here.
#pragma once

#include "core/store/schema.h"

#include <array>
#include <fmt/format.h>
#include <string>

namespace yard::test {

/// SQL that makes a journal of today one of `version`, 5 to 18.
inline std::string undoneTo(int version) {
    constexpr int kFirst = 6;
    constexpr std::array kUndone = {
        "DROP TABLE dependent;",                                                            // 6
        "ALTER TABLE pending DROP COLUMN name; ALTER TABLE done DROP COLUMN name;",         // 7
        "ALTER TABLE pending DROP COLUMN id; ALTER TABLE done DROP COLUMN id; "             // 8
        "ALTER TABLE array DROP COLUMN size; DROP INDEX dependent_arrays; "                 //
        "ALTER TABLE dependent DROP COLUMN span;",                                          //
        "DROP TABLE replaced;",                                                             // 9
        "ALTER TABLE done DROP COLUMN io_bytes; ALTER TABLE attempt DROP COLUMN io_bytes;", // 10
        "DROP TABLE mark; DROP TABLE comment; ALTER TABLE queue DROP COLUMN mark;",         // 11
        "DROP TABLE fold;",                                                                 // 12
        "ALTER TABLE queue DROP COLUMN deleting;",                                          // 13
        "ALTER TABLE pending DROP COLUMN place;",                                           // 14
        "DROP TABLE document;",                                                             // 15
        "DROP TABLE object_type; DROP TABLE object; "                                       // 16
        "DROP TABLE object_history; DROP TABLE outbox;",                                    //
        "ALTER TABLE attempt DROP COLUMN given;",                                           // 17
        "ALTER TABLE attempt DROP COLUMN machine;",                                         // 18
        "DROP TABLE object_action;",                                                        // 19
    };
    static_assert(kFirst + kUndone.size() - 1 == store::kSchemaVersion, "a migration is not taken back");
    std::string sql;
    for (int at = store::kSchemaVersion; at > version; --at) sql += kUndone[static_cast<std::size_t>(at - kFirst)];
    return fmt::format("{} PRAGMA user_version={}", sql, version);
}

} // namespace yard::test
