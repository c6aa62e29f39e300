#include "core/http/process_inside.h"

#include "core/base/directory_entries.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <malloc.h>
#include <memory>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yard::http {

namespace {

bool isOfNetwork(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
    return address.ss_family == AF_INET || address.ss_family == AF_INET6;
}

std::string_view ownerOf(int fd, std::string_view target, const std::string& dataDir) {
    if (target.starts_with("socket:")) return isOfNetwork(fd) ? "connections" : "local sockets";
    if (target.starts_with("pipe:")) return "pipes";
    if (target.starts_with("anon_inode:")) return "event loops";
    if (!isBelow(target, dataDir)) return "other files";
    const std::string_view name = target.substr(std::min(target.size(), dataDir.size() + 1));
    if (name.starts_with("journal.sqlite")) return "journal";
    if (name.starts_with("chunks")) return "chunks";
    return "files of the data directory";
}

} // namespace

std::optional<ResidentMemory> residentMemory() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"), &std::fclose);
    unsigned long size = 0;
    unsigned long resident = 0;
    unsigned long shared = 0;
    if (!file || std::fscanf(file.get(), "%lu %lu %lu", &size, &resident, &shared) != 3) return std::nullopt;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return ResidentMemory{.bytes = resident * page, .ofFiles = shared * page};
}

ProcessMemory processMemory() {
    const struct mallinfo2 info = ::mallinfo2();
    return {.resident = residentMemory().value_or(ResidentMemory{}),
            .allocated = info.uordblks + info.hblkhd,
            .kept = info.fordblks};
}

ProcessDescriptors processDescriptors(const std::string& dataDir) {
    ProcessDescriptors open;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) open.limit = files.rlim_cur;
    auto entries = DirectoryEntries::open("/proc/self/fd");
    if (!entries) return open;
    while (const auto name = entries->next()) {
        int fd = -1;
        std::from_chars(name->data(), name->data() + name->size(), fd);
        if (fd < 0 || fd == entries->fd()) continue;
        std::array<char, 512> target{};
        const ssize_t size = ::readlinkat(entries->fd(), std::string(*name).c_str(), target.data(), target.size());
        if (size < 0) continue; // it was closed meanwhile
        ++open.used;
        const std::string_view owner = ownerOf(fd, {target.data(), static_cast<std::size_t>(size)}, dataDir);
        const auto known = std::ranges::find(open.owners, owner, &decltype(open.owners)::value_type::first);
        if (known == open.owners.end())
            open.owners.emplace_back(owner, 1);
        else
            ++known->second;
    }
    std::ranges::sort(open.owners, [](const auto& a, const auto& b) { return a.second > b.second; });
    return open;
}

} // namespace yard::http
