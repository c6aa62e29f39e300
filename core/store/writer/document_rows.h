// Private to core/store: small durable things by kind and name. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

namespace yard::store {

/// Purpose: owns the table `document`. What a body means is up to the service of its kind.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
class DocumentRows {
public:
    explicit DocumentRows(StatementMaker& sql);

    Applied apply(const PutDocuments& put);

private:
    const OwnerCheck& owner_;
    Statement put_, drop_;
};

} // namespace yard::store
