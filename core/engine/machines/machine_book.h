// What the journal has of machines: those that were here, and what each was given. An engine that is started again knows
// by it what may run elsewhere still.
//
// Values, and their documents (store::PutDocuments); any thread. A lease is written before the machine hears of it, and
// goes some time after its attempt is over: one whose attempt is not the next one of its action says nothing.
#pragma once

#include "core/engine/machines/machine_view.h"
#include "core/fleet/fleet.h"
#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/store/operations.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct KeptMachine {
    std::string key; ///< who it is when it comes again; any text
    std::string name;
    std::string platform;
    std::string version;
    std::string runId; ///< of its last Hello: what an earlier run had is over
    std::int64_t milliCores = 0;
    std::int64_t memoryMb = 0;
    std::vector<std::string> tags{};
    fleet::Gate wish = fleet::Gate::Open; ///< Open, Paused or Draining
    std::int64_t mostMilliCores = 0;      ///< that it gets; 0: what it gives
    std::int64_t mostMemoryMb = 0;        ///< the same
    std::string hours{};                  ///< fleet::Hours in which it gets work; empty: always
    std::int32_t utcOffset = 0;           ///< of its clock, minutes
    bool takesWorkers = false;            ///< link::Hello::takesWorkers
    std::optional<DialTarget> dial{};     ///< this engine opens its links
    bool isRemoved = false;               ///< somebody removed it: it goes once nothing of it is out
    bool isUnread = false; ///< its document is damaged: nothing of it is known but that it has leases
    friend bool operator==(const KeptMachine&, const KeptMachine&) = default;
};

struct KeptLease {
    std::uint32_t attempt = 0;
    std::string runId;  ///< of the machine
    Duration lease{};   ///< the length that it was told
    std::string holder; ///< documentOf() the machine
    friend bool operator==(const KeptLease&, const KeptLease&) = default;
};

/// The name of a machine's document.
std::string documentOf(std::string_view key);
store::DocumentChange keep(const KeptMachine& machine);
/// By its document.
store::DocumentChange forgetMachine(std::string_view document);
store::DocumentChange keep(Lsn lsn, const KeptLease& lease);
store::DocumentChange forgetLease(Lsn lsn);

/// As the session places on it. `name`: as it is called here.
fleet::Machine placeOf(const KeptMachine& machine);

/// All of it, as a start finds it.
struct MachineBook {
    std::map<std::string, KeptMachine> machines; ///< by document
    std::map<Lsn, KeptLease> leases;
    std::vector<Lsn> orphans{}; ///< of leases that say nothing: they cannot be read, or their machine is not there

    /// What cannot be read is left out, and said in the log. Leases of machines that are not there are left out; a machine
    /// that cannot be read has its leases still, and stands here for them without anything else.
    static MachineBook from(std::span<const store::DocumentRow> documents);
    /// The lease of the attempt that follows so many. Null: none.
    const KeptLease* find(Lsn lsn, std::uint32_t attempts) const;
};

} // namespace yard::engine
