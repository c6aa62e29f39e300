// The files of workers that other engines' actions run by, as they lie on this machine's disk: made of chunks that came, kept
// for the next time, within a limit. They are apart from those of this machine's own workers, which nobody here can confuse
// with them or call by a name.
//
// Owner: engine thread. Lifetime: helpers, settings and the content store outlive it. Bounds: kMostKept workers, and
// guest_store_mb of their files together; the longest unused goes first, what is in use stays. Invariant: one worker's files are
// made or removed at a time.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/guests/desk_out.h"
#include "core/model/settings.h"
#include "core/model/worker.h"
#include "core/store/chunk_store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace yard::engine {

class GuestWorkers {
public:
    static constexpr std::size_t kMostKept = 64;
    struct Parts {
        coro::HelperPool& helpers;
        const Settings& settings; ///< in force now
        std::string directory;    ///< its own; what an earlier engine left there goes
    };
    explicit GuestWorkers(Parts parts)
        : parts_(std::move(parts)) {}
    /// Before the first use().
    void attach(store::ChunkStore& chunks) { chunks_ = &chunks; }

    struct Ready {
        std::shared_ptr<const WorkerDescriptor> descriptor;
        std::string directory; ///< with the files
    };
    /// Its files are there until release(). The descriptor was vetted (core/guests/guest_worker.h). NotFound: a chunk is gone
    /// again; Invalid: a file is not as long as the descriptor says; NoSpace, Io.
    coro::Task<Result<Ready>> use(Hash256 id);
    /// Requires: as many use() that had one.
    void release(const Hash256& id);
    std::size_t count() const { return kept_.size(); }

private:
    struct Kept {
        Ready ready;
        std::uint64_t bytes = 0;
        std::size_t uses = 0;
        std::uint64_t lastUse = 0;
    };
    coro::Task<void> clean();
    coro::Task<void> makeRoom();

    Parts parts_;
    store::ChunkStore* chunks_ = nullptr;
    std::map<Hash256, Kept> kept_;
    std::uint64_t lastUse_ = 0;
    bool isClean_ = false;
    coro::Mutex mutex_;
    OwnerCheck owner_;
};

/// The answer to a desk's question. Blocks.
guests::LookedUp lookUpInputs(store::ChunkStore& chunks, const guests::DeskOut::Lookup& lookup);

} // namespace yard::engine
