// The scheduler's own code in virtual time, against many machines and many actions: decisions a second, and the
// makespan beside the lower bound of any scheduler (work over capacity, the longest chain, the longest action).
//
//     bench_simulation [--actions N] [--machines M] [--queues Q] [--seed S]     (10 million, 10 thousand, 100, 1)
//
// One session drives M model machines of 4 cores. It has one pool of cores, as the engine has one machine: the
// model packs what it starts into machines by first fit, and counts what did not fit into one of them. Actions
// arrive over the first half of the ideal time; one in a hundred takes a whole machine, one in twenty waits for an
// earlier one, some fail and are tried again, priorities and labels vary, one queue in ten has a limit.
#include "core/session/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <queue>
#include <random>
#include <time.h>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

constexpr int kCoresPerMachine = 4;

struct Arguments {
    std::int64_t actions = 10'000'000;
    int machines = 10'000;
    int queues = 100;
    unsigned seed = 1;
};

double cpuSeconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// What an action is, from its number alone: nothing of ten million is kept.
struct Model {
    explicit Model(const Arguments& arguments)
        : of(arguments) {}
    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    std::uint64_t draw(std::int64_t lsn, unsigned what) const {
        return mix(static_cast<std::uint64_t>(lsn) * 16 + what + (std::uint64_t{of.seed} << 56));
    }
    /// Cores: mostly one, some two, few a whole machine.
    int cores(std::int64_t lsn) const {
        const auto n = draw(lsn, 0) % 100;
        return n == 0 ? kCoresPerMachine : n < 10 ? 2 : 1;
    }
    /// Log-normal around 10 s, at most 10 minutes.
    Duration runTime(std::int64_t lsn) const {
        const double u = (static_cast<double>(draw(lsn, 1) >> 11) + 0.5) / 9007199254740992.0;
        const double v = static_cast<double>(draw(lsn, 2) >> 11) / 9007199254740992.0;
        const double normal = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
        return Duration{static_cast<Duration::rep>(std::min(1e7 * std::exp(0.8 * normal), 6e8))};
    }
    bool fails(std::int64_t lsn, std::uint32_t attempt) const { return draw(lsn, 3 + attempt % 4) % 50 == 0; }
    /// 0: waits for none. Chains of some length come about: the one before waits itself now and then.
    std::int64_t after(std::int64_t lsn) const {
        if (draw(lsn, 8) % 20 != 0 || lsn < 100) return 0;
        return lsn - 1 - static_cast<std::int64_t>(draw(lsn, 9) % 50);
    }
    std::int64_t queue(std::int64_t lsn) const {
        return static_cast<std::int64_t>(draw(lsn, 10) % static_cast<std::uint64_t>(of.queues));
    }
    int priority(std::int64_t lsn) const { return draw(lsn, 11) % 10 == 0 ? 10 : 0; }

    const Arguments& of;
};

struct Event {
    MonoTime at;
    Lsn lsn;
    std::uint32_t attempt;
    std::int32_t machine; ///< -1: it was put nowhere
    bool operator>(const Event& other) const { return at > other.at; }
};

/// Free cores of each machine, found by what is free.
class Machines {
public:
    explicit Machines(int count) {
        free_.resize(static_cast<std::size_t>(count), kCoresPerMachine);
        for (int i = count - 1; i >= 0; --i) byFree_[kCoresPerMachine].push_back(i);
    }
    /// The machine that has just enough, or more; -1: none has. Entries of a list that are out of date are dropped
    /// when met.
    std::int32_t take(int cores) {
        for (int free = cores; free <= kCoresPerMachine; ++free) {
            std::vector<std::int32_t>& list = byFree_[free];
            while (!list.empty()) {
                const std::int32_t machine = list.back();
                list.pop_back();
                if (free_[static_cast<std::size_t>(machine)] != free) continue;
                put(machine, free - cores);
                return machine;
            }
        }
        return -1;
    }
    void give(std::int32_t machine, int cores) {
        if (machine >= 0) put(machine, free_[static_cast<std::size_t>(machine)] + cores);
    }

private:
    void put(std::int32_t machine, int free) {
        free_[static_cast<std::size_t>(machine)] = free;
        if (free > 0) byFree_[free].push_back(machine);
    }
    std::vector<int> free_;
    std::vector<std::int32_t> byFree_[kCoresPerMachine + 1];
};

/// Bounds no scheduler can beat, gathered as actions are submitted and tried again.
struct LowerBound {
    double coreSeconds = 0;
    double longestChain = 0; ///< seconds from the first arrival on
    double of(int cores) const { return std::max(coreSeconds / cores, longestChain); }
};

class Simulation {
public:
    explicit Simulation(const Arguments& arguments)
        : arguments_(arguments)
        , model_(arguments)
        , cores_(arguments.machines * kCoresPerMachine)
        , machines_(arguments.machines)
        , session_(
              std::make_unique<MachineCapacity>(Resources{.milliCores = std::int64_t{1000} * cores_, .named = {}}),
              SessionOptions{.slotCount = cores_,
                             .sharedSlots = cores_,
                             .aheadPerSlot = 0,
                             .maxOutstanding = cores_,
                             .seed = arguments.seed}) {
        for (const int cores : {1, 2, kCoresPerMachine}) {
            Resources need;
            need.milliCores = 1000 * cores;
            session_.defineClass(ClassId(static_cast<std::uint32_t>(cores)), need);
        }
        for (int q = 1; q < arguments.queues; ++q) {
            QueueConfig config;
            config.weight = 1 + q % 4;
            config.maxRunning = q % 10 == 0 ? std::max(1, 4 * cores_ / arguments.queues) : 0;
            session_.addQueue(QueueId(q), config);
        }
        (void)session_.moveTo(SessionState::Ready, out_);
        // Mean cores and run time of what draw() gives, for the rate of arrival only.
        const double work = static_cast<double>(arguments.actions) * 1.12 * 13.8;
        apart_ = work / cores_ / 2 / static_cast<double>(arguments.actions) * 1e6;
        ends_.resize(64);
    }

    void run() {
        while (finished_ < arguments_.actions) {
            arrive();
            decide();
            if (finished_ >= arguments_.actions) break;
            advance();
        }
        report();
    }

private:
    MonoTime arrivalOf(std::int64_t lsn) const {
        return MonoTime{Duration{1 + static_cast<Duration::rep>(static_cast<double>(lsn) * apart_)}};
    }
    /// All that is due by now.
    void arrive() {
        Predecessor before;
        for (; next_ <= arguments_.actions && arrivalOf(next_) <= now_; ++next_) {
            NewAction action;
            action.lsn = Lsn(next_);
            action.queue = QueueId(model_.queue(next_));
            action.cls = ClassId(static_cast<std::uint32_t>(model_.cores(next_)));
            action.label = LabelId(static_cast<std::uint32_t>(next_ % 7));
            action.priority = model_.priority(next_);
            action.submitTime = now_.time_since_epoch().count();
            const double took = static_cast<double>(model_.runTime(next_).count()) / 1e6;
            double chain = static_cast<double>(arrivalOf(next_).time_since_epoch().count()) / 1e6;
            if (const std::int64_t after = model_.after(next_)) {
                before = {.lsn = Lsn(after), .on = DependencyOn::Any, .state = ActionState::Completed};
                action.after = {&before, 1};
                chain = std::max(chain, ends_[static_cast<std::size_t>(after) % ends_.size()]);
            }
            ends_[static_cast<std::size_t>(next_) % ends_.size()] = chain + took;
            bound_.longestChain = std::max(bound_.longestChain, chain + took);
            const double from = cpuSeconds();
            session_.add({&action, 1}, now_, out_);
            adding_ += cpuSeconds() - from;
        }
    }
    void decide() {
        for (bool more = true; more;) {
            const double from = cpuSeconds();
            more = session_.schedule(now_, out_);
            deciding_ += cpuSeconds() - from;
            ++calls_;
            for (const Start& start : out_.start) begin(start);
            settle();
        }
        mostQueued_ = std::max(mostQueued_, session_.counts().all.pending);
    }
    void begin(const Start& start) {
        ++starts_;
        const int cores = model_.cores(start.lsn.value);
        const std::int32_t machine = machines_.take(cores);
        if (machine < 0) ++split_;
        busy_ += cores;
        const Duration took = model_.runTime(start.lsn.value);
        bound_.coreSeconds += static_cast<double>(took.count()) * cores / 1e6;
        running_.push({now_ + took, start.lsn, start.attempt, machine});
    }
    void settle() {
        for (const Retry& retry : std::exchange(out_.retry, {})) session_.retryStored(retry.lsn, out_);
        while (!out_.finish.empty())
            for (const Finish& finish : std::exchange(out_.finish, {})) {
                session_.finishStored(finish.lsn, out_);
                ++finished_;
            }
        out_.clear();
        while (session_.hasMoreWork()) session_.step(out_);
    }
    /// To the next end, arrival or timer. Ends within a millisecond are one turn, as the engine's updates are.
    void advance() {
        MonoTime to = MonoTime::max();
        if (!running_.empty()) to = running_.top().at;
        if (next_ <= arguments_.actions) to = std::min(to, arrivalOf(next_));
        if (const auto wake = session_.nextWake()) to = std::min(to, *wake);
        if (to == MonoTime::max()) {
            fmt::print(stderr, "nothing runs, and {} actions have not ended\n", arguments_.actions - finished_);
            std::exit(1);
        }
        now_ = std::max(now_, to) + Duration{1'000};
        while (!running_.empty() && running_.top().at <= now_) {
            const Event event = running_.top();
            running_.pop();
            const int cores = model_.cores(event.lsn.value);
            machines_.give(event.machine, cores);
            busy_ -= cores;
            AttemptEnd end;
            end.runTime = model_.runTime(event.lsn.value);
            end.state = model_.fails(event.lsn.value, event.attempt) ? ActionState::Failed : ActionState::Completed;
            end.reason = end.state == ActionState::Failed ? Reason::ExitCode : Reason::None;
            const double from = cpuSeconds();
            session_.ended(event.lsn, event.attempt, end, now_, out_);
            ending_ += cpuSeconds() - from;
        }
        settle();
    }
    void report() const {
        const double makespan = static_cast<double>(now_.time_since_epoch().count()) / 1e6;
        const double least = bound_.of(cores_);
        const double timing = 2 * timerCost() * static_cast<double>(calls_);
        const double net = std::max(deciding_ - timing, 1e-9);
        fmt::print("{} actions, {} attempts, {} machines of {} cores, {} queues; at most {} queued\n",
                   arguments_.actions, starts_, arguments_.machines, kCoresPerMachine, arguments_.queues,
                   mostQueued_);
        fmt::print("decisions: {:.0f} a second, {:.2f} us each (at most 2)\n", static_cast<double>(starts_) / net,
                   net / static_cast<double>(starts_) * 1e6);
        fmt::print("  adding {:.2f} us, ending {:.2f} us each, clock included\n",
                   adding_ / static_cast<double>(arguments_.actions) * 1e6,
                   ending_ / static_cast<double>(starts_) * 1e6);
        fmt::print(
            "makespan: {:.0f} s of virtual time; lower bound {:.0f} s (work / capacity {:.0f} s, longest chain "
            "{:.0f} s); ratio {:.3f}\n",
            makespan, least, bound_.coreSeconds / cores_, bound_.longestChain, makespan / least);
        fmt::print("starts that fitted the pool and no single machine: {} ({:.2f} %)\n", split_,
                   100.0 * static_cast<double>(split_) / static_cast<double>(starts_));
    }
    /// Seconds that a look at the clock takes.
    static double timerCost() {
        constexpr int kLooks = 100'000;
        const double from = cpuSeconds();
        for (int i = 0; i < kLooks; ++i) (void)cpuSeconds();
        return (cpuSeconds() - from) / kLooks / 2;
    }

    const Arguments& arguments_;
    Model model_;
    int cores_;
    Machines machines_;
    Session session_;
    Outbox out_;
    MonoTime now_{Duration{1}};
    std::priority_queue<Event, std::vector<Event>, std::greater<>> running_;
    std::int64_t next_ = 1;
    double apart_ = 0;         ///< microseconds between arrivals
    std::vector<double> ends_; ///< earliest end, by LSN, of the latest ones: what later ones may wait for
    LowerBound bound_;
    std::int64_t finished_ = 0, starts_ = 0, split_ = 0, calls_ = 0, mostQueued_ = 0;
    int busy_ = 0;
    double adding_ = 0, deciding_ = 0, ending_ = 0;
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i + 1 < argc; i += 2) {
        const long value = std::max(1L, std::atol(argv[i + 1]));
        if (std::strcmp(argv[i], "--actions") == 0)
            arguments.actions = value;
        else if (std::strcmp(argv[i], "--machines") == 0)
            arguments.machines = static_cast<int>(value);
        else if (std::strcmp(argv[i], "--queues") == 0)
            arguments.queues = static_cast<int>(value);
        else if (std::strcmp(argv[i], "--seed") == 0)
            arguments.seed = static_cast<unsigned>(value);
    }
    return arguments;
}

} // namespace

int main(int argc, char** argv) {
    const Arguments arguments = parse(argc, argv);
    Simulation(arguments).run();
    return 0;
}
