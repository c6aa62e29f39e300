#include "core/locks/lock_directory.h"

#include "core/base/environment.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::locks {

namespace {

constexpr std::string_view kSuffix = ".lock";

bool isOurDirectory(const std::string& path, unsigned uid) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid;
}

/// A directory that was there may be another user's trap: its owner and mode are looked at, links not followed.
Result<void> makeOurs(const std::string& path, unsigned uid) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failErrno("make " + path, errno);
    struct stat st{};
    if (::lstat(path.c_str(), &st) != 0) return failErrno("look at " + path, errno);
    if (!S_ISDIR(st.st_mode) || st.st_uid != uid || (st.st_mode & 0022) != 0)
        return fail(ErrorKind::Forbidden,
                    fmt::format("{} is not a directory that only you can write to: locks in it would mean nothing. "
                                "Remove it, or set XDG_RUNTIME_DIR.",
                                path));
    return {};
}

} // namespace

Result<std::string> lockDirectoryFor(const std::string& runtimeDir, const std::string& temporaryDir, unsigned uid) {
    const bool hasRuntime = runtimeDir.starts_with('/') && isOurDirectory(runtimeDir, uid);
    const std::string above =
        hasRuntime ? runtimeDir + "/yardmaster" : fmt::format("{}/yardmaster-{}", temporaryDir, uid);
    std::string path = above + "/locks";
    for (const std::string& directory : {above, path})
        if (auto made = makeOurs(directory, uid); !made) return std::unexpected(made.error());
    return path;
}

Result<std::string> lockDirectory() {
    const std::string temporary = environmentOrEmpty("TMPDIR");
    return lockDirectoryFor(environmentOrEmpty("XDG_RUNTIME_DIR"), temporary.starts_with('/') ? temporary : "/tmp",
                            ::geteuid());
}

bool isLockName(std::string_view name) {
    const auto isAllowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               std::string_view("._:@-").contains(c);
    };
    return !name.empty() && name.size() <= 128 && std::ranges::all_of(name, isAllowed);
}

std::string lockFileName(std::string_view name) {
    return std::string(name) + std::string(kSuffix);
}

std::optional<std::string> lockNameOf(std::string_view fileName) {
    if (!fileName.ends_with(kSuffix)) return {};
    fileName.remove_suffix(kSuffix.size());
    if (!isLockName(fileName)) return {};
    return std::string(fileName);
}

} // namespace yard::locks
