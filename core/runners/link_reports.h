// What a linked machine says of the attempts that it has: how far they are, how they ended, which chunks it needs and
// sends, what it hands back. Its own standing is the runner's.
//
// Owner: the engine thread. Lifetime: that of its runner, after its attempts. Invariant: an Ended that may be a success
// is told when all that the attempt left is in this yard's store. Bounds: those of LinkNeeds and LinkFetches.
#pragma once

#include "core/link/frame.h"
#include "core/link/yard_leases.h"
#include "core/runners/link_attempts.h"
#include "core/runners/link_fetches.h"
#include "core/runners/link_host.h"
#include "core/runners/link_needs.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace yard::runners {

class LinkReports {
public:
    struct Parts {
        LinkHost& host;
        link::YardLeases& leases;
        link::YardOut& out; ///< what follows, to be carried out by the runner
        LinkAttempts& attempts;
        std::function<void(std::string_view sentence)> lied;
    };
    explicit LinkReports(Parts parts);

    /// A new connection, or none.
    void connect(LinkOut* out);
    /// False: it is no such frame, or breaks the rules.
    [[nodiscard]] bool take(const link::Frame& frame);
    void roomForBulk() { needs_.pump(); }
    /// A Hello names it. What an engine before this one gave away was told of to that one alone.
    void heldThere(const link::Held& held);
    /// It is lost: nothing of it is fetched any more.
    void forget(link::AttemptRef ref) { fetches_.forget(ref); }
    /// Once a second.
    void tick() { fetches_.tick(); }
    std::uint64_t storing() const { return fetches_.storing(); }

private:
    bool updatesCame(const link::Frame& frame);
    bool finishedCame(const link::Frame& frame);
    bool needCame(const link::Frame& frame);
    bool handedBackCame(const link::Frame& frame);
    bool chunkCame(const link::Frame& frame);
    void gathered(link::AttemptRef ref);
    void runs(link::AttemptRef ref, LinkAttempts::Attempt& attempt);

    Parts parts_;
    LinkNeeds needs_;
    LinkFetches fetches_;
};

} // namespace yard::runners
