// What a machine has of the attempts of one yard, and until when it may run them. No clock, link or runner: frames
// and times go in, what follows comes out.
//
// Owner: the engine thread of the machine.
// Invariants:
//  - nothing begins unless begin() allows it, and that is never at or after until();
//  - until() is counted from when a frame was sent that the yard has answered, so the yard counts from later on;
//  - what has begun is named in each Hello until the yard settles it;
//  - of one action no second attempt begins while a process of an earlier one may live.
#pragma once

#include "core/link/bodies.h"
#include "core/link/boot_time.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace yard::link {

/// What follows from what was put in. To be carried out by the caller, who clears it.
struct GuestOut {
    struct End {
        AttemptRef id;
        std::uint64_t graceMs = 0;
        bool leaseEnded = false; ///< GuestEnd::LeaseEnded is the cause that counts
        friend bool operator==(const End&, const End&) = default;
    };
    AttemptRefs finished;   ///< to the yard: a Finished for each, with what was kept of it
    AttemptRefs handedBack; ///< to the yard, kMaxRefs in one frame
    AttemptRefs dropped;    ///< forget it: it never began, or it was settled
    std::vector<End> ends;  ///< end the tree, then ended()
    bool closeLink = false; ///< the connection is of no use any more
};

class GuestLeases {
public:
    /// A connection is there, and the Hello goes out now: what it names. Takes the place of any other connection.
    std::vector<Held> greet(BootTime now);
    /// The answer came. Without a greet() before it nothing happens.
    void welcomed(const Welcome& welcome, BootTime now, GuestOut& out);
    void closed();
    bool isUp() const { return talk_ == Talk::Up; }

    /// A Lease came. False: not taken (no link, or its time is over); the yard hears of it by what the next Hello
    /// does not name. What is over kMaxLeases is handed back.
    bool lease(AttemptRef id, BootTime now, GuestOut& out);
    /// The last look before it is given to the launcher. False: it must not begin now.
    [[nodiscard]] bool begin(AttemptRef id, BootTime now);
    /// No process of it lives any more, or nothing of it ever ran; what it became is kept until it is in `dropped`.
    void ended(AttemptRef id, GuestOut& out);
    /// The machine's own wish (it leaves, it is full): what has not begun goes back.
    void handBackWaiting(GuestOut& out);

    void cancel(const Cancel& cancel, GuestOut& out);
    void settled(const AttemptRefs& ids, GuestOut& out);

    /// The id of a Renew that is sent now; nothing: there is no link.
    std::optional<std::uint64_t> renew(BootTime now);
    /// Its answer came.
    void renewed(std::uint64_t id);

    /// Before anything else after a wait, at until(), and once a second.
    void tick(BootTime now, GuestOut& out);
    /// The launcher enforces it, too: the engine may hang. The default value: nothing may run.
    BootTime until() const { return until_; }
    std::size_t count() const { return leases_.size(); }

private:
    /// Answers to more than these are not waited for.
    static constexpr std::size_t kMaxRenews = 1'024;
    enum class Stage : std::uint8_t { Waiting, Begun, Ending, Ended };
    enum class Talk : std::uint8_t { Closed, HelloSent, Up };
    struct Guest {
        Stage stage = Stage::Waiting;
        bool isForgotten = false; ///< settled while some of it may live
    };
    struct SentRenew {
        std::uint64_t id;
        BootTime at;
    };
    using Leases = std::map<AttemptRef, Guest>;
    bool livesAsAnother(AttemptRef id) const;
    void end(AttemptRef id, Guest& guest, std::uint64_t graceMs, bool leaseEnded, GuestOut& out);

    Leases leases_;
    std::deque<SentRenew> renews_;
    std::uint64_t lastRenew_ = 0;
    BootTime greeted_{};
    BootTime until_{};
    Duration lease_{};
    Talk talk_ = Talk::Closed;
};

} // namespace yard::link
