// A million random operations against every invariant and a simple model: who has which session, what is alive.
#include "core/pool/pool.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::pool;

namespace {

/// What a host and its clients know, kept in the plainest way.
class Model {
public:
    explicit Model(std::uint32_t seed)
        : random_(seed) {
        for (int i = 0; i < 6; ++i) addGroup(i);
    }

    void step(bool verify) {
        now_ += Duration(below(40'000));
        switch (below(30)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8: checkout(); break;
        case 9:
        case 10:
        case 11:
        case 12:
        case 13:
        case 14:
        case 15: close(); break;
        case 16:
        case 17:
        case 18: spawned(); break;
        case 19:
        case 20:
        case 21: gone(); break;
        case 22:
            if (below(4) == 0) crash();
            break;
        case 23:
            if (below(4) == 0) detach();
            break;
        case 24:
            switch (below(4)) {
            case 0:
            case 1: giveUp(); break;
            case 2: setAhead(); break;
            default: setPaused(); break;
            }
            break;
        case 25: (void)pool_.clean(now_, out_); break;
        case 26: (void)pool_.retrySpawns(now_, out_); break;
        case 27:
            if (below(10) == 0) configure();
            break;
        case 28:
            if (below(20) == 0) pool_.restart(groups_[below(6)].id, now_, out_);
            break;
        default:
            if (below(50) == 0) replaceGroup();
            break;
        }
        apply();
        if (verify) check();
    }

    /// Everything is answered: nobody may still wait.
    void drain() {
        pool_.configure({.max = 12, .maxPerGroup = 0, .maxIdle = Duration(0)}, now_, out_);
        apply();
        for (int i = 0; i < 10'000 && (!waiting_.empty() || !sessions_.empty() || !stopping_.empty()); ++i) {
            now_ += Duration(2'000'000);
            while (!sessions_.empty()) {
                const auto [tag, process] = *sessions_.begin();
                sessions_.erase(sessions_.begin());
                end(process);
                pool_.close(process, true, now_, out_);
                apply();
            }
            while (!starting_.empty()) spawned(true), apply();
            while (!stopping_.empty()) gone(), apply();
            (void)pool_.retrySpawns(now_, out_);
            apply();
        }
        settleMinimum();
        check();
        QVERIFY2(waiting_.empty(), "a request was lost: it waits forever");
        QVERIFY(sessions_.empty());
        QCOMPARE(pool_.waiting(), 0u);
        QCOMPARE(pool_.active(), 0u);
    }

private:
    struct GroupModel {
        GroupId id;
        GroupOptions options;
        int family = 0;
    };
    struct ProcessModel {
        GroupId group;
        int family = 0;
        unsigned sessions = 0;
        unsigned limit = 0; ///< 0: starting
        bool paused = false;
        bool leaving = false;
        unsigned opened = 0;
    };

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    template<class Set>
    auto any(const Set& set) {
        return *std::next(set.begin(), below(static_cast<std::uint32_t>(set.size())));
    }
    GroupOptions anyOptions() {
        return {.minProcesses = below(3),
                .maxProcesses = below(4),
                .maxRequests = below(3) == 0 ? 1 + below(6) : 0,
                .maxIdle = below(2) == 0 ? std::optional(Duration(below(400'000))) : std::nullopt,
                .globalQueue = below(3) != 0};
    }
    void addGroup(int i) {
        GroupModel& g = groups_[static_cast<std::size_t>(i)];
        g.options = anyOptions();
        g.family = i < 4 ? i : 4; // the last two roll over into one another
        g.id = pool_.addGroup("g" + std::to_string(i) + "." + std::to_string(generation_), std::to_string(g.family),
                              g.options, now_, out_);
        apply();
    }
    void replaceGroup() {
        const std::uint32_t i = below(6);
        ++generation_;
        pool_.removeGroup(groups_[i].id, now_, out_);
        apply();
        addGroup(static_cast<int>(i));
    }
    void checkout() {
        const GroupModel& g = groups_[below(6)];
        const std::uint64_t tag = ++tags_;
        waiting_[tag] = {g.id, {}};
        const ProcessModel* least = nullptr;
        for (const auto& [id, p] : processes_)
            if (p.group == g.id && p.limit > 0 && !p.leaving && !p.paused &&
                (!g.options.globalQueue || p.sessions < p.limit) && (!least || p.sessions < least->sessions))
                least = &p;
        const bool shouldServe = least != nullptr;
        const unsigned leastSessions = least ? least->sessions : 0;
        const auto got = pool_.checkout(g.id, tag, now_, out_);
        QCOMPARE(got.process.has_value(), shouldServe);
        if (got.process) {
            QCOMPARE(processes_.at(*got.process).sessions, leastSessions); // one of the least busy
            take(tag, *got.process);
        } else {
            waiting_[tag].waiter = got.waiter;
        }
    }
    void take(std::uint64_t tag, ProcessId process) {
        const auto waiting = waiting_.find(tag);
        QVERIFY2(waiting != waiting_.end(), "served twice, or nobody waited");
        ProcessModel& p = processes_.at(process);
        QVERIFY(p.group == waiting->second.group);
        QVERIFY(p.limit > 0 && !p.leaving && !p.paused);
        waiting_.erase(waiting);
        sessions_[tag] = process;
        ++p.sessions;
        ++p.opened;
    }
    void close() {
        if (sessions_.empty()) return;
        const auto [tag, process] = any(sessions_);
        sessions_.erase(tag);
        end(process);
        pool_.close(process, below(8) != 0, now_, out_);
    }
    /// Nothing happens any more but time: every group that was ever used has its min_processes, or there is no
    /// room.
    void settleMinimum() {
        for (int i = 0; i < 100; ++i) {
            now_ += Duration(60'000'000);
            (void)pool_.retrySpawns(now_, out_);
            apply();
            while (!starting_.empty()) spawned(true), apply();
            while (!stopping_.empty()) gone(), apply();
        }
        for (const GroupModel& g : groups_) {
            const auto view = pool_.group(g.id);
            const bool isNewest = !view->superseded;
            if (!used_.contains(g.family) || !isNewest || view->size >= g.options.minProcesses) continue;
            const auto ofFamily =
                std::ranges::count_if(processes_, [&](const auto& p) { return p.second.family == g.family; });
            const bool isFamilyFull = g.options.maxProcesses != 0 && ofFamily >= g.options.maxProcesses;
            QVERIFY2(isFamilyFull || processes_.size() >= pool_.options().max, "min_processes were lost");
        }
    }
    /// A session of it.
    void end(ProcessId process) {
        ProcessModel& p = processes_.at(process);
        if (--p.sessions == 0) p.paused = false;
    }
    void spawned(bool well = false) {
        if (starting_.empty()) return;
        const ProcessId p = any(starting_);
        starting_.erase(p);
        if (!well && below(4) == 0) {
            processes_.erase(p);
            pool_.spawnFailed(p, now_, out_);
        } else {
            const unsigned concurrency = 1 + below(3);
            const unsigned ahead = below(3);
            processes_.at(p).limit = concurrency + ahead;
            pool_.spawned(p, concurrency, ahead, now_, out_);
        }
    }
    void gone() {
        if (stopping_.empty()) return;
        const ProcessId p = any(stopping_);
        stopping_.erase(p);
        processes_.erase(p);
        pool_.gone(p, now_, out_);
    }
    void crash() {
        if (sessions_.empty()) return;
        const ProcessId p = any(sessions_).second;
        std::erase_if(sessions_, [&](const auto& s) { return s.second == p; });
        processes_.at(p).sessions = 0;
        pool_.crashed(p, now_, out_);
    }
    void detach() {
        if (processes_.empty()) return;
        const auto p = any(processes_);
        QCOMPARE(pool_.detach(p.first, WhyEnded::Detached, now_, out_), !p.second.leaving);
    }
    void giveUp() {
        if (waiting_.empty() || below(3) != 0) return;
        const auto w = any(waiting_);
        QVERIFY(pool_.cancelWait(w.second.waiter));
        waiting_.erase(w.first);
    }
    void setAhead() {
        if (processes_.empty()) return;
        const ProcessId id = any(processes_).first;
        const unsigned ahead = below(4);
        const auto view = pool_.process(id);
        if (processes_.at(id).limit > 0) processes_.at(id).limit = view->concurrency + ahead;
        if (processes_.at(id).limit > 0) pool_.setAhead(id, ahead, now_, out_);
    }
    void setPaused() {
        if (processes_.empty()) return;
        const ProcessId id = any(processes_).first;
        const bool paused = below(2) == 0;
        if (processes_.at(id).sessions > 0) processes_.at(id).paused = paused;
        pool_.setPaused(id, paused, now_, out_);
    }
    void configure() {
        if (below(2) == 0) {
            pool_.configure({.max = 1 + below(12), .maxPerGroup = below(4), .maxIdle = Duration(below(500'000))},
                            now_, out_);
        } else {
            GroupModel& g = groups_[below(6)];
            g.options = anyOptions();
            pool_.configureGroup(g.id, g.options, now_, out_);
        }
    }
    void apply() {
        Outbox out;
        std::swap(out, out_);
        for (const auto& s : out.spawn) {
            const auto g = std::ranges::find(groups_, s.group, &GroupModel::id);
            QVERIFY(g != groups_.end());
            processes_[s.process] = {.group = s.group, .family = g->family};
            used_.insert(g->family);
            starting_.insert(s.process);
            QVERIFY2(processes_.size() <= pool_.options().max, "over max");
        }
        for (const auto& s : out.served) take(s.tag, s.process);
        for (const auto& f : out.failed) QVERIFY2(waiting_.erase(f.tag) == 1, "failed twice, or nobody waited");
        for (const auto& f : out.finishing) {
            ProcessModel& p = processes_.at(f.process);
            QVERIFY(!p.leaving && p.sessions > 0);
            p.leaving = true;
        }
        for (const auto& e : out.end) {
            ProcessModel& p = processes_.at(e.process);
            QCOMPARE(p.sessions, 0u);
            p.leaving = true;
            starting_.erase(e.process);
            QVERIFY2(stopping_.insert(e.process).second, "ended twice");
        }
    }
    void check() {
        const std::string broken = pool_.verify();
        QVERIFY2(broken.empty(), broken.c_str());
        QCOMPARE(std::size_t{pool_.count()}, processes_.size());
        QCOMPARE(pool_.waiting(), waiting_.size());
        std::size_t busy = 0;
        for (const auto& [id, p] : processes_) {
            const auto view = pool_.process(id);
            QVERIFY(view);
            QCOMPARE(view->sessions, p.sessions);
            busy += p.sessions > 0 && !p.leaving;
        }
        QCOMPARE(std::size_t{pool_.active()}, busy);
    }

    struct WaitModel {
        GroupId group;
        WaiterId waiter;
    };
    std::mt19937 random_;
    Pool pool_{{.max = 5, .maxPerGroup = 0, .maxIdle = Duration(300'000)}};
    Outbox out_;
    MonoTime now_{Duration(1'000'000'000)};
    std::array<GroupModel, 6> groups_;
    std::map<ProcessId, ProcessModel> processes_;
    std::set<int> used_; ///< families
    std::set<ProcessId> starting_;
    std::set<ProcessId> stopping_;
    std::map<std::uint64_t, WaitModel> waiting_;
    std::map<std::uint64_t, ProcessId> sessions_;
    std::uint64_t tags_ = 0;
    int generation_ = 0;
};

} // namespace

class TestPoolRandom : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aMillionOperations_data();
    void aMillionOperations();
};

void TestPoolRandom::aMillionOperations_data() {
    QTest::addColumn<std::uint32_t>("seed");
    for (std::uint32_t seed = 1; seed <= 20; ++seed) QTest::newRow(std::to_string(seed).c_str()) << seed;
}

void TestPoolRandom::aMillionOperations() {
    QFETCH(std::uint32_t, seed);
    Model model(seed);
    for (int i = 0; i < 50'000; ++i) {
        model.step(i < 10'000 || i % 10 == 0);
        if (QTest::currentTestFailed()) QFAIL(("at operation " + std::to_string(i)).c_str());
    }
    model.drain();
}

QTEST_APPLESS_MAIN(TestPoolRandom)
#include "tst_random.moc"
