#include "core/locks/janitor.h"

#include "core/base/directory_entries.h"
#include "core/base/duration_text.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/locks/lock_directory.h"

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::locks {

namespace {

constexpr std::string_view kLockFile = "lock";
constexpr std::size_t kMostTold = 1'000; ///< then it begins to forget what it told

std::optional<std::uint32_t> slotNumber(std::string_view name) {
    std::uint32_t number = 0;
    const auto [end, err] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (err != std::errc{} || end != name.data() + name.size() || fmt::to_string(number) != name) return {};
    return number;
}

/// Names in a directory, in no order. A missing one is empty.
std::vector<std::string> namesIn(const std::string& path) {
    std::vector<std::string> names;
    auto entries = DirectoryEntries::open(path);
    if (!entries) return names;
    while (const auto name = entries->next()) names.emplace_back(*name);
    return names;
}

bool isDirectory(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

WallMicros modifiedAt(const std::string& path) {
    struct stat st{};
    if (::lstat(path.c_str(), &st) != 0) return wallNow();
    return std::int64_t{st.st_mtim.tv_sec} * 1'000'000 + st.st_mtim.tv_nsec / 1000;
}

} // namespace

bool isAttemptDirectory(std::string_view name) {
    if (name.starts_with(kGonePrefix) || name.starts_with(kRequestsPrefix)) return true;
    const std::size_t dot = name.find('.');
    return dot != name.npos && isDigits(name.substr(0, dot)) && isDigits(name.substr(dot + 1));
}

Janitor::Janitor(Places places, Claims& claims)
    : places_(std::move(places))
    , claims_(claims) {}

bool Janitor::step(Duration budget) {
    const MonoTime until = MonoClock::now() + budget;
    if (!running_) begin();
    do {
        if (slot_ && !slot_->entries.empty()) {
            reapNext(*slot_);
        } else if (slot_) {
            closeSlot(*slot_);
            slot_.reset();
        } else if (!slots_.empty()) {
            const std::string number = std::move(slots_.back());
            slots_.pop_back();
            openSlot(number);
        } else if (!locks_.empty()) {
            const std::string path = std::move(locks_.back());
            locks_.pop_back();
            lookAtLock(path);
        } else {
            running_ = false;
        }
    } while (running_ && MonoClock::now() < until);
    return running_;
}

void Janitor::begin() {
    running_ = true;
    for (std::string& name : namesIn(places_.scratch))
        if (slotNumber(name) && isDirectory(places_.scratch + '/' + name)) slots_.push_back(std::move(name));
    if (places_.locks.empty()) return;
    for (const std::string& name : namesIn(places_.locks))
        if (lockNameOf(name)) locks_.push_back(places_.locks + '/' + name);
}

void Janitor::openSlot(const std::string& number) {
    Slot slot;
    slot.path = places_.scratch + '/' + number;
    if (const auto n = *slotNumber(number); n >= places_.ownSlots && n < places_.ownFrom) {
        const std::string lock = fmt::format("{}/{}", slot.path, kLockFile);
        auto taken = takeFile(lock, true);
        if (!taken) return noteTrouble(lock, taken.error().message);
        if (taken->isBusy) return noteHeld(lock, taken->holder);
        slot.lock = std::move(taken->lock);
    }
    for (std::string& name : namesIn(slot.path)) // after the lock: what is there now stays nobody's
        if (isAttemptDirectory(name)) slot.entries.push_back(std::move(name));
    slot_ = std::move(slot);
}

void Janitor::reapNext(Slot& slot) {
    const std::string path = slot.path + '/' + slot.entries.back();
    const bool isCounted = !slot.entries.back().starts_with(kRequestsPrefix);
    slot.entries.pop_back();
    const std::string aside = fmt::format("{}/{}{}", slot.path, kGonePrefix, randomHex(8));
    // Aside first: from then on the name is free, and what is half removed cannot be taken for something whole.
    if (!claims_.takeAway(path, aside)) return;
    if (auto removed = places_.remove(aside); removed)
        report_.reaped += isCounted;
    else
        noteTrouble(slot.path, fmt::format("{} could not be removed: {}", path, removed.error().message));
    claims_.remove(aside);
}

void Janitor::closeSlot(Slot& slot) {
    if (!slot.lock) return;
    for (const std::string& name : namesIn(slot.path))
        if (name.starts_with(kSparePrefix)) (void)places_.remove(slot.path + '/' + name);
    // The file, then the directory, then the lock: whoever waits for it finds that it is gone and makes a new one.
    ::unlink(slot.lock->path().c_str());
    ::rmdir(slot.path.c_str()); // something that is not ours to remove keeps it
    slot.lock->releaseKeepingFile();
}

void Janitor::lookAtLock(const std::string& path) {
    auto taken = takeFile(path, false);
    if (!taken && taken.error().kind == ErrorKind::NotFound) return; // its holder has just let go
    if (!taken) return noteTrouble(path, taken.error().message);
    if (taken->isBusy) return noteHeld(path, taken->holder);
    taken->lock.release();
    ++report_.staleLocks;
}

void Janitor::noteHeld(const std::string& path, const std::optional<LockHolder>& holder) {
    ++report_.live;
    const bool says = holder && holder->since > 0;
    const WallMicros since = says ? holder->since : modifiedAt(path);
    const Duration deadline = holder && holder->deadline > Duration::zero() ? holder->deadline : places_.deadline;
    if (wallNow() - since <= 2 * deadline.count()) return;
    if (holder && holder->lsn.value == 0) return; // a launcher has its slots as long as it lives
    if (told_.size() >= kMostTold) told_.clear();
    if (!told_.insert(fmt::format("{} {}", path, since)).second) return;
    report_.findings.push_back(
        {path,
         fmt::format(
             "{} is held for {} by {}, more than twice its deadline; it is not taken away: look with lslocks", path,
             durationText(static_cast<double>(wallNow() - since) / 1e6),
             holder ? describe(*holder) : "somebody it does not name"),
         true});
}

void Janitor::noteTrouble(const std::string& path, const std::string& message) {
    if (told_.size() >= kMostTold) told_.clear();
    if (told_.insert(path).second) report_.findings.push_back({path, message, false});
}

} // namespace yard::locks
