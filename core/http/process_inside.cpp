#include "core/http/process_inside.h"

#include "core/base/descriptor_ledger.h"
#include "core/base/directory_entries.h"
#include "core/base/text.h"
#include "core/coro/await_chain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
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

struct OpenerName {
    std::string_view below; ///< of the tree
    std::string_view owner;
};

/// The first that fits.
constexpr OpenerName kOpeners[] = {
    {"core/console/", "consoles"},
    {"core/store/chunk", "chunks"},
    {"core/store/pack", "chunks"},
    {"core/store/data_directory", "data directory"},
    {"core/store/", "journal"},
    {"core/coro/file_watch", "watches of files"},
    {"core/coro/", "event loops"},
    {"core/linkio/", "links"},
    {"core/engine/machines/", "links"},
    {"core/engine/guests/", "links"},
    {"core/http/guest_door", "links"},
    {"core/engine/objects/", "hooks and plugins"},
    {"core/engine/alerts/", "alerts"},
    {"core/engine/recordings/", "recordings"},
    {"core/recording/", "recordings"},
    {"core/http/api_recordings", "recordings"},
    {"core/engine/running/warm", "pool"},
    {"core/runners/warm", "pool"},
    {"core/runners/", "launcher"},
    {"core/launcher/", "launcher"},
    {"core/sandbox/", "sandbox"},
    {"core/locks/", "named locks"},
    {"core/timeline/", "timelines"},
    {"core/history/", "timelines"},
    {"core/host/", "watches of the machine"},
    {"core/lease/", "attempts"},
    {"core/engine/running/", "attempts"},
    {"core/http/", "requests"},
};

/// By who opened it: the room's own name where the table has none.
std::string openerOwner(std::string_view file) {
    for (const OpenerName& name : kOpeners)
        if (file.starts_with(name.below)) return std::string(name.owner);
    return std::string(file.substr(0, file.rfind('/')));
}

std::string_view targetOwner(int fd, std::string_view target, const std::string& dataDir) {
    if (target.starts_with("socket:")) return isOfNetwork(fd) ? "connections" : "local sockets";
    if (target.starts_with("pipe:")) return "pipes";
    if (target.starts_with("anon_inode:")) return "event loops";
    if (!isBelow(target, dataDir)) return "other files";
    const std::string_view name = target.substr(std::min(target.size(), dataDir.size() + 1));
    if (name.starts_with("journal.sqlite")) return "journal";
    if (name.starts_with("chunks")) return "chunks";
    return "files of the data directory";
}

OpenDescriptor describe(int fd, std::string_view target, const std::string& dataDir) {
    OpenDescriptor open{.number = fd, .owner = {}, .target = std::string(target), .opener = {}, .age = {}};
    const std::optional<DescriptorNote> note = descriptorNote(fd);
    // Made by a function of the standard library from a number: it is not known for whom.
    const std::string_view file = note ? coro::fileInTree(note->file) : std::string_view();
    if (file.empty() || file.starts_with('/')) {
        open.owner = targetOwner(fd, target, dataDir);
        return open;
    }
    open.owner = openerOwner(file);
    open.opener = fmt::format("{}:{}", file, note->line);
    open.age = note->age;
    return open;
}

void countOwner(ProcessDescriptors& open, const std::string& owner) {
    const auto known = std::ranges::find(open.owners, owner, &decltype(open.owners)::value_type::first);
    if (known == open.owners.end())
        open.owners.emplace_back(owner, 1);
    else
        ++known->second;
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

ProcessDescriptors processDescriptors(const std::string& dataDir, std::string_view owner) {
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
        OpenDescriptor one = describe(fd, {target.data(), static_cast<std::size_t>(size)}, dataDir);
        countOwner(open, one.owner);
        if (one.owner == owner) open.listed.push_back(std::move(one));
    }
    std::ranges::sort(open.owners, [](const auto& a, const auto& b) { return a.second > b.second; });
    // A leak is old.
    std::ranges::sort(open.listed, [](const auto& a, const auto& b) { return a.age > b.age; });
    if (open.listed.size() > kMostDescriptors) open.listed.resize(kMostDescriptors);
    return open;
}

} // namespace yard::http
