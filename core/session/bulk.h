// Operations on a whole queue or on everything: effective at once, carried out in steps of about 1,000 actions.
// Private to session; owner: engine thread. Lives as long as the session, above the ends.
//
// Invariant (asserted by check()): each queue in one of the lists counts as a job of its own, so that its place stays
// while it is there.
#pragma once

#include "core/base/owner.h"
#include "core/session/attempts.h"
#include "core/session/ends.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"

#include <cstdint>
#include <vector>

namespace yard::session {

class BulkWork {
public:
    BulkWork(Ledger& ledger, const ServiceState& service, Attempts& attempts, Ends& ends)
        : ledger_(ledger)
        , records_(ledger.records())
        , lanes_(ledger.lanes())
        , order_(ledger.order())
        , service_(service)
        , attempts_(attempts)
        , ends_(ends) {}

    /// Nothing of the queue starts from now on; what waits in it gets its Finish from step().
    void cancelQueue(std::uint32_t queue, Outbox& out);
    /// The session is Abandoned: everything that is active gets its Finish from step().
    void abandonAll();
    /// Carries out some 1,000 steps, among them what Ends left over.
    void step(Outbox& out);
    bool hasMore() const;
    void check() const; // check.cpp

private:
    int stepCancel(int budget, Outbox& out);
    int stepScan(int budget, Outbox& out);
    void endScan(Outbox& out);
    void endJob(std::uint32_t queue, Outbox& out);
    bool wantsSweep() const;
    void sweepLanes();

    Ledger& ledger_;
    Records& records_;
    Lanes& lanes_;
    Order& order_;
    const ServiceState& service_;
    Attempts& attempts_;
    Ends& ends_;

    std::vector<std::uint32_t> cancelling_; ///< queues whose lanes are being emptied
    std::vector<std::uint32_t> scanWanted_; ///< queues with waiting actions outside of lanes, for the next scan
    std::vector<std::uint32_t> scanning_;   ///< queues the scan under way is for
    std::uint32_t scanAt_ = 0;
    bool scanAll_ = false; ///< the scan under way marks everything Abandoned
    bool sweeping_ = false;
    std::int64_t sweepAbove_ = 0; ///< dead records at which the next sweep of lanes begins
    OwnerCheck owner_;
};

} // namespace yard::session
