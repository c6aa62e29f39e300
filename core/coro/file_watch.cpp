// FileWatch: one inotify instance per loop (FileWatchHub, a service of the loop), many watches.
// Owner: the loop's OS thread. The hub outlives no loop; watches keep a weak reference to it.
#include "core/coro/events.h"

#include "core/coro/net.h"
#include "core/coro/sync.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <unordered_map>

namespace yard::coro {

namespace {

constexpr std::size_t kMaxKept = 1024; // changes of one watch that nobody has taken
constexpr int kReadsPerWakeup = 4;     // buffers read before the loop has its turn again
// Told whether asked for or not.
constexpr std::uint32_t kAlways = IN_IGNORED | IN_Q_OVERFLOW | IN_UNMOUNT;

} // namespace

class FileWatchHub;

struct FileWatch::State {
    ~State();
    void add(FileChange change);

    std::weak_ptr<FileWatchHub> hub;
    int watch = -1; ///< -1 when the kernel has dropped it
    std::uint32_t mask = 0;
    std::deque<FileChange> changes;
    WaitList waiters;

    static Task<FileChange> next(std::shared_ptr<State> self);
};

class FileWatchHub : public std::enable_shared_from_this<FileWatchHub> {
public:
    explicit FileWatchHub(Loop& loop)
        : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
        , error_(fd_ ? 0 : errno)
        , stream_(loop.io()) {
        if (fd_) stream_.assign(fd_.get());
    }
    ~FileWatchHub() {
        if (stream_.is_open()) stream_.release();
    }

    Result<std::shared_ptr<FileWatch::State>> open(const std::string& path, std::uint32_t mask);
    void remove(FileWatch::State& state) noexcept;

private:
    void arm();
    void drain();
    void dispatch(const inotify_event& event);

    UniqueFd fd_;
    int error_;
    StreamFd stream_;
    bool armed_ = false;
    std::unordered_map<int, std::vector<FileWatch::State*>> watches_; ///< one inode has one number
};

Result<std::shared_ptr<FileWatch::State>> FileWatchHub::open(const std::string& path, std::uint32_t mask) {
    if (!fd_) return failErrno("inotify_init", error_);
    // Another watch of the same inode would have its mask replaced without IN_MASK_ADD.
    const int watch = ::inotify_add_watch(fd_.get(), path.c_str(), mask | IN_MASK_ADD);
    if (watch < 0) return failErrno(fmt::format("watch {}", path), errno);
    auto state = std::make_shared<FileWatch::State>();
    state->hub = weak_from_this();
    state->watch = watch;
    state->mask = mask & IN_ALL_EVENTS;
    watches_[watch].push_back(state.get());
    arm();
    return state;
}

void FileWatchHub::remove(FileWatch::State& state) noexcept {
    auto found = watches_.find(state.watch);
    if (found == watches_.end()) return;
    std::erase(found->second, &state);
    if (!found->second.empty()) return;
    watches_.erase(found);
    ::inotify_rm_watch(fd_.get(), state.watch);
}

void FileWatchHub::arm() {
    if (armed_ || watches_.empty()) return;
    armed_ = true;
    stream_.async_wait(boost::asio::posix::descriptor_base::wait_read, [this](const ErrorCode& error) {
        armed_ = false;
        if (error) return;
        drain();
        arm();
    });
}

void FileWatchHub::drain() {
    alignas(inotify_event) std::array<char, 16 * 1024> buffer;
    for (int i = 0; i < kReadsPerWakeup; ++i) {
        const ssize_t size = ::read(fd_.get(), buffer.data(), buffer.size());
        if (size <= 0) return;
        for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
            inotify_event event;
            std::memcpy(&event, buffer.data() + at, sizeof event);
            dispatch(*reinterpret_cast<const inotify_event*>(buffer.data() + at));
            at += sizeof event + event.len;
        }
    }
}

void FileWatchHub::dispatch(const inotify_event& event) {
    if (event.mask & IN_Q_OVERFLOW) {
        for (auto& [number, states] : watches_)
            for (FileWatch::State* state : states) state->add({IN_Q_OVERFLOW, 0, {}});
        return;
    }
    auto found = watches_.find(event.wd);
    if (found == watches_.end()) return;
    for (FileWatch::State* state : found->second)
        if (event.mask & (state->mask | kAlways))
            state->add({event.mask, event.cookie, event.len > 0 ? std::string(event.name) : std::string()});
    if (event.mask & IN_IGNORED) {
        for (FileWatch::State* state : found->second) state->watch = -1;
        watches_.erase(found);
    }
}

FileWatch::State::~State() {
    if (auto alive = hub.lock()) alive->remove(*this);
}

void FileWatch::State::add(FileChange change) {
    if (changes.size() >= kMaxKept) {
        changes.clear();
        change = {IN_Q_OVERFLOW, 0, {}};
    }
    changes.push_back(std::move(change));
    if (!waiters.empty()) waiters.front().wake();
}

Task<FileChange> FileWatch::State::next(std::shared_ptr<State> self) {
    do co_await PlainWait("file change", self->waiters, !self->changes.empty());
    while (self->changes.empty());
    FileChange change = std::move(self->changes.front());
    self->changes.pop_front();
    co_return change;
}

FileWatch::FileWatch(std::shared_ptr<State> state) noexcept
    : state_(std::move(state)) {}
FileWatch::FileWatch(FileWatch&&) noexcept = default;
FileWatch& FileWatch::operator=(FileWatch&&) noexcept = default;
FileWatch::~FileWatch() = default;

Result<FileWatch> FileWatch::open(Loop& loop, const std::string& path, std::uint32_t mask) {
    auto state = loop.service<FileWatchHub>().open(path, mask);
    if (!state) return std::unexpected(std::move(state.error()));
    return FileWatch(std::move(*state));
}

Task<FileChange> FileWatch::next() {
    return State::next(state_);
}

} // namespace yard::coro
