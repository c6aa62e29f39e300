// What one machine has of a yard's attempts, as the yard counts it: given, begun, ended, and when all of it counts
// as lost. No clock, link or runner: frames and times go in, what follows comes out.
//
// Owner: the engine thread of the yard.
// Invariants:
//  - an attempt that was offered comes out exactly once: returned, lost, or by committed();
//  - returned: it never began there and never will; the yard may give the action to another machine at once;
//  - lost: it may have begun, and it has ended by now (docs/machines.md has the argument, and what it assumes of
//    clocks);
//  - before lostAt() nothing that may have begun comes out, unless the machine says how it ended,
//    has another run, or names what it holds and leaves it out.
#pragma once

#include "core/link/bodies.h"
#include "core/link/boot_time.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yard::link {

/// How far an attempt has come, as far as the yard was told.
enum class YardStage : std::uint8_t {
    Given,  ///< sent; it may have begun, but nobody said so
    Begun,  ///< it cannot be handed back any more
    Ended,  ///< Finished came; its outputs are being fetched
    Fetched ///< all of it is here: whatever becomes of the machine, it is committed
};

/// What follows from what was put in. To be carried out by the caller, who clears it.
struct YardOut {
    AttemptRefs returned;        ///< to the session: uncounted, nothing ran
    AttemptRefs lost;            ///< to the session: Abandoned, `lost_runner`
    AttemptRefs settle;          ///< to the machine, kMaxRefs in one frame
    std::vector<Cancel> cancels; ///< to the machine
    bool closeLink = false;      ///< the connection is of no use any more
};

class YardLeases {
public:
    /// `lease`: lease_s, as every Welcome tells it.
    explicit YardLeases(Duration lease)
        : lease_(lease) {}

    /// After a restart: what the journal says that the machine with this run has. `leaseThen` is the lease that it
    /// was told; the count begins now, as nobody knows when its last frame came. Requires: nothing was offered yet.
    void restore(std::string runId, const AttemptRefs& ids, Duration leaseThen, BootTime now);

    /// A Hello came on a new connection, which takes the place of any other. The Welcome's `held`.
    AttemptRefs greeted(const Hello& hello, BootTime now, YardOut& out);
    /// The connection has ended. What is out stays so until lostAt().
    void closed() { isUp_ = false; }
    bool isUp() const { return isUp_; }

    /// False: not now (no link, or as much is out as may), and nothing changed. True: the caller sends the Lease
    /// over this connection, or ends the connection. Requires: it is out on no machine.
    /// It may have been and come back uncounted: nothing of it ran, and the machine has let go of it before.
    [[nodiscard]] bool offer(AttemptRef id);
    /// Asked again after each reconnect until the attempt has come out.
    void cancel(const Cancel& cancel, YardOut& out);
    /// All of its outputs are here. Requires: Ended.
    void fetched(AttemptRef id);
    /// Its result is in the journal: the machine may forget it. Requires: Fetched.
    void committed(AttemptRef id, YardOut& out);

    /// A Renew came.
    void renewed(BootTime now);
    /// It was told of as submitting or running.
    void began(AttemptRef id);
    /// A Finished came. False: the machine lies, and is to be refused; then closed(), and what is out waits for
    /// lostAt(), since it may run all the same. `isNew`: fetch its outputs, then fetched(); else it is known or was
    /// given up, and is passed over.
    [[nodiscard]] bool finished(AttemptRef id, bool& isNew);
    /// A HandedBack came. False: as finished().
    [[nodiscard]] bool handedBack(const AttemptRefs& ids, YardOut& out);

    /// Once a second, and at lostAt().
    void tick(BootTime now, YardOut& out);
    /// When what is out counts as lost; nothing: there was no Hello yet, or it is lost.
    std::optional<BootTime> lostAt() const { return lostAt_; }
    /// tick() gave up what was there, and no Hello has come since.
    bool isPastLease() const { return isPastLease_; }

    std::size_t count() const { return leases_.size(); }
    std::optional<YardStage> stageOf(AttemptRef id) const;
    const std::string& runId() const { return runId_; }

private:
    struct Given {
        YardStage stage = YardStage::Given;
        std::optional<Cancel> cancel{};
    };
    void keepUntil(BootTime time);
    void loseAll(YardOut& out);
    void compare(const std::map<AttemptRef, GuestStage>& held, YardOut& out);

    Duration lease_;
    std::string runId_;
    std::map<AttemptRef, Given> leases_;
    std::set<AttemptRef> named_; ///< in the Hello of this connection: the end of each may be told once more
    std::optional<BootTime> lostAt_;
    bool isUp_ = false;
    bool isPastLease_ = false;
};

} // namespace yard::link
