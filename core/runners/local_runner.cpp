#include "core/runners/local_runner.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/owner.h"
#include "core/host/launcher_group.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "core/lease/left_stream.h"
#include "core/lease/recovery.h"
#include "core/lease/wire.h"
#include "core/runners/launcher_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>

namespace yard::runners {
namespace {

constexpr std::size_t kStartsPerMinute = 5;
constexpr Duration kMinute{60'000'000};
constexpr Duration kRetryAfter{15'000'000};
constexpr int kGoodbyeMilliseconds = 5'000;

} // namespace

class LocalRunner::Impl {
public:
    enum class State : unsigned char { Running, Cleaning, BackOff, Down };

    Impl(LauncherConfig config, UpdateSink sink, SlotsFile slots);
    ~Impl();
    Result<void> open();
    Result<void> launch();
    void onReadable();
    void submit(std::vector<Lease> batch);
    template<class Message>
    void sendMessage(const Message& message) {
        if (state_ != State::Running) return;
        wire::put(toSend_, message);
        trySend();
    }
    void takeBack(AttemptId id);
    void acknowledge(SlotId slot, AttemptId id);
    void shutDown(Duration grace);
    void mayRunUntil(std::uint32_t guestGroup, BootTime until);

    const LauncherConfig config_;
    OwnerCheck owner_;
    UniqueFd epoll_;
    State state_ = State::BackOff;
    bool shuttingDown_ = false;
    int launcherPid_ = 0;
    std::unordered_map<AttemptId, SlotId> leases_;
    std::vector<unsigned> leasesOf_; ///< by slot

private:
    void receive(std::vector<Update>& batch);
    bool take(const wire::Frame& frame, std::vector<Update>& batch);
    bool forget(AttemptId id);
    void place(AttemptId id, SlotId slot);
    SlotId leastLoaded() const;
    void attach(const Lease& lease);
    ssize_t sendSome();
    void trySend();
    void answer(AttemptId id, decltype(Update::what) what);
    void loseLauncher();
    void clean(int pid, UniqueFd launcher, std::vector<AttemptId> out);
    void afterCleaning(std::vector<Update>& batch);
    void restart();
    void watchSocket(bool forWriting);
    void maybeHangUp();

    UpdateSink sink_;
    SlotsFile slots_;
    std::map<std::uint32_t, BootTime> mayRun_; ///< as last said, for the next launcher
    UniqueFd wake_;                            ///< eventfd: local answers, or the helper is done
    UniqueFd timer_;                           ///< back-off
    UniqueFd socket_;
    UniqueFd launcher_; ///< pidfd
    wire::FrameBuffer in_;
    std::string toSend_;
    std::size_t sent_ = 0;
    struct Attached {
        std::size_t at = 0; ///< where in toSend_ its frame begins
        std::vector<SharedFd> fds;
    };
    std::deque<Attached> attached_; ///< descriptors that go with what waits in toSend_
    bool waitsToWrite_ = false;
    bool hungUp_ = false;
    std::vector<Update> answers_;
    std::deque<MonoTime> starts_;
    std::thread helper_;
    std::atomic<bool> helperDone_{false};
    std::atomic<bool> giveUp_{false};
};

LocalRunner::Impl::Impl(LauncherConfig config, UpdateSink sink, SlotsFile slots)
    : config_(std::move(config))
    , leasesOf_(config_.slots, 0)
    , sink_(std::move(sink))
    , slots_(std::move(slots)) {}

Result<void> LocalRunner::Impl::open() {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!epoll_ || !wake_ || !timer_) return failErrno("make an epoll for the launcher", errno);
    for (const int fd : {wake_.get(), timer_.get()}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
    }
    // Whoever loses its parent when the launcher dies becomes our child, where it can be found and ended.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    return launch();
}

LocalRunner::Impl::~Impl() {
    giveUp_.store(true);
    if (helper_.joinable()) helper_.join();
    if (!launcher_) return;
    if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
    host::waitEnded(launcherPid_, launcher_.get(), kGoodbyeMilliseconds);
    std::vector<AttemptId> out;
    for (const auto& [id, slot] : leases_) out.push_back(id);
    clean(launcherPid_, std::move(launcher_), std::move(out));
}

Result<void> LocalRunner::Impl::launch() {
    if (config_.beforeLaunch) config_.beforeLaunch();
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failErrno("make a socket pair", errno);
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    const auto pid = spawnLauncher(config_, theirs.get());
    if (!pid) return std::unexpected(pid.error());
    launcherPid_ = *pid;
    launcher_ = host::openProcess(*pid);
    socket_ = std::move(ours);
    in_ = {};
    toSend_.clear();
    attached_.clear();
    sent_ = 0;
    waitsToWrite_ = false;
    hungUp_ = false;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket_.get();
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_.get(), &event);
    state_ = State::Running;

    wire::Setup setup;
    setup.dataDir = config_.dataDir;
    setup.ownerToken = config_.ownerToken;
    setup.lockDir = config_.lockDir;
    setup.group = host::makeLauncherGroup(config_.dataDir, config_.ownerToken);
    setup.slots = config_.slots;
    const unsigned cpus = std::max(1u, std::thread::hardware_concurrency());
    setup.spawners = config_.spawners != 0 ? config_.spawners : std::min(cpus, 4u);
    setup.quiet = config_.quiet;
    setup.lowWater = config_.lowWater;
    setup.durable = config_.durable;
    setup.enginePid = ::getpid();
    wire::put(toSend_, setup);
    for (const auto& [group, until] : mayRun_) wire::put(toSend_, wire::MayRun{group, until});
    trySend();
    return {};
}

void LocalRunner::Impl::onReadable() {
    assert(owner_.isOwner());
    std::array<epoll_event, 4> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    std::vector<Update> batch;
    for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        std::uint64_t count = 0;
        if (event.data.fd == wake_.get()) {
            if (::read(wake_.get(), &count, sizeof count) > 0)
                std::ranges::move(answers_, std::back_inserter(batch));
            answers_.clear();
            if (helperDone_.exchange(false)) afterCleaning(batch);
        } else if (event.data.fd == timer_.get()) {
            if (::read(timer_.get(), &count, sizeof count) > 0 && state_ == State::BackOff) restart();
        } else {
            if (event.events & EPOLLOUT) trySend();
            if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(batch);
        }
    }
    maybeHangUp();
    if (!batch.empty()) sink_(std::move(batch));
    maybeHangUp();
}

void LocalRunner::Impl::receive(std::vector<Update>& batch) {
    while (state_ == State::Running) {
        const auto fill = in_.receive(socket_.get());
        if (fill == wire::FrameBuffer::Fill::WouldBlock) return;
        bool good = fill != wire::FrameBuffer::Fill::Closed;
        while (const auto frame = good ? in_.next() : std::nullopt) {
            good = take(*frame, batch);
            if (!good) logError("runners", "the launcher sent a frame that makes no sense: it is replaced");
        }
        if (!good || in_.isBroken()) return loseLauncher();
        if (fill == wire::FrameBuffer::Fill::LastData) return;
    }
}

bool LocalRunner::Impl::take(const wire::Frame& frame, std::vector<Update>& batch) {
    const auto known = [&](AttemptId id) { return leases_.contains(id); };
    const auto told = [&](auto what) {
        Update update;
        if (!wire::get(frame.payload, update.id, what)) return false;
        update.what = std::move(what);
        if (known(update.id)) batch.push_back(std::move(update));
        return true;
    };
    switch (frame.type) {
    case wire::FrameType::Hello: {
        wire::Hello hello;
        return wire::get(frame.payload, hello);
    }
    case wire::FrameType::Started: {
        Update update;
        Started started;
        if (!wire::get(frame.payload, update.id, started) || started.slot.value >= config_.slots ||
            !known(update.id))
            return false;
        update.what = started;
        batch.push_back(std::move(update));
        return true;
    }
    case wire::FrameType::Ended: {
        wire::EndedFrame ended;
        if (!wire::get(frame.payload, ended) || ended.ended.slot.value >= config_.slots || !forget(ended.id))
            return false;
        const SlotId slot = ended.ended.slot;
        batch.push_back(Update{ended.id, std::move(ended.ended)});
        if (!ended.moved) return true;
        if (!known(*ended.moved)) return false;
        place(*ended.moved, slot);
        batch.push_back(Update{*ended.moved, Moved{slot}});
        return true;
    }
    case wire::FrameType::Returned: {
        Update update;
        if (!wire::get(frame.payload, update.id) || !forget(update.id)) return false;
        update.what = Returned{};
        batch.push_back(std::move(update));
        return true;
    }
    case wire::FrameType::LockBusy: {
        Update update;
        LockBusy busy;
        if (!wire::get(frame.payload, update.id, busy) || !forget(update.id)) return false;
        update.what = std::move(busy);
        batch.push_back(std::move(update));
        return true;
    }
    case wire::FrameType::StreamAt: return told(StreamAt{});
    case wire::FrameType::OutputEnds: return told(OutputEnds{});
    case wire::FrameType::Frozen: return told(Frozen{});
    default: return false;
    }
}

bool LocalRunner::Impl::forget(AttemptId id) {
    const auto it = leases_.find(id);
    if (it == leases_.end()) return false;
    --leasesOf_[it->second.value];
    leases_.erase(it);
    return true;
}

void LocalRunner::Impl::place(AttemptId id, SlotId slot) {
    SlotId& where = leases_[id];
    --leasesOf_[where.value];
    ++leasesOf_[slot.value];
    where = slot;
}

SlotId LocalRunner::Impl::leastLoaded() const {
    const auto it = std::ranges::min_element(leasesOf_);
    return SlotId(static_cast<std::uint32_t>(it - leasesOf_.begin()));
}

void LocalRunner::Impl::answer(AttemptId id, decltype(Update::what) what) {
    answers_.push_back(Update{id, std::move(what)});
    if (answers_.size() == 1) ::eventfd_write(wake_.get(), 1);
}

void LocalRunner::Impl::submit(std::vector<Lease> batch) {
    assert(owner_.isOwner());
    for (Lease& lease : batch) {
        if (leases_.contains(lease.id)) {
            logError("runners", "attempt {} of action {} was leased twice", lease.id.attempt, lease.id.lsn.value);
            continue;
        }
        if (state_ != State::Running || shuttingDown_ ||
            leases_.size() >= std::size_t{config_.slots} * kLeasesPerSlot ||
            (lease.slot != kAnySlot &&
             (lease.slot.value >= config_.slots || leasesOf_[lease.slot.value] >= kLeasesPerSlot))) {
            answer(lease.id, Returned{});
            continue;
        }
        if (lease.slot == kAnySlot) lease.slot = leastLoaded();
        std::size_t text = lease.cwd.size();
        for (const std::string& arg : lease.argv) text += arg.size() + 9;
        for (const auto& [name, value] : lease.env) text += name.size() + value.size() + 10;
        if (text > wire::kMaxLeaseText || lease.argv.empty()) {
            Ended ended;
            ended.slot = lease.slot;
            ended.cause = EndCause::SpawnError;
            ended.spawn = {SpawnStep::Exec,
                           lease.argv.empty() ? EINVAL : E2BIG,
                           {},
                           lease.argv.empty() ? "there is no program to start: argv is empty"
                                              : "the arguments and environment together are over 2 MiB"};
            ended.times.submitting = ended.times.ended = MonoClock::now();
            answer(lease.id, std::move(ended));
            continue;
        }
        leases_.emplace(lease.id, lease.slot);
        ++leasesOf_[lease.slot.value];
        attach(lease);
        wire::put(toSend_, lease);
    }
    trySend();
}

void LocalRunner::Impl::attach(const Lease& lease) {
    Attached attached{.at = toSend_.size(), .fds = {}};
    for (const SharedFd& fd : {lease.socket  ? lease.socket
                               : lease.input ? lease.input
                                             : lease.terminal,
                               lease.tokens})
        if (fd) attached.fds.push_back(fd);
    if (!attached.fds.empty()) attached_.push_back(std::move(attached));
}

/// A descriptor travels with the first bytes of its frame, and never with those of another one that has one too.
ssize_t LocalRunner::Impl::sendSome() {
    const bool isDue = !attached_.empty() && attached_.front().at == sent_;
    const std::size_t next = isDue ? 1 : 0;
    const std::size_t end = attached_.size() > next ? attached_[next].at : toSend_.size();
    const std::string_view bytes = std::string_view(toSend_).substr(sent_, end - sent_);
    const ssize_t n =
        wire::sendWith(socket_.get(), bytes, isDue ? std::span(attached_.front().fds) : std::span<SharedFd>());
    if (n > 0 && isDue) {
        for (const SharedFd& fd : attached_.front().fds) fd->reset(); // ours has gone: it is the process's alone
        attached_.pop_front();
    }
    return n;
}

void LocalRunner::Impl::trySend() {
    while (state_ == State::Running && sent_ < toSend_.size()) {
        const ssize_t n = sendSome();
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watchSocket(true);
        if (n < 0) break; // the launcher is gone; reading will say so
        sent_ += static_cast<std::size_t>(n);
    }
    toSend_.clear();
    attached_.clear();
    sent_ = 0;
    watchSocket(false);
}

void LocalRunner::Impl::watchSocket(bool forWriting) {
    if (forWriting == waitsToWrite_ || !socket_) return;
    waitsToWrite_ = forWriting;
    epoll_event event{};
    event.events = forWriting ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.fd = socket_.get();
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
}

void LocalRunner::Impl::takeBack(AttemptId id) {
    if (state_ != State::Running || !leases_.contains(id)) return;
    wire::putTakeBack(toSend_, id);
    trySend();
}

void LocalRunner::Impl::acknowledge(SlotId slot, AttemptId id) {
    if (!slots_.freeEntry(slot, id) || state_ != State::Running) return;
    wire::putNudge(toSend_, slot);
    trySend();
}

void LocalRunner::Impl::mayRunUntil(std::uint32_t guestGroup, BootTime until) {
    assert(owner_.isOwner());
    assert(guestGroup >= 1 && guestGroup <= kMaxGuestGroup);
    mayRun_[guestGroup] = until;
    sendMessage(wire::MayRun{guestGroup, until});
}

void LocalRunner::Impl::shutDown(Duration grace) {
    assert(owner_.isOwner());
    wire::EndAll all;
    all.grace = grace;
    sendMessage(all);
    shuttingDown_ = true;
    if (state_ == State::BackOff) state_ = State::Down;
    maybeHangUp();
}

void LocalRunner::Impl::maybeHangUp() {
    if (!shuttingDown_ || hungUp_ || state_ != State::Running || !leases_.empty() || !toSend_.empty()) return;
    hungUp_ = true;
    ::shutdown(socket_.get(), SHUT_WR);
}

void LocalRunner::Impl::loseLauncher() {
    if (!hungUp_)
        logWarning("runners", "the launcher (pid {}) is gone; what it left is ended, {} attempts are affected",
                   launcherPid_, leases_.size());
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr);
    socket_.reset();
    state_ = State::Cleaning;
    std::vector<AttemptId> out;
    for (const auto& [id, slot] : leases_) out.push_back(id);
    if (helper_.joinable()) helper_.join(); // done since the last restart
    helper_ =
        std::thread([this, pid = launcherPid_, launcher = std::move(launcher_), out = std::move(out)]() mutable {
            clean(pid, std::move(launcher), std::move(out));
            helperDone_.store(true);
            ::eventfd_write(wake_.get(), 1);
        });
}

void LocalRunner::Impl::clean(int pid, UniqueFd launcher, std::vector<AttemptId> out) {
    host::signalProcess(launcher.get(), SIGKILL);
    host::waitEnded(pid, launcher.get(), -1);
    siginfo_t info{};
    ::waitid(P_PIDFD, static_cast<id_t>(launcher.get()), &info, WEXITED | WNOHANG);
    host::endLauncherGroup(config_.dataDir, config_.ownerToken, Duration(10'000'000));
    // Until nothing is left: an attempt must not be reported, and run again, while the old one lives.
    while (endOwned(config_.ownerToken, Duration(10'000'000)) < 0 && !giveUp_.load())
        logError("runners", "processes that the launcher left do not end; still trying");
    slots_.setLauncherPid(0);
    const std::string directory = config_.dataDir + "/chunks/tmp/";
    for (const AttemptId id : out)
        for (const Stream stream : {Stream::Out, Stream::Err})
            ::unlink((directory + streamName(id, stream)).c_str());
}

void LocalRunner::Impl::afterCleaning(std::vector<Update>& batch) {
    std::unordered_map<AttemptId, SlotId> mayHaveRun;
    for (const SlotEntry& entry : slots_.entries()) mayHaveRun.emplace(entry.id, entry.slot);
    for (const auto& [id, slot] : leases_) {
        const auto it = mayHaveRun.find(id);
        if (it == mayHaveRun.end()) {
            batch.push_back(Update{id, Returned{}});
            continue;
        }
        Ended ended;
        ended.slot = it->second;
        ended.cause = EndCause::LostRunner;
        ended.times.ended = MonoClock::now();
        batch.push_back(Update{id, std::move(ended)});
    }
    leases_.clear();
    std::ranges::fill(leasesOf_, 0u);
    launcherPid_ = 0;
    if (shuttingDown_)
        state_ = State::Down;
    else
        restart();
}

void LocalRunner::Impl::restart() {
    const MonoTime now = MonoClock::now();
    while (!starts_.empty() && starts_.front() < now - kMinute) starts_.pop_front();
    if (starts_.size() < kStartsPerMinute) {
        starts_.push_back(now);
        const auto launched = launch();
        if (launched) return;
        logError("runners", "{}", launched.error().message);
    }
    logError("runners", "the launcher ended {} times within a minute; nothing can start, next try in {} s",
             starts_.size(), kRetryAfter.count() / 1'000'000);
    state_ = State::BackOff;
    starts_.clear(); // one more start, and then again five
    for (std::size_t i = 1; i < kStartsPerMinute; ++i) starts_.push_back(now);
    itimerspec after{};
    after.it_value.tv_sec = kRetryAfter.count() / 1'000'000;
    ::timerfd_settime(timer_.get(), 0, &after, nullptr);
}

Result<std::unique_ptr<LocalRunner>> LocalRunner::start(LauncherConfig config, UpdateSink sink) {
    if (!isOwnerToken(config.ownerToken))
        return invalid("ownerToken", "the owner token has to be 16 to 64 lower-case hex digits");
    if (config.dataDir.empty() || config.dataDir.front() != '/')
        return invalid("dataDir", "the data directory has to be an absolute path");
    for (const char* part : {"/scratch", "/chunks/tmp"})
        if (auto made = makeDirectories(config.dataDir + part); !made) return std::unexpected(made.error());
    auto slots = SlotsFile::create(config.dataDir + "/slots", config.slots, config.durable);
    if (!slots) return std::unexpected(slots.error());
    auto impl = std::make_unique<Impl>(std::move(config), std::move(sink), std::move(*slots));
    if (auto opened = impl->open(); !opened) return std::unexpected(opened.error());
    return std::unique_ptr<LocalRunner>(new LocalRunner(std::move(impl)));
}

Result<std::unique_ptr<Runner>> startThisMachine(LauncherConfig config, UpdateSink sink) {
    return LocalRunner::start(std::move(config), std::move(sink));
}

LocalRunner::LocalRunner(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
LocalRunner::~LocalRunner() = default;
int LocalRunner::pollFd() const {
    return impl_->epoll_.get();
}
void LocalRunner::onReadable() {
    impl_->onReadable();
}
void LocalRunner::shutDown(Duration grace) {
    impl_->shutDown(grace);
}
bool LocalRunner::isDown() const {
    return impl_->state_ == Impl::State::Down;
}
bool LocalRunner::isAccepting() const {
    return impl_->state_ == Impl::State::Running && !impl_->shuttingDown_;
}
int LocalRunner::launcherPid() const {
    return impl_->launcherPid_;
}
std::size_t LocalRunner::outstanding() const {
    return impl_->leases_.size();
}
unsigned LocalRunner::capacity() const {
    return impl_->config_.slots;
}
unsigned LocalRunner::free() const {
    if (!isAccepting()) return 0;
    return static_cast<unsigned>(std::ranges::count(impl_->leasesOf_, 0u));
}
void LocalRunner::submit(std::vector<Lease> batch) {
    impl_->submit(std::move(batch));
}
void LocalRunner::takeBack(AttemptId id) {
    impl_->takeBack(id);
}
void LocalRunner::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    if (impl_->leases_.contains(id)) impl_->sendMessage(wire::End{id, cause, grace.value_or(Duration(-1))});
}
void LocalRunner::endAll(StopCause cause, std::optional<Duration> grace) {
    impl_->sendMessage(wire::EndAll{cause, grace.value_or(Duration(-1))});
}
void LocalRunner::watch(AttemptId id, Stream stream) {
    if (impl_->leases_.contains(id)) impl_->sendMessage(wire::Watch{id, stream, true});
}
void LocalRunner::unwatch(AttemptId id, Stream stream) {
    if (impl_->leases_.contains(id)) impl_->sendMessage(wire::Watch{id, stream, false});
}
bool LocalRunner::askOutputEnds(AttemptId id) {
    const auto at = impl_->leases_.find(id);
    if (at == impl_->leases_.end()) return false;
    impl_->sendMessage(wire::AskOutput{id, at->second});
    return true;
}
bool LocalRunner::setFrozen(AttemptId id, bool on) {
    if (!impl_->leases_.contains(id)) return false;
    impl_->sendMessage(wire::Freeze{id, on});
    return true;
}
bool LocalRunner::mayRunUntil(std::uint32_t guestGroup, BootTime until) {
    impl_->mayRunUntil(guestGroup, until);
    return true;
}
void LocalRunner::acknowledge(SlotId slot, AttemptId id) {
    impl_->acknowledge(slot, id);
}

} // namespace yard::runners
