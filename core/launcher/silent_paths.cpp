#include "core/launcher/silent_paths.h"

#include "core/base/files.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yard::runners {
namespace {

/// Of the type in mountinfo, that of the server comes behind a dot ("fuse.sshfs").
bool isForeign(std::string_view type) {
    constexpr std::array<std::string_view, 14> kForeign{"fuse",   "fuseblk",  "nfs",    "nfs4",    "cifs",
                                                        "smb3",   "9p",       "ceph",   "afs",     "coda",
                                                        "lustre", "orangefs", "autofs", "virtiofs"};
    return std::ranges::find(kForeign, type.substr(0, type.find('.'))) != kForeign.end();
}

/// Spaces, tabs, line ends and backslashes are written as \ and three octal digits.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 3 >= text.size()) {
            plain += text[i];
            continue;
        }
        const auto digit = [&](std::size_t at) { return (text[i + at] - '0') & 7; };
        plain += static_cast<char>(digit(1) << 6 | digit(2) << 3 | digit(3));
        i += 3;
    }
    return plain;
}

std::string_view takeWord(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

} // namespace

std::optional<std::string> foreignMountOf(std::string_view mountinfo, std::string_view path) {
    std::string best;
    bool isBestForeign = false;
    while (!mountinfo.empty()) {
        const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
        std::string_view line = mountinfo.substr(0, end);
        mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
        for (int skipped = 0; skipped < 4; ++skipped) takeWord(line); // ids, device, root
        std::string point = unescaped(takeWord(line));
        const std::size_t dash = line.find(" - ");
        if (dash == line.npos || !isBelow(path, point) || point.size() < best.size()) continue;
        line.remove_prefix(dash + 3);
        best = std::move(point); // of several at one place the last one is seen
        isBestForeign = isForeign(takeWord(line));
    }
    return isBestForeign ? std::optional(std::move(best)) : std::nullopt;
}

SilentPaths::SilentPaths(std::string mounts)
    : mounts_(std::move(mounts)) {}

void SilentPaths::put(Known known) {
    const auto isSame = [&](const Known& other) { return !other.thread && other.path == known.path; };
    std::erase_if(known_, isSame);
    if (known_.size() == kMost)
        if (const auto oldest = std::ranges::find_if(known_, [](const Known& one) { return !one.thread; });
            oldest != known_.end())
            known_.erase(oldest);
    known_.push_back(std::move(known));
    isEmpty_.store(false, std::memory_order_relaxed);
}

std::optional<std::string> SilentPaths::foreignMount(std::string_view path) const {
    const auto table = readFile(mounts_);
    return table ? foreignMountOf(*table, path) : std::nullopt;
}

void SilentPaths::add(const std::string& path, MonoTime now, bool onlyForeign) {
    const auto mount = foreignMount(path);
    if (onlyForeign && !mount) return;
    const ThreadLock lock(mutex_);
    std::erase_if(known_, [&](const Known& known) { return !known.thread && known.until <= now; });
    put({mount.value_or(path), mount.has_value(), now + kRemembered, {}});
}

bool SilentPaths::stand(std::uint64_t thread, const std::string& path, bool forced) {
    const auto mount = foreignMount(path);
    const ThreadLock lock(mutex_);
    if (standing_ >= kMostStanding && !forced) return false;
    ++standing_;
    put({mount.value_or(path), mount.has_value(), MonoTime::max(), thread});
    return true;
}

void SilentPaths::leave(std::uint64_t thread) {
    const ThreadLock lock(mutex_);
    const auto stood = std::ranges::find(known_, std::optional(thread), &Known::thread);
    if (stood == known_.end()) return;
    const std::string path = std::move(stood->path);
    known_.erase(stood);
    --standing_;
    std::erase_if(known_, [&](const Known& known) { return !known.thread && known.path == path; });
    isEmpty_.store(known_.empty(), std::memory_order_relaxed);
}

SilentPaths::Refusal SilentPaths::refusalOf(std::string_view path, MonoTime now) {
    if (isEmpty_.load(std::memory_order_relaxed)) return Refusal::None;
    const ThreadLock lock(mutex_);
    const auto covers = [&](const Known& known) {
        return (known.thread || known.until > now) &&
               (known.isMount ? isBelow(path, known.path) : path == known.path);
    };
    if (std::ranges::any_of(known_, covers)) return Refusal::Silent;
    if (standing_ < kMostStanding) return Refusal::None;
    return foreignMount(path) ? Refusal::Full : Refusal::None;
}

} // namespace yard::runners
