// The engine's side of the launcher: starts it, sends leases, delivers updates, and replaces it when it dies.
//
// Owner: one thread (the engine's) calls everything. It waits until pollFd() is readable, then calls onReadable();
// nothing here blocks except start() and the destructor. The sink is called from onReadable() and, for what can be
// answered at once, never from inside submit()/end(): those answers come with the next onReadable() (pollFd()
// wakes).
//
// When the launcher dies: every lease not ended is held until a helper thread has ended what it left (the engine is
// a subreaper), then reported: Returned if the slots file says it was never about to be cloned, else
// Ended{LostRunner}. Then a new launcher is started: at most 5 starts a minute, after that one every 15 s with an
// error in the log.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/lease/runner.h"
#include "core/lease/slots.h"
#include "core/runners/this_machine.h"

#include <memory>
#include <string>

namespace yard::runners {

class LocalRunner final : public Runner {
public:
    /// Makes a new slots file (recovery must have run) and starts the launcher. Blocks for a process start.
    static Result<std::unique_ptr<LocalRunner>> start(LauncherConfig config, UpdateSink sink);
    /// Closes the socket and waits for the launcher to end everything; after 5 s it is killed and cleaned up after.
    ~LocalRunner() override;

    /// Leases without a terminal update.
    std::size_t outstanding() const;

    std::string_view name() const override { return "local"; }
    unsigned capacity() const override;
    unsigned free() const override;
    bool isAccepting() const override;
    void submit(std::vector<Lease> batch) override;
    void takeBack(AttemptId id) override;
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) override;
    void endAll(StopCause cause, std::optional<Duration> grace = {}) override;
    void watch(AttemptId id, Stream stream) override;
    void unwatch(AttemptId id, Stream stream) override;
    void acknowledge(SlotId slot, AttemptId id) override;
    bool askOutputEnds(AttemptId id) override;
    bool setFrozen(AttemptId id, bool on) override;
    bool mayRunUntil(std::uint32_t guestGroup, BootTime until) override;
    int pollFd() const override;
    void onReadable() override;
    void shutDown(Duration grace) override;
    bool isDown() const override;
    int launcherPid() const override;

private:
    class Impl;
    explicit LocalRunner(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::runners
