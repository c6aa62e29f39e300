#include "core/host/launcher_group.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/host/process_tree.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <thread>
#include <unistd.h>

namespace yard::host {
namespace {

constexpr std::size_t kProcText = 1u << 20;
constexpr auto kPause = std::chrono::milliseconds(1);

std::string groupName(std::string_view ownerToken) {
    return fmt::format("yardmaster-{}", ownerToken);
}

/// Files there take one short write, whole.
bool writeTo(const std::string& path, std::string_view text) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Where cgroup v2 is mounted; it may be beside the older kind, in a place of its own.
std::string mountPoint() {
    const auto mounts = readFile("/proc/self/mountinfo", kProcText);
    if (!mounts) return {};
    std::istringstream lines(*mounts);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" - cgroup2 ") == line.npos) continue;
        std::istringstream words(line);
        std::string word;
        for (int i = 0; i < 5; ++i) words >> word;
        return word;
    }
    return {};
}

/// Our own group, below that: the line "0::/path".
std::string ownGroup() {
    const auto groups = readFile("/proc/self/cgroup", kProcText);
    if (!groups) return {};
    std::istringstream lines(*groups);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::/")) return line.substr(3) == "/" ? std::string() : line.substr(3);
    return {};
}

/// An engine that a launcher of another one started would be in that one's group: siblings, not a tower.
std::string withoutOurs(std::string path) {
    const std::size_t ours = path.find("/yardmaster-");
    return ours == path.npos ? path : path.substr(0, ours);
}

bool isGroup(const std::string& path) {
    struct statfs fs{};
    return ::statfs(path.c_str(), &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

bool isEmpty(const std::string& path) {
    const auto events = readFile(path + "/cgroup.events", kProcText);
    return !events || events->contains("populated 0");
}

/// Of what is left in it, and in those below it (slot_groups.h).
bool holdsOnlyStuckStarts(const std::string& path, std::string_view token) {
    std::string pids;
    const auto add = [&](const std::string& group) {
        pids += readFile(group + "/cgroup.procs", kProcText).value_or("");
    };
    add(path);
    std::error_code error;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
        if (at->is_directory(error)) add(at->path().string());
    std::istringstream numbers(pids);
    int pid = 0;
    bool isAny = false;
    while (numbers >> pid) {
        if (!isStuckStart(pid, token)) return false;
        isAny = true;
    }
    return isAny;
}

/// Those below it (slot_groups.h), which have no others below them.
void removeGroupsBelow(const std::string& path) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
        if (at->is_directory(error)) ::rmdir(at->path().c_str());
}

} // namespace

std::string makeLauncherGroup(const std::string& dataDir, std::string_view ownerToken) {
    const std::string mount = mountPoint();
    if (mount.empty()) return {};
    const std::string above = mount + withoutOurs(ownGroup());
    // For slot_groups.h. Refused in most places, as we are in that group ourselves, unless it is the root.
    for (const char* controller : {"+memory", "+pids"}) writeTo(above + "/cgroup.subtree_control", controller);
    std::string path = above + '/' + groupName(ownerToken);
    if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return {};
    // Without this file (Linux 5.14) a group is of no use here.
    if (!isGroup(path) || ::access((path + "/cgroup.kill").c_str(), W_OK) != 0 ||
        !writeFileAtomically(dataDir + "/cgroup", path + '\n', 0600)) {
        ::rmdir(path.c_str());
        return {};
    }
    return path;
}

bool enterLauncherGroup(const std::string& path) {
    return !path.empty() && writeTo(path + "/cgroup.procs", "0");
}

bool endLauncherGroup(const std::string& dataDir, std::string_view ownerToken, Duration limit) {
    const std::string note = dataDir + "/cgroup";
    const auto text = readFile(note, 8192);
    if (!text) return true;
    const std::string path = text->substr(0, text->find('\n'));
    if (!path.ends_with('/' + groupName(ownerToken)) || !isGroup(path)) {
        ::unlink(note.c_str());
        return true;
    }
    const MonoTime until = MonoClock::now() + limit;
    for (;;) {
        // Whatever is forked meanwhile is killed too; what is left after it are zombies and what just came in.
        if (!isEmpty(path)) writeTo(path + "/cgroup.kill", "1");
        if (isEmpty(path)) removeGroupsBelow(path);
        if (isEmpty(path) && (::rmdir(path.c_str()) == 0 || errno == ENOENT)) break;
        if (holdsOnlyStuckStarts(path, ownerToken)) return true; // the note stays: a later start removes the group
        if (MonoClock::now() > until) return false;
        std::this_thread::sleep_for(kPause);
    }
    ::unlink(note.c_str());
    return true;
}

} // namespace yard::host
