#include "core/base/open_files.h"

#include "core/base/directory_entries.h"

#include <algorithm>
#include <atomic>
#include <sys/resource.h>
#include <sys/stat.h>

namespace yard {

namespace {

constexpr Duration kFreshOpenFiles{100'000};
/// Of what a look took: with thousands of open files an older kernel takes milliseconds.
constexpr int kTimesOfLook = 200;
constexpr std::uint64_t kShareOfLook = 8;
constexpr std::uint64_t kSmallLimit = 256; // of larger ones as many are kept

/// 0: not raised.
std::atomic<std::uint64_t> softAtStart = 0;

} // namespace

void raiseOpenFiles() noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= files.rlim_max) return;
    const rlim_t before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &files) == 0) softAtStart.store(before, std::memory_order_relaxed);
}

std::optional<std::uint64_t> openFilesAtStart() noexcept {
    const std::uint64_t before = softAtStart.load(std::memory_order_relaxed);
    if (before == 0) return std::nullopt;
    return before;
}

void setOpenFilesAtStart(std::uint64_t soft) noexcept {
    softAtStart.store(soft, std::memory_order_relaxed);
}

void restoreOpenFiles(pid_t pid) noexcept {
    const auto before = openFilesAtStart();
    rlimit files{};
    if (!before || ::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = *before;
    (void)::prlimit(pid, RLIMIT_NOFILE, &files, nullptr); // it may have ended
}

std::optional<OpenFiles> openFiles() noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return std::nullopt;
    OpenFiles open{.limit = files.rlim_cur, .used = 0};
    struct stat seen{};
    if (::stat("/proc/self/fd", &seen) != 0) return std::nullopt;
    open.used = static_cast<std::uint64_t>(seen.st_size);
    if (open.used > 0) return open;
    auto entries = DirectoryEntries::open("/proc/self/fd");
    if (!entries) return OpenFiles{.limit = open.limit, .used = open.limit}; // it takes one to look
    while (entries->next()) ++open.used;
    --open.used; // the look's own
    return open;
}

bool OpenFilesRoom::admits(MonoTime now) {
    if (looked_ && admitted_ < most_ && now - *looked_ < fresh_) {
        ++admitted_;
        return true;
    }
    const MonoTime before = MonoClock::now();
    const auto open = look_();
    fresh_ = std::max<Duration>(kFreshOpenFiles, kTimesOfLook * (MonoClock::now() - before));
    looked_ = now;
    admitted_ = most_ = 0;
    if (!open) return true;
    last_ = *open;
    const std::uint64_t kept = open->limit < kSmallLimit ? kept_ * open->limit / kSmallLimit : kept_;
    const std::uint64_t left = open->limit - std::min(open->limit, open->used);
    if (left < kept) return false;
    most_ = (left - kept) / kShareOfLook;
    return true;
}

} // namespace yard
