// What a load program has seen: which actions were promised and ended, how long answers took, and when the machine
// itself stood still. Any thread.
#pragma once

#include "core/base/clock.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace yard::bench {

/// Promises and ends by LSN.
class Ledger {
public:
    void promised(std::int64_t first, std::int64_t count = 1);
    void ended(std::int64_t lsn, std::string_view state);
    /// Promised and not told to have ended.
    std::vector<std::int64_t> missing() const;
    std::int64_t promises() const;
    std::int64_t ends() const;
    std::int64_t repeated() const; ///< promised twice, or told to have ended in two states
    /// One of the last that were promised; 0: there is none yet.
    std::int64_t recent(std::uint32_t random) const;

private:
    struct Seen {
        bool promised = false;
        char state = 0; ///< its first letter
    };
    Seen& at(std::int64_t lsn);
    mutable std::mutex mutex_;
    std::vector<Seen> seen_;
    std::array<std::int64_t, 1024> ring_{};
    std::int64_t promises_ = 0;
    std::int64_t ends_ = 0;
    std::int64_t repeated_ = 0;
};

/// Two threads that send each other a byte 50 times a second. What that takes beyond its time, the machine took
/// from everybody.
class Pinger {
public:
    Pinger();
    ~Pinger();
    /// Microseconds between `from` and `to` in which the machine stood still.
    std::int64_t pausedWithin(MonoTime from, MonoTime to) const;
    double longestSeconds() const;

private:
    struct Pause {
        MonoTime from;
        MonoTime to;
    };
    void ping(const std::atomic<bool>& stop);
    mutable std::mutex mutex_;
    std::vector<Pause> pauses_;
    int ends_[2] = {-1, -1};
    std::atomic<bool> stop_{false};
    std::thread echo_;
    std::thread pinging_;
};

/// Times of answers by kind.
class Times {
public:
    explicit Times(const Pinger& pinger)
        : pinger_(pinger) {}
    void add(const std::string& kind, MonoTime from, MonoTime to);
    /// "submit 12345 p50 1.2 ms p99 8.1 ms most 20.0 ms"; since the last call.
    std::string recent();
    std::string whole() const;
    /// Answers over a second, as far as they are kept, and what the machine's pauses explain of each.
    struct Slow {
        std::string kind;
        double seconds = 0;
        double paused = 0;
        bool isOurs() const { return seconds - paused > 1.0; }
    };
    std::vector<Slow> slow() const;

private:
    struct Kind {
        std::map<int, std::int64_t> buckets; ///< 10 % each, from 10 us
        std::int64_t count = 0;
        double most = 0;
        void add(double seconds);
        double quantile(double part) const;
    };
    static std::string printed(const std::map<std::string, Kind>& kinds);
    const Pinger& pinger_;
    mutable std::mutex mutex_;
    std::map<std::string, Kind> recent_;
    std::map<std::string, Kind> whole_;
    struct Taken {
        std::string kind;
        MonoTime from;
        MonoTime to;
    };
    std::vector<Taken> slow_;
};

} // namespace yard::bench
