#include "tests/bench/load_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace yard::bench {

namespace {

constexpr auto kPingEvery = std::chrono::milliseconds(20);
constexpr auto kPause = std::chrono::milliseconds(50); ///< shorter ones are everyday
constexpr double kSlow = 1.0;
constexpr std::size_t kSlowKept = 10'000;

double secondsBetween(MonoTime from, MonoTime to) {
    return static_cast<double>((to - from).count()) / 1e6;
}

} // namespace

Ledger::Seen& Ledger::at(std::int64_t lsn) {
    const auto index = static_cast<std::size_t>(lsn);
    if (index >= seen_.size()) seen_.resize(std::max<std::size_t>(index + 1, seen_.size() * 2));
    return seen_[index];
}

void Ledger::promised(std::int64_t first, std::int64_t count) {
    const std::lock_guard lock(mutex_);
    for (std::int64_t lsn = first; lsn < first + count; ++lsn) {
        Seen& seen = at(lsn);
        if (std::exchange(seen.promised, true)) ++repeated_;
        ring_[static_cast<std::size_t>(promises_++) % ring_.size()] = lsn;
    }
}

void Ledger::ended(std::int64_t lsn, std::string_view state) {
    const std::lock_guard lock(mutex_);
    Seen& seen = at(lsn);
    if (seen.state == 0) ++ends_;
    if (seen.state != 0 && seen.state != state.front()) ++repeated_;
    seen.state = state.front();
}

std::vector<std::int64_t> Ledger::missing() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::int64_t> lsns;
    for (std::size_t i = 0; i < seen_.size(); ++i)
        if (seen_[i].promised && seen_[i].state == 0) lsns.push_back(static_cast<std::int64_t>(i));
    return lsns;
}

std::int64_t Ledger::promises() const {
    const std::lock_guard lock(mutex_);
    return promises_;
}

std::int64_t Ledger::ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
}

std::int64_t Ledger::repeated() const {
    const std::lock_guard lock(mutex_);
    return repeated_;
}

std::int64_t Ledger::recent(std::uint32_t random) const {
    const std::lock_guard lock(mutex_);
    const auto known = std::min<std::int64_t>(promises_, static_cast<std::int64_t>(ring_.size()));
    return known == 0 ? 0 : ring_[random % static_cast<std::uint32_t>(known)];
}

Pinger::Pinger() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0) std::abort();
    echo_ = std::thread([this] {
        for (char byte = 0; ::read(ends_[1], &byte, 1) == 1;)
            if (::write(ends_[1], &byte, 1) != 1) return;
    });
    pinging_ = std::thread([this] { ping(stop_); });
}

Pinger::~Pinger() {
    stop_ = true;
    pinging_.join();
    ::shutdown(ends_[0], SHUT_RDWR);
    echo_.join();
    ::close(ends_[0]);
    ::close(ends_[1]);
}

void Pinger::ping(const std::atomic<bool>& stop) {
    while (!stop) {
        const MonoTime from = MonoClock::now();
        std::this_thread::sleep_for(kPingEvery);
        char byte = 'p';
        if (::write(ends_[0], &byte, 1) != 1 || ::read(ends_[0], &byte, 1) != 1) return;
        const MonoTime to = MonoClock::now();
        if (to - from < kPingEvery + kPause) continue;
        const std::lock_guard lock(mutex_);
        pauses_.push_back({from + kPingEvery, to});
    }
}

std::int64_t Pinger::pausedWithin(MonoTime from, MonoTime to) const {
    const std::lock_guard lock(mutex_);
    std::int64_t micros = 0;
    for (auto pause = pauses_.rbegin(); pause != pauses_.rend() && pause->to > from; ++pause)
        if (pause->from < to) micros += (std::min(pause->to, to) - std::max(pause->from, from)).count();
    return micros;
}

double Pinger::longestSeconds() const {
    const std::lock_guard lock(mutex_);
    double longest = 0;
    for (const Pause& pause : pauses_) longest = std::max(longest, secondsBetween(pause.from, pause.to));
    return longest;
}

void Times::Kind::add(double seconds) {
    ++count;
    most = std::max(most, seconds);
    ++buckets[static_cast<int>(std::floor(std::log(std::max(seconds, 1e-5) / 1e-5) / std::log(1.1)))];
}

double Times::Kind::quantile(double part) const {
    std::int64_t left = static_cast<std::int64_t>(part * static_cast<double>(count));
    for (const auto& [bucket, n] : buckets)
        if ((left -= n) < 0) return std::min(most, 1e-5 * std::pow(1.1, bucket + 1));
    return most;
}

void Times::add(const std::string& kind, MonoTime from, MonoTime to) {
    const double seconds = secondsBetween(from, to);
    const std::lock_guard lock(mutex_);
    recent_[kind].add(seconds);
    whole_[kind].add(seconds);
    if (seconds > kSlow && slow_.size() < kSlowKept) slow_.push_back({kind, from, to});
}

std::string Times::printed(const std::map<std::string, Kind>& kinds) {
    std::string text;
    for (const auto& [name, kind] : kinds)
        text += fmt::format("{}{} {} p50 {:.1f} p99 {:.1f} most {:.0f} ms", text.empty() ? "" : "; ", name,
                            kind.count, kind.quantile(0.5) * 1e3, kind.quantile(0.99) * 1e3, kind.most * 1e3);
    return text;
}

std::string Times::recent() {
    const std::lock_guard lock(mutex_);
    return printed(std::exchange(recent_, {}));
}

std::string Times::whole() const {
    const std::lock_guard lock(mutex_);
    return printed(whole_);
}

std::vector<Times::Slow> Times::slow() const {
    const std::lock_guard lock(mutex_);
    std::vector<Slow> all;
    for (const Taken& taken : slow_)
        all.push_back({taken.kind, secondsBetween(taken.from, taken.to),
                       static_cast<double>(pinger_.pausedWithin(taken.from, taken.to)) / 1e6});
    return all;
}

} // namespace yard::bench
