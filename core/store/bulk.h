// Many actions at once: sets of LSNs, and the text by which the journal remembers an operation on such a set until
// it is carried out. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::store {

/// Rows that one UpdateMany or FinishMany names at most.
inline constexpr std::int64_t kMostAtOnce = 5'000;

/// Consecutive LSNs.
struct LsnRun {
    Lsn first{};
    std::int64_t count = 1;
    Lsn last() const { return Lsn{first.value + count - 1}; }
    friend bool operator==(const LsnRun&, const LsnRun&) = default;
};

/// LSNs that are no further apart mostly share a page of the journal.
inline constexpr std::int64_t kSamePage = 64;
/// How much longer than for one more row of the same page it takes to change a row of another one.
inline constexpr std::int64_t kPageCost = 30;
/// What changing these rows costs, in rows.
std::int64_t costOf(const std::vector<LsnRun>& runs);

/// A set of LSNs; small where they are mostly consecutive.
class LsnSet {
public:
    /// Higher than all before.
    void add(Lsn lsn) { add(LsnRun{lsn, 1}); }
    /// Likewise.
    void add(const LsnRun& run) {
        if (!runs_.empty() && runs_.back().last().value + 1 == run.first.value)
            runs_.back().count += run.count;
        else
            runs_.push_back(run);
        size_ += run.count;
    }
    bool empty() const { return runs_.empty(); }
    std::int64_t size() const { return size_; }
    const std::vector<LsnRun>& runs() const { return runs_; }
    bool contains(Lsn lsn) const {
        const auto behind = std::ranges::upper_bound(runs_, lsn, {}, &LsnRun::first);
        return behind != runs_.begin() && std::prev(behind)->last() >= lsn;
    }
    Lsn last() const { return runs_.empty() ? Lsn{} : runs_.back().last(); }

private:
    std::vector<LsnRun> runs_; ///< ascending, never adjacent
    std::int64_t size_ = 0;
};

/// What becomes of a pending action; absent stays.
struct BulkChange {
    std::optional<bool> held{};
    std::optional<bool> cancelRequested{};
    std::optional<int> priority{};
    std::optional<QueueId> queue{};
    friend bool operator==(const BulkChange&, const BulkChange&) = default;
};

/// OpRow::body: what to do with which actions. A start carries out what is left of it before anything else.
struct BulkOp {
    BulkChange change;
    std::vector<LsnRun> runs; ///< ascending
};
std::string toText(const BulkOp& op);
/// Journal when the text is damaged.
Result<BulkOp> parseBulkOp(std::string_view text);

} // namespace yard::store
