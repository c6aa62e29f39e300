// Private to core/store: what became of one operation of the journal, as the parts of the writer tell it. No owner.
#pragma once

#include "core/base/error.h"
#include "core/store/operations.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

namespace yard::store {

/// rc is SQLITE_OK also when it was refused (detail->error): nothing was written then. Another rc: something may
/// have been written, roll back.
struct Applied {
    int rc = SQLITE_OK;
    std::unique_ptr<AckDetail> detail;

    /// Done, or failed with this code of SQLite's.
    static Applied with(int rc) { return {rc, nullptr}; }
    static Applied refused(Error error) {
        Applied applied;
        applied.detailed().error = std::move(error);
        return applied;
    }
    static Applied refused(ErrorKind kind, std::string message) {
        return refused(fail(kind, std::move(message)).error());
    }
    /// A step of clearing up did this.
    static Applied swept(SweepResult result) {
        Applied applied;
        applied.detailed().swept = std::move(result);
        return applied;
    }

    /// The detail, made where there is none.
    AckDetail& detailed() {
        if (!detail) detail = std::make_unique<AckDetail>();
        return *detail;
    }
};

} // namespace yard::store
