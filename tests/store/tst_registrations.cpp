// Queues and workers: what is written of them, and what stays when they go.
#include "core/store/restore.h"
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestRegistrations : public QObject {
    Q_OBJECT

    std::unique_ptr<Parts> parts_;

    static QueueRow queue(std::int64_t id, const std::string& tag) {
        QueueRow row;
        row.id = QueueId(id);
        row.token = "token " + tag;
        row.tag = tag;
        row.config = "{}";
        return row;
    }
    static WorkerRow worker(std::vector<Hash256> chunks = {}) {
        return {Sha256::of("worker"), "{}", kThen, std::move(chunks)};
    }
    std::string put(const QueueRow& row) { return word(parts_->registrations.apply(PutQueue{row})); }
    std::string lastQueue() { return parts_->rows("SELECT value FROM meta WHERE key='last_queue'"); }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<Parts>();
        QVERIFY(parts_->tables.sql.result());
    }
    void cleanup() { parts_.reset(); }
    void aQueueIsWrittenOverButKeepsItsCounters() {
        QCOMPARE(put(queue(3, "a")), "ok");
        parts_->tally.ended(Lsn(1), 3, ActionState::Completed);
        (void)parts_->tallied();
        QCOMPARE(put(queue(3, "b")), "ok");
        QCOMPARE(parts_->rows("SELECT tag, completed FROM queue WHERE id=3"), "b 1");
    }
    void aQueueThatIsBeingDeletedStaysSoWhateverIsWrittenOfItLater() {
        QueueRow row = queue(3, "a");
        row.deleting = true;
        QCOMPARE(put(row), "ok");
        QCOMPARE(put(queue(3, "b")), "ok");
        QCOMPARE(parts_->rows("SELECT tag, deleting FROM queue WHERE id=3"), "b 1");
    }
    void numbersOfQueuesAreNotGivenAgain() {
        QCOMPARE(put(queue(10, "a")), "ok");
        QCOMPARE(put(queue(9, "b")), "ok");
        QCOMPARE(lastQueue(), "10");
        QCOMPARE(word(parts_->registrations.apply(DropQueue{QueueId(10)})), "ok");
        QCOMPARE(lastQueue(), "10");
    }
    void whatAQueueThatGoesHasCountedStaysCounted() {
        QCOMPARE(put(queue(3, "a")), "ok");
        parts_->tally.ended(Lsn(1), 3, ActionState::Failed);
        (void)parts_->tallied();
        parts_->tally.ended(Lsn(2), 3, ActionState::Failed); // in the group that drops it
        QCOMPARE(word(parts_->registrations.apply(DropQueue{QueueId(3)})), "ok");
        (void)parts_->tallied();
        QCOMPARE(parts_->rows("SELECT value FROM meta WHERE key='past_failed'"), "2");
    }
    void aQueueOrAWorkerThatIsNotThereIsRefused() {
        QCOMPARE(word(parts_->registrations.apply(DropQueue{QueueId(7)})), "not_found");
        QCOMPARE(word(parts_->registrations.apply(DropWorker{Sha256::of("worker")})), "not_found");
        (void)parts_->tallied();
        QCOMPARE(parts_->rows("SELECT count(*) FROM meta WHERE key LIKE 'past_%'"), "0");
    }
    void aWorkerComesWithItsFilesOrNotAtAll() {
        const Hash256 file = Sha256::of("file");
        QCOMPARE(word(parts_->registrations.apply(PutWorker{worker({file})})), "need");
        QCOMPARE(parts_->rows("SELECT count(*) FROM worker"), "0");
        QCOMPARE(word(parts_->chunks.apply(PutChunk{chunk("file")})), "ok");
        QCOMPARE(word(parts_->registrations.apply(PutWorker{worker({file})})), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM worker"), "1");
    }
    void workersAreReadInTheOrderOfTheirRegistrationWhateverTheirIds() {
        std::vector<Hash256> ids{Sha256::of("a"), Sha256::of("b"), Sha256::of("c")};
        std::ranges::sort(ids, std::greater(), &Hash256::hex);
        const auto put = [this](const Hash256& id, WallMicros at) {
            return word(parts_->registrations.apply(PutWorker{{id, "{}", at, {}}}));
        };
        for (std::size_t at = 0; at < ids.size(); ++at)
            QCOMPARE(put(ids[at], kThen + static_cast<WallMicros>(at)), "ok");
        QCOMPARE(put(ids[1], kThen + 10), "ok"); // again: now it is the last
        const auto read = readWorkers(parts_->tables.database);
        QVERIFY(read);
        std::vector<std::string> seen;
        for (const WorkerRow& row : *read) seen.push_back(row.id.hex());
        QCOMPARE(seen, (std::vector{ids[0].hex(), ids[2].hex(), ids[1].hex()}));
    }
    void aDroppedWorkerIsGone() {
        QCOMPARE(word(parts_->registrations.apply(PutWorker{worker()})), "ok");
        QCOMPARE(word(parts_->registrations.apply(DropWorker{Sha256::of("worker")})), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM worker"), "0");
    }
};

QTEST_GUILESS_MAIN(TestRegistrations)
#include "tst_registrations.moc"
