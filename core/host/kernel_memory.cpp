#include "core/host/kernel_memory.h"

#include "core/base/directory_entries.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/host/small_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/sock_diag.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <unordered_set>

namespace yard::host {

namespace {

constexpr std::size_t kMostListed = 16u << 20; ///< of a list of sockets: some 200,000 of them
constexpr std::size_t kMostOpen = 200'000;     ///< descriptors of a sandbox that are looked at

std::string linkOf(const std::string& path) {
    std::array<char, 128> text{};
    const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// Whether a process has another namespace of this kind than we have.
bool isApart(int pid, std::string_view kind) {
    const std::string other = linkOf(fmt::format("/proc/{}/ns/{}", pid, kind));
    return !other.empty() && other != linkOf(fmt::format("/proc/self/ns/{}", kind));
}

/// What nobody has mapped of its /tmp: the rest is memory of processes already.
std::int64_t tmpBytes(int leader, const std::vector<int>& members) {
    constexpr std::int64_t kKb = 1024;
    struct statfs system{};
    if (::statfs(fmt::format("/proc/{}/root/tmp", leader).c_str(), &system) != 0) return 0;
    if (system.f_type != TMPFS_MAGIC) return 0;
    auto bytes = static_cast<std::int64_t>(system.f_blocks - system.f_bfree) * system.f_bsize;
    for (std::size_t i = 0; i < members.size() && bytes > 0; ++i) {
        const std::string status = readSmallFile(fmt::format("/proc/{}/status", members[i]));
        bytes -= kKb * leadingNumber(lineOf(status, "RssShmem:")).value_or(0);
    }
    return std::max<std::int64_t>(bytes, 0);
}

/// "socket:[123]" -> 123 for "socket".
std::optional<std::uint64_t> inodeOf(std::string_view link, std::string_view kind) {
    if (!link.starts_with(kind) || !link.substr(kind.size()).starts_with(":[")) return std::nullopt;
    link.remove_prefix(kind.size() + 2);
    std::uint64_t inode = 0;
    const auto [end, error] = std::from_chars(link.data(), link.data() + link.size(), inode);
    return error == std::errc{} ? std::optional(inode) : std::nullopt;
}

/// The word of a line, counted from 0.
std::string_view wordOf(std::string_view line, int number) {
    for (;; --number) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const std::size_t end = std::min(line.find(' '), line.size());
        if (number == 0 || line.empty()) return line.substr(0, end);
        line.remove_prefix(end);
    }
}

std::string listOf(int leader, std::string_view name) {
    auto text = readFile(fmt::format("/proc/{}/net/{}", leader, name), kMostListed);
    return text ? std::move(*text) : std::string();
}

class Buffers {
public:
    explicit Buffers(int leader)
        : leader_(leader)
        , hasOwnNetwork_(isApart(leader, "net")) {
        constexpr int kInode = 6; // Num RefCount Protocol Flags Type St Inode Path
        eachLine(listOf(leader, "unix"), [this](std::string_view line) {
            std::uint64_t inode = 0;
            const std::string_view word = wordOf(line, kInode);
            if (std::from_chars(word.data(), word.data() + word.size(), inode).ec == std::errc{})
                unix_.insert(inode);
        });
    }

    void add(int pid) {
        const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
        const std::string place = fmt::format("/proc/{}/fd", pid);
        auto entries = DirectoryEntries::open(place);
        if (!process || !entries) return;
        while (const auto name = entries->next()) {
            int fd = 0;
            if (std::from_chars(name->data(), name->data() + name->size(), fd).ec != std::errc{}) continue;
            if (++looked_ > kMostOpen) return;
            addOne(process.get(), fd, linkOf(fmt::format("{}/{}", place, *name)));
        }
    }

    std::int64_t bytes() const { return bytes_ + (hasOwnNetwork_ ? internet() + hidden() : 0); }

private:
    void addOne(int process, int number, const std::string& link) {
        const auto socket = inodeOf(link, "socket");
        const auto pipe = socket ? std::nullopt : inodeOf(link, "pipe");
        if (socket && !sockets_.insert(*socket).second) return;
        // Of the internet they are counted by their list: whoever has the last descriptor of one may wait at close.
        if (socket ? !unix_.contains(*socket) : !pipe || !pipes_.insert(*pipe).second) return;
        const UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0)));
        if (!fd) return;
        bytes_ += socket ? ofSocket(fd.get()) : ofPipe(fd.get());
    }

    static std::int64_t ofSocket(int fd) {
        std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
        socklen_t size = sizeof memory;
        if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) return 0;
        return std::int64_t{memory[SK_MEMINFO_RMEM_ALLOC]} + memory[SK_MEMINFO_WMEM_ALLOC];
    }

    /// A byte takes a page where each is a packet of its own: one that is not empty counts as full.
    static std::int64_t ofPipe(int fd) {
        int waiting = 0;
        const int size = ::fcntl(fd, F_GETPIPE_SZ);
        return size > 0 && ::ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0 ? size : 0;
    }

    /// What waits in sockets of IPv4 and IPv6. The lists of TCP are a walk over all connections there could be on
    /// the machine, of milliseconds: they are read where there is one in this network.
    std::int64_t internet() const {
        struct List {
            const char* name;
            const char* counts; ///< the file that says how many there are, and its line
            const char* line;
        };
        constexpr std::array kLists = {
            List{"tcp", "sockstat", "TCP: inuse"}, List{"tcp6", "sockstat6", "TCP6: inuse"},
            List{"udp", "sockstat", "UDP: inuse"}, List{"udp6", "sockstat6", "UDP6: inuse"}};
        std::int64_t sum = 0;
        for (const List& list : kLists)
            if (leadingNumber(lineOf(listOf(leader_, list.counts), list.line)).value_or(0) > 0)
                sum += queuedIn(listOf(leader_, list.name));
        return sum;
    }

    static std::int64_t queuedIn(const std::string& list) {
        constexpr int kQueues = 4; // sl local_address rem_address st tx_queue:rx_queue, in hexadecimal digits
        std::int64_t sum = 0;
        eachLine(list, [&sum](std::string_view line) {
            const std::string_view word = wordOf(line, kQueues);
            std::uint32_t sent = 0;
            std::uint32_t received = 0;
            const auto [colon, error] = std::from_chars(word.data(), word.data() + word.size(), sent, 16);
            if (error != std::errc{} || colon == word.data() + word.size()) return;
            std::from_chars(colon + 1, word.data() + word.size(), received, 16);
            sum += std::int64_t{sent} + received;
        });
        return sum;
    }

    /// "sockets: used 5" counts those that are closed until what they sent is gone.
    std::int64_t hidden() const {
        const std::int64_t used = leadingNumber(lineOf(listOf(leader_, "sockstat"), "sockets: used")).value_or(0);
        const std::int64_t most = leadingNumber(readSmallFile("/proc/sys/net/core/wmem_default")).value_or(0);
        return std::max<std::int64_t>(used - static_cast<std::int64_t>(sockets_.size()), 0) * most;
    }

    int leader_;
    bool hasOwnNetwork_;
    std::unordered_set<std::uint64_t> unix_; ///< inodes
    std::unordered_set<std::uint64_t> sockets_, pipes_;
    std::size_t looked_ = 0;
    std::int64_t bytes_ = 0;
};

} // namespace

std::int64_t memoryOutsideProcesses(int leader, const std::vector<int>& members) {
    if (!isApart(leader, "mnt")) return 0;
    Buffers buffers(leader);
    for (const int member : members) buffers.add(member);
    return tmpBytes(leader, members) + buffers.bytes();
}

} // namespace yard::host
