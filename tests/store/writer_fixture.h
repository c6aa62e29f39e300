// The tables of an empty journal in a directory of their own, for one part of the writer alone.
#pragma once

#include "core/model/states.h"
#include "core/store/chunk_files.h"
#include "core/store/database.h"
#include "core/store/schema.h"
#include "core/store/writer/statement_maker.h"

#include <QTemporaryDir>
#include <QtGlobal>

#include <memory>
#include <sqlite3.h>
#include <string>

namespace yard::test {

class Tables {
public:
    Tables() {
        auto opened = store::Database::openForWriting(directory_.filePath("journal.sqlite").toStdString(), "");
        if (!opened) qFatal("%s", opened.error().message.c_str());
        database = std::move(*opened);
        if (auto prepared = store::prepareJournal(database, store::Durability::Process); !prepared)
            qFatal("%s", prepared.error().message.c_str());
        auto made = store::ChunkFiles::open(directory_.filePath("chunks").toStdString(), false, Duration::zero());
        if (!made) qFatal("%s", made.error().message.c_str());
        files = std::move(*made);
    }
    /// Carries SQL out.
    void run(const char* statements) {
        if (const int rc = database.exec(statements); rc != SQLITE_OK) qFatal("%s: %d", statements, rc);
    }
    /// What a query finds: columns with a space, rows with a comma between them.
    std::string rows(const std::string& query) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(database.handle(), query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            qFatal("%s", sqlite3_errmsg(database.handle()));
        std::string found;
        while (sqlite3_step(statement) == SQLITE_ROW) {
            if (!found.empty()) found += ", ";
            for (int i = 0; i < sqlite3_column_count(statement); ++i) {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
                found += (i > 0 ? " " : "") + std::string(text ? text : "-");
            }
        }
        sqlite3_finalize(statement);
        return found;
    }

    /// Rows of actions of queue 0 that say nothing more.
    void addPending(std::int64_t lsn) {
        run(("INSERT INTO pending(lsn, queue, class, label, priority, flags, t_new, attempts, retry_count, "
             "own_failures, interruptions) VALUES(" +
             std::to_string(lsn) + ", 0, 1, 0, 0, 0, 1000, 0, 0, 0, 0)")
                .c_str());
    }
    void addDone(std::int64_t lsn, ActionState state) {
        run(("INSERT INTO done(lsn, queue, class, label, priority, state, reason, flags, attempts, retry_count, "
             "own_failures, interruptions, t_new, d_end) VALUES(" +
             std::to_string(lsn) + ", 0, 1, 0, 0, " + std::to_string(static_cast<int>(state)) +
             ", 0, 0, 1, 0, 0, 0, 1000, 10)")
                .c_str());
    }

    store::Database database;
    std::unique_ptr<store::ChunkFiles> files;
    OwnerCheck owner;
    store::StatementMaker sql{database, owner};

private:
    QTemporaryDir directory_;
};

} // namespace yard::test
