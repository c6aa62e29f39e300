// Marks and comments in the journal: what comes back after a restart, and what goes with its action or queue.
#include "core/store/schema.h"
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include <QTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestAnnotations : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> directory_;
    std::unique_ptr<Journal> journal_;

    void restart() {
        journal_.reset();
        journal_ = std::make_unique<Journal>(directory_->path().toStdString());
    }
    void accept(std::int64_t first, std::int64_t last) {
        Accept accept;
        for (std::int64_t lsn = first; lsn <= last; ++lsn) accept.items.push_back(item(lsn));
        QVERIFY(!journal_->carryOut(std::move(accept)).error);
    }
    void finish(std::int64_t lsn) { QVERIFY(!journal_->carryOut(Finish{.lsn = Lsn(lsn), .tEnd = kThen}).error); }
    /// How many of them are there.
    std::int64_t mark(std::vector<LsnRun> runs, Mark mark) {
        return journal_->carryOut(MarkActions{.runs = std::move(runs), .mark = mark}).marked;
    }
    /// "", or what kind of refusal.
    std::string comment(std::int64_t lsn, std::int64_t queue, const std::string& text) {
        const AckDetail done = journal_->carryOut(AddComment{
            .lsn = Lsn(lsn), .queue = QueueId(queue), .comment = {.t = kThen, .by = "anna", .text = text}});
        return done.error ? std::string(errorName(done.error->kind)) : "";
    }
    /// "1-3 red, 7 blue".
    std::string marks() const {
        std::string all;
        for (const MarkedRun& run : journal_->restored.marks)
            all += fmt::format("{}{}-{} {}", all.empty() ? "" : ", ", run.lsns.first.value, run.lsns.last().value,
                               name(run.mark));
        return all;
    }
    /// "5: why?, queue 2: held".
    std::string comments() const {
        std::string all;
        for (const CommentRow& row : journal_->restored.comments)
            all += fmt::format("{}{}: {}", all.empty() ? "" : ", ",
                               row.lsn.value > 0 ? fmt::format("{}", row.lsn.value)
                                                 : fmt::format("queue {}", row.queue.value),
                               row.comment.text);
        return all;
    }
    void addQueue(std::int64_t id, Mark mark = Mark::None) {
        QueueRow row;
        row.id = QueueId(id);
        row.token = fmt::format("{:024}", id);
        row.config = "{}";
        row.created = kThen;
        row.mark = mark;
        QVERIFY(!journal_->carryOut(PutQueue{std::move(row)}).error);
    }

private Q_SLOTS:
    void init() {
        directory_.emplace();
        restart();
    }
    void cleanup() { journal_.reset(); }

    void marksAndCommentsAreThereAfterARestart() {
        accept(1, 6);
        finish(5);
        QCOMPARE(mark({{Lsn(1), 3}, {Lsn(5), 1}}, Mark::Red), 4);
        QCOMPARE(mark({{Lsn(2), 1}}, Mark::Blue), 1);
        QCOMPARE(comment(5, 0, "why?"), "");
        QCOMPARE(comment(5, 0, "that is why"), "");
        QCOMPARE(comment(0, 0, "of the default queue"), "");
        restart();
        QCOMPARE(marks(), "1-1 red, 2-2 blue, 3-3 red, 5-5 red");
        QCOMPARE(comments(), "5: why?, 5: that is why, queue 0: of the default queue");
        const Comment first{.t = kThen, .by = "anna", .text = "why?"};
        QCOMPARE(journal_->restored.comments.front().comment, first);
    }
    void aMarkIsTakenAway() {
        accept(1, 4);
        (void)mark({{Lsn(1), 4}}, Mark::Green);
        QCOMPARE(mark({{Lsn(2), 2}}, Mark::None), 2);
        restart();
        QCOMPARE(marks(), "1-1 green, 4-4 green");
    }
    void whatIsNotThereGetsNone() {
        accept(1, 2);
        QCOMPARE(mark({{Lsn(1), 5}}, Mark::Red), 2);
        QCOMPARE(mark({{Lsn(8), 1}}, Mark::Red), 0);
        QCOMPARE(comment(8, 0, "x"), "not_found");
        QCOMPARE(comment(0, 8, "x"), "not_found");
        restart();
        QCOMPARE(marks(), "1-2 red");
        QCOMPARE(comments(), "");
    }
    void whatIsAcceptedInPartsGetsNoneBeforeTheLast() {
        Accept part;
        part.items.push_back(item(1));
        part.part = AcceptPart{.whole = {Lsn(1), 2}, .begins = true, .ends = false};
        QVERIFY(!journal_->carryOut(std::move(part)).error);
        QCOMPARE(mark({{Lsn(1), 1}}, Mark::Red), 0);
        QCOMPARE(comment(1, 0, "x"), "not_found");
    }
    void moreThanFitsIntoAGroupIsRefused() {
        const AckDetail done =
            journal_->carryOut(MarkActions{.runs = {{Lsn(1), kMostAtOnce + 1}}, .mark = Mark::Red});
        QCOMPARE(done.error->kind, ErrorKind::Invalid);
    }
    void theyStayWhenAnActionEndsAndGoWithIt() {
        accept(1, 4);
        (void)mark({{Lsn(1), 4}}, Mark::Red);
        for (const int lsn : {1, 2, 3, 4}) QCOMPARE(comment(lsn, 0, "x"), "");
        for (const int lsn : {1, 2, 3}) finish(lsn);
        QVERIFY(!journal_->carryOut(Retire{Lsn(2)}).error);
        restart();
        QCOMPARE(marks(), "1-1 red, 3-4 red");
        QCOMPARE(comments(), "1: x, 3: x, 4: x");
        (void)journal_->carryOut(RetireOutdated{
            .what = {.endedBefore = 0, .below = Lsn(4), .keptSince = kThen + 1'000'000, .last = Lsn(9)},
            .from = Lsn(1)});
        restart();
        QCOMPARE(marks(), "4-4 red");
        QCOMPARE(comments(), "4: x");
    }
    void aQueueTakesItsCommentsAlong() {
        addQueue(2, Mark::Purple);
        addQueue(3);
        QCOMPARE(comment(0, 2, "held"), "");
        QCOMPARE(comment(0, 3, "other"), "");
        restart();
        QCOMPARE(journal_->restored.queues[1].mark, Mark::Purple);
        QCOMPARE(journal_->restored.queues[2].mark, Mark::None);
        QCOMPARE(comments(), "queue 2: held, queue 3: other");
        QVERIFY(!journal_->carryOut(DropQueue{QueueId(2)}).error);
        restart();
        QCOMPARE(comments(), "queue 3: other");
    }
    void aJournalOfAnEarlierVersionGetsTheirTables() {
        accept(1, 1);
        journal_.reset();
        {
            auto database = Database::openForWriting(directory_->path().toStdString() + "/journal.sqlite", {});
            QVERIFY(database->execute(undoneTo(10)).has_value());
        }
        restart();
        QCOMPARE(mark({{Lsn(1), 1}}, Mark::Grey), 1);
        QCOMPARE(comment(1, 0, "x"), "");
        restart();
        QCOMPARE(marks(), "1-1 grey");
        QCOMPARE(comments(), "1: x");
    }
    void aColourThatIsNoneIsPassedOver() {
        accept(1, 2);
        (void)mark({{Lsn(1), 2}}, Mark::Red);
        journal_.reset();
        {
            auto database = Database::openForWriting(directory_->path().toStdString() + "/journal.sqlite", {});
            QVERIFY(
                database->execute("UPDATE mark SET colour=99 WHERE lsn=1; UPDATE queue SET mark=-1").has_value());
        }
        restart();
        QCOMPARE(marks(), "2-2 red");
        QCOMPARE(journal_->restored.queues.front().mark, Mark::None);
    }
};

QTEST_GUILESS_MAIN(TestAnnotations)
#include "tst_annotations.moc"
