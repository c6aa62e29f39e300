// What lived when the last engine died, as the next one finds it.
#include "core/engine/kernel/interrupted.h"

#include "core/lease/left_stream.h"
#include "tests/support/show_strings.h"

#include <QTest>

#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;
using runners::SlotEntry;

namespace {

SlotEntry entry(std::int64_t lsn, std::uint32_t attempt, WallMicros started = 0) {
    SlotEntry entry;
    entry.id = {Lsn(lsn), attempt};
    entry.started = started;
    return entry;
}

InterruptedAttempts found(const std::vector<SlotEntry>& cold, const std::vector<SlotEntry>& warm = {}) {
    InterruptedAttempts interrupted;
    interrupted.add(cold, false);
    interrupted.add(warm, true);
    return interrupted;
}

} // namespace

class TestInterrupted : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAttemptThatTheJournalDoesNotKnowIsFound() {
        const auto interrupted = found({entry(7, 2, 1'000)});
        const auto* attempt = interrupted.find(Lsn(7), 1);
        QVERIFY(attempt);
        QCOMPARE(attempt->number, 2u);
        QCOMPARE(attempt->started, WallMicros{1'000});
        QVERIFY(!attempt->warm);
    }
    void anAttemptWhoseEndIsInTheJournalIsNot() {
        const auto interrupted = found({entry(7, 2)});
        QVERIFY(!interrupted.find(Lsn(7), 2));
        QVERIFY(!interrupted.find(Lsn(7), 0));
    }
    void anActionThatLivedNowhereHasNone() {
        QVERIFY(!found({entry(7, 1)}).find(Lsn(8), 0));
        QVERIFY(!found({}).find(Lsn(7), 0));
    }
    void ofOneActionTheNewestAttemptCounts() {
        const auto interrupted = found({entry(7, 1), entry(7, 3), entry(7, 2)});
        QVERIFY(!interrupted.find(Lsn(7), 0));
        QVERIFY(!interrupted.find(Lsn(7), 1));
        QVERIFY(interrupted.find(Lsn(7), 2));
    }
    void whatAWarmProcessHadIsSaidSo() {
        const auto interrupted = found({entry(7, 1)}, {entry(7, 2), entry(8, 1)});
        QVERIFY(interrupted.find(Lsn(7), 1)->warm);
        QVERIFY(interrupted.find(Lsn(8), 0)->warm);
    }
    void streamsAreNamedOfAllButThoseOfWarmProcesses() {
        const auto interrupted = found({entry(7, 1), entry(9, 4)}, {entry(8, 1)});
        std::vector<std::string> names;
        for (const SlotEntry& one : {entry(7, 1), entry(9, 4)})
            for (const runners::Stream stream : {runners::Stream::Out, runners::Stream::Err})
                names.push_back(runners::streamName(one.id, stream));
        QCOMPARE(interrupted.streams(), names);
    }
};

QTEST_GUILESS_MAIN(TestInterrupted)
#include "tst_interrupted.moc"
