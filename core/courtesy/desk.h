// The machine as courtesy sees it and asks something of it: conditions come in, the wish to stay awake goes out. Tests
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

/// All that is known at one moment: what is not in it is not known.
struct DeskReadings {
    std::optional<InputReading> input;
    std::vector<Reading> all; ///< each kind once; never Active, IdleS or Hour
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
};

using DeskSink = std::function<void(DeskReadings)>;
using OpenDesk = std::function<std::unique_ptr<Desk>(DeskSink)>;

} // namespace yard::courtesy
