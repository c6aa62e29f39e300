#include "core/host/process_tree.h"

#include "core/base/directory_entries.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::host {
namespace {

// From Linux 6.9; Debian 12's headers are older.
constexpr unsigned kSignalProcessGroup = 1u << 2;

// Whole small file of /proc; an empty string when it is gone. Files there say nothing about their size.
std::string readProc(const std::string& path, std::size_t limit) {
    std::string text;
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return text;
    std::array<char, 16384> buffer;
    while (text.size() < limit) {
        const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

template<class T>
bool parseNumber(std::string_view text, T& value) {
    const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
    return err == std::errc{} && end == text.data() + text.size();
}

/// A space when the text does not have it.
std::string_view wordBehind(std::string_view text, std::string_view title) {
    const std::size_t at = text.find(title);
    if (at == text.npos || at + title.size() >= text.size()) return " ";
    text.remove_prefix(at + title.size());
    return text.substr(0, text.find_first_of(" \n", 1));
}

std::vector<int> parsePids(std::string_view text) {
    std::vector<int> pids;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        int pid = 0;
        if (parseNumber(text.substr(at, end - at), pid) && pid > 0) pids.push_back(pid);
        at = end + 1;
    }
    return pids;
}

std::vector<int> numbersIn(const std::string& directory) {
    std::vector<int> numbers;
    auto entries = DirectoryEntries::open(directory);
    if (!entries) return numbers;
    while (const auto name = entries->next()) {
        int number = 0;
        if (parseNumber(*name, number)) numbers.push_back(number);
    }
    return numbers;
}

constexpr std::size_t kMaxChildrenText = 4u << 20;
constexpr std::size_t kMaxEnvironment = 8u << 20;

} // namespace

std::optional<ProcessStat> readStat(int pid) {
    return parseStat(pid, readProc(fmt::format("/proc/{}/stat", pid), 4096));
}

std::optional<ProcessStat> parseStat(int pid, std::string_view text) {
    // The name in parentheses may hold anything, parentheses too: fields count from the last one.
    const std::size_t close = text.rfind(')');
    if (close == text.npos || close + 2 >= text.size()) return {};
    ProcessStat stat;
    stat.pid = pid;
    std::string_view rest = text.substr(close + 2);
    bool complete = false;
    for (int field = 3; field <= 24 && !rest.empty(); ++field) {
        const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
        const std::string_view word = rest.substr(0, end);
        bool good = true;
        std::int64_t ticks = 0;
        switch (field) {
        case 3: stat.state = word.empty() ? '?' : word.front(); break;
        case 4: good = parseNumber(word, stat.parent); break;
        case 5: good = parseNumber(word, stat.group); break;
        case 6: good = parseNumber(word, stat.session); break;
        case 14: // utime, stime, cutime, cstime
        case 15:
        case 16:
        case 17:
            good = parseNumber(word, ticks);
            stat.cpuTicks += ticks;
            if (field >= 16) stat.childTicks += ticks;
            break;
        case 22: complete = good = parseNumber(word, stat.startTicks); break;
        case 24: good = parseNumber(word, stat.rssPages); break;
        default: break;
        }
        if (!good) return {};
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!complete) return {};
    return stat;
}

OwnerMark readOwnerMark(int pid, std::string_view ownerToken) {
    OwnerMark mark;
    const std::string environment = readProc(fmt::format("/proc/{}/environ", pid), kMaxEnvironment);
    for (std::size_t at = 0; at < environment.size();) {
        const std::size_t end = std::min(environment.find('\0', at), environment.size());
        const std::string_view entry = std::string_view(environment).substr(at, end - at);
        const auto valueOf = [&](std::string_view key) -> std::optional<std::string_view> {
            if (entry.size() <= key.size() || !entry.starts_with(key) || entry[key.size()] != '=') return {};
            return entry.substr(key.size() + 1);
        };
        if (const auto owner = valueOf(kOwnerVariable)) (*owner == ownerToken ? mark.owned : mark.foreign) = true;
        if (const auto lsn = valueOf(kLsnVariable)) {
            if (!parseNumber(*lsn, mark.lsn)) mark.lsn = 0;
        }
        at = end + 1;
    }
    return mark;
}

std::vector<int> threadsOf(int pid) {
    return numbersIn(fmt::format("/proc/{}/task", pid));
}

std::vector<int> childrenOfThread(int pid, int thread) {
    return parsePids(readProc(fmt::format("/proc/{}/task/{}/children", pid, thread), kMaxChildrenText));
}

std::vector<int> childrenOf(int pid) {
    std::vector<int> all;
    for (const int thread : threadsOf(pid)) {
        const std::vector<int> some = childrenOfThread(pid, thread);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

UniqueFd openProcess(int pid) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool isAlive(int pidfd) {
    pollfd p{pidfd, POLLIN, 0};
    return pidfd >= 0 && ::poll(&p, 1, 0) == 0;
}

bool holdsNumber(int pidfd) {
    return pidfd >= 0 && (::syscall(SYS_pidfd_send_signal, pidfd, 0, nullptr, 0) == 0 || errno == EPERM);
}

bool signalProcess(int pidfd, int signal) {
    return pidfd >= 0 && ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
}

void killGroup(int pidfd) {
    ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, kSignalProcessGroup);
}

bool waitDead(int pidfd, int milliseconds) {
    pollfd p{pidfd, POLLIN, 0};
    int got = 0;
    do got = ::poll(&p, 1, milliseconds);
    while (got < 0 && errno == EINTR);
    return got != 0;
}

bool isBeyondReach(int pid) {
    bool isStuck = false;
    for (const int thread : threadsOf(pid)) {
        const std::string status = readProc(fmt::format("/proc/{}/task/{}/status", pid, thread), 8192);
        const char state = wordBehind(status, "\nState:\t").substr(0, 1).front();
        if (state == 'Z' || state == 'X') continue;
        const std::string_view pending = wordBehind(status, "\nSigPnd:\t");
        std::uint64_t signals = 0;
        std::from_chars(pending.data(), pending.data() + pending.size(), signals, 16);
        if (state != 'D' || (signals & (std::uint64_t{1} << (SIGKILL - 1))) == 0) return false;
        isStuck = true;
    }
    return isStuck;
}

bool isStuckStart(int pid, std::string_view ownerToken) {
    return isBeyondReach(pid) && readOwnerMark(pid, ownerToken).lsn == 0;
}

bool waitDeadOr(int pidfd, int milliseconds, const std::function<bool()>& isOver) {
    constexpr int kStep = 50;
    for (int left = milliseconds;; left -= kStep) {
        const int step = milliseconds < 0 ? kStep : std::clamp(left, 0, kStep);
        if (waitDead(pidfd, step) || isOver()) return true;
        if (milliseconds >= 0 && left <= kStep) return false;
    }
}

bool waitEnded(int pid, int pidfd, int milliseconds) {
    return waitDeadOr(pidfd, milliseconds, [pid] { return isBeyondReach(pid); });
}

std::optional<HeldProcess> holdChild(int pid, int parent, int parentPidfd) {
    HeldProcess held;
    held.pidfd = openProcess(pid);
    if (!held.pidfd) return {};
    const std::optional<ProcessStat> stat = readStat(pid);
    if (!stat || stat->parent != parent) return {};
    if (!holdsNumber(held.pidfd.get())) return {};
    if (parentPidfd >= 0 && !holdsNumber(parentPidfd)) return {};
    held.stat = *stat;
    return held;
}

std::vector<HeldProcess> holdDescendants(int root, int rootPidfd) {
    std::vector<HeldProcess> found;
    const auto expand = [&](int parent, int parentPidfd) {
        for (const int pid : childrenOf(parent))
            if (auto held = holdChild(pid, parent, parentPidfd); held && !held->stat.isDead())
                found.push_back(std::move(*held));
    };
    if (holdsNumber(rootPidfd)) expand(root, rootPidfd);
    for (std::size_t i = 0; i < found.size(); ++i) expand(found[i].stat.pid, found[i].pidfd.get());
    return found;
}

std::vector<int> allProcesses() {
    return numbersIn("/proc");
}

} // namespace yard::host
