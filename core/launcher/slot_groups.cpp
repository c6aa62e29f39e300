#include "core/launcher/slot_groups.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::runners {
namespace {

bool writeAt(int directory, const char* name, std::string_view text) {
    const UniqueFd file(::openat(directory, name, O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string readAt(int directory, const char* name) {
    std::array<char, 4096> text{};
    const UniqueFd file(::openat(directory, name, O_RDONLY | O_CLOEXEC));
    const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool holdsController(const std::string& controllers, std::string_view controller) {
    return fmt::format(" {} ", controllers.substr(0, controllers.find('\n')))
        .contains(fmt::format(" {} ", controller));
}

} // namespace

SlotGroups::SlotGroups(std::string place, unsigned slots)
    : place_(std::move(place))
    , groups_(slots) {}

std::unique_ptr<SlotGroups> SlotGroups::make(const std::string& launcherGroup, unsigned slots,
                                             std::string_view controller) {
    const UniqueFd group(::open(launcherGroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group || !holdsController(readAt(group.get(), "cgroup.controllers"), controller)) return {};
    const std::string own = launcherGroup + "/launcher";
    if (::mkdir(own.c_str(), 0755) != 0 && errno != EEXIST) return {};
    const bool isMade = writeAt(group.get(), "launcher/cgroup.procs", "0") &&
                        writeAt(group.get(), "cgroup.subtree_control", fmt::format("+{}", controller));
    if (!isMade) {
        writeAt(group.get(), "cgroup.procs", "0");
        ::rmdir(own.c_str());
        return {};
    }
    writeAt(group.get(), "cgroup.subtree_control", "+pids"); // where there is that one, too
    return std::unique_ptr<SlotGroups>(new SlotGroups(launcherGroup, slots));
}

bool SlotGroups::open(Group& group, SlotId slot) const {
    const std::string path = fmt::format("{}/slot-{}", place_, slot.value);
    if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return false;
    group.directory.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group.directory) return false;
    writeAt(group.directory.get(), "memory.oom.group", "1"); // all of it or nothing
    writeAt(group.directory.get(), "memory.swap.max", "0");
    group.kills = killsIn(group); // a launcher before this one may have used it
    return true;
}

int SlotGroups::take(SlotId slot, std::uint64_t memoryBytes, std::uint64_t processes) {
    if (slot.value >= groups_.size() || memoryBytes == 0) return -1;
    Group& group = groups_[slot.value];
    if (!group.directory && !open(group, slot)) return -1;
    if (group.isFrozen.exchange(false)) writeAt(group.directory.get(), "cgroup.freeze", "0");
    if (group.memoryBytes != memoryBytes)
        group.memoryBytes =
            writeAt(group.directory.get(), "memory.max", fmt::format("{}", memoryBytes)) ? memoryBytes : 0;
    if (group.processes != processes)
        group.processes =
            writeAt(group.directory.get(), "pids.max", processes == 0 ? "max" : fmt::format("{}", processes))
                ? processes
                : 0;
    return group.directory.get();
}

std::int64_t SlotGroups::killsIn(const Group& group) {
    const std::string events = readAt(group.directory.get(), "memory.events");
    constexpr std::string_view kKey = "\noom_kill ";
    const std::size_t at = events.find(kKey);
    std::int64_t kills = 0;
    if (at != events.npos) std::from_chars(events.data() + at + kKey.size(), events.data() + events.size(), kills);
    return kills;
}

bool SlotGroups::setFrozen(SlotId slot, int pid, bool on) {
    if (slot.value >= groups_.size()) return false;
    const std::string name = fmt::format("/slot-{}", slot.value);
    // A descriptor of its own: the group's belongs to whoever has the slot.
    const UniqueFd directory(::open((place_ + name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return false;
    if (!on) {
        groups_[slot.value].isFrozen = false;
        return writeAt(directory.get(), "cgroup.freeze", "0");
    }
    const UniqueFd process(::open(fmt::format("/proc/{}", pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!process || !readAt(process.get(), "cgroup").contains(name + "\n")) return false;
    groups_[slot.value].isFrozen = true;
    return writeAt(directory.get(), "cgroup.freeze", "1");
}

bool SlotGroups::wasOverMemory(SlotId slot) {
    if (slot.value >= groups_.size() || !groups_[slot.value].directory) return false;
    Group& group = groups_[slot.value];
    const std::int64_t kills = killsIn(group);
    return std::exchange(group.kills, kills) < kills;
}

} // namespace yard::runners
