// Private to core/store: what the parts of the writer are made of. It prepares the statements of one part after
// another and keeps the first error, so that constructors can do it. The thread that opens the store.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/store/database.h"

#include <string_view>

namespace yard::store {

/// Lives while the parts are made. The connection and its owner outlive the parts, which keep references to both:
/// the connection has one owner at a time, and so have all that use it.
class StatementMaker {
public:
    StatementMaker(Database& database, const OwnerCheck& owner)
        : database_(database)
        , owner_(owner) {}

    /// An empty statement after the first error.
    Statement operator()(std::string_view sql);
    /// The first error of all that was prepared. No part may be used after one.
    const Result<void>& result() const { return result_; }

    Database& database() const { return database_; }
    const OwnerCheck& owner() const { return owner_; }

private:
    Database& database_;
    const OwnerCheck& owner_;
    Result<void> result_{};
};

} // namespace yard::store
