#include "core/launcher/launcher_memory.h"

#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <memory>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace yard::runners {
namespace {

std::atomic<std::int64_t> highest{0}; ///< before the peak was lowered for the last time

std::atomic<std::uint32_t> lowered{0};  ///< odd while it is under way
std::atomic<std::int64_t> knownPeak{0}; ///< since then, as far as it was looked at
/// The kernel counts pages per CPU, and adds that up now and then.
constexpr std::int64_t kInexact = 512 << 10;

struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool isClean = false; ///< of a file, not writable: its pages are those of the file, unless smaps says otherwise
};

/// "7f12…-7f13… r-xp 00000000 fe:00 123   /usr/lib/…"
bool readHead(const char* line, Mapping& mapping) {
    char* at = nullptr;
    mapping.begin = std::strtoull(line, &at, 16);
    if (at == line || *at != '-') return false;
    const char* second = at + 1;
    mapping.end = std::strtoull(second, &at, 16);
    if (at == second || *at != ' ' || std::strlen(at) < 5) return false;
    mapping.isClean = at[2] == '-' && at[4] == 'p' && std::strchr(at, '/') != nullptr;
    return true;
}

void giveBackFilePages() {
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, Close> smaps(std::fopen("/proc/self/smaps", "re"));
    if (!smaps) return;
    Mapping mapping;
    for (char line[4096]; std::fgets(line, sizeof line, smaps.get());) {
        constexpr char kAnonymous[] = "Anonymous:";
        if (std::strncmp(line, kAnonymous, sizeof kAnonymous - 1) == 0) {
            // A page that was written to before it was made read-only (relocations) is not the file's any more.
            const bool isWhole = std::strtoull(line + sizeof kAnonymous - 1, nullptr, 10) == 0;
            if (mapping.isClean && isWhole)
                // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells addresses as numbers
                ::madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTNEED);
            mapping = {};
        } else {
            Mapping next;
            if (readHead(line, next)) mapping = next;
        }
    }
}

} // namespace

void LowPeak::lower() {
    lowered.fetch_add(1);
    highest.store(ownPeakBytes(), std::memory_order_relaxed);
    ::malloc_trim(0);
    giveBackFilePages();
    const UniqueFd reset(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
    if (reset) static_cast<void>(!::write(reset.get(), "5", 1)); // the peak is what there is now
    last_ = peakSinceLowered();
    knownPeak.store(last_);
    lowered.fetch_add(1);
}

void LowPeak::lowerIfGrown() {
    if (peakSinceLowered() > last_ + kWorthwhile) lower();
}

std::int64_t peakSinceLowered() {
    const UniqueFd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> text{};
    if (!status || ::read(status.get(), text.data(), text.size() - 1) <= 0) return 0;
    const char* peak = std::strstr(text.data(), "VmHWM:");
    return peak ? std::strtoll(peak + std::strlen("VmHWM:"), nullptr, 10) * 1024 : 0;
}

std::uint32_t peakBefore() {
    return lowered.load();
}

bool mayBeOurs(std::int64_t peakBytes, std::uint32_t before) {
    if (peakBytes <= knownPeak.load() + kInexact) return true;
    // Of the peaks in between it may be any.
    if (before % 2 != 0 || before != lowered.load()) return peakBytes <= ownPeakBytes() + kInexact;
    const std::int64_t peak = peakSinceLowered();
    knownPeak.store(peak);
    return peak == 0 || peakBytes <= peak + kInexact;
}

std::int64_t ownPeakBytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::max(std::int64_t{usage.ru_maxrss} * 1024, highest.load(std::memory_order_relaxed));
}

} // namespace yard::runners
