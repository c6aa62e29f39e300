// Rows of objects that are read while their claims are on their way to the journal, so that a look does not wait for the
// one after the other.
//
// A row that was read ahead counts only where it is what a read after the claim would find: it has the revision that the
// claim names, and no end of a child was on its way when the read began. Whatever changes later wakes the object, and
// is seen by its next look.
//
// Owner: engine thread. Lifetime: that of Objects; a batch lives as long as its claims. Bounds: the claims of one commit;
// kMostBytes of rows of a batch, and who is beyond is read after its claim.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/lifecycle/tick.h"
#include "core/store/object_reads.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class LookAhead {
public:
    /// Of the fields of a batch.
    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    /// Those of the given ones that are there, as far as they have no more bytes than that.
    using Read = std::function<coro::Task<Result<std::vector<store::ObjectWithRelatives>>>(
        std::vector<std::int64_t> ids, std::size_t mostBytes)>;
    struct Batch {
        coro::Event isRead{};
        std::map<std::int64_t, store::ObjectWithRelatives> rows{};
    };
    using BatchPtr = std::shared_ptr<Batch>;

    /// The end of a child of it was handed to the journal, or the journal has answered.
    void childEnds(lifecycle::ObjectId parent) { ++endingChildren_[parent]; }
    void childEnded(lifecycle::ObjectId parent);
    /// Numbers of those that may be read ahead; from here on their looks take them from `batch`.
    std::vector<std::int64_t> begin(const std::vector<lifecycle::Claim>& claims, const BatchPtr& batch);
    /// Null: it is read after its claim.
    BatchPtr take(lifecycle::ObjectId id);
    /// Their claims are answered, and looks have begun that will.
    void forget(const std::vector<lifecycle::Claim>& claims);

    /// What was read of it, once that is over. Nothing: it is to be read now.
    static coro::Task<std::optional<store::ObjectWithRelatives>> wait(BatchPtr batch, lifecycle::Seen seen);
    /// Reads it; an error is that of who reads afterwards.
    static coro::Task<void> fill(BatchPtr batch, Read read, std::vector<std::int64_t> ids);

private:
    std::unordered_map<lifecycle::ObjectId, BatchPtr> ahead_;
    std::unordered_map<lifecycle::ObjectId, unsigned> endingChildren_; ///< by their parents
    OwnerCheck owner_;
};

} // namespace yard::engine
