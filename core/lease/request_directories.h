// The directories of requests to the processes of one warm worker: scratch/M/.requests.open/<lsn>.<attempt>/ with
// inputs/ and outputs/, which those processes see at /requests while they work on it.
//
// The worker is hostile and alive all the time. It cannot write to a directory that holds a request's:
//  - of an engine of root those belong to root, outputs/ alone to the worker's user;
//  - of an ordinary user's engine, whose worker is the same user, /requests is mounted read-only. outputs/ is a
//    link in there, to a directory of another mount, which is all the worker can write.
// Whatever it puts in a place of its own, the engine finds a directory by its number and reads from its descriptor.
//
// A directory that was used is emptied and serves a later request of the same worker: making and removing some
// costs many file systems more than all else of a request. While it waits it lies in .requests.kept, which no
// process sees, and kResting others are used before it. So what a process still holds open of an ended request
// shows it nothing for that long, and then a request of its own worker, whose processes are given any.
//
// Thread-safe; calls block, but for the constructor. Lifetime: until the last request of its worker is gone; what
// lies on the disk then is the janitor's. Bound: kMostKept wait.
#pragma once

#include "core/base/error.h"
#include "core/base/thread_mutex.h"
#include "core/lease/scratch.h"
#include "core/locks/claims.h"
#include "core/sandbox/plan.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::runners {

class RequestDirectories {
public:
    static constexpr std::size_t kMostKept = 128;
    static constexpr std::size_t kResting = 32;
    static constexpr std::size_t kAhead = 4; ///< made before the first request

    struct Options {
        ScratchHomePtr home;
        SlotId slot; ///< M: nobody else's
        std::uint32_t hostUser = 0;
        bool isSandboxed = false;
        locks::Claims* claims = nullptr; ///< outlives it
    };
    explicit RequestDirectories(Options options);
    ~RequestDirectories();
    RequestDirectories(const RequestDirectories&) = delete;
    RequestDirectories& operator=(const RequestDirectories&) = delete;

    /// The first call makes them. For the plan of a process.
    Result<sandbox::RequestPlaces> places();

    /// One request's.
    struct Lent {
        std::uint64_t number = 0;
        std::string name; ///< <lsn>.<attempt>
        DirectoryMark mark;
    };
    /// With its inputs, where the worker's processes see it.
    Result<Lent> lend(AttemptId id, const std::vector<PlacedFile>& inputs, const Materialise& materialise);
    /// The request is over: no process finds it any more by any name. Its outputs, open; invalid: the worker did
    /// away with them, errno says how (ENOENT: they are not there).
    UniqueFd takeBack(const Lent& lent);
    /// After takeBack(). If nothing is left in `outputs` it is kept for another request; else its path is returned,
    /// which is to be removed.
    std::optional<std::string> keep(const Lent& lent, UniqueFd outputs, const std::vector<PlacedFile>& inputs);

    /// As the worker's processes know it.
    std::string pathInside(AttemptId id) const;

private:
    /// A user of its own for the worker, or none at all, needs no second mount.
    bool hasOwnMount() const { return options_.isSandboxed && options_.hostUser == 0; }
    std::string pathOf(const char* part) const;
    Result<void> open() YARD_REQUIRES(mutex_);
    Result<void> make(std::uint64_t number);
    /// Its outputs, open; invalid: there is none.
    UniqueFd takeKept(std::uint64_t& number);
    std::string setAside(std::uint64_t number);
    Result<Lent> fill(Lent lent, const std::vector<PlacedFile>& inputs, const Materialise& materialise);
    Result<void> show(const Lent& lent);
    Result<void> moveWritten(const std::string& from, const std::string& to);
    std::string keptOutputs(std::uint64_t number) const;

    const Options options_;
    const std::string path_; ///< scratch/M
    ThreadMutex mutex_;
    UniqueFd fd_; ///< of path_; set once, under mutex_
    std::uint64_t next_ YARD_GUARDED_BY(mutex_) = 0;
    struct Kept {
        std::uint64_t number = 0;
        bool wasUsed = false;
    };
    std::deque<Kept> kept_ YARD_GUARDED_BY(mutex_); ///< the longest unused first
};

} // namespace yard::runners
