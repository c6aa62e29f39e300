#include "app/yardctl/signal_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

SignalWatch::SignalWatch(std::span<const int> more)
    : finished_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    sigset_t set;
    sigemptyset(&set);
    std::vector<int> numbers = {SIGINT, SIGTERM, SIGHUP};
    numbers.insert(numbers.end(), more.begin(), more.end());
    for (const int number : numbers) {
        struct sigaction current{};
        ::sigaction(number, nullptr, &current);
        // nohup and background jobs of a shell ignore some of them on purpose.
        if (current.sa_handler != SIG_IGN) sigaddset(&set, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &old_);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalWatch::~SignalWatch() {
    ::pthread_sigmask(SIG_SETMASK, &old_, nullptr);
}

std::optional<int> SignalWatch::next() {
    while (true) {
        pollfd fds[2] = {{signals_.get(), POLLIN, 0}, {finished_.get(), POLLIN, 0}};
        ::poll(fds, 2, -1);
        signalfd_siginfo info{};
        if (fds[0].revents != 0 && ::read(signals_.get(), &info, sizeof info) == sizeof info)
            return static_cast<int>(info.ssi_signo);
        if (fds[1].revents != 0) return std::nullopt;
    }
}

bool SignalWatch::isDue(std::chrono::milliseconds limit) {
    pollfd fds[2] = {{signals_.get(), POLLIN, 0}, {finished_.get(), POLLIN, 0}};
    return ::poll(fds, 2, static_cast<int>(limit.count())) > 0;
}

void SignalWatch::finish() {
    ::eventfd_write(finished_.get(), 1);
}

void stopLikeCtrlZ() {
    sigset_t stop;
    sigset_t old;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    // Blocked until it is there: one that waits already stops it together with this one, and not once more.
    ::pthread_sigmask(SIG_BLOCK, &stop, &old);
    // To this thread alone: another one may wait for this signal, and take it.
    ::pthread_kill(::pthread_self(), SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

} // namespace yard::ctl
