// Readers: pages, filters, order and cursors over finished and pending actions, and the thread that asks.
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <map>
#include <utility>

Q_DECLARE_METATYPE(yard::store::PageFilter)

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

std::string lsnsOf(const std::vector<ActionResult>& rows) {
    std::string out;
    for (const auto& row : rows) out += (out.empty() ? "" : " ") + std::to_string(row.lsn.value);
    return out;
}

ActionState stateOf(std::int64_t lsn) {
    switch (lsn % 5) {
    case 1: return ActionState::Failed;
    case 2: return ActionState::Cancelled;
    case 3: return ActionState::Abandoned;
    default: return ActionState::Completed;
    }
}

Reason reasonOf(std::int64_t lsn) {
    switch (stateOf(lsn)) {
    case ActionState::Failed: return lsn % 2 ? Reason::ExitCode : Reason::Signal;
    case ActionState::Cancelled: return Reason::Cancelled;
    case ActionState::Abandoned: return Reason::Abandoned;
    default: return Reason::None;
    }
}

std::string printed(const EndedKind& kind) {
    return fmt::format("{} {} queue {} class {} label {}{} {}", name(kind.state), name(kind.reason),
                       kind.queue.value, kind.classNumber, kind.label, kind.wasStarted ? " started" : "",
                       kind.machine);
}

} // namespace

/// LSNs 1..40 finished: state by lsn % 5, queue lsn % 3, class 1 + lsn % 2, label lsn % 4 (0: none); each seventh on another
/// machine. 41..50 pending.
class TestReader : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::unique_ptr<Journal> journal_;
    std::unique_ptr<Reader> reader_;

    /// Every row of a question, by pages of `limit`.
    std::string all(const PageFilter& filter, PageOrder order, int limit, bool pending = false) {
        std::vector<ActionResult> rows;
        Lsn cursor;
        for (int pages = 0; pages < 100; ++pages) {
            auto page = pending ? reader_->pagePending(filter, order, limit, cursor)
                                : reader_->page(filter, order, limit, cursor);
            if (!page) return page.error().message;
            if (static_cast<int>(page->rows.size()) > limit) return "a page over its limit";
            rows.insert(rows.end(), page->rows.begin(), page->rows.end());
            cursor = page->cursor;
            if (cursor == Lsn()) return lsnsOf(rows);
        }
        return "no end";
    }

private Q_SLOTS:
    void initTestCase() {
        journal_ = std::make_unique<Journal>(directory_.path().toStdString());
        Accept rows;
        for (std::int64_t lsn = 1; lsn <= 50; ++lsn) {
            rows.items.push_back(item(lsn, lsn % 3));
            rows.items.back().row.classNumber = static_cast<ClassNumber>(1 + lsn % 2);
            rows.items.back().row.label = static_cast<LabelNumber>(lsn % 4);
            rows.items.back().row.held = lsn == 45;
        }
        rows.labels = {{1, "one"}, {2, "two"}, {3, "three"}};
        rows.classes = {{1, "{}", std::string(64, 'a'), "thumbnailer", "thumb"}, {2, "{2}", "exec", "exec", ""}};
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        for (std::int64_t lsn = 1; lsn <= 40; ++lsn) {
            Finish finished = finish(lsn, stateOf(lsn), reasonOf(lsn));
            if (lsn % 7 == 0) finished.attempt->outcome.machine = lsn % 2 == 0 ? "desk" : "shed";
            QCOMPARE(word(journal_->carryOut(std::move(finished))), "ok");
        }
        Retry retry{
            .lsn = Lsn(47), .attempt = attempt(1, ActionState::Failed), .tPending = kThen, .notBefore = kThen + 9};
        QCOMPARE(word(journal_->carryOut(retry)), "ok");
        reader_ = *Reader::open(journal_->store());
    }
    void cleanupTestCase() {
        reader_.reset();
        journal_.reset();
    }

    void pagesHoldExactlyWhatTheFilterSaysInOrder_data() {
        QTest::addColumn<PageFilter>("filter");
        const auto row = [](const char* name, PageFilter filter) { QTest::newRow(name) << filter; };
        row("everything", {});
        row("one state that has an index", {.states = {ActionState::Failed}});
        row("all states that have an index",
            {.states = {ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}});
        row("completed", {.states = {ActionState::Completed}});
        row("a state with and one without index", {.states = {ActionState::Completed, ActionState::Failed}});
        row("a queue", {.states = {}, .queue = QueueId(2)});
        row("failed of a queue", {.states = {ActionState::Failed}, .queue = QueueId(1)});
        row("failed of a queue that has none", {.states = {ActionState::Failed}, .queue = QueueId(9)});
        row("by reason",
            {.states = {ActionState::Failed}, .queue = {}, .worker = {}, .label = {}, .reason = Reason::Signal});
        row("by reason alone", {.states = {}, .queue = {}, .worker = {}, .label = {}, .reason = Reason::Abandoned});
        row("a worker by name", {.states = {}, .queue = {}, .worker = "thumbnailer"});
        row("a worker by id", {.states = {ActionState::Cancelled}, .queue = {}, .worker = std::string(64, 'a')});
        row("an unknown worker", {.states = {}, .queue = {}, .worker = "nobody"});
        row("a label", {.states = {}, .queue = {}, .worker = {}, .label = "two"});
        row("no label", {.states = {ActionState::Failed}, .queue = {}, .worker = {}, .label = ""});
        row("an unknown label", {.states = {}, .queue = {}, .worker = {}, .label = "four"});
        row("a range",
            {.states = {}, .queue = {}, .worker = {}, .label = {}, .reason = {}, .from = Lsn(10), .to = Lsn(20)});
        row("failed in a range", {.states = {ActionState::Failed},
                                  .queue = {},
                                  .worker = {},
                                  .label = {},
                                  .reason = {},
                                  .from = Lsn(6),
                                  .to = Lsn(31)});
    }
    void pagesHoldExactlyWhatTheFilterSaysInOrder() {
        QFETCH(PageFilter, filter);
        const char* const labels[] = {"", "one", "two", "three"};
        std::string up;
        std::string down;
        for (std::int64_t lsn = 1; lsn <= 40; ++lsn) {
            const bool thumbnailer = lsn % 2 == 0;
            const bool fits =
                (filter.states.empty() || std::ranges::find(filter.states, stateOf(lsn)) != filter.states.end()) &&
                (!filter.queue || filter.queue->value == lsn % 3) &&
                (!filter.reason || *filter.reason == reasonOf(lsn)) &&
                (filter.worker.empty() || (thumbnailer && filter.worker != "nobody")) &&
                (!filter.label || *filter.label == labels[lsn % 4]) && lsn >= filter.from.value &&
                (filter.to.value == 0 || lsn <= filter.to.value);
            if (!fits) continue;
            const std::string number = std::to_string(lsn);
            up += (up.empty() ? "" : " ") + number;
            down = number + (down.empty() ? "" : " ") + down;
        }
        for (const int limit : {1, 3, 1000}) {
            QCOMPARE(all(filter, PageOrder::OldestFirst, limit), up);
            QCOMPARE(all(filter, PageOrder::NewestFirst, limit), down);
        }
    }

    void kindsAreCountedAsPagesHoldThem_data() {
        QTest::addColumn<PageFilter>("filter");
        QTest::newRow("everything") << PageFilter{};
        QTest::newRow("a state and a queue") << PageFilter{.states = {ActionState::Failed}, .queue = QueueId(1)};
        QTest::newRow("a worker") << PageFilter{.states = {}, .queue = {}, .worker = "thumbnailer"};
        QTest::newRow("a label") << PageFilter{.states = {}, .queue = {}, .worker = {}, .label = "two"};
        QTest::newRow("an unknown label") << PageFilter{.states = {}, .queue = {}, .worker = {}, .label = "four"};
        PageFilter terms;
        terms.numbers = parseFilter("tries:1 lsn:7..30", 0).value();
        QTest::newRow("terms of numbers") << terms;
        terms.wantsMachines = true;
        QTest::newRow("terms of numbers, by machine") << terms;
        PageFilter machines;
        machines.wantsMachines = true;
        QTest::newRow("everything, by machine") << machines;
    }
    void kindsAreCountedAsPagesHoldThem() {
        QFETCH(PageFilter, filter);
        std::map<std::string, std::int64_t> counts;
        for (Lsn cursor;;) {
            const auto portion = reader_->countKinds(filter, cursor);
            QVERIFY(portion);
            std::int64_t sum = 0;
            for (const auto& [kind, count] : portion->kinds) {
                sum += count;
                counts[printed(kind)] += count;
            }
            QCOMPARE(sum, portion->count);
            cursor = portion->cursor;
            if (cursor == Lsn()) break;
        }
        std::map<std::string, std::int64_t> expected;
        for (Lsn cursor;;) {
            const auto page = reader_->page(filter, PageOrder::OldestFirst, 1'000, cursor);
            QVERIFY(page);
            for (const ActionResult& row : page->rows)
                ++expected[printed({.state = row.state,
                                    .reason = row.outcome->reason,
                                    .queue = row.queue,
                                    .classNumber = row.classNumber,
                                    .label = static_cast<LabelNumber>(row.lsn.value % 4),
                                    .wasStarted = row.times[ActionState::Submitting] != 0,
                                    .machine = filter.wantsMachines ? row.outcome->machine : ""})];
            cursor = page->cursor;
            if (cursor == Lsn()) break;
        }
        QCOMPARE(counts, expected);
    }

    void pendingActionsComeInPagesToo() {
        QCOMPARE(all({}, PageOrder::OldestFirst, 3, true), "41 42 43 44 45 46 47 48 49 50");
        QCOMPARE(all({}, PageOrder::NewestFirst, 100, true), "50 49 48 47 46 45 44 43 42 41");
        QCOMPARE(all({.states = {}, .queue = QueueId(0)}, PageOrder::OldestFirst, 2, true), "42 45 48");
        QCOMPARE(all({.states = {}, .queue = {}, .worker = "exec"}, PageOrder::OldestFirst, 2, true),
                 "41 43 45 47 49");
        PageFilter face;
        face.heldOnly = true;
        QCOMPARE(all(face, PageOrder::OldestFirst, 2, true), "45");
        face = {};
        face.backoffOnly = true;
        QCOMPARE(all(face, PageOrder::OldestFirst, 2, true), "47");
        face.label = "four";
        QCOMPARE(all(face, PageOrder::OldestFirst, 2, true), "");
    }

    void termsOfNumbersChooseAmongTheFinished() {
        const auto matching = [&](std::string_view text, PageFilter filter = {}) {
            auto parsed = parseFilter(text, kThen);
            if (!parsed) return parsed.error().message;
            filter.numbers = std::move(*parsed);
            return all(filter, PageOrder::OldestFirst, 3);
        };
        QCOMPARE(matching("lsn:7..9"), "7 8 9");
        QCOMPARE(matching("lsn:7..9 -lsn:8"), "7 9");
        QCOMPARE(matching("exit:0 lsn:1..10"), "4 5 9 10");
        QCOMPARE(matching("reason:signal"), "6 16 26 36");
        QCOMPARE(matching("state:failed lsn<12"), "1 6 11");
        QCOMPARE(matching("state:held"), "");
        QCOMPARE(matching("cpu>0"), "");
        QCOMPARE(matching("lsn>30", {.states = {ActionState::Failed}}), "31 36");
        QCOMPARE(matching("lsn>30", {.states = {ActionState::Failed}, .queue = QueueId(1)}), "31");
    }

    void pagesGoOverHolesBetweenTheNumbers() {
        const auto path = directory_.path().toStdString() + "/holes";
        std::filesystem::create_directories(path);
        Journal journal(path);
        const std::vector<std::int64_t> lsns{
            1, 2, 8'192, 8'193, 8'194, 1'000'000, 5'000'000'000, 5'000'008'191, 5'000'008'192};
        std::string up;
        std::string down;
        for (const std::int64_t lsn : lsns) {
            QCOMPARE(word(journal.carryOut(accept({lsn, lsn + 100'000'000'000}))), "ok");
            QCOMPARE(word(journal.carryOut(finish(lsn))), "ok");
            up += (up.empty() ? "" : " ") + std::to_string(lsn);
            down = std::to_string(lsn) + (down.empty() ? "" : " ") + down;
        }
        const auto mine = std::exchange(reader_, *Reader::open(journal.store()));
        PageFilter impatient;
        impatient.lookFor = Duration{0};
        const std::string gotUp = all(impatient, PageOrder::OldestFirst, 2);
        const std::string gotDown = all(impatient, PageOrder::NewestFirst, 100);
        std::string pending;
        for (const auto& row : reader_->pagePending({}, PageOrder::NewestFirst, 1'000, Lsn())->rows)
            pending += (pending.empty() ? "" : " ") + std::to_string(row.lsn.value - 100'000'000'000);
        reader_.reset();
        reader_ = *Reader::open(journal_->store());
        QCOMPARE(gotUp, up);
        QCOMPARE(gotDown, down);
        QCOMPARE(pending, down);
    }

    /// However little time there is, a page has something; and the clock is looked at before there are many.
    void aPageThatHasNoTimeLeftShowsFewRows() {
        const auto path = directory_.path().toStdString() + "/hurried";
        std::filesystem::create_directories(path);
        Journal journal(path);
        for (std::int64_t lsn = 1; lsn <= 50; ++lsn) {
            QCOMPARE(word(journal.carryOut(accept({lsn, lsn + 1'000}))), "ok");
            QCOMPARE(word(journal.carryOut(finish(lsn))), "ok");
        }
        auto reader = *Reader::open(journal.store());
        PageFilter hurried;
        hurried.lookFor = Duration{0};
        for (const bool ended : {true, false}) {
            const auto page = ended ? reader->page(hurried, PageOrder::NewestFirst, 1'000, Lsn())
                                    : reader->pagePending(hurried, PageOrder::NewestFirst, 1'000, Lsn());
            QVERIFY(page.has_value());
            QVERIFY2(!page->rows.empty() && page->rows.size() <= 8, std::to_string(page->rows.size()).c_str());
            QVERIFY(page->cursor != Lsn());
        }
    }

    void rowsOfAPageSayWhatTheyAre() {
        auto page = reader_->page({}, PageOrder::OldestFirst, 1, Lsn(5));
        QVERIFY(page.has_value());
        const ActionResult& row = page->rows.at(0);
        QCOMPARE(row.workerName, "thumbnailer");
        QCOMPARE(row.label, "two");
        QCOMPARE(row.outcome->reason, Reason::Signal);
        QCOMPARE(*row.outcome->exitCode, 1);
        QVERIFY(row.attempts.empty());
        QCOMPARE(page->cursor, Lsn(6));
    }

    void statesAreAnsweredInTheOrderAsked() {
        QCOMPARE(*reader_->states({Lsn(99), Lsn(1), Lsn(41)}),
                 (std::vector{ActionState::New, ActionState::Failed, ActionState::Pending}));
    }

    void historyIsWhatFinishedLastFirst() {
        auto history = reader_->history(4);
        QCOMPARE(lsnsOf(*history), "40 39 38 37");
        QCOMPARE(lsnsOf(*reader_->history(2, QueueId(0))), "39 36");
        QCOMPARE(reader_->history(1000)->size(), 40u);
    }

    void historyHoldsAThousandAcrossAStartWithoutThoseRetiredOrRescheduled() {
        const auto path = directory_.path().toStdString() + "/history";
        std::filesystem::create_directories(path);
        {
            Journal journal(path);
            Accept rows;
            for (std::int64_t lsn = 1; lsn <= 5'000; ++lsn) rows.items.push_back(item(lsn));
            QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
            std::vector<Operation> ends;
            std::uint64_t tag = 10'000;
            for (std::int64_t lsn = 1; lsn <= 3'000; ++lsn) // far more in one group than the ring holds
                ends.push_back({.tag = ++tag, .unhurried = false, .action = finish(lsn)});
            QVERIFY(journal.store().post(std::move(ends)));
            QCOMPARE(word(journal.answers.of(tag)), "ok");
        }
        Journal journal(path);
        // ends out of order, a few at a time
        for (std::int64_t lsn = 3'100; lsn > 3'000; --lsn)
            QCOMPARE(word(journal.carryOut(finish(lsn, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(word(journal.carryOut(Retire{Lsn(3'001)})), "ok");
        QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(3'050), .tPending = kThen})), "ok");
        QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(3'051), .tPending = kThen})), "ok");
        QCOMPARE(word(journal.carryOut(finish(3'051))), "ok");
        auto reader = *Reader::open(journal.store());
        const auto read = reader->history(1000);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const auto& history = *read;
        QVERIFY2(history.size() >= 990 && history.size() <= 1'000, std::to_string(history.size()).c_str());
        QCOMPARE(history[0].lsn, Lsn(3'051));
        QCOMPARE(history[1].lsn, Lsn(3'002));
        QCOMPARE(history[2].lsn, Lsn(3'003));
        QCOMPARE(std::ranges::count(history, Lsn(3'050), &ActionResult::lsn), 0);
        QCOMPARE(std::ranges::count(history, Lsn(3'051), &ActionResult::lsn), 1);
        QCOMPARE(history[99].lsn, Lsn(2'999));
    }

    void aQuestionThatMatchesNothingInALargeTableStopsInTimeWithACursor() {
        const auto path = directory_.path().toStdString() + "/large";
        std::filesystem::create_directories(path);
        Journal journal(path, {}, false);
        {
            // rows by the table itself: what is measured is the reading
            auto database = Database::openForWriting(path + "/journal.sqlite", {});
            QVERIFY(database->execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300000) INSERT INTO done("
                "lsn, queue, class, label, priority, state, reason, exit_code, flags, attempts, retry_count, "
                "own_failures, interruptions, t_new, d_pending, d_submitting, d_running, d_exited, d_end) "
                "SELECT i, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1 FROM n"));
        }
        auto reader = *Reader::open(journal.store());
        PageFilter filter;
        filter.states = {ActionState::Completed};
        filter.queue = QueueId(5);
        filter.lookFor = Duration{0}; // as little as there is
        Lsn cursor;
        int pages = 0;
        MonoTime worst{};
        do {
            const MonoTime began = MonoClock::now();
            auto page = reader->page(filter, PageOrder::NewestFirst, 100, cursor);
            worst = std::max(worst, MonoTime(MonoClock::now() - began));
            QVERIFY(page && page->rows.empty());
            QVERIFY(page->cursor == Lsn() || cursor == Lsn() || page->cursor < cursor);
            cursor = page->cursor;
        } while (++pages < 10'000 && cursor != Lsn());
        QVERIFY(cursor == Lsn());
        QVERIFY(pages > 1);
        qInfo("%d pages, longest %lld us", pages, static_cast<long long>(worst.time_since_epoch().count()));
        const MonoTime began = MonoClock::now();
        filter.states = {ActionState::Failed};
        QVERIFY(reader->page(filter, PageOrder::NewestFirst, 100, Lsn())->rows.empty());
        qInfo("by the index: %lld us", static_cast<long long>((MonoClock::now() - began).count()));
    }

    void moreQueuesThanTheIndexIsWorthAreScanned() {
        const auto path = directory_.path().toStdString() + "/queues";
        std::filesystem::create_directories(path);
        Journal journal(path);
        Accept rows;
        for (std::int64_t lsn = 1; lsn <= 400; ++lsn) rows.items.push_back(item(lsn, lsn));
        QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
        for (std::int64_t lsn = 1; lsn < 400; ++lsn)
            journal.post(finish(lsn, ActionState::Failed, Reason::ExitCode));
        QCOMPARE(word(journal.carryOut(finish(400))), "ok");
        auto reader = *Reader::open(journal.store());
        PageFilter filter;
        filter.states = {ActionState::Failed};
        const auto page = *reader->page(filter, PageOrder::NewestFirst, 3, Lsn());
        QCOMPARE(lsnsOf(page.rows), "399 398 397");
    }

    void aReaderSeesWhatWasAcknowledgedBeforeItWasAsked() {
        for (std::int64_t lsn = 60; lsn < 100; ++lsn) {
            QCOMPARE(word(journal_->carryOut(accept({lsn}))), "ok");
            QVERIFY((*reader_->get(Lsn(lsn))).has_value());
        }
    }

    void aReaderCannotWrite() {
        auto database = Database::openForReading(journal_->store().path(), {});
        QVERIFY(!database->execute("DELETE FROM pending"));
        QVERIFY(!database->execute("PRAGMA query_only=0; DELETE FROM pending"));
    }

    void aListOfObjectsByAFieldEndsForItsTime() {
        constexpr int kObjects = 400;
        QVERIFY(!journal_
                     ->carryOut(
                         PutObjectType{.row = {.id = 1, .name = "page", .body = "{}"}, .moves = {}, .now = kThen})
                     .error);
        CreateObjects create{.objects = {}, .effect = {}, .now = kThen};
        for (int id = 1; id <= kObjects; ++id) {
            NewObject object{.id = id, .type = 1, .status = id % 2 ? "queued" : "started", .retryAt = kThen};
            object.fields = fmt::format(R"({{"n":{}}})", id);
            create.objects.push_back(std::move(object));
        }
        QVERIFY(!journal_->carryOut(std::move(create)).error);
        ObjectQuestion question{.fields = {{"n", std::to_string(kObjects)}}, .limit = 3, .newestFirst = false};
        question.lookFor = Duration::zero();
        int pages = 0;
        std::vector<std::int64_t> found;
        do {
            const auto page = reader_->objects(question);
            QVERIFY(page.has_value());
            QCOMPARE(page->isBounded, page->cursor != 0);
            for (const ObjectRow& row : page->rows) found.push_back(row.id);
            question.cursor = page->cursor;
            ++pages;
        } while (question.cursor != 0);
        QVERIFY(pages >= 3);
        QCOMPARE(found, std::vector<std::int64_t>{kObjects});

        const auto started = reader_->objects({.status = "started", .limit = 2, .newestFirst = false});
        QCOMPARE(started->rows.size(), std::size_t{2});
        QCOMPARE(started->rows.back().id, 4);
        QCOMPARE(started->cursor, 4);
        QVERIFY(!started->isBounded);
        const auto none = reader_->objects({.fields = {{"m", "1"}}});
        QVERIFY(none->rows.empty() && none->cursor == 0 && !none->isBounded);
    }

    void objectsThatEndedBeforeATimeAreFoundWithoutTheirFields() {
        QVERIFY(!journal_
                     ->carryOut(
                         PutObjectType{.row = {.id = 2, .name = "kept", .body = "{}"}, .moves = {}, .now = kThen})
                     .error);
        for (const std::int64_t id : {1001, 1002, 1003, 1004}) {
            const bool isOver = id != 1003; // without a next look it has ended
            NewObject object{.id = id, .type = 2, .status = isOver ? "sealed" : "queued"};
            object.retryAt = isOver ? 0 : kThen;
            object.fields = R"({"n":1})";
            QVERIFY(!journal_->carryOut(CreateObjects{.objects = {object}, .effect = {}, .now = kThen + id - 1000})
                         .error);
        }
        ObjectQuestion question{.type = 2, .statuses = {"failed", "sealed"}, .newestFirst = false};
        question.endedBefore = kThen + 4;
        question.isBare = true;
        const auto page = reader_->objects(question);
        QVERIFY(page.has_value());
        std::string found;
        for (const ObjectRow& row : page->rows) found += fmt::format("{} {} {} ", row.id, row.status, row.fields);
        QCOMPARE(found, "1001 sealed {} 1002 sealed {} ");
        question.statuses.clear();
        question.status = "queued";
        QVERIFY(reader_->objects(question)->rows.empty());
    }

    void theReaderThreadRunsJobsInOrderAndRefusesWhenTooManyWait() {
        auto thread = *ReaderThread::start(journal_->store());
        std::promise<void> go;
        std::promise<void> begun;
        QVERIFY(thread->post([&](Reader&) {
            begun.set_value();
            go.get_future().wait();
        }));
        begun.get_future().wait();
        std::vector<int> order;
        for (int i = 0; i < static_cast<int>(ReaderThread::kMaxJobs); ++i)
            QVERIFY(thread->post([&order, i](Reader&) { order.push_back(i); }));
        const auto refused = thread->post([](Reader&) {});
        QVERIFY(!refused && refused.error().kind == ErrorKind::Busy);
        go.set_value();
        thread.reset(); // runs what is queued
        QCOMPARE(order.size(), ReaderThread::kMaxJobs);
        QVERIFY(std::ranges::is_sorted(order));
    }
};

QTEST_GUILESS_MAIN(TestReader)
#include "tst_reader.moc"
