#include "core/launcher/launcher.h"

#include "core/base/boot_clock.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/parsed_number.h"
#include "core/host/launcher_group.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher_board.h"
#include "core/launcher/launcher_memory.h"
#include "core/launcher/launcher_pump.h"
#include "core/launcher/launcher_spawner.h"
#include "core/launcher/launcher_warden.h"
#include "core/launcher/status_file.h"
#include "core/lease/recovery.h"
#include "core/lease/slots.h"
#include "core/lease/wire.h"
#include "core/locks/named_lock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <memory>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace yard::runners {
namespace {

constexpr int kParentDeathSignal = SIGUSR1;
constexpr std::uint64_t kSocketKey = Warden::kMaxKey + 1;
constexpr std::uint64_t kSignalKey = Warden::kMaxKey + 2;
constexpr std::uint64_t kGuestsKey = Warden::kMaxKey + 3;
constexpr Duration kTick{1'000'000};

// Signals of a terminal or a shutdown are the engine's business; it tells us what is to happen. Dispositions go
// back to default because an ignored one would be inherited by every child.
void settleSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction current{};
        if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) ::signal(signal, SIG_DFL);
    }
    // The C library keeps its own two signals from sigaction(), but its posix_spawn leaves them ignored.
    struct {
        void* handler = nullptr;
        unsigned long flags = 0;
        void* restorer = nullptr;
        std::uint64_t mask = 0;
    } standard;
    for (int signal = 32; signal < SIGRTMIN; ++signal)
        ::syscall(SYS_rt_sigaction, signal, &standard, nullptr, sizeof standard.mask);
}

// What the engine had open when it started us is nobody's here: a copy of its listening socket would keep the next
// engine from the port until we have ended everything.
void settleDescriptors(int socketFd) {
    const auto kept = static_cast<unsigned>(socketFd);
    if (kept > 3) ::close_range(3, kept - 1, 0);
    ::close_range(kept + 1, ~0U, 0);
    ::fcntl(socketFd, F_SETFD, FD_CLOEXEC);
}

/// What children get. `soft`: what the engine began with, where it has raised its own.
rlimit openFilesOfChildren(std::optional<std::uint64_t> soft) {
    rlimit original{};
    ::getrlimit(RLIMIT_NOFILE, &original);
    rlimit raised = original;
    raised.rlim_cur = raised.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &raised);
    if (soft) original.rlim_cur = std::min<rlim_t>(*soft, original.rlim_max);
    return original;
}

std::vector<std::string> environmentForChildren() {
    std::vector<std::string> kept;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text(*entry);
        const auto names = [&](std::string_view name) {
            return text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=';
        };
        if (!names(host::kOwnerVariable) && !names(host::kLsnVariable) && !names(kStatusVariable))
            kept.emplace_back(text);
    }
    return kept;
}

// Takes the low descriptors as long as it lives, so that what is opened meanwhile gets higher ones. Starting a
// child copies those up to the ones that it is given (child_process.cpp), and exec closes the copies: what the
// launcher keeps for long would cost 30 us a child down there.
class LowDescriptors {
public:
    explicit LowDescriptors(const UniqueFd& any) {
        constexpr int kBelow = 64;
        for (;;) {
            UniqueFd copy(::fcntl(any.get(), F_DUPFD_CLOEXEC, 3));
            if (!copy || copy.get() >= kBelow) return;
            taken_.push_back(std::move(copy));
        }
    }

private:
    std::vector<UniqueFd> taken_;
};

// Children between clone and exec of an earlier launcher hold copies of its locks for a moment: tried for 2 s.
Result<locks::NamedLock> lockSlotDirectory(const wire::Setup& setup, unsigned slot) {
    const std::string directory = fmt::format("{}/scratch/{}", setup.dataDir, slot);
    const std::string path = directory + "/lock";
    locks::LockHolder holder;
    holder.pid = setup.enginePid;
    holder.engineId = setup.ownerToken;
    holder.dataDir = setup.dataDir;
    holder.since = wallNow();
    const MonoTime until = MonoClock::now() + Duration(2'000'000);
    for (;;) {
        if (auto made = makeDirectories(directory); !made) return std::unexpected(made.error());
        auto taken = locks::takeFile(path, true, &holder);
        if (!taken) return std::unexpected(taken.error());
        if (!taken->isBusy) return std::move(taken->lock);
        if (MonoClock::now() > until)
            return fail(ErrorKind::Busy, path + " is locked by another process that still runs");
        ::poll(nullptr, 0, 20);
    }
}

std::optional<wire::Setup> readSetup(int socketFd, wire::FrameBuffer& in) {
    for (;;) {
        if (const auto frame = in.next()) {
            wire::Setup setup;
            if (frame->type != wire::FrameType::Setup || !wire::get(frame->payload, setup)) return {};
            return setup;
        }
        pollfd p{socketFd, POLLIN, 0};
        if (in.isBroken() || (::poll(&p, 1, 30'000) <= 0 && errno != EINTR)) return {};
        if (in.receive(socketFd) == wire::FrameBuffer::Fill::Closed) return {};
    }
}

class Launcher {
public:
    Launcher(int socketFd, wire::FrameBuffer in, const wire::Setup& setup, SlotsFile slots, int nullFd,
             rlimit openFiles, const Result<sandbox::Base>& sandbox, SlotGroups* groups);
    /// False: threads stand still in the kernel, which use this. Only the end of the process is left then.
    [[nodiscard]] bool run();

private:
    struct FromSpawner {
        AttemptId id;
        bool exited = false;
    };
    void readSocket();
    void handle(const wire::Frame& frame);
    bool takeLease(std::string_view payload);
    bool end(std::string_view payload);
    bool endAll(std::string_view payload);
    void loseEngine(const char* why);
    Spawner& spawnerOf(SlotId slot) { return *spawners_[slot.value % spawners_.size()]; }
    void wake(SlotId slot) { spawnerOf(slot).post(Spawner::Wake{}); }
    void giveUpStart(const SlotView& view);
    void lookAfterStarts(MonoTime now);
    void endLateGuests();
    void armGuestTimer();
    MonoTime sleepUntil(MonoTime now);
    void tick(MonoTime now);

    const int socketFd_;
    const int enginePid_;
    wire::FrameBuffer in_;
    EpollSet epoll_;
    Inbox<FromSpawner> inbox_;
    UniqueFd signals_;
    UniqueFd orphans_;
    UniqueFd guestTimer_; ///< CLOCK_BOOTTIME: a sleeping machine wakes too late by the clock that epoll waits on
    BootTime guestTimerAt_ = BootTime::max();
    SlotsFile slots_;
    UpdateSender updates_;
    Board board_;
    std::atomic<std::size_t> keepingOutput_ = 0; ///< spawners that have not answered KeepOutput
    Pump pump_;
    SilentPaths silent_;
    LauncherShared shared_;
    Warden warden_;
    std::vector<std::unique_ptr<Spawner>> spawners_; // last: they use everything above
    LowPeak peak_;                                   ///< so that what is told of the memory of children is theirs
    MonoTime tickAt_ = MonoTime::max();
    bool engineGone_ = false;
    bool isEnding_ = false; ///< everything was told to end
    bool watchingWrite_ = false;
};

Launcher::Launcher(int socketFd, wire::FrameBuffer in, const wire::Setup& setup, SlotsFile slots, int nullFd,
                   rlimit openFiles, const Result<sandbox::Base>& sandbox, SlotGroups* groups)
    : socketFd_(socketFd)
    , enginePid_(setup.enginePid)
    , in_(std::move(in))
    , inbox_(epoll_)
    , slots_(std::move(slots))
    , updates_(socketFd, epoll_.wakeFd(), setup.quiet)
    , board_(updates_, epoll_.wakeFd(), {setup.slots, setup.lowWater})
    , pump_(updates_, setup.dataDir + "/chunks/tmp")
    , shared_{.board = board_,
              .updates = updates_,
              .slots = slots_,
              .pump = pump_,
              .ownerToken = setup.ownerToken,
              .dataDir = setup.dataDir,
              .lockDir = setup.lockDir,
              .enginePid = setup.enginePid,
              .marks = ProcessMarks(setup.ownerToken),
              .environment = environmentForChildren(),
              .openFiles = openFiles,
              .nullFd = nullFd,
              .durable = setup.durable,
              .tellWarden = {},
              .outputKept = {},
              .silent = &silent_,
              .pid = ::getpid(),
              .sandbox = &sandbox,
              .groups = groups}
    , warden_(board_, epoll_, setup.ownerToken,
              {.treeGone = [this](Spawner::TreeGone gone) { spawnerOf(gone.slot).post(gone); },
               .giveUpStart = [this](const SlotView& view) { giveUpStart(view); },
               .freezeGroup =
                   [this](const SlotView& view, bool on) {
                       return shared_.groups && shared_.groups->setFrozen(view.slot, view.pid, on);
                   }}) {
    sigset_t parentDeath;
    sigemptyset(&parentDeath);
    sigaddset(&parentDeath, kParentDeathSignal);
    signals_.reset(::signalfd(-1, &parentDeath, SFD_CLOEXEC | SFD_NONBLOCK));
    orphans_.reset(::open(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), O_RDONLY | O_CLOEXEC));
    guestTimer_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!signals_ || !orphans_ || !guestTimer_) throw std::system_error(errno, std::generic_category(), "launcher");
    shared_.orphansFd = orphans_.get();
    shared_.tellWarden = [this](SlotId, AttemptId id, bool exited) { inbox_.post({id, exited}); };
    shared_.outputKept = [this] {
        if (--keepingOutput_ == 0) slots_.setOutputKept();
    };
    epoll_.add(socketFd_, EPOLLIN, kSocketKey);
    epoll_.add(signals_.get(), EPOLLIN, kSignalKey);
    epoll_.add(guestTimer_.get(), EPOLLIN, kGuestsKey);
    const unsigned count = std::min(setup.spawners, setup.slots);
    for (unsigned i = 0; i < count; ++i) spawners_.push_back(std::make_unique<Spawner>(shared_, i, count));
}

bool Launcher::run() {
    peak_.lower();
    updates_.sayHello(::getpid());
    readSocket(); // frames that came with the first
    while (!engineGone_ || !board_.allIdle()) {
        const auto events = epoll_.wait(sleepUntil(MonoClock::now()));
        // Before what the engine has sent is read: a renewal that came while all of this machine stood still does not
        // bring back what ran out.
        endLateGuests();
        bool orphanEnded = false;
        for (const epoll_event& event : events) {
            if (event.data.u64 == kSocketKey) {
                if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) readSocket();
            } else if (event.data.u64 == kSignalKey) {
                signalfd_siginfo info{};
                while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
                }
                // It also comes when only the engine's thread that started us has ended.
                if (::getppid() != enginePid_) loseEngine("the engine has died");
            } else if (event.data.u64 == kGuestsKey) {
                std::uint64_t count = 0; // what it stands for was done above
                [[maybe_unused]] const ssize_t taken = ::read(guestTimer_.get(), &count, sizeof count);
            } else {
                orphanEnded = true;
            }
        }
        if (orphanEnded) warden_.orphanEnded();
        for (const FromSpawner& message : inbox_.take()) {
            if (message.exited)
                warden_.firstProcessEnded(message.id);
            else
                warden_.startedLate(message.id);
        }
        const MonoTime now = MonoClock::now();
        warden_.endOverdue(now);
        warden_.step(now);
        tick(now);
        if (updates_.isBlocked())
            updates_.flush();
        else
            updates_.flushIfDue(now);
    }
    for (const auto& spawner : spawners_) spawner->stop();
    for (Duration pause{1'000}; !warden_.endEverything(); pause = std::min(pause * 2, Duration(100'000)))
        ::poll(nullptr, 0, static_cast<int>(pause.count() / 1000));
    return shared_.leftBehind.load() == 0;
}

void Launcher::endLateGuests() {
    for (const AttemptId id : board_.takeLateGuests(bootNow())) warden_.endLateGuest(id);
}

void Launcher::armGuestTimer() {
    const BootTime at = board_.nextGuestEnd();
    if (at == guestTimerAt_) return;
    guestTimerAt_ = at;
    itimerspec until{};
    if (at != BootTime::max()) {
        // Never 0, which would mean never.
        const std::int64_t micros = std::max<std::int64_t>(at.time_since_epoch().count(), 1);
        until.it_value.tv_sec = micros / 1'000'000;
        until.it_value.tv_nsec = micros % 1'000'000 * 1'000;
    }
    ::timerfd_settime(guestTimer_.get(), TFD_TIMER_ABSTIME, &until, nullptr);
}

MonoTime Launcher::sleepUntil(MonoTime now) {
    armGuestTimer();
    const bool blocked = updates_.isBlocked() && !engineGone_;
    if (blocked != watchingWrite_ && !engineGone_) {
        epoll_.change(socketFd_, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN, kSocketKey);
        watchingWrite_ = blocked;
    }
    MonoTime until = std::min(warden_.nextTimer(), tickAt_);
    until = std::min(until, board_.nextDeadline(until));
    return std::max(until, now);
}

void Launcher::giveUpStart(const SlotView& view) {
    const MonoTime now = MonoClock::now();
    spawnerOf(view.slot).giveUpStart(view.id, now);
    tickAt_ = std::min(tickAt_, now + StartWatch::kPatience);
}

void Launcher::lookAfterStarts(MonoTime now) {
    for (const auto& spawner : spawners_)
        if (spawner->lookAfterStart(now, isEnding_)) tickAt_ = std::min(tickAt_, now + StartWatch::kPatience);
}

void Launcher::tick(MonoTime now) {
    if (now < tickAt_) return;
    // Orphans that end while their action goes on would stay zombies; nobody else looks at them before it ends.
    warden_.reap();
    if (board_.allIdle()) peak_.lowerIfGrown();
    tickAt_ = board_.allIdle() ? MonoTime::max() : now + kTick;
    lookAfterStarts(now);
}

void Launcher::readSocket() {
    for (auto fill = wire::FrameBuffer::Fill::Data;;) {
        while (const auto frame = in_.next()) handle(*frame);
        if (in_.isBroken()) return loseEngine("the engine sent garbage");
        if (fill == wire::FrameBuffer::Fill::LastData) return;
        fill = in_.receive(socketFd_);
        if (fill == wire::FrameBuffer::Fill::WouldBlock) return;
        if (fill == wire::FrameBuffer::Fill::Closed) return loseEngine(nullptr);
    }
}

bool Launcher::takeLease(std::string_view payload) {
    Lease lease;
    wire::Attachments attachments;
    if (!wire::get(payload, lease, attachments)) return false;
    if (attachments.first != wire::Attachment::None) {
        SharedFd& fd = attachments.first == wire::Attachment::Socket  ? lease.socket
                       : attachments.first == wire::Attachment::Input ? lease.input
                                                                      : lease.terminal;
        fd = std::make_shared<UniqueFd>(in_.takeFd());
        if (!*fd) return false;
    }
    if (attachments.hasTokens) {
        lease.tokens = std::make_shared<UniqueFd>(in_.takeFd());
        if (!*lease.tokens) return false;
    }
    const SlotId slot = lease.slot;
    const Board::Added added = board_.add(std::move(lease));
    if (added == Board::Added::SlotIdle) wake(slot);
    if (tickAt_ == MonoTime::max()) tickAt_ = MonoClock::now() + kTick;
    return added != Board::Added::Refused;
}

bool Launcher::end(std::string_view payload) {
    wire::End end;
    if (!wire::get(payload, end)) return false;
    if (board_.takeBack(end.id)) return true;
    warden_.end(end.id, end.cause, end.grace < Duration::zero() ? std::nullopt : std::optional(end.grace));
    return true;
}

bool Launcher::endAll(std::string_view payload) {
    wire::EndAll all;
    if (!wire::get(payload, all)) return false;
    isEnding_ = isEnding_ || endOf(all.cause) == EndCause::EngineStopped;
    board_.takeBackAll();
    const auto grace = all.grace < Duration::zero() ? std::nullopt : std::optional(all.grace);
    for (const SlotView& v : board_.busy()) warden_.end(v.id, all.cause, grace);
    return true;
}

void Launcher::handle(const wire::Frame& frame) {
    bool good = true;
    switch (frame.type) {
    case wire::FrameType::Lease: good = takeLease(frame.payload); break;
    case wire::FrameType::TakeBack: {
        AttemptId id;
        good = wire::get(frame.payload, id);
        if (good) board_.takeBack(id);
        break;
    }
    case wire::FrameType::End: good = end(frame.payload); break;
    case wire::FrameType::EndAll: good = endAll(frame.payload); break;
    case wire::FrameType::Watch: {
        wire::Watch watch;
        good = wire::get(frame.payload, watch);
        if (!good || board_.watchWaiting(watch.id, watch.stream, watch.on)) break;
        if (const auto view = board_.look(watch.id)) {
            if (view->pidfd >= 0) ::close(view->pidfd);
            spawnerOf(view->slot).post(Spawner::Watch{view->slot, watch.id, watch.stream, watch.on});
        }
        break;
    }
    case wire::FrameType::AskOutput: {
        wire::AskOutput ask;
        good = wire::get(frame.payload, ask) && ask.slot.value < slots_.slots();
        if (good) spawnerOf(ask.slot).post(Spawner::AskOutput{ask.slot, ask.id});
        break;
    }
    case wire::FrameType::Freeze: {
        wire::Freeze freeze;
        good = wire::get(frame.payload, freeze);
        if (good) warden_.setFrozen(freeze.id, freeze.on);
        break;
    }
    case wire::FrameType::MayRun: {
        wire::MayRun mayRun;
        good = wire::get(frame.payload, mayRun);
        if (good) board_.setMayRun(mayRun.guestGroup, mayRun.until);
        break;
    }
    case wire::FrameType::Nudge: {
        SlotId slot;
        good = wire::get(frame.payload, slot) && slot.value < slots_.slots();
        if (good) wake(slot);
        break;
    }
    default: good = false;
    }
    if (!good) loseEngine("the engine sent a frame that makes no sense");
}

void Launcher::loseEngine(const char* why) {
    if (engineGone_) return;
    engineGone_ = isEnding_ = true;
    if (why) logWarning("runners", "{}: the launcher ends everything it started", why);
    epoll_.remove(socketFd_);
    board_.stop();
    board_.takeBackAll();
    // Before anything is ended, so that the next engine, which may come at once and end us, has not long to wait.
    keepingOutput_ = spawners_.size();
    for (const auto& spawner : spawners_) spawner->post(Spawner::KeepOutput{});
    for (const SlotView& v : board_.busy()) warden_.end(v.id, StopCause::EngineStopped, {});
}

} // namespace

std::optional<int> runLauncherIfAsked(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], kLauncherArgument) != 0) return {};
    return launcherMain(kLauncherSocketFd, argc, argv);
}

int launcherMain(int socketFd, int argc, char** argv) {
    settleSignals();
    settleDescriptors(socketFd);
    ::setsid();
    ::prctl(PR_SET_NAME, "yard-launcher");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_PDEATHSIG, kParentDeathSignal);
    const rlimit openFiles = openFilesOfChildren(argc > 2 ? parsedNumber<std::uint64_t>(argv[2]) : std::nullopt);
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null) return 1;
    const Result<sandbox::Base> sandbox = sandbox::Base::open();
    std::optional<LowDescriptors> low(std::in_place, null);

    wire::FrameBuffer in;
    const auto setup = readSetup(socketFd, in);
    if (!setup) return 1;
    if (::getppid() != setup->enginePid) return 1; // it died before the signal was armed

    auto slots = SlotsFile::open(setup->dataDir + "/slots");
    if (!slots || slots->slots() != setup->slots) {
        logError("runners", "the launcher cannot use {}/slots: {}", setup->dataDir,
                 slots ? "another number of slots" : slots.error().message);
        flushLog();
        return 1;
    }
    // Before anything is started: children are where their parent is.
    if (!setup->group.empty() && !host::enterLauncherGroup(setup->group))
        logDebug("runners", "the launcher may not enter {}", setup->group);
    const auto groups = setup->group.empty() ? nullptr : SlotGroups::make(setup->group, setup->slots);
    slots->setLauncherPid(::getpid());
    std::vector<locks::NamedLock> held;
    for (unsigned i = 0; i < setup->slots; ++i) {
        auto lock = lockSlotDirectory(*setup, i);
        if (!lock) {
            logError("runners", "the launcher cannot have slot {}: {}", i, lock.error().message);
            flushLog();
            return 1;
        }
        held.push_back(std::move(*lock));
    }
    int code = 0;
    try {
        Launcher launcher(socketFd, std::move(in), *setup, std::move(*slots), null.get(), openFiles, sandbox,
                          groups.get());
        low.reset();
        if (!launcher.run()) {
            for (locks::NamedLock& lock : held) lock.releaseKeepingFile();
            flushLog();
            ::shutdown(socketFd, SHUT_RDWR); // whoever stands in the kernel keeps our descriptors open
            ::_exit(0);
        }
    } catch (const std::exception& e) {
        logError("runners", "the launcher stops: {}", e.what());
        code = 1;
    }
    for (locks::NamedLock& lock : held) lock.releaseKeepingFile(); // the slots stay
    flushLog();
    return code;
}

} // namespace yard::runners
