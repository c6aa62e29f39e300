// The runner of a linked machine: what the engine gives it goes over a link as leases, what the machine says comes back as
// updates. Who may run what until when is decided by link::YardLeases; here it is carried out.
//
// Owner: the engine thread. Lifetime: host and connections outlive it (link_host.h). Invariants, beside those of Runner:
//  - no Lease is sent before the host has written down attempt, run and length of the lease;
//  - an Ended that may be a success is told when all that the attempt left is in this yard's store;
//  - the machine is told to forget an attempt when acknowledge() says that the journal has it, not before;
//  - what is said over another connection than the last one is not read;
//  - a machine that lied gets nothing more; what it has counts as lost when its leases are over, not before.
// Bounds: capacity() * kLeasesPerSlot leases; those of LinkNeeds and LinkFetches.
#pragma once

#include "core/lease/runner.h"
#include "core/link/frame.h"
#include "core/link/yard_leases.h"
#include "core/runners/link_attempts.h"
#include "core/runners/link_follows.h"
#include "core/runners/link_host.h"
#include "core/runners/link_reports.h"
#include "core/runners/link_standing.h"
#include "core/runners/warm_timer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

struct LinkRunnerOptions {
    std::string name;                          ///< of the machine, for people
    unsigned slots = 1;                        ///< attempts at once
    Duration lease = std::chrono::seconds(20); ///< lease_s
};

class LinkRunner final : public Runner {
public:
    /// One connection; each has its own.
    using Connection = std::uint64_t;

    LinkRunner(LinkHost& host, LinkRunnerOptions options, UpdateSink sink);
    LinkRunner(const LinkRunner&) = delete;
    LinkRunner& operator=(const LinkRunner&) = delete;
    /// Io: no timer.
    Result<void> open();

    /// After a restart, before anything else: what the journal says that this machine has.
    struct Restored {
        AttemptId id;
        SlotId slot;
        std::vector<Hash256> inputs;
        Duration grace{};     ///< when it is ended and nobody says another one
        MonoTime given{};     ///< it did not run before
        std::string worker{}; ///< its id; empty: exec
    };
    void restore(std::string runId, const std::vector<Restored>& attempts, Duration leaseThen);

    // --- of the connection
    /// It takes the place of any other one.
    Connection opened(LinkOut& out);
    /// False: it breaks the rules, and the connection is to be ended.
    [[nodiscard]] bool frameCame(Connection connection, const link::Frame& frame);
    void roomForBulk(Connection connection);
    void closed(Connection connection);
    /// More came than could be stored so far: nothing more is to be read for now.
    bool isBehind() const { return reports_.storing() > LinkFetches::kWindow; }

    // --- of people
    link::MachineState state() const { return standing_.state(); }
    /// Why it is refused, or leaves; else empty.
    const std::string& reason() const { return standing_.reason(); }
    std::optional<link::BootTime> lostAt() const { return leases_.lostAt(); }
    /// Somebody changed something: it may come again.
    void allowAgain();

    // --- Runner
    std::string_view name() const override { return options_.name; }
    unsigned capacity() const override { return options_.slots; }
    unsigned free() const override;
    bool isAccepting() const override;
    void submit(std::vector<Lease> batch) override;
    void takeBack(AttemptId id) override;
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) override;
    void endAll(StopCause cause, std::optional<Duration> grace = {}) override;
    /// What it prints from then on, and what is there, comes by LinkHost::told().
    void watch(AttemptId id, Stream stream) override { follows_.watch(id, stream); }
    void unwatch(AttemptId id, Stream stream) override { follows_.unwatch(id, stream); }
    void acknowledge(SlotId slot, AttemptId id) override;
    int pollFd() const override { return timer_.fd(); }
    void onReadable() override;
    /// Without a link what is out stays out there: the next engine asks the machine for it.
    void shutDown(Duration grace) override;
    bool isDown() const override;

private:
    bool take(Lease& lease);
    void written(const LinkIntent& intent, const Result<void>& result);

    bool greeted(const link::Frame& frame);
    bool take(const link::Frame& frame);
    bool refusedCame(const link::Frame& frame);

    void tickLeases();
    void carryOut();
    void send(link::Kind kind, std::uint64_t id, std::string_view body);
    void refuse(const link::Refused& refused, std::uint64_t id);
    void dropConnection();
    void ringSoon();
    void followState();

    LinkHost& host_;
    const LinkRunnerOptions options_;
    UpdateSink sink_;
    link::YardLeases leases_;
    link::YardOut out_; ///< to be carried out
    LinkStanding standing_;
    WarmTimer timer_;
    LinkAttempts attempts_;
    LinkReports reports_;
    LinkFollows follows_;
    LinkOut* connection_ = nullptr;
    Connection number_ = 0;     ///< of the last connection
    bool wasAccepting_ = false; ///< as followState() saw it last
    bool isShuttingDown_ = false;
    MonoTime ticked_{};
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

} // namespace yard::runners
