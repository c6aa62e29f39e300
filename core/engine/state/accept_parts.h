// A large submission on its way into the journal, a part at a time: others get their groups in between, and it
// takes no more of the journal's bounds than a part. All or nothing: see store::AcceptPart.
//
// Values; engine thread.
#pragma once

#include "core/store/operations.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace yard::engine {

class AcceptParts {
public:
    /// Of one part: well under 10 ms of the store thread.
    static constexpr std::int64_t kRows = store::kMostAtOnce;
    static constexpr std::size_t kBytes = 2u << 20;

    /// `whole`: its items have their LSNs, which follow each other. Its specs are moved into the parts.
    explicit AcceptParts(store::Accept whole);
    static bool isLarge(const store::Accept& accept);

    bool atEnd() const { return item_ == whole_.items.size(); }
    /// The next part; not at the end.
    store::Accept next();
    /// The item, of those of the whole, that the last part began with: an error's index counts from there.
    std::size_t firstItem() const { return firstItem_; }
    /// What the parts so far hold, in pieces small enough to be undone at once.
    std::vector<store::LsnRun> soFar() const;
    store::LsnRun all() const { return all_; }

private:
    store::Accept whole_;
    store::LsnRun all_;
    std::size_t item_ = 0;    ///< the next one
    std::int64_t before_ = 0; ///< elements of it in parts before
    std::size_t fold_ = 0;    ///< the next one, by its last row
    std::size_t firstItem_ = 0;
    std::int64_t rows_ = 0; ///< in parts so far
};

} // namespace yard::engine
