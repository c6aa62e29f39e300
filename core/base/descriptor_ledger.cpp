#include "core/base/descriptor_ledger.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace yard {

namespace {

constexpr std::size_t kDescriptorsNoted = 65'536;

/// Each descriptor has one owner at a time, who alone writes its entry; who looks may see an entry half written, which
/// shows a line of another opener for a moment.
struct LedgerEntry {
    std::atomic<const char*> file; ///< null: no note
    std::atomic<std::uint32_t> line;
    std::atomic<MonoTime::rep> since;
};

/// Zeroes: its pages take no memory before a descriptor of that number is opened.
constinit std::array<LedgerEntry, kDescriptorsNoted> ledger{};

LedgerEntry* entryOf(int fd) noexcept {
    if (fd < 0 || static_cast<std::size_t>(fd) >= kDescriptorsNoted) return nullptr;
    return &ledger[static_cast<std::size_t>(fd)];
}

} // namespace

void noteDescriptor(int fd, const std::source_location& from) noexcept {
    LedgerEntry* entry = entryOf(fd);
    if (!entry) return;
    entry->line.store(from.line(), std::memory_order_relaxed);
    entry->since.store(MonoClock::now().time_since_epoch().count(), std::memory_order_relaxed);
    entry->file.store(from.file_name(), std::memory_order_release);
}

void forgetDescriptor(int fd) noexcept {
    if (LedgerEntry* entry = entryOf(fd)) entry->file.store(nullptr, std::memory_order_relaxed);
}

std::optional<DescriptorNote> descriptorNote(int fd) noexcept {
    const LedgerEntry* entry = entryOf(fd);
    const char* file = entry ? entry->file.load(std::memory_order_acquire) : nullptr;
    if (!file) return std::nullopt;
    const MonoTime since{MonoTime::duration(entry->since.load(std::memory_order_relaxed))};
    return DescriptorNote{.file = file,
                          .line = entry->line.load(std::memory_order_relaxed),
                          .age = std::chrono::duration_cast<Duration>(MonoClock::now() - since)};
}

} // namespace yard
