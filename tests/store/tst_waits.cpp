// Who waits for whom, read from a journal for graphs: units, edges in both directions, those of a queue, names.
#include "tests/store/journal_fixture.h"
#include "tests/support/show_strings.h"

#include "core/store/waits.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

constexpr Duration kLong = std::chrono::seconds(100);

struct After {
    std::int64_t lsn;
    DependencyOn on = DependencyOn::Completed;
    std::int64_t count = 0; ///< of a whole array
};

std::string shown(const LsnRun& run) {
    return run.count > 1 ? fmt::format("{}x{}", run.first.value, run.count) : fmt::format("{}", run.first.value);
}

std::string shown(const std::vector<WaitEdge>& edges) {
    std::string text;
    for (const WaitEdge& edge : edges)
        text += fmt::format("{}{}>{}{}", text.empty() ? "" : " ", shown(edge.parent), shown(edge.child),
                            edge.on == DependencyOn::Completed ? "" : ":" + std::string(name(edge.on)));
    return text;
}

} // namespace

class TestWaits : public QObject {
    Q_OBJECT

    Directories directories_;
    std::unique_ptr<Journal> journal_;

    void acceptAfter(std::int64_t lsn, const std::vector<After>& after, std::int64_t count = 0,
                     std::int64_t queue = 0) {
        Accept rows = accept({lsn}, queue);
        AcceptItem& item = rows.items.front();
        std::string list;
        for (const After& one : after) {
            item.row.after.push_back({.lsn = Lsn(one.lsn), .on = one.on, .count = one.count});
            list += fmt::format(R"({}{{"{}":{},"on":"{}"}})", list.empty() ? "" : ",",
                                one.count > 0 ? "array" : "lsn", one.lsn, name(one.on));
        }
        item.isArray = count > 0;
        if (item.isArray) item.count = count;
        const std::string array = item.isArray ? fmt::format(R"(,"array":{{"from":5,"to":{}}})", 4 + count) : "";
        item.spec = fmt::format(R"({{"worker":"exec","argv":["true"],"after":[{}]{}}})", list, array);
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
    }
    /// 1 and 2; ten from 10 on after 1; 30 after all of these if one failed, after 12 anyhow, and after 2.
    void acceptAll() {
        QCOMPARE(word(journal_->carryOut(accept({1, 2}))), "ok");
        acceptAfter(10, {{1}}, 10);
        acceptAfter(30, {{10, DependencyOn::Failed, 10}, {12, DependencyOn::Any}, {2}});
    }
    std::string unitOf(std::int64_t first, std::int64_t count = 1) {
        const auto units = openReader(*journal_)->waitUnits(std::vector{LsnRun{Lsn(first), count}}).value();
        if (units.front().lsns.count == 0) return "unknown";
        return fmt::format("{} {} {}", shown(units.front().lsns), name(units.front().state),
                           units.front().queue.value);
    }
    std::string parentsOf(const std::vector<LsnRun>& runs) {
        const auto found = openReader(*journal_)->waitParents(runs, kLong).value();
        return found.looked == runs.size() ? shown(found.edges) : "not all";
    }

private Q_SLOTS:
    void init() { journal_ = std::make_unique<Journal>(directories_.fresh(QTest::currentTestFunction())); }
    void cleanup() { journal_.reset(); }

    void anElementIsOfItsArray() {
        acceptAll();
        QCOMPARE(unitOf(1), "1 pending 0");
        QCOMPARE(unitOf(14), "10x10 pending 0");
        QCOMPARE(unitOf(99), "unknown");
        QCOMPARE(word(journal_->carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(unitOf(1), "1 failed 0");
    }

    void anArrayIsKnownAsLongAsOneOfItIs() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(10))), "ok");
        QCOMPARE(word(journal_->carryOut(Retire{Lsn(10)})), "ok");
        QCOMPARE(unitOf(10), "unknown");
        QCOMPARE(unitOf(10, 10), "10x10 pending 0");
    }

    void whatIsWaitedForIsToldWithWhatIsToHappen() {
        acceptAll();
        QCOMPARE(parentsOf({{Lsn(10), 10}}), "1>10x10");
        QCOMPARE(parentsOf({{Lsn(30), 1}, {Lsn(1), 1}}), "2>30 10x10>30:failed 12>30:any");
    }

    void whatWaitsIsFoundInPortions() {
        acceptAll();
        acceptAfter(31, {{1}});
        const auto reader = openReader(*journal_);
        const std::vector<LsnRun> parents{{Lsn(1), 1}, {Lsn(10), 10}, {Lsn(2), 1}};
        std::string all;
        int portions = 0;
        for (WaitPlace place; place.at < parents.size(); ++portions) {
            const auto found = reader->waitChildren(parents, place, 1, kLong).value();
            QVERIFY(found.edges.size() <= 1);
            place = found.place;
            if (!found.edges.empty()) all += shown(found.edges) + ";";
        }
        QCOMPARE(all, "1>10x10;1>31;10x10>30;12>30;2>30;");
        QVERIFY(portions >= 5);
    }

    void thoseOfAQueueAreTheNewestFirst() {
        QCOMPARE(word(journal_->carryOut(accept({1, 2}, 0))), "ok");
        acceptAfter(3, {{1}}, 0, 0);
        acceptAfter(4, {{2}}, 0, 7);
        acceptAfter(5, {{4}}, 0, 0);
        const auto reader = openReader(*journal_);
        const auto of = [&](std::int64_t queue) {
            const auto found = reader->waitsOfQueue(QueueId(queue), {}, kLong).value();
            std::string text;
            for (const Lsn lsn : found.lsns) text += fmt::format("{} ", lsn.value);
            return text + (found.cursor.value > 0 ? "…" : "");
        };
        QCOMPARE(of(7), "5 4 4 2 ");
        QCOMPARE(of(0), "5 4 4 2 3 1 ");
        QCOMPARE(of(8), "");
        QCOMPARE(reader->waitsOfQueue(QueueId(0), Lsn(4), kLong)->lsns, (std::vector{Lsn(3), Lsn(1)}));
    }

    void namesAreThoseOfTheRow() {
        Accept rows = accept({1, 10});
        rows.items[0].row.id = "compile";
        rows.items[1].row.command = "render {index}";
        rows.items[1].isArray = true;
        rows.items[1].count = 3;
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        const auto names = openReader(*journal_)->waitNames(std::vector{Lsn(1), Lsn(11), Lsn(99)}, kLong).value();
        QCOMPARE(names.size(), std::size_t{3});
        QCOMPARE(names[0].id, "compile");
        QVERIFY(!names[0].arrayIndex);
        QCOMPARE(names[1].command, "render {index}");
        QVERIFY(names[1].arrayIndex.has_value());
        QVERIFY(names[2].id.empty() && names[2].command.empty());
    }
};

QTEST_GUILESS_MAIN(TestWaits)
#include "tst_waits.moc"
