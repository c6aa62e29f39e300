#include "core/runners/launcher_process.h"

#include "core/base/open_files.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "core/lease/recovery.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace yard::runners {

bool isOwnerToken(std::string_view token) {
    return token.size() >= 16 && token.size() <= 64 &&
           std::ranges::all_of(token, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Result<int> spawnLauncher(const LauncherConfig& config, int socketFd) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, socketFd, kLauncherSocketFd);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);

    std::string argv0 = "yard-launcher";
    std::string argv1 = kLauncherArgument;
    // What children may open: the launcher, too, has the raised limit from here.
    const auto openFiles = openFilesAtStart();
    std::string argv2 = openFiles ? std::to_string(*openFiles) : std::string();
    std::array<char*, 4> argv{argv0.data(), argv1.data(), openFiles ? argv2.data() : nullptr, nullptr};
    std::string owner = fmt::format("{}={}", host::kOwnerVariable, config.ownerToken);
    std::vector<char*> envp;
    for (char** entry = environ; entry && *entry; ++entry)
        if (!std::string_view(*entry).starts_with("YARD_OWNER=")) envp.push_back(*entry);
    envp.push_back(owner.data());
    envp.push_back(nullptr);

    pid_t pid = -1;
    const int err = ::posix_spawn(&pid, config.program.c_str(), &actions, &attributes, argv.data(), envp.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (err != 0) return failErrno("start the launcher " + config.program, err);
    return pid;
}

} // namespace yard::runners
