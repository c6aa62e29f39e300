// Sums, paths and parts of a profile.
#include "core/profile/perf_script.h"
#include "core/profile/profile_file.h"
#include "tests/profile/sample.h"

#include "tests/support/show_strings.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::profile;

class TestProfile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasCalledCountsForItsCaller();
    void aPathLeadsFromTheThread();
    void aPartHasAFunctionAndTheWayToIt();
    void aPartOfNothingIsEmpty();
    void samplesOfPerfAreTimeOfTheirInnermostFunction();
    void samplesInTheKernelAreSystemTime();
    void whatIsNoSampleOfPerfIsLeftOut();
    void samplesOfPerfHaveTheirBounds();
};

void TestProfile::whatWasCalledCountsForItsCaller() {
    const std::vector<Cost> costs = totals(test::sampleProfile());
    QCOMPARE(costs[0].wallNanos, std::uint64_t(15'000'000));
    QCOMPARE(costs[1].wallNanos, std::uint64_t(14'000'000));
    QCOMPARE(costs[2].wallNanos, std::uint64_t(12'000'000));
    QCOMPARE(costs[2].userMicros, std::uint64_t(6'000));
    QCOMPARE(costs[2].calls, std::uint64_t(5)); // its own
    QCOMPARE(costs[4].wallNanos, std::uint64_t(16'000'000));
}

void TestProfile::aPathLeadsFromTheThread() {
    QVERIFY(pathOf(test::sampleProfile(), 3) == (std::vector<std::uint32_t>{0, 1, 2, 3}));
    QVERIFY(pathOf(test::sampleProfile(), 4) == (std::vector<std::uint32_t>{4}));
}

void TestProfile::aPartHasAFunctionAndTheWayToIt() {
    const Profile part = within(test::sampleProfile(), "read");
    QCOMPARE(part.nodes.size(), std::size_t(4));
    QVERIFY(part.nodes[1].self == Cost{}); // serve is only the way
    QCOMPARE(part.nodes[2].self.wallNanos, std::uint64_t(4'000'000));
    QCOMPARE(part.nodes[3].self.wallNanos, std::uint64_t(8'000'000));
    QCOMPARE(part.slices.size(), std::size_t(1));
    QVERIFY(within(test::sampleProfile(), "") == test::sampleProfile());
    QCOMPARE(within(test::sampleProfile(), "janitor").nodes.size(), std::size_t(1));
}

void TestProfile::aPartOfNothingIsEmpty() {
    const Profile part = within(test::sampleProfile(), "nothing of this name");
    QVERIFY(part.nodes.empty() && part.slices.empty());
}

void TestProfile::samplesOfPerfAreTimeOfTheirInnermostFunction() {
    const auto read = readPerfScript("my tool  1234/1235 [001] 21205.500000:   2000000 cpu-clock:pppH: \n"
                                     "\t          167158 inner(int, char)+0x38 (/usr/lib/libx.so.6)\n"
                                     "\t            9e90 outer+0x1 (/usr/bin/tool)\n"
                                     "\n"
                                     "      my tool  1234 21206.000000:   2000000 cpu-clock:pppH: \n"
                                     "\t            9e91 outer+0x2 (/usr/bin/tool)\n"
                                     "\n"
                                     "sh 7 21205.600000:     12345 cycles:u: \n"
                                     "\t            1234 [unknown] ([unknown])\n");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->lastedMicros, std::uint64_t(500'000));
    QCOMPARE(read->nodes.size(), std::size_t(5));
    const auto nameAt = [&](std::size_t node) { return read->functions[read->nodes[node].function].name; };
    QCOMPARE(nameAt(0), "my tool");
    QCOMPARE(nameAt(1), "outer");
    QCOMPARE(nameAt(2), "inner(int, char)");
    QCOMPARE(read->functions[read->nodes[2].function].file, "/usr/lib/libx.so.6");
    QVERIFY(read->nodes[2].parent == 1 && read->nodes[1].parent == 0 && read->nodes[0].parent == kNoParent);
    QCOMPARE(read->nodes[2].self.wallNanos, std::uint64_t(2'000'000));
    QCOMPARE(read->nodes[1].self.wallNanos, std::uint64_t(2'000'000));
    QCOMPARE(read->nodes[1].self.calls, std::uint64_t(1));
    QCOMPARE(nameAt(3), "sh");
    QCOMPARE(read->nodes[4].self.wallNanos, kNanosOfSample); // cycles are no time
    QVERIFY(decode(encode(*read)).value() == *read);
}

void TestProfile::samplesInTheKernelAreSystemTime() {
    const auto read = readPerfScript("sh 7 5.5: 2000000 cpu-clock:\n\t 12 do_syscall_64+0x1 ([kernel.kallsyms])\n"
                                     "\t 13 main+0x1 (/usr/bin/sh)\n\n"
                                     "sh 7 5.6: 3000000 cpu-clock:\n\t 13 main+0x1 (/usr/bin/sh)\n");
    QVERIFY(read);
    QVERIFY(read->counted == Counted::Samples);
    QCOMPARE(read->nodes.size(), std::size_t(3)); // the program, main, the kernel's
    QVERIFY(read->nodes[2].self.systemMicros == 2'000 && read->nodes[2].self.userMicros == 0);
    QVERIFY(read->nodes[1].self.systemMicros == 0 && read->nodes[1].self.userMicros == 3'000);
}

void TestProfile::whatIsNoSampleOfPerfIsLeftOut() {
    for (const std::string_view text : {"", "\n\n", "nothing of this is a sample\n", "\t 12 frame+0x1 (file)\n",
                                        "12 5.0: event\n", "sh 12 x: event\n"})
        QVERIFY(!readPerfScript(text));
    // A sample without a stack is its program's; lines that are no frame are not in the stack.
    const auto read = readPerfScript("sh 12 5.5: 1 cycles:\n\tx\n\t 12 (file)\n\t 12 +0x1 (file)\n");
    QVERIFY(read);
    QCOMPARE(read->nodes.at(0).self.calls + (read->nodes.size() > 1 ? read->nodes[1].self.calls : 0),
             std::uint64_t(1));
}

void TestProfile::samplesOfPerfHaveTheirBounds() {
    std::string deep = "sh 12 5.5: 1 cycles:\n";
    for (int frame = 0; frame < 1'000; ++frame) deep += fmt::format("\t12 f{}+0x1 (file)\n", frame);
    const auto read = readPerfScript(deep);
    QVERIFY(read);
    QCOMPARE(read->nodes.size(), std::size_t(kDeepest));
    QCOMPARE(read->callsLeftOut, std::uint64_t(1));
    QVERIFY(decode(encode(*read)));
}

QTEST_GUILESS_MAIN(TestProfile)
#include "tst_profile.moc"
