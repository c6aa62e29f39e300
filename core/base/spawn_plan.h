// How this process starts a program: posix_spawn with nothing of ours in it but the descriptors that are given. No signal is
// blocked there, and no other descriptor comes along: libraries open sockets that exec() would keep.
// Owner: who made it; value-like, used once. run() blocks until the program is there.
#pragma once

#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace yard {

class SpawnPlan {
public:
    /// What its signals go to as one: our own process group, one of its own, or a session without a terminal. Signals that we
    /// ignore are ignored there only in our own group, as nohup(1) and shells mean it.
    enum class Apart : unsigned char { No, Group, Session };

    explicit SpawnPlan(Apart apart);
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan();

    /// Its stdin (0), stdout (1) or stderr (2).
    void give(int fd, int as);
    /// Likewise, opened there with these flags. run() says if it cannot be.
    void open(const std::string& path, int flags, int as);
    /// Where it begins.
    void changeTo(const std::string& directory);
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
