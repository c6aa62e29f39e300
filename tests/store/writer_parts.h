// Parts of the writer over the tables of an empty journal, each with what it stands on.
#pragma once

#include "core/store/writer/acceptance.h"
#include "core/store/writer/bulk_changes.h"
#include "core/store/writer/endings.h"
#include "core/store/writer/registrations.h"
#include "core/store/writer/retirement.h"
#include "tests/store/writer_fixture.h"

#include <string>

namespace yard::test {

struct Parts {
    Tables tables;
    store::FoldRows folds{tables.sql};
    store::EndTally tally{tables.sql, folds};
    store::PackWriter packs{tables.sql, *tables.files};
    store::ReferenceNotes notes{tables.owner};
    store::ChunkRows chunks{tables.sql, *tables.files, packs, notes};
    store::ActionRows actions{tables.sql};
    store::AttemptRows attempts{tables.sql, notes};
    store::SpecRows specs{tables.sql};
    store::ReplacedRows replaced{tables.sql, actions};
    store::AnnotationRows annotations{tables.sql, actions};
    store::IdempotencyKeys keys{tables.sql};
    store::ObjectRows objects{tables.sql, keys};
    store::Acceptance acceptance{tables.sql, {actions, specs, replaced, chunks, keys, folds, objects}};
    store::Endings ends{tables.sql, {actions, attempts, specs, chunks, tally}};
    store::BulkChanges many{tables.sql, tally};
    store::Retirement retirement{tables.sql, {actions, attempts, specs, replaced, annotations, tally, objects}};
    store::Registrations registrations{tables.sql, chunks, annotations, tally};

    std::string rows(const std::string& query) { return tables.rows(query); }
    /// Writes what was told to the tally: how many finished rows are kept, and the counters of queue 0.
    std::string tallied() {
        if (tally.write() != SQLITE_OK) qFatal("tally");
        tally.committed();
        return rows("SELECT (SELECT value FROM meta WHERE key='finished'), completed, failed, abandoned, cancelled "
                    "FROM queue WHERE id=0");
    }
};

/// "ok", what kind of error, or SQLite's code.
inline std::string word(const store::Applied& applied) {
    if (applied.rc != SQLITE_OK) return std::to_string(applied.rc);
    if (!applied.detail || !applied.detail->error) return "ok";
    return std::string(errorName(applied.detail->error->kind));
}

} // namespace yard::test
