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
#include "core/runners/runner.h"
#include "core/runners/slots.h"

#include <functional>
#include <memory>
#include <string>

namespace yard::runners {

struct LocalRunnerConfig {
    std::string dataDir;    ///< absolute; holds slots, scratch/, chunks/tmp/ (made when missing)
    std::string ownerToken; ///< YARD_OWNER of every child: identifies this data directory, [0-9a-f]{16,64}
    std::string lockDir;    ///< of the named locks that leases claim; empty: such a lease cannot start
    unsigned slots = 1;     ///< 1..SlotsFile::kMaxSlots
    unsigned spawners = 0;  ///< threads of the launcher; 0: one per CPU, at most 4
    Duration quiet{2'000};  ///< an update waits at most this long for company
    unsigned lowWater = 1;  ///< updates are sent at once when a slot has fewer leases waiting than this
    bool durable = false;   ///< a lease that may begin only once begins when that is on the disk
    std::string program = "/proc/self/exe"; ///< what to start as launcher; its main calls runLauncherIfAsked()
    std::function<void()> beforeLaunch{};   ///< on the owner's thread, before each start of a launcher
};

class LocalRunner final : public Runner {
public:
    /// Makes a new slots file (recovery must have run) and starts the launcher. Blocks for a process start.
    static Result<std::unique_ptr<LocalRunner>> start(LocalRunnerConfig config, UpdateSink sink);
    /// Closes the socket and waits for the launcher to end everything; after 5 s it is killed and cleaned up after.
    ~LocalRunner() override;

    /// One descriptor for everything this waits for (socket, child, helper, timer). Level-triggered, do not read
    /// it.
    int pollFd() const;
    /// Takes what arrived, writes what is due, calls the sink with it.
    void onReadable();

    /// Ends everything with this grace and lets the launcher go; isDown() when both are done. Keep calling
    /// onReadable().
    void shutDown(Duration grace);
    bool isDown() const;
    /// False while the launcher is being replaced, and from shutDown() on: what is submitted comes straight back.
    /// Changes in onReadable().
    bool isAccepting() const;
    /// Of the current launcher, 0 while there is none.
    int launcherPid() const;
    /// Leases without a terminal update.
    std::size_t outstanding() const;

    /// What an attempt with keepsLast printed last: OutputEnds comes, or its Ended before that. False: it is not
    /// out.
    bool askOutput(AttemptId id);

    std::string_view name() const override { return "local"; }
    unsigned capacity() const override;
    unsigned free() const override;
    void submit(std::vector<Lease> batch) override;
    void takeBack(AttemptId id) override;
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) override;
    void endAll(StopCause cause, std::optional<Duration> grace = {}) override;
    void watch(AttemptId id, Stream stream) override;
    void unwatch(AttemptId id, Stream stream) override;
    void acknowledge(SlotId slot, AttemptId id) override;

private:
    class Impl;
    explicit LocalRunner(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::runners
