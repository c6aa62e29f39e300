// Private to core/store: gives free pages of the journal back to the file system. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>

namespace yard::store {

/// Purpose: shrinks the file of the journal in bounded steps.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: pages are kept for what comes next unless they are many, and a good part of the file.
class FreePages {
public:
    explicit FreePages(StatementMaker& sql);

    /// A bounded step.
    Applied apply(const ShrinkJournal& shrink);

private:
    bool areMany(std::int64_t freePages);

    Database& database_;
    const OwnerCheck& owner_;
    Statement freePages_, allPages_;
};

} // namespace yard::store
