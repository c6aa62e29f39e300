#include "core/http/profile_store.h"

#include "core/base/files.h"
#include "core/base/thread_mutex.h"
#include "core/profile/profile_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace yard::http {

namespace {

ThreadMutex& keeping() {
    static ThreadMutex mutex; // several helpers would choose the same name
    return mutex;
}

void dropOldest(const std::string& directory, std::string_view extension) {
    std::error_code failed;
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> kept;
    for (auto entry = std::filesystem::directory_iterator(directory, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        std::error_code ignored;
        if (entry->path().extension() == extension && entry->is_regular_file(ignored))
            kept.emplace_back(entry->last_write_time(ignored), entry->path());
    }
    std::ranges::sort(kept);
    for (std::size_t n = 0; n + kMostProfiles < kept.size(); ++n) {
        std::error_code ignored;
        std::filesystem::remove(kept[n].second, ignored);
    }
}

/// A name that no file has yet.
std::string freePath(const std::string& directory, std::string_view stem, std::string_view extension) {
    std::error_code ignored;
    for (WallMicros seconds = wallNow() / 1'000'000;; ++seconds) {
        std::string path = fmt::format("{}/{}-{}{}", directory, stem, seconds, extension);
        if (!std::filesystem::exists(path, ignored)) return path;
    }
}

Result<std::string> keepFile(const std::string& directory, std::string path, std::string_view bytes,
                             std::string_view extension) {
    if (auto written = writeFileAtomically(path, bytes, 0600); !written)
        return std::unexpected(std::move(written.error()));
    dropOldest(directory, extension);
    return path;
}

bool isOfDumpName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

} // namespace

Result<std::string> keepProfile(const std::string& dataDir, const profile::Profile& profile) {
    const ThreadLock lock(keeping());
    const std::string directory = dataDir + "/profiles";
    if (auto made = makeDirectories(directory); !made) return std::unexpected(std::move(made.error()));
    return keepFile(directory, freePath(directory, profile.loop, ".yprof"), profile::encode(profile), ".yprof");
}

bool isDumpName(std::string_view name) {
    constexpr std::size_t kLongest = 64;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
           std::ranges::all_of(name, isOfDumpName);
}

Result<std::string> keepDump(const std::string& dataDir, const std::string& name, std::string_view json) {
    const ThreadLock lock(keeping());
    const std::string directory = dataDir + "/dumps";
    if (auto made = makeDirectories(directory); !made) return std::unexpected(std::move(made.error()));
    std::string path = fmt::format("{}/{}.json", directory, name);
    std::error_code ignored;
    if (name.empty())
        path = freePath(directory, "inside", ".json");
    else if (std::filesystem::exists(path, ignored))
        return fail(ErrorKind::WrongState, fmt::format("There is a dump \"{}\" already; give another name.", name));
    return keepFile(directory, std::move(path), json, ".json");
}

} // namespace yard::http
