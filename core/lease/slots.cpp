#include "core/lease/slots.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::runners {
namespace {

constexpr std::array<char, 8> kMagic{'Y', 'A', 'R', 'D', 'S', 'L', 'O', 'T'};
constexpr std::uint32_t kFormat = 1;

struct Entry {
    std::atomic<std::int64_t> lsn;
    std::atomic<std::uint32_t> attempt;
    std::atomic<std::uint32_t> state;
    std::atomic<std::int32_t> pid;
    std::uint32_t unused;
    std::atomic<std::int64_t> started; ///< 0 in files of engines that did not write it
};
static_assert(sizeof(Entry) == 32 && std::atomic<std::int64_t>::is_always_lock_free);

struct Slot {
    std::atomic<std::uint32_t> heldBack;
    std::atomic<std::uint32_t> cursor; ///< where the search for a free entry begins
    std::array<char, 56> unused;       ///< a cache line of its own
    std::array<Entry, SlotsFile::kRing> ring;
};
static_assert(sizeof(Slot) == 64 + SlotsFile::kRing * sizeof(Entry));

bool isWhole(const SlotEntry& entry) {
    const bool isKnown = entry.state == SlotEntryState::AboutToClone || entry.state == SlotEntryState::Cloned;
    return isKnown && entry.id.lsn.value > 0 && entry.id.attempt != 0;
}

} // namespace

struct SlotsFile::Layout {
    std::array<char, 8> magic;
    std::uint32_t format;
    std::uint32_t slots;
    std::uint32_t ring;
    std::atomic<std::int32_t> launcherPid;
    std::atomic<std::uint32_t> outputKept; ///< 0 in files of engines that did not write it
    std::array<char, 4096 - 28> unused;

    Slot* slot(SlotId id) { return reinterpret_cast<Slot*>(this + 1) + id.value; }
};

SlotsFile::SlotsFile(void* base, std::size_t size)
    : layout_(static_cast<Layout*>(base))
    , size_(size) {
    static_assert(sizeof(Layout) == 4096);
}
SlotsFile::~SlotsFile() {
    if (layout_) ::munmap(layout_, size_);
}
SlotsFile::SlotsFile(SlotsFile&& other) noexcept
    : layout_(std::exchange(other.layout_, nullptr))
    , size_(std::exchange(other.size_, 0)) {}
SlotsFile& SlotsFile::operator=(SlotsFile&& other) noexcept {
    if (this != &other) {
        if (layout_) ::munmap(layout_, size_);
        layout_ = std::exchange(other.layout_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

Result<SlotsFile> SlotsFile::create(const std::string& path, unsigned slots, bool durable) {
    if (slots == 0 || slots > kMaxSlots)
        return fail(ErrorKind::Invalid, fmt::format("{} slots: give a number from 1 to {}", slots, kMaxSlots));
    const std::string temporary = path + ".new";
    ::unlink(temporary.c_str());
    UniqueFd fd(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return failErrno("create " + temporary, errno);
    const std::size_t size = sizeof(Layout) + slots * sizeof(Slot);
    // Allocated, not only sized: a full disk must be an error here and not SIGBUS at a store later.
    if (const int err = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(size)); err != 0)
        return failErrno("allocate " + temporary, err);
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (base == MAP_FAILED) return failErrno("map " + temporary, errno);
    SlotsFile file(base, size);
    file.layout_->magic = kMagic;
    file.layout_->format = kFormat;
    file.layout_->slots = slots;
    file.layout_->ring = kRing;
    if (durable && ::fsync(fd.get()) != 0) return failErrno("sync " + temporary, errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0) return failErrno("rename to " + path, errno);
    if (durable)
        if (auto synced = syncDirectory(path.substr(0, path.rfind('/'))); !synced)
            return std::unexpected(synced.error());
    return file;
}

Result<SlotsFile> SlotsFile::open(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && errno == ENOENT) return fail(ErrorKind::NotFound, path + " does not exist");
    if (!fd) return failErrno("open " + path, errno);
    struct stat st{};
    if (::fstat(fd.get(), &st) != 0) return failErrno("stat " + path, errno);
    const auto malformed = [&] {
        return fail(ErrorKind::Malformed, path + " is not a slots file of this version");
    };
    const auto size = static_cast<std::size_t>(st.st_size);
    if (!S_ISREG(st.st_mode) || size < sizeof(Layout) || size > sizeof(Layout) + kMaxSlots * sizeof(Slot))
        return malformed();
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (base == MAP_FAILED) return failErrno("map " + path, errno);
    SlotsFile file(base, size);
    const Layout& l = *file.layout_;
    if (l.magic != kMagic || l.format != kFormat || l.ring != kRing || l.slots == 0 || l.slots > kMaxSlots ||
        size != sizeof(Layout) + l.slots * sizeof(Slot))
        return malformed();
    return file;
}

unsigned SlotsFile::slots() const {
    return layout_ ? layout_->slots : 0;
}
void SlotsFile::setLauncherPid(int pid) {
    layout_->outputKept.store(0, std::memory_order_relaxed);
    layout_->launcherPid.store(pid, std::memory_order_release);
}
int SlotsFile::launcherPid() const {
    return layout_->launcherPid.load(std::memory_order_acquire);
}
void SlotsFile::setOutputKept() {
    layout_->outputKept.store(1, std::memory_order_release);
}
bool SlotsFile::isOutputKept() const {
    return layout_->outputKept.load(std::memory_order_acquire) != 0;
}

std::optional<unsigned> SlotsFile::take(SlotId slot, AttemptId id) {
    assert(slot.value < slots());
    Slot& s = *layout_->slot(slot);
    for (int pass = 0; pass < 2; ++pass) {
        const std::uint32_t from = s.cursor.load(std::memory_order_relaxed);
        for (unsigned k = 0; k < kRing; ++k) {
            const unsigned index = (from + k) % kRing;
            Entry& e = s.ring[index];
            if (e.state.load(std::memory_order_acquire) != std::to_underlying(SlotEntryState::Free)) continue;
            e.lsn.store(id.lsn.value, std::memory_order_relaxed);
            e.attempt.store(id.attempt, std::memory_order_relaxed);
            e.pid.store(0, std::memory_order_relaxed);
            e.started.store(0, std::memory_order_relaxed);
            e.state.store(std::to_underlying(SlotEntryState::AboutToClone), std::memory_order_release);
            s.cursor.store((index + 1) % kRing, std::memory_order_relaxed);
            s.heldBack.store(0, std::memory_order_relaxed);
            return index;
        }
        // Say so first, then look once more: an entry freed in between either is seen now or its freer sees the
        // flag.
        s.heldBack.store(1, std::memory_order_seq_cst);
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    return {};
}

void SlotsFile::setCloned(SlotId slot, unsigned index, int pid) {
    Entry& e = layout_->slot(slot)->ring[index];
    e.pid.store(pid, std::memory_order_relaxed);
    e.started.store(wallNow(), std::memory_order_relaxed);
    e.state.store(std::to_underlying(SlotEntryState::Cloned), std::memory_order_release);
}

void SlotsFile::giveBack(SlotId slot, unsigned index) {
    layout_->slot(slot)->ring[index].state.store(std::to_underlying(SlotEntryState::Free),
                                                 std::memory_order_release);
}

Result<void> SlotsFile::sync() const {
    if (::msync(layout_, size_, MS_SYNC) != 0) return failErrno("sync the file of what began", errno);
    return {};
}

bool SlotsFile::freeEntry(SlotId slot, AttemptId id) {
    if (slot.value >= slots()) return false;
    Slot& s = *layout_->slot(slot);
    for (Entry& e : s.ring) {
        if (e.state.load(std::memory_order_acquire) == std::to_underlying(SlotEntryState::Free)) continue;
        if (e.lsn.load(std::memory_order_relaxed) != id.lsn.value ||
            e.attempt.load(std::memory_order_relaxed) != id.attempt)
            continue;
        e.state.store(std::to_underlying(SlotEntryState::Free), std::memory_order_seq_cst);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return s.heldBack.load(std::memory_order_relaxed) != 0;
    }
    return false;
}

template<class F>
void SlotsFile::forEachTaken(F each) const {
    for (std::uint32_t i = 0; i < slots(); ++i) {
        for (Entry& e : layout_->slot(SlotId(i))->ring) {
            const std::uint32_t state = e.state.load(std::memory_order_acquire);
            if (state == std::to_underlying(SlotEntryState::Free)) continue;
            each(SlotEntry{SlotId(i),
                           {Lsn(e.lsn.load(std::memory_order_relaxed)), e.attempt.load(std::memory_order_relaxed)},
                           static_cast<SlotEntryState>(state),
                           e.pid.load(std::memory_order_relaxed),
                           e.started.load(std::memory_order_relaxed)});
        }
    }
}

std::vector<SlotEntry> SlotsFile::entries() const {
    std::vector<SlotEntry> found;
    forEachTaken([&found](const SlotEntry& entry) {
        if (isWhole(entry)) found.push_back(entry);
    });
    return found;
}

unsigned SlotsFile::damaged() const {
    unsigned count = 0;
    forEachTaken([&count](const SlotEntry& entry) { count += isWhole(entry) ? 0 : 1; });
    return count;
}

std::optional<SlotEntry> SlotsFile::find(AttemptId id) const {
    for (const SlotEntry& e : entries())
        if (e.id == id) return e;
    return {};
}

} // namespace yard::runners
