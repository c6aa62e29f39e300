// Private to core/store: reads specs of pending actions on the store thread and parses them there.
#pragma once

#include "core/store/database.h"
#include "core/store/journal.h"

#include <memory>
#include <vector>

namespace yard::store {

class SpecSource {
public:
    static Result<std::unique_ptr<SpecSource>> create(Database& database);
    /// One per LSN asked for, plus those of up to `ahead` pending rows that follow the highest of them.
    std::vector<FetchedSpec> fetch(std::vector<Lsn> lsns, int ahead);

private:
    explicit SpecSource(Database& database)
        : database_(database) {}
    void addRow(const Statement& row, std::vector<FetchedSpec>& fetched);

    Database& database_;
    Statement one_, following_;
    // The last array spec that was parsed: its elements come in runs.
    Lsn arrayBase_;
    ParsedAction array_;
};

} // namespace yard::store
