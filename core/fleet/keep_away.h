// Which machines get no more of a kind of action, because it fails there and succeeds elsewhere. No clock: times go
// in.
//
// Owner: the engine thread. What is remembered has limits; what is over them is forgotten, the oldest first.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/fleet/fleet.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace yard::fleet {

/// What fails alike: worker and function, as the caller numbers them.
using KindId = Id<struct KindIdTag, std::uint32_t>;

/// Why a machine gets nothing of a kind, and until when.
struct Kept {
    KindId kind;
    MonoTime until;
    unsigned failedHere = 0;    ///< in a row, each of which succeeded elsewhere
    unsigned fineElsewhere = 0; ///< of the kind, since the first of those
    friend bool operator==(const Kept&, const Kept&) = default;
};

class KeepAway {
public:
    static constexpr unsigned kFailures = 3;
    static constexpr Duration kFor{3'600'000'000};
    static constexpr std::size_t kMaxActions = 4'096; ///< that failed and did not end yet
    static constexpr std::size_t kMaxPairs = 4'096;   ///< of machine and kind

    /// An attempt failed by itself there. It says something about the machine only once the action succeeds
    /// elsewhere.
    void failed(Lsn lsn, MachineId machine);
    /// An attempt succeeded there: the end of the action.
    void succeeded(Lsn lsn, KindId kind, MachineId machine, MonoTime now);
    /// The action ended without success, or is gone.
    void forget(Lsn lsn);
    void forget(MachineId machine);

    bool isKept(MachineId machine, KindId kind, MonoTime now) const;
    /// All that a machine is kept from now, by kind.
    std::vector<Kept> keptFrom(MachineId machine, MonoTime now) const;
    /// A person says that it may have them again. False: it is not kept from that kind.
    bool allow(MachineId machine, KindId kind, MonoTime now);

private:
    struct Record {
        unsigned failedInARow = 0;
        unsigned fineElsewhere = 0;
        MonoTime until{}; ///< in the past: not kept
    };
    using Pair = std::pair<KindId, MachineId>;
    Record& recordOf(Pair pair);

    std::map<Lsn, std::vector<MachineId>> failures_; ///< where an action failed that has not ended
    std::deque<Lsn> order_;                          ///< in which those came; may name some that are gone
    std::map<Pair, Record> records_;
    std::deque<Pair> pairs_; ///< of records_, the oldest first
};

} // namespace yard::fleet
