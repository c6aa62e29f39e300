// The launcher: one small long-lived process, the same program started again by the engine with a hidden first
// argument. All children of actions start here (docs/lifetimes.md). Its end of a socket is descriptor
// kLauncherSocketFd. It ends when that socket does or its parent dies, after it has ended everything below it.
#pragma once

#include <optional>

namespace yard::runners {

/// argv[1] of a program that is to be the launcher.
inline constexpr const char* kLauncherArgument = "--yard-launcher";
inline constexpr int kLauncherSocketFd = 3;

/// First line of every main that owns a LocalRunner (tests too), before any thread or Qt object is made: runs the
/// launcher and returns its exit code when argv asks for it, else nothing.
std::optional<int> runLauncherIfAsked(int argc, char** argv);

/// Runs the launcher on a connected stream socket until the engine is gone and everything is ended. Blocks. 0, or 1
/// when the engine's first frame was not acceptable.
int launcherMain(int socketFd, int argc, char** argv);

} // namespace yard::runners
