// What benches have for a journal of documents: a map that a test looks into, and that refuses when it says so.
#pragma once

#include "core/coro/task.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace yard::engine::test {

class KeptDocuments {
public:
    std::map<std::pair<std::string, std::string>, std::string> journal; ///< bodies, by kind and name
    std::optional<Error> commitRefusal;

protected:
    /// Of PutDocuments.
    coro::Task<store::AckDetail> commit(store::Action action) {
        store::AckDetail detail;
        detail.error = commitRefusal;
        if (commitRefusal) co_return detail;
        for (store::DocumentChange& change : std::get<store::PutDocuments>(action).changes) {
            if (change.body)
                journal[{change.kind, change.name}] = *change.body;
            else
                journal.erase({change.kind, change.name});
        }
        co_return detail;
    }
    /// As another engine reads them.
    std::vector<store::DocumentRow> documents() const {
        std::vector<store::DocumentRow> rows;
        for (const auto& [key, body] : journal)
            rows.push_back({.kind = key.first, .name = key.second, .body = body});
        return rows;
    }
};

} // namespace yard::engine::test
