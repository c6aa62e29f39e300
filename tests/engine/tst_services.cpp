// The services of the engine by themselves: no launcher, no journal, the clock moved by hand.
#include "core/engine/running/descriptor_guard.h"
#include "core/engine/running/orphan_sweep.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/lock_watch.h"
#include "core/engine/state/settings_service.h"

#include "core/base/files.h"
#include "core/session/events.h"
#include "core/session/live_views.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <map>
#include <mutex>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr Duration kSecond{1'000'000};

/// A directory of locks in memory. Looked at by helpers.
class Directory {
public:
    void set(const std::string& name, bool held) {
        const std::lock_guard guard(mutex_);
        held_[name] = held;
    }
    LockLooks looks() {
        return {.look =
                    [this](const std::string& name) {
                        const std::lock_guard guard(mutex_);
                        ++looks_;
                        return locks::LockState{.isHeld = held_[name], .holder = {}};
                    },
                .held =
                    [this] {
                        const std::lock_guard guard(mutex_);
                        std::vector<LockView> views;
                        for (const auto& [name, held] : held_)
                            if (held) views.emplace_back().name = name;
                        return views;
                    }};
    }
    int looked() const { return looks_; }

private:
    std::mutex mutex_;
    std::map<std::string, bool> held_;
    std::atomic<int> looks_{0};
};

class Bench {
public:
    coro::test::Rig rig;
    session::test::Machine machine{1};
    InternTable dictionary;
    coro::HelperPool helpers{1};
    Directory directory;
    int wakes = 0;
    LockWatch watch{{.session = machine.session,
                     .dictionary = dictionary,
                     .helpers = helpers,
                     .looks = directory.looks(),
                     .self = {.engine = "this one", .pid = 7, .dataDir = "/data", .lsn = {}},
                     .startedAt = [](Lsn lsn) { return WallMicros{1'000} * lsn.value; },
                     .wake = [this] { ++wakes; }}};

    ChangeLog changes{
        {.session = machine.session,
         .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
         .now = [this] { return rig.loop.now(); }}};

    ~Bench() {
        rig.loop.shutdown();
        helpers.stop();
    }
    session::LockId lock(const std::string& name) { return session::LockId(dictionary.internLock(name)); }
    bool until(const std::function<bool()>& isSo) {
        return QTest::qWaitFor(
            [&] {
                rig.settle();
                return isSo();
            },
            kWaitMs);
    }
    bool isElsewhere(session::LockId id) {
        return std::ranges::any_of(machine.session.views().locksElsewhere(),
                                   [&](const auto& one) { return one.id == id; });
    }
};

} // namespace

class TestServices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAreKeptFromTheFirstQuestionUntilAMinuteAfterTheLast() {
        Bench b;
        ChangeLog& log = b.changes;
        b.machine.submit(0);
        QCOMPARE(log.feed().last(), std::uint64_t{0});
        log.keep();
        const std::uint64_t begun = log.feed().last();
        const Lsn lsn = b.machine.submit(0);
        QCOMPARE(log.feed().last(), begun + 1);
        QCOMPARE(log.feed().at(begun + 1).lsn, lsn);
        b.rig.settle();
        b.rig.advance(50 * kSecond);
        log.keep();
        b.rig.advance(50 * kSecond);
        QVERIFY(log.feed().covers(begun));
        b.rig.advance(70 * kSecond);
        QVERIFY(!log.feed().isOpen());
        b.machine.submit(0);
        log.keep();
        QVERIFY(!log.feed().covers(begun + 1)); // something may have been missed
    }

    void thatStartsWaitForDescriptorsIsToldOnceAndSoIsTheEndOfIt() {
        OpenFiles open{.limit = 1'000, .used = 990};
        int wakes = 0;
        int changes = 0;
        DescriptorGuard guard(
            {.wake = [&] { ++wakes; }, .changed = [&] { ++changes; }, .look = [&] { return std::optional(open); }});
        coro::test::Rig rig;
        rig.spawn("descriptors", guard.watch());
        rig.settle();
        QVERIFY(!guard.isHolding());
        QVERIFY(!guard.mayStart() && !guard.mayStart());
        QVERIFY(guard.isHolding());
        QCOMPARE(changes, 1);
        QCOMPARE(guard.reason(), std::string("990 of 1000 files that the engine may open are open: nothing starts "
                                             "until some are closed"));
        rig.settle();
        rig.advance(kSecond);
        QVERIFY(guard.isHolding() && !guard.mayStart());
        QCOMPARE(changes, 1);
        QCOMPARE(wakes, 0);
        open.used = 100;
        rig.advance(kSecond);
        QVERIFY(!guard.isHolding() && guard.mayStart());
        QCOMPARE(changes, 2);
        QCOMPARE(wakes, 1);
        rig.loop.shutdown();
    }

    void theEndOfAnActionIsToldWithItsReasonAndExitCode() {
        Bench b;
        b.changes.keep();
        const Lsn lsn = b.machine.submit(0);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.machine.session.events().ended(lsn, b.machine.started[0].attempt, session::test::Machine::completed(),
                                         b.machine.now, b.machine.out);
        b.machine.session.events().finishStored(lsn, b.machine.out, {.reason = Reason::ExitCode, .exitCode = 3});
        const ChangeEntry& end = b.changes.feed().at(b.changes.feed().last());
        QCOMPARE(end.kind, ChangeEntry::Kind::Ended);
        QCOMPARE(end.reason, Reason::ExitCode);
        QVERIFY(end.hasExitCode && end.exitCode == 3);
    }

    void whoWaitsForAChangeIsToldOfTheNextOneOrAskedToComeAgain() {
        Bench b;
        b.changes.keep();
        const std::uint64_t seen = b.changes.feed().last();
        std::vector<std::uint64_t> told;
        const auto ask = [&](std::uint64_t since) {
            b.rig.spawn("ask", [](ChangeLog& log, std::uint64_t after, auto& into) -> coro::Task<void> {
                into.push_back(co_await log.after(after));
            }(b.changes, since, told));
            b.rig.settle();
        };
        ask(seen);
        QVERIFY(told.empty());
        b.changes.note(ChangeEntry::Kind::Workers);
        b.rig.settle();
        QCOMPARE(told, std::vector{seen + 1});
        ask(seen); // there is one already
        QCOMPARE(told.size(), std::size_t{2});
        ask(seen + 1);
        b.rig.advance(ChangeLog::kLongestWait);
        QCOMPARE(told.back(), seen + 1);
        QCOMPARE(told.size(), std::size_t{3});
    }

    void whetherTheJournalCanBeWrittenIsToldOnce() {
        Bench b;
        b.changes.keep();
        const std::uint64_t before = b.changes.feed().last();
        for (const bool writable : {true, false, false, true}) b.changes.noteWritable(writable);
        QCOMPARE(b.changes.feed().last(), before + 2);
        b.changes.noteRow(Lsn(99)); // is not live
        QCOMPARE(b.changes.feed().last(), before + 2);
    }

    void aLockOfAnotherEngineIsLookedAtUntilItIsFree() {
        Bench b;
        const session::LockId id = b.lock("app:immich");
        b.machine.defineLocking(1, {id});
        b.directory.set("app:immich", true);
        b.machine.submit(0, 0, 1);
        b.watch.foundBusy({.name = "app:immich", .holder = {}});
        QVERIFY(b.isElsewhere(id));
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        b.rig.spawn("locks", b.watch.run());
        QVERIFY(b.until([&] { return b.directory.looked() == 1; }));
        b.directory.set("app:immich", false);
        QVERIFY(b.isElsewhere(id)); // not before the next look
        QVERIFY(b.until([&] {
            b.rig.advance(kSecond);
            return !b.isElsewhere(id);
        }));
        QCOMPARE(b.wakes, 1);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
    }

    void aLockThatNobodyWaitsForIsNotLookedAt() {
        Bench b;
        b.watch.foundBusy({.name = "a", .holder = {}});
        b.rig.spawn("locks", b.watch.run());
        b.rig.settle();
        QVERIFY(!b.isElsewhere(b.lock("a")));
        QCOMPARE(b.directory.looked(), 0);
    }

    void whatWaitsIsToldWhoHasTheLock() {
        Bench b;
        const session::LockId id = b.lock("a");
        QCOMPARE(b.watch.waitFor({.lock = id, .holder = Lsn(5)}).message,
                 std::string("lock a is held by action 5"));
        QCOMPARE(b.watch.waitFor({.lock = id, .holder = Lsn(5)}).holder->engine, std::string("this one"));
        QCOMPARE(b.watch.waitFor({.lock = id, .elsewhere = true}).message,
                 std::string("lock a is held by another process"));
        QCOMPARE(b.watch.waitFor({.lock = id}).message,
                 std::string("lock a is kept for an action that needs several"));
        locks::LockHolder holder;
        holder.pid = 99;
        holder.engineId = "the other";
        b.watch.foundBusy({.name = "a", .holder = holder});
        QCOMPARE(b.watch.waitFor({.lock = id, .elsewhere = true}).holder->pid, 99);
    }

    void theListHasOursAndThoseOfOthers() {
        Bench b;
        b.machine.defineLocking(1, {b.lock("ours")});
        b.directory.set("theirs", true);
        const Lsn holder = b.machine.submit(0, 0, 1);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        const Lsn waits = b.machine.submit(0, 0, 1);
        std::vector<LockView> list;
        b.rig.spawn("list", [](LockWatch& watch, std::vector<LockView>& into) -> coro::Task<void> {
            into = co_await watch.list();
        }(b.watch, list));
        QVERIFY(b.until([&] { return list.size() == 2; }));
        QCOMPARE(list[0].name, std::string("ours"));
        QVERIFY(list[0].holder && list[0].holder->lsn == holder && list[0].heldSince == 1'000 * holder.value);
        QCOMPARE(list[0].waiting, std::vector<Lsn>{waits});
        QCOMPARE(list[1].name, std::string("theirs"));
    }

    void theJanitorsFindingsAreTheLatestTwenty() {
        coro::HelperPool helpers(1);
        locks::Claims claims;
        EngineCounters counters;
        int changes = 0;
        OrphanSweep sweep(
            {.helpers = helpers, .claims = claims, .counters = counters, .places = {}, .changed = [&changes] {
                 ++changes;
             }});
        sweep.take({});
        QCOMPARE(changes, 0);
        for (int i = 1; i <= 25; ++i) {
            locks::JanitorReport report{.reaped = 2, .staleLocks = 1, .findings = {}};
            report.findings.push_back({.path = {}, .message = std::to_string(i)});
            sweep.take(report);
        }
        QCOMPARE(changes, 25);
        QCOMPARE(counters.orphansReaped, std::uint64_t{50});
        QCOMPARE(counters.staleLocks, std::uint64_t{25});
        QCOMPARE(sweep.findings().size(), std::size_t{20});
        QCOMPARE(sweep.findings().front(), std::string("6"));
        QCOMPARE(sweep.findings().back(), std::string("25"));
        helpers.stop();
    }

    void aSettingIsWrittenBeforeItCountsAndWhoMustKnowIsTold() {
        const QTemporaryDir dir;
        const std::string path = dir.path().toStdString() + "/settings.json";
        Bench b;
        SettingsService settings;
        settings.useHelpers(b.helpers);
        Options options;
        options.set = {"grace_s=7"};
        QVERIFY(settings.read(path, options));
        QCOMPARE(settings.inForce().grace, Duration(7 * kSecond));
        std::vector<Duration> before;
        settings.onChanged([&](const Settings& was) {
            before.push_back(was.hung);
            QVERIFY(settings.inForce().hung != was.hung && readFile(path)->contains("hung_s"));
        });
        const auto change = [&](const std::string& json) {
            std::optional<Result<SettingsView>> answer;
            b.rig.spawn("change",
                        [](SettingsService& s, std::string text,
                           std::optional<Result<SettingsView>>& into) -> coro::Task<void> {
                            into = co_await s.change(std::move(text));
                        }(settings, json, answer));
            if (!b.until([&] { return answer.has_value(); })) qFatal("no answer");
            return *answer;
        };
        const auto view = change(R"({"hung_s":33,"durability":"power"})");
        QVERIFY(view);
        QCOMPARE(before.size(), std::size_t{1});
        QCOMPARE(settings.inForce().hung, Duration(33 * kSecond));
        QCOMPARE(settings.inForce().durability, std::string("process")); // from the next start on
        QCOMPARE(view->restartNeeded, std::vector<std::string>{"durability"});
        QVERIFY(!readFile(path)->contains("grace_s")); // for this run alone
        QVERIFY(!change(R"({"hung_s":"long"})"));
        QCOMPARE(before.size(), std::size_t{1});
        SettingsService next;
        QVERIFY(next.read(path, {}));
        QCOMPARE(next.inForce().durability, std::string("power"));
    }

    void aChangeThatCannotBeWrittenChangesNothing() {
        const QTemporaryDir dir;
        Bench b;
        SettingsService settings;
        settings.useHelpers(b.helpers);
        QVERIFY(settings.read(dir.path().toStdString() + "/none/settings.json", {}));
        const Duration before = settings.inForce().hung;
        std::optional<Result<SettingsView>> answer;
        b.rig.spawn("change",
                    [](SettingsService& s, std::optional<Result<SettingsView>>& into) -> coro::Task<void> {
                        into = co_await s.change(R"({"hung_s":33})");
                    }(settings, answer));
        QVERIFY(b.until([&] { return answer.has_value(); }));
        QVERIFY(!*answer);
        QCOMPARE(settings.inForce().hung, before);
        QCOMPARE(settings.view().asked.hung, before);
    }

    void aDamagedFileIsNamed() {
        const QTemporaryDir dir;
        const std::string path = dir.path().toStdString() + "/settings.json";
        QVERIFY(writeFileAtomically(path, "{\"hung_s\":", 0600));
        SettingsService settings;
        const auto read = settings.read(path, {});
        QVERIFY(!read);
        QVERIFY2(read.error().message.contains(path), read.error().message.c_str());
        QVERIFY(read.error().message.contains("Fix the file"));
    }
};

QTEST_GUILESS_MAIN(TestServices)
#include "tst_services.moc"
