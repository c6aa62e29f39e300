#include "core/store/log_state.h"

#include "core/base/files.h"
#include "core/store/big_endian.h"
#include "core/store/wal_frames.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::store {
namespace {

constexpr std::size_t kMapped = 4096;
constexpr std::size_t kSaltsAt = 16;

std::string pathOf(const std::string& journal) {
    return journal + "-wal.state";
}

std::int64_t writtenAt(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return 0;
    return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

} // namespace

struct LogState::Slot {
    std::uint64_t number = 0;
    std::uint64_t salts = 0;
    std::uint64_t frames = 0; ///< the checkpointed ones in the upper half
    std::int64_t journalTime = 0;
    std::uint64_t sum = 0;

    std::uint64_t summed() const {
        constexpr std::uint64_t kPrime = 0x100000001b3;
        std::uint64_t all = 0xcbf29ce484222325;
        for (const std::uint64_t word : {number, salts, frames, static_cast<std::uint64_t>(journalTime)})
            all = (all ^ word) * kPrime;
        return all;
    }
    bool isWhole() const { return number > 0 && sum == summed(); }
};

bool LogState::Seen::isUntouched(const std::string& journal) const {
    return journalTime != 0 && journalTime == writtenAt(journal);
}

std::optional<std::uint64_t> saltsOf(int log) {
    // With the sums behind them: those end the header. For each commit, so without a string on the heap.
    std::array<char, kWalHeader - kSaltsAt> bytes{};
    ssize_t n = 0;
    do n = ::pread(log, bytes.data(), bytes.size(), kSaltsAt);
    while (n < 0 && errno == EINTR);
    if (n != static_cast<ssize_t>(bytes.size())) return std::nullopt;
    const std::string_view salts(bytes.data(), bytes.size());
    return std::uint64_t{bigEndian(salts, 0)} << 32 | bigEndian(salts, 4);
}

bool isLaterRound(std::uint64_t salts, std::uint64_t than) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(salts >> 32) -
                                     static_cast<std::uint32_t>(than >> 32)) > 0;
}

std::optional<LogState::Seen> LogState::read(const std::string& journal) {
    const auto bytes = readFile(pathOf(journal), kMapped);
    std::array<Slot, 2> slots;
    if (!bytes || bytes->size() < sizeof slots) return std::nullopt;
    std::memcpy(slots.data(), bytes->data(), sizeof slots);
    const Slot* last = nullptr;
    for (const Slot& slot : slots)
        if (slot.isWhole() && (!last || slot.number > last->number)) last = &slot;
    if (!last) return std::nullopt;
    return Seen{.salts = last->salts,
                .frames = static_cast<std::uint32_t>(last->frames),
                .checkpointed = static_cast<std::uint32_t>(last->frames >> 32),
                .journalTime = last->journalTime};
}

void LogState::remove(const std::string& journal) {
    ::unlink(pathOf(journal).c_str());
}

Result<std::unique_ptr<LogState>> LogState::open(const std::string& journal) {
    UniqueFd log(::open((journal + "-wal").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!log) return failErrno("open the journal's log", errno);
    const std::string path = pathOf(journal);
    remove(journal); // of an engine before: it has been read
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failErrno("make " + path, errno);
    // Taken now: a store to memory cannot fail for want of room.
    if (const int err = ::posix_fallocate(file.get(), 0, kMapped); err != 0) {
        remove(journal);
        return failErrno("make room for " + path, err);
    }
    void* memory = ::mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) {
        remove(journal);
        return failErrno("map " + path, errno);
    }
    return std::unique_ptr<LogState>(new LogState(journal, std::move(log), memory));
}

LogState::LogState(std::string journal, UniqueFd log, void* memory)
    : journal_(std::move(journal))
    , log_(std::move(log))
    , slots_(static_cast<Slot*>(memory)) {
    seen_.journalTime = writtenAt(journal_);
}

LogState::~LogState() {
    ::munmap(slots_, kMapped);
}

void LogState::committed(std::uint32_t frames) {
    const auto salts = saltsOf(log_.get());
    if (salts && *salts != seen_.salts) seen_.checkpointed = 0; // the log has begun another round
    seen_.salts = salts.value_or(0);
    seen_.frames = frames;
    write();
}

void LogState::checkpointed(std::uint32_t frames) {
    seen_.checkpointed = frames;
    seen_.journalTime = writtenAt(journal_);
    write();
}

void LogState::write() {
    Slot slot;
    slot.number = ++number_;
    slot.salts = seen_.salts;
    slot.frames = std::uint64_t{seen_.checkpointed} << 32 | seen_.frames;
    slot.journalTime = seen_.journalTime;
    slot.sum = slot.summed();
    slots_[number_ % 2] = slot;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace yard::store
