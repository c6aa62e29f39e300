// Threads that come together on one CPU and are let go again.
#include "core/base/cpu_colocation.h"

#include <QTest>
#include <sched.h>
#include <thread>
#include <time.h>

using namespace yard;

namespace {

cpu_set_t cpusOfThisThread() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    ::sched_getaffinity(0, sizeof cpus, &cpus);
    return cpus;
}

/// Keeps the CPU busy for so long by its own account.
void workFor(Duration much) {
    const auto used = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    const auto begun = used();
    while (used() - begun < much) {
    }
}

} // namespace

class TestTogether : public QObject {
    Q_OBJECT

    static void skipOnOneCpu() {
        const cpu_set_t cpus = cpusOfThisThread();
        if (CPU_COUNT(&cpus) < 2) QSKIP("there is one CPU only");
    }

private Q_SLOTS:
    void idleThreadsComeTogetherAndAreLetGoForOthers() {
        skipOnOneCpu();
        const cpu_set_t before = cpusOfThisThread();
        MonoTime now{std::chrono::hours(1)};
        {
            CpuColocation together;
            together.join();
            now += std::chrono::hours(1); // of which they did next to nothing
            together.look(now, true);
            QVERIFY(together.areTogether());
            cpu_set_t cpus = cpusOfThisThread();
            QCOMPARE(CPU_COUNT(&cpus), 1);
            together.look(now + std::chrono::milliseconds(1), false); // it has looked just now
            QVERIFY(together.areTogether());
            now += std::chrono::milliseconds(20);
            together.look(now, false);
            QVERIFY(!together.areTogether());
            cpus = cpusOfThisThread();
            QVERIFY(CPU_EQUAL(&cpus, &before));
            together.look(now + std::chrono::milliseconds(100), true); // for a while
            QVERIFY(!together.areTogether());
            together.look(now + std::chrono::hours(1), true);
            QVERIFY(together.areTogether());
            together.part();
            cpus = cpusOfThisThread();
            QVERIFY(CPU_EQUAL(&cpus, &before));
            together.look(now + std::chrono::hours(2), true);
            QVERIFY(together.areTogether());
        }
        const cpu_set_t after = cpusOfThisThread();
        QVERIFY(CPU_EQUAL(&after, &before)); // its end lets go
    }

    void aMemberThatHasEndedIsForgotten() {
        skipOnOneCpu();
        CpuColocation together;
        std::thread([&together] { together.join(); }).join();
        together.join();
        together.look(MonoTime{std::chrono::hours(1)}, true); // its number may be somebody else's by now
        QVERIFY(together.areTogether());
    }

    void whoWorksHardPartsAndComesTogetherAgainAsSoonAsThatIsOver() {
        skipOnOneCpu();
        CpuColocation together;
        together.join();
        MonoTime now{std::chrono::hours(1)};
        together.look(now, true);
        QVERIFY(together.areTogether());
        workFor(Duration{50'000});
        now += std::chrono::milliseconds(20);
        together.look(now, true);
        QVERIFY(!together.areTogether());
        now += std::chrono::milliseconds(500);
        together.look(now, true);
        QVERIFY(together.areTogether());
    }

    void whatMembersWaitAndRunDecides() {
        const Duration span{10'000};
        QVERIFY(CpuColocation::shouldBeTogether({.ran = 5'000, .waited = 0, .turns = 100}, span, false));
        QVERIFY(!CpuColocation::shouldBeTogether({.ran = 9'200, .waited = 0, .turns = 100}, span, false));
        QVERIFY(CpuColocation::shouldBeTogether({.ran = 9'200, .waited = 0, .turns = 100}, span, true));
        QVERIFY(!CpuColocation::shouldBeTogether({.ran = 9'700, .waited = 0, .turns = 100}, span, true));
        QVERIFY(!CpuColocation::isCrowded({.ran = 5'000, .waited = 1'000, .turns = 100})); // each other's way
        QVERIFY(CpuColocation::isCrowded({.ran = 5'000, .waited = 20'000, .turns = 100}));
        QVERIFY(!CpuColocation::isCrowded(
            {.ran = 9'000, .waited = 20'000, .turns = 100, .members = 3}));           // each other's
        QVERIFY(!CpuColocation::isCrowded({.ran = 5, .waited = 20'000, .turns = 3})); // may be chance
    }
};

QTEST_GUILESS_MAIN(TestTogether)
#include "tst_together.moc"
