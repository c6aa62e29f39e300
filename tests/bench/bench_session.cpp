// Memory per queued action and time per decision of the session at a million actions: at most 120 B and
// 0.1 to 0.4 us per decision. A decision here is a whole life: start, end, Finish stored; `decide` is schedule()
// alone. Then the decision over sizes and numbers of queues, beside a binary heap of as many 16-byte entries (the
// least a scheduler with an order does), and `why` of any of them.
//
//     bench_session [ACTIONS]        a million by default
//     YARD_BENCH_PIECES=1 …          the same on a machine that has resources which are told apart, and nobody asks for
#include "core/base/environment.h"
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/indexed_capacity.h"
#include "core/session/intake.h"
#include "core/session/queue_commands.h"
#include "core/session/session.h"
#include "core/session/wait_reasons.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <string>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

struct Shape {
    const char* name;
    int queues;
    int classes;
    bool classPerAction;
    int priorities;
};

/// CPU time of this thread in nanoseconds: what others do on the machine must not count as ours.
double cpuNanos() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
double nanosSince(double since) {
    return cpuNanos() - since;
}

double residentBytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    if (file && std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    if (file) std::fclose(file);
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void addAll(Session& session, const Shape& shape, int n, Outbox& out) {
    std::vector<NewAction> batch;
    for (int i = 1; i <= n; ++i) {
        NewAction a;
        a.lsn = Lsn(i);
        a.queue = QueueId(i % shape.queues);
        a.cls = ClassId(static_cast<std::uint32_t>(shape.classPerAction ? i : i / shape.queues % shape.classes));
        a.priority = i % shape.priorities;
        a.submitTime = 1'000'000 + i / 500;
        batch.push_back(a);
        if (batch.size() < 500 && i < n) continue;
        session.intake().add(batch, MonoTime{}, out);
        batch.clear();
    }
}

constexpr int kCores = 64;

/// Of kCores; with two GPUs and 64 ports where that is asked for.
std::unique_ptr<Capacity> benchMachine() {
    Resources total{.milliCores = 1000 * kCores, .named = {}};
    if (environmentOrEmpty("YARD_BENCH_PIECES").empty()) return std::make_unique<MachineCapacity>(total);
    total.named = {{"gpus", 2'000}, {"port", 64'000}};
    ResourceNames names{{"gpus", {"0", "1"}}, {"port", {}}};
    for (int port = 5000; port < 5064; ++port) names["port"].push_back(std::to_string(port));
    return std::make_unique<IndexedCapacity>(std::make_unique<MachineCapacity>(total), std::move(names));
}

void measure(const Shape& shape, int n) {
    Session session(benchMachine(), SessionOptions{.slotCount = kCores, .aheadPerSlot = 0});
    Outbox out;
    (void)session.moveTo(SessionState::Ready, out);
    for (int q = 1; q < shape.queues; ++q) session.queues().add(QueueId(q), {});
    const int classes = shape.classPerAction ? n + 1 : shape.classes;
    for (int c = 0; c < classes; ++c) session.defineClass(ClassId(static_cast<std::uint32_t>(c)), {});

    const double before = residentBytes();
    auto t = cpuNanos();
    addAll(session, shape, n, out);
    const double add = nanosSince(t) / n;
    const double resident = (residentBytes() - before) / n;
    const double counted = static_cast<double>(session.memoryBytes()) / n;

    // Sixty run at a time; each ends and is stored, then the next starts: as one machine works through the queue.
    AttemptEnd end;
    end.state = ActionState::Completed;
    end.runTime = Duration{50'000};
    double deciding = 0, worst = 0;
    const int decisions = std::min(n, 1'000'000);
    std::vector<Start> running;
    t = cpuNanos();
    for (int done = 0; done < decisions;) {
        const auto s = cpuNanos();
        (void)session.schedule(MonoTime{}, out);
        const double took = nanosSince(s);
        deciding += took;
        worst = std::max(worst, took / static_cast<double>(std::max<std::size_t>(out.start.size(), 1)));
        running.swap(out.start);
        out.clear();
        for (const Start& start : running) {
            session.events().ended(start.lsn, start.attempt, end, MonoTime{}, out);
            session.events().finishStored(start.lsn, out);
        }
        done += static_cast<int>(running.size());
        if (running.empty()) break;
    }
    const double life = nanosSince(t) / decisions;
    fmt::print("{:<34} {:7.1f} {:8.1f} {:7.0f} {:8.0f} {:8.0f} {:9.1f}\n", shape.name, resident, counted, add,
               deciding / decisions, life, worst / 1000);
    std::fflush(stdout);
}

// --- over sizes

constexpr double kMostDecisionNanos = 2'000;
constexpr double kMostWhyMillis = 1;

/// Nanoseconds to take the first of n entries of a binary heap and put another one in.
double heapNanos(int n, int times) {
    struct Entry {
        std::uint64_t key;
        std::uint64_t value;
    };
    const auto later = [](const Entry& a, const Entry& b) { return a.key > b.key; };
    std::vector<Entry> heap;
    for (int i = 0; i < n; ++i) heap.push_back({static_cast<std::uint64_t>(i), 0});
    const double from = cpuNanos();
    for (int i = 0; i < times; ++i) {
        std::ranges::pop_heap(heap, later);
        heap.back() = {static_cast<std::uint64_t>(n + i), 0};
        std::ranges::push_heap(heap, later);
    }
    return nanosSince(from) / times;
}

/// A steady state: as many are submitted as end, so that n stay queued.
class Steady {
public:
    Steady(int queues, int n)
        : queues_(queues)
        , session_(benchMachine(), SessionOptions{.slotCount = kCores, .aheadPerSlot = 0}) {
        (void)session_.moveTo(SessionState::Ready, out_);
        for (int q = 1; q < queues; ++q) session_.queues().add(QueueId(q), {});
        session_.defineClass(ClassId(0), {});
        for (int i = 0; i < n; ++i) addOne();
        turn(0);
    }
    /// Nanoseconds of schedule() per start; `worst` of one call per start.
    double decide(int times, double& worst) {
        deciding_ = worst_ = 0;
        int started = 0;
        while (started < times) started += turn(kCores);
        worst = worst_;
        return deciding_ / started;
    }
    Session& session() { return session_; }
    std::int64_t last() const { return lsn_; }

private:
    void addOne() {
        NewAction a;
        a.lsn = Lsn(++lsn_);
        a.queue = QueueId(lsn_ % queues_);
        a.priority = static_cast<int>(lsn_ % 3);
        a.submitTime = lsn_;
        session_.intake().add({&a, 1}, MonoTime{}, out_);
    }
    int turn(int most) {
        for (int i = 0; i < most && i < std::ssize(running_); ++i) {
            session_.events().ended(running_[i].lsn, running_[i].attempt, end_, MonoTime{}, out_);
            session_.events().finishStored(running_[i].lsn, out_);
            addOne();
        }
        out_.clear();
        const double from = cpuNanos();
        (void)session_.schedule(MonoTime{}, out_);
        const double took = nanosSince(from);
        running_ = std::move(out_.start);
        const auto started = static_cast<int>(running_.size());
        deciding_ += took;
        worst_ = std::max(worst_, took / std::max(started, 1));
        return started;
    }

    int queues_;
    Session session_;
    Outbox out_;
    std::vector<Start> running_;
    std::int64_t lsn_ = 0;
    double deciding_ = 0, worst_ = 0;
    AttemptEnd end_{.state = ActionState::Completed, .reason = {}, .exitCode = {}, .runTime = Duration{50'000}};
};

void measureSizes(int n) {
    constexpr int kDecisions = 200'000;
    fmt::print(
        "\ndecisions (at most {:.0f} ns, flat)   queued   heap ns  decide ns  ratio  of a thousand  worst us\n",
        kMostDecisionNanos);
    for (const int queues : {1, 1'000}) {
        double first = 0;
        for (int size = 1'000; size <= n; size *= 10) {
            Steady steady(queues, size);
            double worst = 0;
            (void)steady.decide(kDecisions / 10, worst);
            const double took = steady.decide(kDecisions, worst);
            const double heap = heapNanos(size, kDecisions);
            if (first == 0) first = took;
            fmt::print("{:>5} queues {:>29} {:>9.0f} {:>10.0f} {:>6.1f} {:>14.2f} {:>9.1f}\n", queues, size, heap,
                       took, took / heap, took / first, worst / 1000);
            std::fflush(stdout);
        }
    }
    for (const int queues : {1, 1'000}) {
        Steady steady(queues, n);
        std::mt19937_64 random(1);
        double worst = 0, all = 0;
        constexpr int kAsked = 2'000;
        for (int i = 0; i < kAsked; ++i) {
            const Lsn lsn(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steady.last())));
            const double from = cpuNanos();
            (void)steady.session().reasons().of(lsn, true);
            const double took = nanosSince(from);
            all += took;
            worst = std::max(worst, took);
        }
        fmt::print("why, of any of {} in {} queues: {:.1f} us, at most {:.2f} ms (at most {:.0f})\n", n, queues,
                   all / kAsked / 1e3, worst / 1e6, kMostWhyMillis);
    }
}

// --- large operations

void measureLarge(int n) {
    Outbox out;
    const auto filled = [&](int each) {
        auto session = std::make_unique<Session>(std::make_unique<MachineCapacity>(Resources{}), SessionOptions{});
        (void)session->moveTo(SessionState::Ready, out);
        session->queues().add(QueueId(1), {});
        session->defineClass(ClassId(0), {});
        for (int i = 1; i <= n; ++i) {
            NewAction a;
            a.lsn = Lsn(i);
            a.queue = QueueId(1);
            a.held = each > 0 && i % each == 0;
            a.submitTime = i;
            session->intake().add({&a, 1}, MonoTime{}, out);
        }
        return session;
    };
    const auto steps = [&](Session& session) {
        double worst = 0;
        const auto all = cpuNanos();
        while (session.hasMoreWork()) {
            const auto s = cpuNanos();
            session.step(out);
            worst = std::max(worst, nanosSince(s));
            for (const Finish& f : std::exchange(out.finish, {})) session.events().finishStored(f.lsn, out);
        }
        fmt::print("{:.0f} ms in all, longest step {:.2f} ms\n", nanosSince(all) / 1e6, worst / 1e6);
    };
    for (const int held : {0, 2}) {
        auto session = filled(held);
        auto s = cpuNanos();
        (void)session->queues().cancel(QueueId(1), out);
        fmt::print("cancel a queue of {}{}: {:.1f} us at once, ", n, held ? ", half of it held" : "",
                   nanosSince(s) / 1e3);
        steps(*session);
    }
    auto session = filled(0);
    auto s = cpuNanos();
    (void)session->queues().hold(QueueId(1), out);
    (void)session->queues().release(QueueId(1));
    fmt::print("hold and release it: {:.1f} us\n", nanosSince(s) / 1e3);
    s = cpuNanos();
    for (int i = 1; i <= n; ++i) (void)session->actions().setPriority(Lsn(i), 7);
    fmt::print("reprioritise it one by one: {:.0f} ns each\n", nanosSince(s) / n);
    s = cpuNanos();
    (void)session->moveTo(SessionState::Abandoned, out);
    fmt::print("abandon: {:.1f} us at once, ", nanosSince(s) / 1e3);
    steps(*session);
    fmt::print("memory of the empty session: {} KiB\n", session->memoryBytes() / 1024);
}

} // namespace

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1'000'000;
    const Shape shapes[] = {{"1 queue x 1 class", 1, 1, false, 1},
                            {"1,000 queues x 100 classes", 1'000, 100, false, 1},
                            {"1 queue x 100,000 classes", 1, 100'000, false, 1},
                            {"1,000 queues x 1,000 classes", 1'000, 1'000, false, 1},
                            {"1 queue, 5 priorities", 1, 1, false, 5},
                            {"1,000 queues, a lane per action", 1'000, 1, true, 1}};
    fmt::print("{} actions                        B/action (RSS, counted)  add ns  decide ns  life ns  worst us\n",
               n);
    for (const Shape& shape :
         shapes) { // each in a process of its own: memory that was freed must not hide what is used
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) {
            measure(shape, n);
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
    }
    measureSizes(n);
    measureLarge(n);
    return 0;
}
