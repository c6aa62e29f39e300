// How this process starts a program: posix_spawn with nothing of ours in it but the descriptors that are given. No signal is
// blocked or passed over there, and no other descriptor comes along: libraries open sockets that exec() would keep.
// Owner: who made it; value-like, used once. run() blocks until the program is there.
#pragma once

#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace yard {

class SpawnPlan {
public:
    /// What its signals go to as one: a process group of its own, or a session without a terminal.
    enum class Apart : bool { Group, Session };

    explicit SpawnPlan(Apart apart);
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan();

    /// Its stdin (0), stdout (1) or stderr (2).
    void give(int fd, int as);
    /// words[0] is looked for in PATH. `variables`: its environment, as NAME=VALUE. 0, or the errno of what failed.
    int run(pid_t& pid, std::vector<std::string> words, std::vector<std::string> variables);
    /// The same with the environment of this process.
    int run(pid_t& pid, std::vector<std::string> words);

private:
    int run(pid_t& pid, std::vector<std::string>& words, char* const* variables);

    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

} // namespace yard
