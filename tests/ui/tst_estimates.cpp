// Rows of actions and queues whose end is late, or not known.
#include "ui/pages/actions/action_columns.h"
#include "ui/pages/actions/actions_model.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/state/action_row.h"
#include "ui/state/estimate_words.h"

#include "core/base/clock.h"

#include <QTest>
#include <algorithm>

using namespace yard::ui;

class TestEstimates : public QObject {
    Q_OBJECT
private slots:
    void whatIsLateSaysSo() {
        const auto rowOf = [](const QString& note) {
            return actionRowOf({{"lsn", 1},
                                {"state", "running"},
                                {"note", note},
                                {"cpu_seconds", 3.5},
                                {"max_rss_bytes", 2'000'000},
                                {"usage", QJsonObject{{"cpu_percent", 98.0}}},
                                {"estimate", QJsonObject{{"unknown", "overdue"}}}});
        };
        const ActionRow row = rowOf("frame 12 of 240");
        QCOMPARE(row.expected, 0);
        QCOMPARE(runningNote(row, 1, Format()), QString("longer than usual, frame 12 of 240"));
        QCOMPARE(runningNote(rowOf({}), 1, Format()), QString("longer than usual"));
        const QString words = "usually takes 3 s, now 2 min";
        QCOMPARE(runningNote(rowOf(words), 1, Format()), words);
        QCOMPARE(row.measures[yard::Measure::CpuTime].value_or(0), 3'500'000);
        QCOMPARE(row.cpuPercent.value_or(0), 98.0);
        QCOMPARE(row.measures[yard::Measure::PeakMemory].value_or(0), 2'000'000);
    }

    void whatWasPutBackWaitsSinceThen() {
        const auto waited = [](const QString& state, const QJsonObject& times) {
            return actionRowOf({{"lsn", 1}, {"state", state}, {"timestamps", times}}).waited(100'000'000)->count();
        };
        QCOMPARE(waited("running", {{"new", 1'000'000}, {"submitting", 3'000'000}}), 2'000'000);
        QCOMPARE(waited("running", {{"new", 1'000'000}, {"pending", 90'000'000}, {"submitting", 90'500'000}}),
                 500'000);
        QCOMPARE(waited("pending", {{"new", 1'000'000}, {"pending", 90'000'000}, {"submitting", 3'000'000}}),
                 10'000'000);
    }

    void aQueueSaysWhyItsEndIsNotKnown_data() {
        QTest::addColumn<QString>("gap");
        for (const char* gap :
             {"no_history", "held", "session", "dependency", "lock", "overdue", "waits_for_unknown"})
            QTest::newRow(gap) << QString(gap);
    }
    void aQueueSaysWhyItsEndIsNotKnown() {
        QFETCH(const QString, gap);
        QueueInfo queue;
        queue.active = 3;
        queue.gap = gap;
        queue.perMinute = 42;
        const auto at = [&](const QString& id) {
            const auto columns = queueColumns(false);
            const auto found = std::ranges::find(columns, id, &Column::id);
            return queueRow(Format(), queue).cells.at(static_cast<std::size_t>(found - columns.begin()));
        };
        QVERIFY(!at("finish").text.isEmpty() && at("finish").text != Format::unknown());
        QVERIFY2(at("finish").tip.startsWith("Not known: ") && at("finish").tip.size() > 15,
                 qPrintable(at("finish").tip));
        QVERIFY(!wordsOfGap(gap).isEmpty());
        QCOMPARE(at("per-minute").text, QString("42"));
        queue.finish = yard::wallNow() + 90'000'000;
        queue.gap.clear();
        QVERIFY2(at("finish").text.startsWith("1 min"), qPrintable(at("finish").text));
    }
};

QTEST_MAIN(TestEstimates)
#include "tst_estimates.moc"
