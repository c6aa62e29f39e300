// Starts the program of a lease: looks for its directory and its file, opens its streams, clones, in a sandbox or
// not. Blocks where a path does not answer; StartWatch says how a thread that stands here is brought back or left
// behind.
//
// Any thread that stands in a start: a spawner's own, and those that it has left behind.
#pragma once

#include "core/launcher/child_environment.h"
#include "core/launcher/launcher_child.h"
#include "core/launcher/launcher_shared.h"
#include "core/launcher/start_watch.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

/// Purpose: from a lease to a process that runs, or to the step that failed and a sentence.
///
/// Lifetime: as long as its spawner; `shared` and `starts` outlive it. It has no state of its own, so a thread that
/// was left behind and the one that took its place do not meet here: each works on its own child.
/// Invariants: before a path is touched, StartWatch is told; before a process is made, it is asked. A file system
/// that is known to be silent is not touched at all.
class ProgramStarter {
public:
    /// What keeps a start from getting on.
    struct Blame {
        SpawnStep step = SpawnStep::None;
        std::string path;
    };

    ProgramStarter(LauncherShared& shared, StartWatch& starts);

    /// Between StartWatch::enter() and leave(). The failure, if it does not run now.
    SpawnFailure start(SlotChild& child);
    /// Of a start that was given up: it must not run, whatever came of it.
    void endProcess(SlotChild& child) const;

    /// What does not answer, as far as that can be known. `lookedAt`: beside the start of the process.
    static Blame blameFor(const SlotChild& child, const std::string& lookedAt);
    /// The failure of a start that was given up. Its path counts as silent if it took as long as a start may.
    SpawnFailure givenUp(const SlotChild& child, const Blame& blame) const;
    /// What the failure of a start says whose path did not answer.
    static SpawnFailure silence(const SlotChild& child, const Blame& blame);

private:
    bool lookAt(SlotChild& child, std::string_view path);
    std::optional<SpawnFailure> refusedAtOnce(const SlotChild& child) const;
    std::optional<SpawnFailure> findDirectory(SlotChild& child);
    SpawnFailure findAndLaunch(SlotChild& child);
    static bool openPipes(SlotChild& child, UniqueFd& outWrite, UniqueFd& errWrite);
    static bool openTerminal(SlotChild& child);
    SpawnFailure launch(SlotChild& child, const std::string& program, int outFd, int errFd);
    // program_starter_sandbox.cpp
    SpawnFailure launchSandboxed(SlotChild& child, const std::string& program, int outFd, int errFd);
    SpawnFailure failureOf(SlotChild& child, const sandbox::Start& started, const std::string& program);
    /// As execve takes them, with a null at the end; good as long as both are.
    static char** pointersTo(const std::vector<std::string>& texts, std::vector<char*>& pointers);

    LauncherShared& shared_;
    StartWatch& starts_;
    const ChildEnvironment environment_;
};

} // namespace yard::runners
