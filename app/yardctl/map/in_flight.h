// The jobs of a map that the engine has and whose ends were not seen yet: filled by the thread that submits, emptied by the
// one that collects. Any thread. Bounds: `Limits`; who submits waits for room.
#pragma once

#include "app/yardctl/failure.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yard::ctl {

struct FlyingJob {
    std::int64_t seq = 0;
    std::string command{};             ///< as the job log has it
    std::string tag{};                 ///< its values
    std::vector<std::string> values{}; ///< where their results are kept by them, else empty
    int slot = 0;
    std::uint64_t sent = 0; ///< bytes of stdin
};

class InFlight {
public:
    struct Limits {
        std::size_t jobs = 100'000;
        std::size_t bytes = 256u << 20; ///< of their commands
    };
    explicit InFlight(Limits limits);
    /// To fewer jobs; before anything is added.
    void narrow(std::size_t jobs);

    /// For how many more there is room beside `besides` that are on their way; waits until there is some. 0: stopped.
    std::size_t awaitRoom(std::size_t besides);
    /// The lowest number from 1 that no job has.
    int takeSlot();
    void add(std::int64_t lsn, FlyingJob job);
    /// Nothing more is added. `failure`: why not all were.
    void finish(std::optional<Failure> failure);
    /// So many are added in all, by the end.
    void setTotal(std::int64_t jobs);

    /// At most `count` numbers, the lowest first.
    std::vector<std::int64_t> oldest(std::size_t count) const;
    /// Its place is taken until freeTaken(): what its end decides is decided before another job gets it.
    std::optional<FlyingJob> take(std::int64_t lsn);
    void freeTaken();
    std::optional<std::string> tagOf(std::int64_t lsn) const;
    /// Until there is one, nothing more is added, or the time has come.
    void awaitSome(std::chrono::milliseconds limit) const;
    /// Until the time has come, or it is stopped.
    void pause(std::chrono::milliseconds limit) const;
    /// So many have ended and are kept until others have: they take room, too.
    void keepBack(std::size_t jobs);
    bool isFinished() const;
    std::size_t size() const;
    std::optional<std::int64_t> total() const;
    std::optional<Failure> failure() const;
    /// The lowest job number among them.
    std::optional<std::int64_t> lowestSeq() const;

    /// Who submits ends soon.
    void stop();
    bool isStopped() const;
    /// Becomes readable then; for waits on files.
    int stopDescriptor() const { return stopped_.get(); }

private:
    std::size_t usedPlaces() const YARD_REQUIRES(mutex_);
    bool hasRoom(std::size_t besides) const YARD_REQUIRES(mutex_);

    UniqueFd stopped_;
    mutable ThreadMutex mutex_;
    Limits limits_ YARD_GUARDED_BY(mutex_);
    mutable ThreadCondition changed_;
    std::map<std::int64_t, FlyingJob> jobs_ YARD_GUARDED_BY(mutex_);
    std::multiset<std::int64_t> seqs_ YARD_GUARDED_BY(mutex_);
    std::set<int> slots_ YARD_GUARDED_BY(mutex_);
    std::size_t taken_ YARD_GUARDED_BY(mutex_) = 0;
    std::size_t kept_ YARD_GUARDED_BY(mutex_) = 0;
    std::size_t bytes_ YARD_GUARDED_BY(mutex_) = 0;
    bool isFinished_ YARD_GUARDED_BY(mutex_) = false;
    bool isStopped_ YARD_GUARDED_BY(mutex_) = false;
    std::optional<std::int64_t> total_ YARD_GUARDED_BY(mutex_);
    std::optional<Failure> failure_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::ctl
