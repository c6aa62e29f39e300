#include "tests/bench/simulation.h"

#include "core/session/events.h"
#include "core/session/fleet_capacity.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "core/session/session.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <time.h>
#include <utility>
#include <vector>

namespace yard::bench {

using namespace yard::session;

namespace {

/// What a machine has, or an action takes.
struct Amounts {
    std::int64_t cores = 0;
    std::int64_t memoryMb = 0;
    std::int64_t gpus = 0;
    bool holds(const Amounts& need) const {
        return need.cores <= cores && need.memoryMb <= memoryMb && need.gpus <= gpus;
    }
    Resources resources() const {
        Resources all{.milliCores = 1000 * cores, .memoryMb = memoryMb, .named = {}};
        if (gpus > 0) all.named = {{"gpus", 1000 * gpus}};
        return all;
    }
};

/// Of four machines.
constexpr Amounts kMachines[] = {{.cores = 4, .memoryMb = 16'000},
                                 {.cores = 8, .memoryMb = 32'000},
                                 {.cores = 16, .memoryMb = 128'000},
                                 {.cores = 8, .memoryMb = 64'000, .gpus = 2}};
struct Kind {
    Amounts need;
    unsigned percent;
};
constexpr Kind kKinds[] = {{{.cores = 1, .memoryMb = 0}, 70},
                           {{.cores = 2, .memoryMb = 4'000}, 14},
                           {{.cores = 1, .memoryMb = 12'000}, 10},
                           {{.cores = 2, .memoryMb = 8'000, .gpus = 1}, 5},
                           {{.cores = 16, .memoryMb = 64'000}, 1}};

double cpuSeconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// What an action is, from its number alone: nothing of ten million is kept.
struct Model {
    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    std::uint64_t draw(std::int64_t lsn, unsigned what) const {
        return mix(static_cast<std::uint64_t>(lsn) * 16 + what + (std::uint64_t{of.seed} << 56));
    }
    std::uint32_t kind(std::int64_t lsn) const {
        auto n = draw(lsn, 0) % 100;
        std::uint32_t kind = 0;
        for (; n >= kKinds[kind].percent; ++kind) n -= kKinds[kind].percent;
        return kind;
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

    const SimulationOptions& of;
};

std::vector<Amounts> machinesOf(const SimulationOptions& options) {
    std::vector<Amounts> all;
    for (int i = 0; i < options.machines; ++i)
        all.push_back(kMachines[static_cast<std::size_t>(i) % std::size(kMachines)]);
    return all;
}

Amounts totalOf(const std::vector<Amounts>& machines) {
    Amounts all;
    for (const Amounts& machine : machines) {
        all.cores += machine.cores;
        all.memoryMb += machine.memoryMb;
        all.gpus += machine.gpus;
    }
    return all;
}

/// Slots enough for as many attempts as a machine has cores: what is modelled is amounts.
fleet::Machine machineOf(const Amounts& has) {
    fleet::Machine machine;
    machine.total = has.resources();
    machine.slots = machine.otherSlots = static_cast<std::uint32_t>(has.cores);
    return machine;
}

/// The first one is the engine's own.
std::unique_ptr<FleetCapacity> capacityOf(const std::vector<Amounts>& machines) {
    auto all = std::make_unique<FleetCapacity>(machineOf(machines.front()));
    for (std::uint32_t id = 1; id < machines.size(); ++id) all->add(fleet::MachineId(id), machineOf(machines[id]));
    return all;
}

/// What is on each machine, counted apart from the scheduler.
class Ledger {
public:
    explicit Ledger(const std::vector<Amounts>& machines)
        : has_(machines)
        , used_(machines.size()) {}
    /// False: the machine had not enough left.
    bool add(MachineId machine, const Amounts& need, int sign) {
        const std::size_t at = machine.value;
        used_[at].cores += sign * need.cores;
        used_[at].memoryMb += sign * need.memoryMb;
        used_[at].gpus += sign * need.gpus;
        return has_[at].holds(used_[at]);
    }
    std::int64_t cores() const {
        std::int64_t all = 0;
        for (const Amounts& used : used_) all += used.cores;
        return all;
    }

private:
    std::vector<Amounts> has_;
    std::vector<Amounts> used_;
};

struct Event {
    MonoTime at;
    Lsn lsn;
    std::uint32_t attempt;
    MachineId machine;
    bool operator>(const Event& other) const { return at > other.at; }
};

class Simulation {
public:
    explicit Simulation(const SimulationOptions& options)
        : options_(options)
        , model_{options}
        , ledger_(machinesOf(options))
        , total_(totalOf(machinesOf(options)))
        , session_(capacityOf(machinesOf(options)), SessionOptions{.slotCount = places(),
                                                                   .sharedSlots = places(),
                                                                   .aheadPerSlot = 0,
                                                                   .maxOutstanding = places(),
                                                                   .seed = options.seed}) {
        for (std::uint32_t kind = 0; kind < std::size(kKinds); ++kind)
            session_.defineClass(ClassId(kind), kKinds[kind].need.resources());
        for (int q = 1; q < options.queues; ++q) {
            QueueConfig config;
            config.weight = 1 + q % 4;
            config.maxRunning = q % 10 == 0 ? std::max(1, 4 * places() / options.queues) : 0;
            session_.queues().add(QueueId(q), config);
        }
        (void)session_.moveTo(SessionState::Ready, out_);
        // Mean cores and run time of what draw() gives, for the rate of arrival only.
        apart_ = 1.34 * 13.8 / static_cast<double>(total_.cores) / 2 * 1e6;
        ends_.resize(64);
    }

    SimulationResult run() {
        while (result_.finished < options_.actions) {
            arrive();
            decide();
            if (result_.finished >= options_.actions || !advance()) break;
        }
        const auto over = [](double work, std::int64_t of) { return of > 0 ? work / static_cast<double>(of) : 0; };
        result_.makespan = static_cast<double>(now_.time_since_epoch().count()) / 1e6;
        result_.workBound = std::max({over(coreSeconds_, total_.cores), over(memorySeconds_, total_.memoryMb),
                                      over(gpuSeconds_, total_.gpus)});
        result_.left = ledger_.cores();
        return result_;
    }

private:
    int places() const { return static_cast<int>(total_.cores); }
    MonoTime arrivalOf(std::int64_t lsn) const {
        return MonoTime{Duration{1 + static_cast<Duration::rep>(static_cast<double>(lsn) * apart_)}};
    }
    /// All that is due by now.
    void arrive() {
        Predecessor before;
        for (; next_ <= options_.actions && arrivalOf(next_) <= now_; ++next_) {
            NewAction action;
            action.lsn = Lsn(next_);
            action.queue = QueueId(model_.queue(next_));
            action.cls = ClassId(model_.kind(next_));
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
            result_.chainBound = std::max(result_.chainBound, chain + took);
            const double from = cpuSeconds();
            session_.intake().add({&action, 1}, now_, out_);
            result_.addingSeconds += cpuSeconds() - from;
        }
    }
    void decide() {
        for (bool more = true; more;) {
            const double from = cpuSeconds();
            more = session_.schedule(now_, out_);
            result_.decidingSeconds += cpuSeconds() - from;
            for (const Start& start : out_.start) begin(start);
            settle();
        }
        result_.mostQueued = std::max(result_.mostQueued, session_.views().counts().all.pending);
    }
    void begin(const Start& start) {
        ++result_.attempts;
        const Amounts& need = kKinds[start.cls.value].need;
        if (!ledger_.add(start.machine, need, 1)) ++result_.overbooked;
        const Duration took = model_.runTime(start.lsn.value);
        const double seconds = static_cast<double>(took.count()) / 1e6;
        coreSeconds_ += seconds * static_cast<double>(need.cores);
        memorySeconds_ += seconds * static_cast<double>(need.memoryMb);
        gpuSeconds_ += seconds * static_cast<double>(need.gpus);
        running_.push({now_ + took, start.lsn, start.attempt, start.machine});
    }
    void settle() {
        for (const Retry& retry : std::exchange(out_.retry, {})) session_.events().retryStored(retry.lsn, out_);
        while (!out_.finish.empty())
            for (const Finish& finish : std::exchange(out_.finish, {})) {
                session_.events().finishStored(finish.lsn, out_);
                ++result_.finished;
            }
        out_.clear();
        while (session_.hasMoreWork()) session_.step(out_);
    }
    /// To the next end, arrival or timer; false: nothing will ever happen. Ends within a millisecond are one turn,
    /// as the engine's updates are.
    bool advance() {
        MonoTime to = MonoTime::max();
        if (!running_.empty()) to = running_.top().at;
        if (next_ <= options_.actions) to = std::min(to, arrivalOf(next_));
        if (const auto wake = session_.nextWake()) to = std::min(to, *wake);
        if (to == MonoTime::max()) return false;
        now_ = std::max(now_, to) + Duration{1'000};
        while (!running_.empty() && running_.top().at <= now_) {
            const Event event = running_.top();
            running_.pop();
            (void)ledger_.add(event.machine, kKinds[model_.kind(event.lsn.value)].need, -1);
            AttemptEnd end;
            end.runTime = model_.runTime(event.lsn.value);
            end.state = model_.fails(event.lsn.value, event.attempt) ? ActionState::Failed : ActionState::Completed;
            end.reason = end.state == ActionState::Failed ? Reason::ExitCode : Reason::None;
            const double from = cpuSeconds();
            session_.events().ended(event.lsn, event.attempt, end, now_, out_);
            result_.endingSeconds += cpuSeconds() - from;
        }
        settle();
        return true;
    }

    const SimulationOptions& options_;
    Model model_;
    Ledger ledger_;
    const Amounts total_; ///< of all machines
    Session session_;
    Outbox out_;
    SimulationResult result_;
    MonoTime now_{Duration{1}};
    std::priority_queue<Event, std::vector<Event>, std::greater<>> running_;
    std::int64_t next_ = 1;
    double apart_ = 0;         ///< microseconds between arrivals
    std::vector<double> ends_; ///< earliest end, by LSN, of the latest ones: what later ones may wait for
    double coreSeconds_ = 0, memorySeconds_ = 0, gpuSeconds_ = 0;
};

} // namespace

SimulationResult simulate(const SimulationOptions& options) {
    return Simulation(options).run();
}

} // namespace yard::bench
