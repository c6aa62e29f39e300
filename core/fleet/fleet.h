// Where an action goes: machines with a vector of amounts each, and what of them is free. Nothing is spread over
// two machines. No clock, link or session.
//
// Owner: the engine thread.
// Cost: take() and give() O(log machines). A question looks at machines by the cores that are free there, most first, and
// stops where it knows: past kLooked machines that could take one it looks no further, so that thousands cost what a few
// do. why() and everFits() look at each.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::fleet {

/// A machine, numbered from 1 in the order in which they came; 0 is this engine's own. Never given twice.
using MachineId = Id<struct MachineIdTag, std::uint32_t>;
inline constexpr MachineId kLocal{0};

/// Why a machine does not take an action now. The first that holds is told: what lasts longest comes first.
enum class Unfit : std::uint8_t {
    None,        ///< it takes it
    Unknown,     ///< no machine has this name or tag
    NotNamed,    ///< the action asks for other machines
    Platform,    ///< it is built for another one
    Unsandboxed, ///< it runs nothing outside its sandbox for others
    Workers,     ///< it runs commands for others, and no registered workers
    TooSmall,    ///< it would not fit the empty machine either
    Lifetime,    ///< the machine ends before the action would
    KeptFrom,    ///< too much of its kind failed there
    Refused,     ///< no link, and none without somebody's help
    Silent,      ///< no link for now
    Paused,
    Draining, ///< by hand, because it leaves, or outside its hours
    Full      ///< later
};
/// Lower-case word: "platform", "too_small".
std::string_view name(Unfit unfit);

/// Which of a machine's slots something takes.
enum class Slots : std::uint8_t {
    Cores,  ///< one for what takes exactly one core
    Others, ///< one for what takes any other amount
    None    ///< it is no attempt
};

/// How much there is of a named resource, in thousandths; 0: none.
std::int64_t amountOf(const Resources& resources, std::string_view name);

/// Whether a machine takes work at all.
enum class Gate : std::uint8_t { Open, Refused, Silent, Paused, Draining };

struct Machine {
    std::string name;
    std::string platform;          ///< "linux-x86_64"
    std::vector<std::string> tags; ///< at most 64
    Resources total;
    std::uint32_t slots = 0;      ///< attempts at once, of Slots::Cores
    std::uint32_t otherSlots = 0; ///< of Slots::Others, beside those
    Gate gate = Gate::Open;
    bool takesUnsandboxed = true;
    bool takesWorkers = true;
    std::optional<Duration> lifetime; ///< how long it will be there
};

/// What an action needs of a machine. `where`: names, "local", or "tag:NAME"; empty: any.
struct Ask {
    Resources need;
    std::string platform; ///< empty: any
    std::vector<std::string> where;
    Slots slots = Slots::Cores;
    bool isUnsandboxed = false;
    bool isWorker = false;             ///< of a registered worker, whose files have to be there
    Duration expected{};               ///< how long it will take; 0: not known
    std::optional<MachineId> avoid;    ///< where it failed last: only if no other machine takes it now
    std::vector<MachineId> keptFrom;   ///< machines that get nothing of its kind (keep_away.h)
    std::vector<MachineId> hasContent; ///< machines that have its files: they go first
    friend bool operator==(const Ask&, const Ask&) = default;
};

/// One answer to "why does it wait".
struct WhyNot {
    MachineId id;     ///< Unknown: none
    std::string name; ///< Unknown: what was asked for
    Unfit unfit = Unfit::None;
};
/// So many of a batch go there.
struct Share {
    MachineId machine;
    unsigned count = 0;
    friend auto operator<=>(const Share&, const Share&) = default;
};

/// What is free by machine. take() may go beyond what there is (leases ahead); then nothing that needs the same
/// fits there until enough was given back. take() and give() come in pairs; of a machine that was removed give()
/// does nothing.
class Fleet {
public:
    /// So many machines that could take something are compared; of a batch as many as it has.
    static constexpr std::size_t kLooked = 64;

    /// A new machine. `id`: one that was never there before.
    void add(MachineId id, Machine machine);
    /// Other amounts, gate, tags; what is in use stays in use.
    void change(MachineId id, Machine machine);
    void setGate(MachineId id, Gate gate);
    void remove(MachineId id);
    bool has(MachineId id) const { return find(id) != nullptr; }

    /// Where one goes now; nothing: nowhere. Machines with its files first, then those with the most room for more
    /// of it, in turns where they are equal.
    std::optional<MachineId> place(const Ask& ask);
    /// Where a batch of likes goes: in proportion to how many fit beside what runs, never more than fit. In the
    /// order of machines; nothing is taken yet.
    std::vector<Share> split(const Ask& ask, unsigned count);
    /// Where one goes beyond what there is: among the machines with a slot left that one whose cores are taken least.
    std::optional<MachineId> placeAhead(const Ask& ask) const;
    void take(MachineId id, const Resources& need, Slots slots = Slots::Cores);
    void give(MachineId id, const Resources& need, Slots slots = Slots::Cores);

    /// Some machine takes it now.
    bool fits(const Ask& ask) const;
    /// The one that lacks least of what it needs, of those that could take it if there are any: what people are told
    /// of, and where it is waited for. Nothing: there is no machine.
    std::optional<MachineId> closest(const Ask& ask) const;
    /// One of these can start without taking anything that `reserved` waits for on the machine `kept`.
    bool leaves(const Ask& ask, MachineId kept, const Resources& reserved) const;
    /// The same there.
    bool leavesThere(MachineId id, const Resources& need, const Resources& reserved) const;
    /// What there is of it, and what of that is in use; nullptr: no such machine.
    const Resources* totalOf(MachineId id) const;
    const Resources* usedOf(MachineId id) const;
    /// How many of it fit there now.
    unsigned roomFor(MachineId id, const Ask& ask) const;
    Unfit unfitOf(MachineId id, const Ask& ask) const;
    /// Of every machine, in their order; then each name and tag that is asked for and that none has.
    std::vector<WhyNot> why(const Ask& ask) const;
    /// Some machine could take it, were it empty, open and not kept from it: else it waits forever.
    bool everFits(const Ask& ask) const;
    std::size_t size() const { return byFree_.size(); }
    /// The same machines with nothing in use.
    Fleet idle() const;

private:
    struct Place {
        MachineId id;
        bool isHere = false; ///< else it was removed, or never came
        Machine machine;
        Resources used{.milliCores = 0, .memoryMb = 0, .named = {}};
        std::uint32_t attempts = 0; ///< of Slots::Cores
        std::uint32_t others = 0;   ///< of Slots::Others
        std::uint64_t lastTurn = 0; ///< when it was chosen last
        std::int64_t free() const { return machine.total.milliCores - used.milliCores; }
    };
    /// The machine with the most cores free first.
    struct Free {
        std::int64_t milliCores = 0;
        MachineId id;
        bool operator<(const Free& other) const {
            return milliCores != other.milliCores ? milliCores > other.milliCores : id < other.id;
        }
    };
    struct Candidate {
        MachineId id;
        Place* place;
        unsigned room;
        bool isFirst; ///< it has the files
    };
    static bool isNamed(MachineId id, const Machine& machine, const Ask& ask);
    static bool isCalled(MachineId id, const Machine& machine, std::string_view word);
    static Unfit lastingUnfit(MachineId id, const Machine& machine, const Ask& ask);
    static std::int64_t slotsLeft(const Place& place, Slots slots);
    static std::uint32_t* countOf(Place& place, Slots slots);
    static unsigned room(const Place& place, const Ask& ask);
    static Unfit unfit(MachineId id, const Place& place, const Ask& ask);
    std::vector<Candidate> candidates(const Ask& ask, std::size_t most);
    const Place* find(MachineId id) const;
    Place* find(MachineId id) { return has(id) ? &machines_[id.value] : nullptr; }
    /// Takes note of other amounts, in use or in all.
    template<class Change>
    void changeFree(Place& place, Change change);
    /// Machines with so much free or more, most first, until `each` answers false.
    template<class Each>
    void byFree(const Ask& ask, std::int64_t least, Each each) const;
    std::optional<MachineId> findClosest(const Ask& ask) const;

    std::vector<Place> machines_; ///< by number
    std::set<Free> byFree_;       ///< of those that are here
    std::uint64_t turn_ = 0;
    /// The last answer of closest(). It holds until some machine has more, or this one less.
    mutable std::optional<std::pair<Ask, MachineId>> closest_;
};

} // namespace yard::fleet
