// The session against the naive model: thousands of short random lives. Each start is asked of the model, each
// pause is checked for something that could have started, counters and retries are compared after every step.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/place_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "tests/session/naive_model.h"

#include <QTest>
#include <deque>
#include <fmt/format.h>
#include <random>

using namespace yard;
using namespace yard::session;
using namespace yard::session::test;

namespace {

/// Locks of the classes that claim some; those from the third on claim several.
const std::vector<std::uint32_t> kLockSets[] = {{0}, {1}, {0, 1}, {1, 2}, {0, 1, 2}};
constexpr int kOneLock = 2;
constexpr std::uint32_t kFirstLocking = 14;

class Life {
public:
    Life(unsigned seed, bool oneClass)
        : random_(seed)
        , oneClass_(oneClass)
        , several_(!oneClass && seed % 2 == 0)
        , runsOut_(seed % 5 < 2)
        , cores_(1 + pick(4))
        , licences_(1 + pick(2))
        , model_(cores_, licences_, oneClass)
        , session_(std::make_unique<MachineCapacity>(
                       Resources{.milliCores = 1000 * cores_, .named = {{"licence", 1000 * licences_}}}),
                   {.slotCount = cores_, .aheadPerSlot = 0, .seed = seed}) {}

    /// Empty, or what went wrong.
    std::string run(int steps);

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool chance(int percent) { return pick(100) < percent; }
    void setUp();
    void act();
    void submit();
    void changeAction(NaiveModel::Action& a);
    void movePlace(const NaiveModel::Action& a);
    void changeQueue(std::int64_t id);
    void setLabelLimits(std::int64_t id);
    std::vector<Predecessor> predecessors();
    void attemptEvent(NaiveModel::Action& a);
    void storeOne();
    void drain();
    void settle();
    void runOut();
    std::string compare() const;
    NaiveModel::Action* any();

    std::mt19937 random_;
    bool oneClass_;
    bool several_; ///< locks for some
    bool runsOut_; ///< is followed to the end of all its actions; takes as long as the rest
    int cores_;
    int licences_;
    NaiveModel model_;
    Session session_;
    MonoTime now_{Duration{1'000'000}};
    std::int64_t lsn_ = 0;
    Outbox out_;
    std::deque<std::int64_t> toStore_; ///< in the order of the outbox, as the journal keeps it
    std::string wrong_;
    std::string log_;
};

void Life::setUp() {
    for (int c = 1; c <= 3; ++c) {
        Resources need;
        need.milliCores = 1000 * c;
        session_.defineClass(ClassId(static_cast<std::uint32_t>(c)), need);
        need.named = {{"licence", 1000}};
        session_.defineClass(ClassId(static_cast<std::uint32_t>(10 + c)), need);
    }
    for (std::uint32_t c = 0; c < std::size(kLockSets); ++c) {
        std::vector<LockId> locks;
        for (const std::uint32_t lock : kLockSets[c]) locks.emplace_back(lock);
        Resources need;
        need.milliCores = 1000;
        session_.defineClass(ClassId(kFirstLocking + c), need, std::move(locks));
    }
    model_.mayReserveLocks = several_;
    Resources onlyLicence{.milliCores = 0, .named = {{"licence", 1000}}};
    session_.defineClass(ClassId(10), onlyLicence);
    const int queues = 1 + pick(3);
    for (int i = 0; i < queues; ++i) {
        NaiveModel::Queue q;
        q.config.maxRetries = pick(3);
        q.config.maxInterruptions = pick(3);
        q.config.weight = 1 + pick(3);
        q.config.maxRunning = chance(30) ? 1 + pick(2) : 0;
        q.config.backoff = Duration{chance(50) ? 0 : 1'000};
        q.config.stopAfterFailures = chance(30) ? 1 + pick(3) : 0;
        model_.queues[i] = q;
        if (i == 0)
            (void)session_.queues().configure(QueueId(0), q.config);
        else
            session_.queues().add(QueueId(i), q.config);
        setLabelLimits(i);
    }
    (void)session_.moveTo(SessionState::Ready, out_);
}

void Life::setLabelLimits(std::int64_t id) {
    std::vector<std::pair<LabelId, int>> limits;
    model_.queues[id].labelLimits.clear();
    for (std::uint32_t label = 1; label <= 2; ++label) {
        if (chance(50)) continue;
        limits.emplace_back(LabelId(label), 1 + pick(2));
        model_.queues[id].labelLimits[label] = limits.back().second;
        model_.queues[id].hadLimits = true;
        log_ += fmt::format("limit q{} label {}: {}\n", id, label, limits.back().second);
    }
    session_.queues().setLabelLimits(QueueId(id), std::move(limits));
}

/// Of those before, alive or not; what is not known any more counts as what is waited for.
std::vector<Predecessor> Life::predecessors() {
    std::vector<Predecessor> after;
    for (int n = lsn_ > 1 && chance(20) ? 1 + pick(3) : 0; n > 0; --n) {
        Predecessor p;
        p.lsn = Lsn(std::max<std::int64_t>(1, lsn_ - 1 - pick(12)));
        p.on = static_cast<DependencyOn>(pick(3));
        const auto ended = model_.endStates.find(p.lsn.value);
        if (ended != model_.endStates.end()) p.state = ended->second;
        // Submitted to a cancelled queue, it never was.
        if (ended == model_.endStates.end() && !model_.actions.contains(p.lsn.value)) continue;
        after.push_back(p);
    }
    return after;
}

NaiveModel::Action* Life::any() {
    if (model_.actions.empty()) return nullptr;
    return &std::next(model_.actions.begin(), pick(static_cast<int>(model_.actions.size())))->second;
}

void Life::submit() {
    NewAction a;
    a.lsn = Lsn(++lsn_);
    a.queue = QueueId(pick(static_cast<int>(model_.queues.size())));
    int cores = oneClass_ ? 1 : std::min(1 + pick(3), cores_);
    const int licences = !oneClass_ && chance(20) ? 1 : 0;
    if (licences > 0 && chance(30)) cores = 0;
    a.cls = ClassId(static_cast<std::uint32_t>(licences > 0 ? 10 + cores : cores));
    std::set<std::uint32_t> locks;
    if (!oneClass_ && licences == 0 && chance(40)) {
        const int set = pick(several_ ? static_cast<int>(std::size(kLockSets)) : kOneLock);
        cores = 1;
        a.cls = ClassId(kFirstLocking + static_cast<std::uint32_t>(set));
        locks.insert(kLockSets[set].begin(), kLockSets[set].end());
    }
    a.label = LabelId(static_cast<std::uint32_t>(chance(50) ? 0 : 1 + pick(3)));
    const std::vector<Predecessor> after = predecessors();
    a.after = after;
    a.priority = chance(50) ? 0 : pick(3) - 1;
    a.held = chance(5);
    a.submitTime = now_.time_since_epoch().count();
    if (chance(10)) a.notBefore = now_ + Duration{pick(3'000)};
    if (model_.queues[a.queue.value].state == QueueState::Cancelled) return;
    log_ += fmt::format("submit {} q{} p{} c{} l{} label {}{}", a.lsn.value, a.queue.value, a.priority, cores,
                        licences, a.label.value, a.held ? " held" : "");
    for (const std::uint32_t lock : locks) log_ += fmt::format(" lock {}", lock);
    for (const Predecessor& p : after) log_ += fmt::format(" after {} on {}", p.lsn.value, static_cast<int>(p.on));
    log_ += "\n";
    model_.add(a, cores, licences, std::move(locks));
    session_.intake().add({&a, 1}, now_, out_);
}

void Life::changeAction(NaiveModel::Action& a) {
    const Lsn lsn = a.given.lsn;
    const bool cancelled = model_.queues[a.given.queue.value].state == QueueState::Cancelled;
    const int what = pick(8);
    const bool isGoing = a.cancel && a.phase == NaiveModel::Phase::Waiting;
    log_ += fmt::format("change {} {}\n", what, lsn.value);
    if (what == 0 &&
        (a.phase == NaiveModel::Phase::Waiting || (a.phase == NaiveModel::Phase::Out && !a.countsRunning))) {
        if (!session_.actions().hold(lsn, out_)) wrong_ = "hold refused";
        a.given.held = true;
    } else if (what == 1) {
        if (!session_.actions().release(lsn)) wrong_ = "release refused";
        a.given.held = false;
    } else if (what == 2 && a.phase != NaiveModel::Phase::Ending) {
        if (!session_.actions().cancel(lsn, out_)) wrong_ = "cancel refused";
        model_.cancel(a); // of one that is going it is the second part
    } else if (what == 5 && a.phase != NaiveModel::Phase::Ending) {
        const auto follows = session_.actions().cancelLater(lsn, out_);
        if (!follows || *follows != model_.cancelLater(a)) wrong_ = "cancelled otherwise";
    } else if (what == 6) {
        session_.actions().finishCancelled(lsn, out_);
        model_.finishCancelled(a);
    } else if (what == 7) {
        movePlace(a);
    } else if (isGoing && (what == 3 || what == 4)) {
        if (session_.actions().setPriority(lsn, 1) || session_.actions().setQueue(lsn, a.given.queue))
            wrong_ = "changed while it goes";
    } else if (what == 3 && a.phase == NaiveModel::Phase::Waiting && !cancelled) {
        a.given.priority = pick(5) - 2;
        if (!session_.actions().setPriority(lsn, a.given.priority)) wrong_ = "setPriority refused";
    } else if (what == 4 && a.phase == NaiveModel::Phase::Waiting && !cancelled) {
        const QueueId to(pick(static_cast<int>(model_.queues.size())));
        if (!session_.queues().accepts(to)) return;
        if (!session_.actions().setQueue(lsn, to)) wrong_ = "setQueue refused";
        --model_.queues[a.given.queue.value].counters.pending;
        ++model_.queues[to.value].counters.pending;
        a.given.queue = to;
    }
}

/// It, and perhaps others of its queue, stand elsewhere from now on.
void Life::movePlace(const NaiveModel::Action& a) {
    std::vector<Lsn> lsns{a.given.lsn};
    for (int n = pick(3); n > 0; --n)
        if (const NaiveModel::Action* other = any(); other->given.queue == a.given.queue)
            lsns.push_back(other->given.lsn);
    MoveTo to{.where = static_cast<MoveTo::Where>(pick(5))};
    if (to.where == MoveTo::Where::Before) to.before = any()->given.lsn;
    while (!session_.places().prepare(a.given.queue, 5)) {
    }
    const auto plan = session_.places().plan(lsns, to);
    if (!plan) return; // of another queue or priority, or not pending
    for (const auto& [lsn, place] : plan->placed) {
        (void)session_.actions().setPlace(lsn, place);
        model_.actions.at(lsn.value).given.place = place;
    }
}

void Life::changeQueue(std::int64_t id) {
    NaiveModel::Queue& q = model_.queues[id];
    const int what = pick(22);
    log_ += fmt::format("queue {} q{}\n", what, id);
    if (what < 6) {
        (void)session_.queues().hold(QueueId(id), out_);
        q.held = true;
    } else if (what < 16) {
        (void)session_.queues().release(QueueId(id));
        model_.release(q);
    } else if (what < 18) {
        q.config.maxRunning = pick(3);
        (void)session_.queues().configure(QueueId(id), q.config);
    } else if (what == 18 && id > 0 && q.state != QueueState::Cancelled && chance(30)) {
        if (!session_.queues().cancel(QueueId(id), out_)) wrong_ = "cancelQueue refused";
        q.state = QueueState::Cancelled;
    } else if (what > 19) {
        setLabelLimits(id);
    }
}

void Life::attemptEvent(NaiveModel::Action& a) {
    if (a.phase != NaiveModel::Phase::Out) return;
    const Lsn lsn = a.given.lsn;
    const int what = pick(11);
    log_ += fmt::format("attempt {} {}\n", what, lsn.value);
    if (what < 2) {
        model_.begun(a);
        what == 0 ? session_.events().submitting(lsn, a.attempt, out_)
                  : session_.events().running(lsn, a.attempt, out_);
    } else if (what == 2) {
        session_.events().ended(lsn, a.attempt + (chance(50) ? 1 : -1), {}, now_,
                                out_); // of another attempt: ignored
    } else if (what == 10) {
        a.keeping = true;
        session_.events().keeping(lsn, a.attempt);
    } else {
        AttemptEnd end;
        if (what < 6)
            end.state = ActionState::Completed;
        else if (what < 8)
            end.reason = Reason::ExitCode;
        else
            end = AttemptEnd{.state = ActionState::Abandoned, .reason = Reason::EngineDied, .exitCode = {}};
        const std::uint32_t attempt = a.attempt;
        model_.ended(a, end);
        session_.events().ended(lsn, attempt, end, now_, out_);
    }
}

void Life::storeOne() {
    if (toStore_.empty()) return;
    const std::int64_t lsn = toStore_.front();
    toStore_.pop_front();
    log_ += fmt::format("stored {}\n", lsn);
    const auto view = session_.views().live(Lsn(lsn));
    if (!view) wrong_ = "gone before it was stored";
    // The outbox says which of the two it is; the model knows as well.
    const auto phase = model_.actions.at(lsn).phase;
    model_.stored(lsn);
    phase == NaiveModel::Phase::Retrying ? session_.events().retryStored(Lsn(lsn), out_)
                                         : session_.events().finishStored(Lsn(lsn), out_);
}

void Life::drain() {
    for (const Start& s : out_.start) {
        log_ += fmt::format("  start {} #{}\n", s.lsn.value, s.attempt);
        if (wrong_.empty()) wrong_ = model_.started(s, now_);
    }
    for (const Retry& r : out_.retry) {
        NaiveModel::Action& a = model_.actions.at(r.lsn.value);
        log_ += fmt::format("  retry {} #{}\n", r.lsn.value, r.endedAttempt);
        RetryCounters counted = a.retries;
        ++counted.retryCount; // seen once it is kept
        if (!(counted == r.retries) || a.attempt != r.endedAttempt) wrong_ = "another retry";
        a.notBefore = r.notBefore;
        toStore_.push_back(r.lsn.value);
    }
    for (const Finish& f : out_.finish) {
        NaiveModel::Action& a = model_.actions.at(f.lsn.value);
        log_ += fmt::format("  finish {} {}\n", f.lsn.value, name(f.state));
        const bool withQueue = model_.queues[a.given.queue.value].state == QueueState::Cancelled;
        if (a.phase != NaiveModel::Phase::Ending && withQueue) {
            a.phase = NaiveModel::Phase::Ending;
            a.target = ActionState::Cancelled;
        }
        if (a.phase != NaiveModel::Phase::Ending || a.target != f.state) wrong_ = "another end";
        std::erase(toStore_, f.lsn.value); // a retry under way is overtaken: its acknowledgement means nothing
        toStore_.push_back(f.lsn.value);
    }
    out_.clear();
}

void Life::settle() {
    drain();
    while (session_.schedule(now_, out_) || !out_.empty()) drain();
    if (session_.hasMoreWork() && chance(30)) session_.step(out_);
    drain();
    session_.check();
    if (wrong_.empty()) wrong_ = model_.idle(now_);
    if (wrong_.empty()) wrong_ = compare();
}

std::string Life::compare() const {
    QueueCounters all;
    for (const auto& [id, q] : model_.queues) {
        const auto status = session_.views().queue(QueueId(id));
        if (!status || !(status->counters == q.counters)) return fmt::format("counters of queue {}", id);
        if (status->held != q.held) return fmt::format("hold of queue {}", id);
        all.pending += q.counters.pending;
        all.running += q.counters.running;
    }
    const QueueCounters said = session_.views().counts().all;
    if (said.pending != all.pending || said.running != all.running) return "counts";
    for (const auto& [lsn, a] : model_.actions) {
        const auto view = session_.views().live(Lsn(lsn));
        if (!view) return fmt::format("{} is gone", lsn);
        if ((view->state != ActionState::Pending) != a.countsRunning) return fmt::format("state of {}", lsn);
        if (view->held != a.given.held || view->priority != a.given.priority || view->attempt != a.attempt ||
            view->queue != a.given.queue || !(view->retries == a.retries))
            return fmt::format("view of {}", lsn);
    }
    return {};
}

void Life::act() {
    const int what = pick(100);
    if (what < 30) {
        for (int n = 1 + pick(4); n > 0; --n) submit();
    } else if (what < 45) {
        if (auto* a = any()) changeAction(*a);
    } else if (what == 45 && !oneClass_) {
        const auto lock = static_cast<std::uint32_t>(pick(2));
        const bool held = model_.locksElsewhere.insert(lock).second;
        if (!held) model_.locksElsewhere.erase(lock);
        log_ += fmt::format("lock {} elsewhere: {}\n", lock, held);
        session_.holds().setLockElsewhere(LockId(lock), held);
    } else if (what < 55) {
        changeQueue(pick(static_cast<int>(model_.queues.size())));
    } else if (what < 80) {
        for (int tries = 0; tries < 3; ++tries)
            if (auto* a = any()) attemptEvent(*a);
    } else if (what < 95) {
        for (int n = 1 + pick(3); n > 0; --n) storeOne();
    } else {
        now_ += Duration{pick(2'000)};
    }
}

/// Nothing is held back any more, and all that starts ends: everything has to come to its end, whatever was kept
/// for whom.
void Life::runOut() {
    log_ += "run out\n";
    for (const std::uint32_t lock : std::exchange(model_.locksElsewhere, {}))
        session_.holds().setLockElsewhere(LockId(lock), false);
    for (auto& [id, q] : model_.queues) {
        q.config.stopAfterFailures = 0;
        (void)session_.queues().configure(QueueId(id), q.config);
    }
    for (int round = 0; round < 2'000 && wrong_.empty() && !model_.actions.empty(); ++round) {
        for (auto& [id, q] : model_.queues) {
            (void)session_.queues().release(QueueId(id));
            model_.release(q);
        }
        for (auto& [lsn, a] : model_.actions) {
            (void)session_.actions().release(Lsn(lsn));
            a.given.held = false;
            session_.actions().finishCancelled(Lsn(lsn), out_);
            model_.finishCancelled(a);
        }
        settle();
        for (auto& [lsn, a] : model_.actions) {
            if (a.phase != NaiveModel::Phase::Out) continue;
            const std::uint32_t attempt = a.attempt;
            model_.ended(a, {.state = ActionState::Completed, .exitCode = {}});
            session_.events().ended(Lsn(lsn), attempt, {.state = ActionState::Completed, .exitCode = {}}, now_,
                                    out_);
            break;
        }
        while (session_.hasMoreWork()) session_.step(out_);
        settle();
        while (!toStore_.empty() && wrong_.empty()) storeOne();
        now_ += Duration{5'000}; // past back-offs; too short for resources to be kept for what is large
        settle();
    }
    if (wrong_.empty() && !model_.actions.empty())
        wrong_ = fmt::format("{} never ended", model_.actions.begin()->first);
}

std::string Life::run(int steps) {
    setUp();
    for (int i = 0; i < steps && wrong_.empty(); ++i) {
        act();
        settle();
    }
    if (wrong_.empty() && runsOut_) runOut();
    return wrong_.empty() ? "" : wrong_ + "\n" + log_;
}

/// YARD_SEED: the first life; of a failed run, its only one with YARD_SEEDS=1.
unsigned firstSeed() {
    bool given = false;
    const int n = qEnvironmentVariableIntValue("YARD_SEED", &given);
    return given ? static_cast<unsigned>(n) : 1;
}

/// YARD_SEEDS: how many lives; more for a night.
unsigned seeds() {
    bool given = false;
    const int n = qEnvironmentVariableIntValue("YARD_SEEDS", &given);
    return given ? static_cast<unsigned>(n) : 100;
}

} // namespace

class TestRandom : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void agreesWithTheNaiveModelWhereAllActionsAreAlike();
    void agreesWithTheNaiveModelAmongActionsOfDifferentSize();
};

void TestRandom::agreesWithTheNaiveModelWhereAllActionsAreAlike() {
    for (unsigned seed = firstSeed(); seed < firstSeed() + seeds(); ++seed) {
        const std::string wrong = Life(seed, true).run(120);
        if (!wrong.empty()) fmt::print(stderr, "seed {}: {}\n", seed, wrong); // QtTest cuts long messages
        QVERIFY2(wrong.empty(), fmt::format("seed {}", seed).c_str());
    }
}

void TestRandom::agreesWithTheNaiveModelAmongActionsOfDifferentSize() {
    for (unsigned seed = firstSeed(); seed < firstSeed() + seeds(); ++seed) {
        const std::string wrong = Life(seed, false).run(120);
        if (!wrong.empty()) fmt::print(stderr, "seed {}: {}\n", seed, wrong); // QtTest cuts long messages
        QVERIFY2(wrong.empty(), fmt::format("seed {}", seed).c_str());
    }
}

QTEST_APPLESS_MAIN(TestRandom)
#include "tst_random.moc"
