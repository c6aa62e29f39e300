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

void dropOldProfiles(const std::string& directory) {
    std::error_code failed;
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> kept;
    for (auto entry = std::filesystem::directory_iterator(directory, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        std::error_code ignored;
        if (entry->path().extension() == ".yprof" && entry->is_regular_file(ignored))
            kept.emplace_back(entry->last_write_time(ignored), entry->path());
    }
    std::ranges::sort(kept);
    for (std::size_t n = 0; n + kMostProfiles < kept.size(); ++n) {
        std::error_code ignored;
        std::filesystem::remove(kept[n].second, ignored);
    }
}

} // namespace

Result<std::string> keepProfile(const std::string& dataDir, const profile::Profile& profile) {
    static ThreadMutex keeping; // several helpers would choose the same name
    const ThreadLock lock(keeping);
    const std::string directory = dataDir + "/profiles";
    if (auto made = makeDirectories(directory); !made) return std::unexpected(std::move(made.error()));
    std::string path;
    std::error_code ignored;
    for (WallMicros seconds = wallNow() / 1'000'000;; ++seconds) {
        path = fmt::format("{}/{}-{}.yprof", directory, profile.loop, seconds);
        if (!std::filesystem::exists(path, ignored)) break;
    }
    if (auto written = writeFileAtomically(path, profile::encode(profile), 0600); !written)
        return std::unexpected(std::move(written.error()));
    dropOldProfiles(directory);
    return path;
}

} // namespace yard::http
