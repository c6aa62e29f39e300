// The attempts that a linked machine has or is about to get, as the yard's runner keeps them: their slots and inputs,
// and the news of them for the engine.
//
// Owner: the engine thread. Lifetime: that of its runner. Invariants: each attempt is added once and has one last update,
// by which it is forgotten; a slot counts those that have it. Bounds: who adds looks at size() first.
#pragma once

#include "core/lease/runner.h"
#include "core/link/bodies.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::runners {

inline link::AttemptRef refOf(AttemptId id) {
    return {.lsn = id.lsn.value, .attempt = id.attempt};
}
inline AttemptId idOf(link::AttemptRef ref) {
    return {.lsn = Lsn(ref.lsn), .attempt = ref.attempt};
}

class LinkAttempts {
public:
    struct Attempt {
        SlotId slot;
        std::optional<link::Lease> unsent{}; ///< until it is written down
        std::vector<Hash256> inputs{};
        std::string worker{};    ///< its id; empty: exec
        bool isRestored = false; ///< given by an engine before this one
        bool isUnwanted = false; ///< taken back or ended before it was sent
        StopCause stop = StopCause::Cancelled;
        Duration grace{};
        MonoTime given{}; ///< when it was sent, or restored
        RunTimes times{};
        std::optional<link::Finished> finished{};
        bool isOutWatched = false;
        bool isErrWatched = false;
        bool& isWatched(Stream stream) { return stream == Stream::Out ? isOutWatched : isErrWatched; }
    };

    using ChunksOf = std::function<std::vector<Hash256>(std::string_view worker)>;
    /// `ring`: there is news. `chunksOf`: as LinkHost has it.
    LinkAttempts(unsigned slots, std::function<void()> ring, ChunksOf chunksOf = {});

    /// `worker`: its id; empty: exec.
    Attempt& add(AttemptId id, SlotId wanted, std::vector<Hash256> inputs, std::string worker = {});
    /// Null: it is not out.
    Attempt* find(link::AttemptRef ref);
    std::size_t size() const { return attempts_.size(); }
    std::vector<AttemptId> ids() const;
    /// Some are not written down yet.
    bool waitForJournal() const;

    /// The slot that was wanted, or where there is no such one that with the fewest.
    SlotId slotFor(SlotId wanted) const;
    unsigned freeSlots() const;
    /// The machine may ask for it: some attempt there has it as an input, or its worker has it.
    bool isInput(const Hash256& hash) const;

    // --- news
    void tell(AttemptId id, decltype(Update::what) what);
    /// Its last update. Nothing follows for what is not out.
    void tellLast(link::AttemptRef ref, decltype(Update::what) what);
    void tellLost(link::AttemptRef ref, MonoTime now);
    bool hasNews() const { return !news_.empty(); }
    std::vector<Update> takeNews() { return std::exchange(news_, {}); }

private:
    /// A worker of some attempts here.
    struct Worker {
        unsigned attempts = 0;
        std::unordered_set<Hash256> chunks{};
    };
    void use(const std::string& worker);
    void release(const std::string& worker);

    std::function<void()> ring_;
    ChunksOf chunksOf_;
    std::map<link::AttemptRef, Attempt> attempts_;
    std::unordered_map<Hash256, unsigned> inputs_; ///< of how many attempts
    std::map<std::string, Worker> workers_;        ///< by id
    std::vector<unsigned> inSlot_;
    std::vector<Update> news_;
};

} // namespace yard::runners
