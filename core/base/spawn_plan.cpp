#include "core/base/spawn_plan.h"

#include "core/base/open_files.h"

#include <csignal>
#include <unistd.h>

extern char** environ;

namespace yard {

static std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

SpawnPlan::SpawnPlan(Apart apart) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    int flags = POSIX_SPAWN_SETSIGMASK;
    if (apart != Apart::No) flags |= POSIX_SPAWN_SETSIGDEF;
    if (apart == Apart::Group) flags |= POSIX_SPAWN_SETPGROUP;
    if (apart == Apart::Session) flags |= POSIX_SPAWN_SETSID;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
}

SpawnPlan::~SpawnPlan() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
}

void SpawnPlan::give(int fd, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, fd, as);
}

void SpawnPlan::open(const std::string& path, int flags, int as) {
    constexpr mode_t kOwnersOnly = 0600;
    ::posix_spawn_file_actions_addopen(&actions_, as, path.c_str(), flags, kOwnersOnly);
}

void SpawnPlan::changeTo(const std::string& directory) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
}

int SpawnPlan::run(pid_t& pid, std::vector<std::string> words, std::vector<std::string> variables) {
    return run(pid, words, pointersTo(variables).data());
}

int SpawnPlan::run(pid_t& pid, std::vector<std::string> words) {
    return run(pid, words, environ);
}

int SpawnPlan::run(pid_t& pid, std::vector<std::string>& words, char* const* variables) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    const std::vector<char*> argv = pointersTo(words);
    const int err = ::posix_spawnp(&pid, argv.front(), &actions_, &attributes_, argv.data(), variables);
    if (err == 0) restoreOpenFiles(pid);
    return err;
}

} // namespace yard
