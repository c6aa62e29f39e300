#include "core/simulate/simulation.h"

#include "core/model/limits.h"
#include "core/session/events.h"
#include "core/session/fleet_capacity.h"
#include "core/session/intake.h"
#include "core/session/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <time.h>

namespace yard::simulate {

using namespace yard::session;

namespace {

constexpr std::array<std::pair<std::string_view, Policy>, 4> kPolicies{{{"usual", Policy::Usual},
                                                                        {"no-reserve", Policy::NoReserve},
                                                                        {"shortest-first", Policy::ShortestFirst},
                                                                        {"longest-first", Policy::LongestFirst}}};
constexpr Duration kShortestTurn{1'000};
constexpr Duration kLongestTurn{1'000'000};
constexpr double kMostSeconds = 1e12;  ///< as microseconds they are a tenth of what a Duration holds
constexpr double kTurns = 50'000;      ///< of a simulation, about, where they are not bound by the next one
constexpr double kTurnsOfAJob = 200;   ///< a turn is at most such a part of what an action takes on average
constexpr std::uint32_t kPerCore = 16; ///< attempts that take less than one
constexpr std::size_t kAtOnce = 1'000; ///< actions that are handed to the session
constexpr int kBetweenLooks = 256;     ///< turns, at how much memory there is
constexpr std::size_t kBuckets = 256;  ///< of the utilisation, half of them at least used

double processorSeconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// Core seconds by time, in ever wider buckets.
class UtilisationLog {
public:
    void add(Duration from, Duration to, double cores) {
        while (to.count() > width_ * static_cast<std::int64_t>(kBuckets)) widen();
        for (std::int64_t at = from.count(); at < to.count();) {
            const std::int64_t end = std::min((at / width_ + 1) * width_, to.count());
            sums_[static_cast<std::size_t>(at / width_)] += static_cast<double>(end - at) * cores;
            at = end;
        }
    }
    std::vector<std::pair<double, double>> shares(Duration all, double cores) const {
        std::vector<std::pair<double, double>> out;
        for (std::int64_t at = 0; at < all.count(); at += width_) {
            const auto length = static_cast<double>(std::min(width_, all.count() - at));
            const double sum = sums_[static_cast<std::size_t>(at / width_)];
            out.emplace_back(inSeconds(Duration(at)), std::min(sum / (length * cores), 1.0));
        }
        return out;
    }

private:
    void widen() {
        for (std::size_t i = 0; i < kBuckets / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
        std::fill(sums_.begin() + kBuckets / 2, sums_.end(), 0.0);
        width_ *= 2;
    }
    std::array<double, kBuckets> sums_{};
    std::int64_t width_ = 1'000; ///< microseconds
};

/// What the work is in sum.
struct Sums {
    double coreSeconds = 0;
    double memorySeconds = 0;
    double latestEnd = 0; ///< of each by itself
    double took = 0;
};

Sums sumsOf(const Work& work) {
    Sums sums;
    for (const Job& job : work.jobs) {
        const Resources& need = work.kinds[job.kind].need;
        const double took = inSeconds(job.took);
        sums.took += took;
        sums.coreSeconds += took * static_cast<double>(need.milliCores) / 1'000;
        sums.memorySeconds += took * static_cast<double>(need.memoryMb);
        sums.latestEnd = std::max(sums.latestEnd, inSeconds(job.arrival) + took);
    }
    return sums;
}

/// Of each kind of which there are any, the mean of its jobs decides.
std::vector<int> prioritiesOf(const Work& work, Policy policy) {
    std::vector<int> priorities(work.kinds.size(), 0);
    if (policy != Policy::ShortestFirst && policy != Policy::LongestFirst) return priorities;
    std::vector<std::pair<double, std::int64_t>> sums(work.kinds.size());
    for (const Job& job : work.jobs) {
        sums[job.kind].first += inSeconds(job.took);
        ++sums[job.kind].second;
    }
    const auto mean = [&](std::size_t kind) {
        return sums[kind].second == 0 ? 0 : sums[kind].first / static_cast<double>(sums[kind].second);
    };
    std::vector<std::size_t> order(work.kinds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t kind) { return std::pair(mean(kind), kind); });
    if (policy == Policy::LongestFirst) std::ranges::reverse(order);
    for (std::size_t i = 0; order.size() > 1 && i < order.size(); ++i)
        priorities[order[i]] = kMaxPriority - static_cast<int>(2 * kMaxPriority * i / (order.size() - 1));
    return priorities;
}

/// What is free of it is never asked for: more than all of them together need.
std::int64_t memoryOf(const FleetSize& fleet) {
    return fleet.memoryMb > 0 ? fleet.memoryMb : kMaxMemoryMb;
}

std::unique_ptr<FleetCapacity> machinesOf(const FleetSize& fleet) {
    const auto machine = [&](int number) {
        fleet::Machine one;
        one.name = number == 0 ? "local" : fmt::format("m{}", number);
        one.total = {.milliCores = std::int64_t{1'000} * fleet.cores, .memoryMb = memoryOf(fleet), .named = {}};
        one.slots = static_cast<std::uint32_t>(fleet.cores);
        one.otherSlots = kPerCore * static_cast<std::uint32_t>(fleet.cores);
        return one;
    };
    auto all = std::make_unique<FleetCapacity>(machine(0));
    for (int i = 1; i < fleet.machines; ++i) all->add(MachineId(static_cast<std::uint32_t>(i)), machine(i));
    return all;
}

SessionOptions optionsOf(const Work& work, const Options& options) {
    const std::int64_t cores = std::int64_t{options.fleet.machines} * options.fleet.cores;
    SessionOptions out;
    out.slotCount = static_cast<int>(cores);
    out.sharedSlots = out.maxOutstanding = static_cast<int>(std::min(cores * kPerCore, std::ssize(work.jobs)));
    out.aheadPerSlot = 0;
    out.seed = options.seed;
    return out;
}

struct Running {
    MonoTime end;
    std::int64_t number = 0;
    std::uint32_t attempt = 0;
    bool operator>(const Running& other) const {
        return end != other.end ? end > other.end : number > other.number;
    }
};

class Simulation {
public:
    Simulation(const Work& work, const Options& options)
        : work_(work)
        , options_(options)
        , sums_(sumsOf(work))
        , cores_(static_cast<double>(options.fleet.machines) * options.fleet.cores)
        , priorities_(prioritiesOf(work, options.policy))
        , turn_(turnOf())
        , session_(machinesOf(options.fleet), optionsOf(work, options))
        , waits_(work.kinds.size()) {
        for (std::uint32_t kind = 0; kind < work.kinds.size(); ++kind)
            session_.defineClass(ClassId(kind), work.kinds[kind].need);
        if (options.policy == Policy::NoReserve) session_.setReserve(Duration::zero());
        (void)session_.moveTo(SessionState::Ready, out_);
    }

    Result<Answer> run() {
        while (finished_ < std::ssize(work_.jobs)) {
            arrive();
            decide();
            if (finished_ < std::ssize(work_.jobs) && !advance())
                return fail(ErrorKind::Internal, "The simulation stands still: this is a fault of it.");
        }
        look();
        return answer();
    }

private:
    static MonoTime at(Duration since) { return MonoTime{since + kStart}; }
    Duration since(MonoTime time) const { return time.time_since_epoch() - kStart; }
    double bound() const {
        const double memory = static_cast<double>(memoryOf(options_.fleet)) * options_.fleet.machines;
        return std::max({sums_.coreSeconds / cores_, sums_.memorySeconds / memory, sums_.latestEnd});
    }
    Duration turnOf() const {
        const double mean = sums_.took / static_cast<double>(std::max<std::size_t>(work_.jobs.size(), 1));
        const double seconds = std::min(bound() / kTurns, mean / kTurnsOfAJob);
        return std::clamp(Duration(std::llround(seconds * 1e6)), kShortestTurn, kLongestTurn);
    }

    /// All that is due by now.
    void arrive() {
        while (next_ < std::ssize(work_.jobs) && at(jobOf(next_ + 1).arrival) <= now_) {
            arriving_.clear();
            while (arriving_.size() < kAtOnce && next_ < std::ssize(work_.jobs) &&
                   at(jobOf(next_ + 1).arrival) <= now_) {
                const Job& job = jobOf(++next_);
                NewAction& action = arriving_.emplace_back();
                action.lsn = Lsn(next_);
                action.cls = ClassId(job.kind);
                action.priority = priorities_[job.kind];
                action.submitTime = now_.time_since_epoch().count();
            }
            session_.intake().add(arriving_, now_, out_);
            settle();
        }
    }

    void decide() {
        if (++turns_ % kBetweenLooks == 1) look();
        for (bool more = true; more;) {
            const double from = processorSeconds();
            more = session_.schedule(now_, out_);
            decidingSeconds_ += processorSeconds() - from;
            for (const Start& start : out_.start) begin(start);
            settle();
        }
    }

    void begin(const Start& start) {
        const Job& job = jobOf(start.lsn.value);
        ++starts_;
        utilisation_.add(since(now_), since(now_ + job.took),
                         static_cast<double>(work_.kinds[job.kind].need.milliCores) / 1'000);
        waits_[job.kind].push_back(static_cast<float>(inSeconds(since(now_) - job.arrival)));
        running_.push({.end = now_ + job.took, .number = start.lsn.value, .attempt = start.attempt});
        if (options_.started)
            options_.started({.machine = start.machine.value,
                              .kind = job.kind,
                              .number = start.lsn.value,
                              .arrival = job.arrival,
                              .start = since(now_),
                              .end = since(now_ + job.took)});
    }

    /// Whatever is to be kept is.
    void settle() {
        while (!out_.finish.empty()) {
            finishing_.swap(out_.finish);
            out_.finish.clear();
            for (const Finish& finish : finishing_) session_.events().finishStored(finish.lsn, out_);
            finished_ += std::ssize(finishing_);
        }
        out_.clear();
        while (session_.hasMoreWork()) session_.step(out_);
    }

    /// To what comes next, but not before a turn has passed; false: nothing will ever come.
    bool advance() {
        MonoTime to = MonoTime::max();
        if (!running_.empty()) to = running_.top().end;
        if (next_ < std::ssize(work_.jobs)) to = std::min(to, at(jobOf(next_ + 1).arrival));
        if (const auto wake = session_.nextWake()) to = std::min(to, *wake);
        if (to == MonoTime::max()) return false;
        now_ = std::max(to, now_ + turn_);
        while (!running_.empty() && running_.top().end <= now_) {
            const Running ended = running_.top();
            running_.pop();
            const Job& job = jobOf(ended.number);
            lastEnd_ = std::max(lastEnd_, ended.end);
            AttemptEnd end;
            end.state = ActionState::Completed;
            end.runTime = job.took;
            session_.events().ended(Lsn(ended.number), ended.attempt, end, now_, out_);
        }
        settle();
        return true;
    }

    const Job& jobOf(std::int64_t number) const { return work_.jobs[static_cast<std::size_t>(number) - 1]; }

    void look() {
        const std::size_t waited = static_cast<std::size_t>(starts_) * sizeof(float);
        peak_ = std::max(peak_, session_.memoryBytes() + running_.size() * sizeof(Running) + waited +
                                    work_.jobs.capacity() * sizeof(Job));
    }

    Answer answer() {
        Answer answer;
        answer.makespan = inSeconds(since(lastEnd_));
        answer.bound = bound();
        answer.utilisation = utilisation_.shares(since(lastEnd_), cores_);
        for (std::size_t kind = 0; kind < waits_.size(); ++kind) {
            std::vector<float>& waits = waits_[kind];
            if (waits.empty()) continue;
            const auto quantile = [&waits](double part) {
                const auto place = std::lround(part * static_cast<double>(waits.size() - 1));
                std::ranges::nth_element(waits, waits.begin() + place);
                return static_cast<double>(waits[static_cast<std::size_t>(place)]);
            };
            KindWait& wait = answer.waits.emplace_back();
            wait.kind = work_.kinds[kind].name;
            wait.p50 = quantile(0.5);
            wait.p95 = quantile(0.95);
        }
        answer.decisionsPerSecond = decidingSeconds_ > 0 ? static_cast<double>(starts_) / decidingSeconds_ : 0;
        answer.peakMemoryBytes = peak_;
        return answer;
    }

    static constexpr Duration kStart{1}; ///< the epoch of the clock means "none"
    const Work& work_;
    const Options& options_;
    const Sums sums_;
    const double cores_;
    const std::vector<int> priorities_;
    const Duration turn_;
    Session session_;
    Outbox out_;
    std::vector<NewAction> arriving_;
    std::vector<Finish> finishing_;
    std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
    std::vector<std::vector<float>> waits_; ///< seconds, by kind
    UtilisationLog utilisation_;
    MonoTime now_{kStart};
    MonoTime lastEnd_{kStart};
    std::int64_t next_ = 0; ///< of the jobs those that have arrived
    std::int64_t finished_ = 0;
    std::int64_t starts_ = 0;
    int turns_ = 0;
    double decidingSeconds_ = 0;
    std::size_t peak_ = 0;
};

Result<void> check(const Work& work, const FleetSize& fleet) {
    if (work.jobs.empty()) return invalid("actions", "There is nothing to simulate: no action.");
    if (std::ssize(work.jobs) > kMostActions)
        return invalid("actions", fmt::format("Give at most {} actions.", kMostActions));
    double most = inSeconds(work.jobs.back().arrival); // one after the other, as it is at worst
    for (const Job& job : work.jobs) most += inSeconds(job.took);
    if (most > kMostSeconds) return invalid("seconds", "All of it could take more than 30,000 years: give less.");
    if (fleet.machines < 1 || fleet.machines > kMostMachines)
        return invalid("machines", fmt::format("Give 1 to {} machines.", kMostMachines));
    if (fleet.cores < 1 || fleet.cores > kMostCores)
        return invalid("cores", fmt::format("Give each machine 1 to {} cores.", kMostCores));
    if (std::int64_t{fleet.machines} * fleet.cores > kMostCoresInAll)
        return invalid("cores", fmt::format("Give the machines at most {} cores together.", kMostCoresInAll));
    if (fleet.memoryMb < 0 || fleet.memoryMb > kMaxMemoryMb)
        return invalid("memory", fmt::format("Give each machine at most {} MiB of memory.", kMaxMemoryMb));
    std::vector<bool> isUsed(work.kinds.size());
    for (const Job& job : work.jobs) isUsed[job.kind] = true;
    for (std::size_t i = 0; i < work.kinds.size(); ++i) {
        const Kind& kind = work.kinds[i];
        if (!isUsed[i]) continue;
        if (kind.need.milliCores > std::int64_t{1'000} * fleet.cores)
            return invalid("cores",
                           fmt::format("\"{}\" asks for {} cores, and a machine has {}: it would never start.",
                                       kind.name, static_cast<double>(kind.need.milliCores) / 1'000, fleet.cores));
        if (kind.need.memoryMb > memoryOf(fleet))
            return invalid("memory", fmt::format("\"{}\" asks for {} MiB of memory, and a machine has {}: it would "
                                                 "never start.",
                                                 kind.name, kind.need.memoryMb, memoryOf(fleet)));
    }
    return {};
}

} // namespace

std::string_view name(Policy policy) {
    return std::ranges::find(kPolicies, policy, &std::pair<std::string_view, Policy>::second)->first;
}

std::optional<Policy> policyFrom(std::string_view word) {
    const auto* at = std::ranges::find(kPolicies, word, &std::pair<std::string_view, Policy>::first);
    return at == kPolicies.end() ? std::nullopt : std::optional(at->second);
}

std::string policyNames() {
    std::string all;
    for (const auto& [word, policy] : kPolicies) all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
    return all;
}

Result<Answer> play(const Work& work, const Options& options) {
    if (auto fine = check(work, options.fleet); !fine) return std::unexpected(fine.error());
    return std::make_unique<Simulation>(work, options)->run();
}

} // namespace yard::simulate
