// The machine as courtesy sees it and asks something of it: conditions come in, the wishes to stay awake, and to sleep a
// little later, go out. Tests
// have one of their own; the real one is core/host/desk_watch.h.
//
// Owner: the thread that opened it; the sink is called on a thread of the desk's own, never after the destructor.
#pragma once

#include "core/courtesy/condition.h"
#include "core/courtesy/person.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::courtesy {

/// logind waits no longer either, unless somebody has set it so.
inline constexpr Duration kSleepWaits{5'000'000};

/// All that is known at one moment: what is not in it is not known.
struct DeskReadings {
    std::optional<InputReading> input;
    std::vector<Reading> all;             ///< each kind once; never Active, IdleS, Hour or OthersLoad
    std::optional<double> busyCores = {}; ///< in use on the machine, by whomever
    friend bool operator==(const DeskReadings&, const DeskReadings&) = default;
};

class Desk {
public:
    virtual ~Desk() = default;
    /// False: nobody wants to know, and nothing is looked at. False at first.
    virtual void setWatching(bool on) = 0;
    /// The machine is not to go to sleep, for this reason; empty: it may.
    virtual void keepAwake(const std::string& why) = 0;
    /// Whether sleep is really kept off now.
    virtual bool isKeptAwake() const = 0;
    /// Sleep that comes (the reading Sleeping says so) waits until readyToSleep(), for this reason, kSleepWaits at most;
    /// empty: it does not. Counts for each sleep.
    virtual void delaySleep(const std::string& why) = 0;
    virtual void readyToSleep() = 0;
    /// Whether the next sleep, or the one that comes, would really wait.
    virtual bool isSleepDelayed() const = 0;
};

using DeskSink = std::function<void(DeskReadings)>;
using OpenDesk = std::function<std::unique_ptr<Desk>(DeskSink)>;

} // namespace yard::courtesy
