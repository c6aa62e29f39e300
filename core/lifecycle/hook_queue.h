// Which run of which hook is next. Decisions alone: events go in, runs come out by take(); whoever owns it runs programs
// and plugins, and says when one is over. No clock: times go in.
//
// A program has one run that observes at a time, in the order of its events, so that it sees them as they happened; one
// that is slow delays itself alone. A place is kept for what is asked: somebody waits for that.
//
// Owner: one thread, the engine's. Bounds: kMostWaiting events of each program, and kMostBytes of their JSON; one more is
// dropped and counted. kMostAsked questions of each program; one more is refused, and whoever asks is told so.
#pragma once

#include "core/base/clock.h"
#include "core/lifecycle/hooks.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::lifecycle {

/// Counts from 1, never used twice in a life of the engine.
using HookRunNumber = std::uint64_t;

/// A program or a plugin. Plugins run in no place of programs: each has a thread.
struct HookTarget {
    std::string name{};
    std::vector<HookPattern> patterns{};
    bool isPlugin = false;
};

struct HookRun {
    HookRunNumber number = 0;
    std::size_t target = 0; ///< its place among them
    HookPoint point = HookPoint::OrchestratorStartup;
    std::string name{}; ///< of the hook
    std::string json{};
    bool isAsked = false; ///< somebody waits for its answer
};

/// Figures of one target, for people.
struct HookFigures {
    std::string name{};
    bool isPlugin = false;
    std::uint64_t runs = 0; ///< that are over
    std::uint64_t failed = 0;
    std::uint64_t dropped = 0; ///< events that it was not told
    std::size_t waiting = 0;
    Duration p95{}; ///< of the last kKeptTimes runs
};

class HookQueue {
public:
    static constexpr std::size_t kMostWaiting = 1'000;
    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    static constexpr std::size_t kMostAsked = 32;
    static constexpr std::size_t kKeptTimes = 256;

    /// `places`: programs that run at once.
    HookQueue(std::vector<HookTarget> targets, std::size_t places);

    /// Programs are these from here on, plugins stay. One whose name is there goes on as it is. One that is gone is told
    /// nothing more, and what was asked of it is forgotten: the numbers of that. What runs goes on.
    std::vector<HookRunNumber> setPrograms(std::vector<HookTarget> programs);
    /// What was there under this name still is: places are given again.
    bool isThere(std::size_t at, std::string_view name) const {
        return at < targets_.size() && !targets_[at].isGone && targets_[at].target.name == name;
    }

    /// Some target wants it.
    bool wants(HookPoint point) const { return points_.test(std::to_underlying(point)); }
    bool wants(const HookEvent& event) const;
    /// What observes. A pass that begins and a rest are told once while the one before waits still. The names of those
    /// that begin to lose events: they are named in the log once until all that waits is told.
    std::vector<std::string> add(const HookEvent& event);
    /// Who is asked of it, in the order in which they are: programs by their names, then plugins.
    std::vector<std::size_t> askedOf(const HookEvent& event) const;
    /// A question to one of them. Busy: too many wait. NotAccepting: it hangs.
    Result<HookRunNumber> ask(std::size_t target, const HookEvent& event);
    /// Nobody waits for it any more. One that runs goes on.
    void forget(HookRunNumber number);

    /// A run of a plugin does not come to its end: until it does nobody can ask that plugin. Those who wait to are forgotten;
    /// their numbers.
    std::vector<HookRunNumber> hangs(HookRunNumber number);

    /// Those that begin now.
    std::vector<HookRun> take();
    void ended(HookRunNumber number, bool isOk, Duration took);
    /// A run of it that had ended well said what is of no use: it has failed all the same.
    void failedAfterAll(std::size_t target) { ++targets_[target].failed; }
    /// What waits is not told any more; questions are forgotten.
    void clear();

    /// Nothing waits and nothing runs.
    bool isIdle() const { return running_.empty() && waiting_ == 0; }
    std::size_t runningCount() const { return running_.size(); }
    const HookTarget& target(std::size_t at) const { return targets_[at].target; }
    std::size_t size() const { return targets_.size(); }
    std::vector<HookFigures> figures() const;

private:
    struct Entry {
        HookTarget target{};
        HookPoints points{};
        std::deque<HookRun> asked{};
        std::deque<HookRun> observing{};
        std::size_t bytes = 0; ///< of `observing`
        std::size_t running = 0;
        bool isObserving = false; ///< one of those runs
        bool isLosing = false;
        bool isHanging = false;
        bool isGone = false; ///< its place is free once nothing of it runs
        std::uint64_t runs = 0;
        std::uint64_t failed = 0;
        std::uint64_t dropped = 0;
        std::deque<Duration> times{};
    };
    bool matches(const Entry& entry, const HookEvent& event) const;
    static Entry entryOf(HookTarget target);
    void drop(Entry& entry, std::vector<HookRunNumber>& forgotten);
    std::vector<std::size_t> inOrder() const;
    bool begin(std::size_t at, std::deque<HookRun>& from, std::vector<HookRun>& taken);

    std::vector<Entry> targets_;
    HookPoints points_;
    std::size_t places_;
    std::size_t inPlaces_ = 0; ///< programs that run
    std::size_t waiting_ = 0;
    std::size_t next_ = 0; ///< whose turn it is to observe
    struct Running {
        std::size_t target = 0;
        bool isAsked = false;
    };
    std::map<HookRunNumber, Running> running_;
    HookRunNumber last_ = 0;
};

} // namespace yard::lifecycle
