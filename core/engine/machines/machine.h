// One machine as Machines has it. Private to machines*.cpp; owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/engine/machines/machine_host.h"
#include "core/engine/machines/machines.h"
#include "core/fleet/hours.h"
#include "core/link/states.h"
#include "core/runners/link_runner.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

using link::MachineState;

/// What the keys of machines begin with that have one of their own.
inline constexpr std::string_view kKeyed = "key:\n";

struct Machines::Machine : std::enable_shared_from_this<Machines::Machine> {
    session::MachineId id;
    std::string key;      ///< who it is when it comes again
    std::string document; ///< its name in the journal
    std::string name;
    std::unique_ptr<MachineHost> host;
    std::unique_ptr<runners::LinkRunner> unplaced; ///< until it has its place
    runners::LinkRunner* runner = nullptr;         ///< null once it is gone
    link::Hello hello;                             ///< the last one; held is of no use
    std::string peer{};                            ///< of the last line
    unsigned slots = 0;
    std::uint64_t version = 1; ///< of what the journal keeps of it
    std::uint64_t kept = 0;    ///< the last one that the journal is known to have
    fleet::Gate wish = fleet::Gate::Open;
    std::int64_t mostMilliCores = 0; ///< that it gets; 0: what it gives
    std::int64_t mostMemoryMb = 0;   ///< the same
    std::string hoursText{};
    fleet::Hours hours{};
    bool isOutsideHours = false; ///< as followHours() saw it last
    WallMicros endsAt = 0;       ///< as followLifetime() saw it last
    MonoTime lifeTold{};         ///< when the session was told how long that is
    std::optional<MonoTime> keptAwayUntil{};
    std::string notTaken{}; ///< why it is kept away
    std::optional<DialTarget> dial{};
    bool isDialled = false;    ///< somebody sees to its link
    std::string dialTrouble{}; ///< why there was none the last time
    bool isRemoved = false;
    bool isUnread = false; ///< it stands for one that the journal had, and that nobody can read
    MachineState shown = MachineState::Connecting;
    WallMicros since = wallNow();

    bool isChanged() const { return version != kept; }
    /// As its MachineCaller has it; empty: it has none of its own.
    std::string ownKey() const { return key.starts_with(kKeyed) ? key.substr(kKeyed.size()) : std::string(); }
    /// Of what was read before; hours that cannot be read are none.
    void setHours(const std::string& text) {
        auto read = fleet::Hours::parse(text);
        hoursText = read ? text : std::string();
        hours = read ? std::move(*read) : fleet::Hours();
    }
    void followHours(WallMicros now) { isOutsideHours = !hours.isOpen(fleet::weekMinuteAt(now, hello.utcOffset)); }
    /// It gets nothing new for now, by nobody's hand.
    bool isKeptAway() const { return keptAwayUntil.has_value() || isOutsideHours; }
    /// It is linked, and was heard of lately.
    bool answers() const {
        const MachineState own = runner->state();
        return own == MachineState::Ready || own == MachineState::Busy;
    }
    MachineState state() const {
        const MachineState own = runner->state();
        if (!answers()) return own;
        if (isRemoved) return MachineState::Leaving;
        if (wish == fleet::Gate::Paused) return MachineState::Paused;
        return wish == fleet::Gate::Open && !isKeptAway() ? own : MachineState::Draining;
    }
    fleet::Gate gate() const {
        if (runner->state() == MachineState::Refused) return fleet::Gate::Refused;
        if (runner->state() == MachineState::Silent) return fleet::Gate::Silent; // its link may be up still
        if (wish == fleet::Gate::Open && (isKeptAway() || isRemoved)) return fleet::Gate::Draining;
        return wish;
    }
};

} // namespace yard::engine
