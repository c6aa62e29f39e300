// Lists of the Actions table over an engine that is played: numbers in runs and in parts, rows that come and go,
// engines that cannot tell the numbers.
#include "tests/support/waiting.h"
#include "ui/pages/actions/action_columns.h"
#include "ui/pages/actions/actions_model.h"
#include "ui/state/lsn_runs.h"
#include "ui/style/theme.h"
#include "ui/widgets/table.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <deque>
#include <numeric>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr int kSoon = kWaitMs;

std::string printed(const std::vector<qint64>& lsns) {
    std::string text;
    for (const qint64 lsn : lsns) text += (text.empty() ? "" : " ") + std::to_string(lsn);
    return text;
}

/// Plays an engine that has the actions 1..count, each with the label "action N". Newest first, or by "priority":
/// odd ones, then even ones.
class PlayedLink final : public EngineLink {
public:
    PlayedLink() { setState(LinkState::Connected); }

    void send(const Request& request, QObject* context, Done done) override {
        asked << QString::fromUtf8(request.method) + ' ' + request.path + '?' +
                     request.query.toString(QUrl::FullyDecoded);
        Answer answer = answerTo(request);
        if (isHeld || request.path == heldPath) {
            held.emplace_back(QPointer<QObject>(context), std::move(done), std::move(answer));
            return;
        }
        QMetaObject::invokeMethod(
            this,
            [who = QPointer<QObject>(context), done = std::move(done), answer = std::move(answer)] {
                if (who) done(answer);
            },
            Qt::QueuedConnection);
    }
    std::unique_ptr<QObject> stream(const Request&, std::function<void(const QByteArray&)>, Done) override {
        return nullptr;
    }
    void watch(const QJsonObject& what) override { watched = what; }
    QUrl address() const override { return QUrl("http://played/compute"); }

    void release() {
        isHeld = false;
        heldPath.clear();
        for (auto& [who, done, answer] : std::exchange(held, {}))
            if (who) done(answer);
    }
    void comeAndTell(qint64 more) {
        QJsonArray rows;
        for (qint64 lsn = count + 1; lsn <= count + more; ++lsn) rows.append(rowOf(lsn));
        count += more;
        // As the engine does: of a filter the newest thousand only.
        while (rows.size() > 1'000) rows.removeFirst();
        emit batch(QJsonObject{{"actions", rows}, {"counts", QJsonObject{{"completed", count}}}});
    }
    QStringList askedOf(const QString& path) const {
        QStringList some;
        for (const QString& each : asked)
            if (each.startsWith("GET " + path + '?')) some << each;
        return some;
    }

    qint64 count = 0;
    int emptyPages = 0;    ///< before one with rows
    int notMadeFor = 0;    ///< answers before the numbers are in order
    int indexStatus = 200; ///< of GET jobs/lsns
    QString garbage;       ///< in place of numbers
    std::set<qint64> retired;
    QStringList asked;
    QJsonObject watched;
    bool isHeld = false;
    QString heldPath; ///< the same for this path alone
    std::deque<std::tuple<QPointer<QObject>, Done, Answer>> held;

private:
    static QJsonObject rowOf(qint64 lsn) {
        return {{"lsn", lsn},
                {"queue_id", 0},
                {"worker_name", "exec"},
                {"label", QStringLiteral("action %1").arg(lsn)},
                {"state", "completed"},
                {"timestamps", QJsonObject{{"new", 1}}}};
    }
    std::vector<qint64> listOf(const QUrlQuery& query) const {
        std::vector<qint64> lsns;
        const bool sorted = query.queryItemValue("sort") == "priority";
        const QString filter = query.queryItemValue("q", QUrl::FullyDecoded);
        const qint64 above = filter.contains("lsn>") ? filter.section("lsn>", 1).toLongLong() : 0;
        for (qint64 lsn = count; lsn > above; --lsn)
            if (!retired.contains(lsn)) lsns.push_back(lsn);
        const auto oddFirst = [](qint64 lsn) { return std::pair(lsn % 2 == 0, -lsn); };
        if (sorted) std::ranges::sort(lsns, {}, oddFirst);
        return lsns;
    }
    Answer answerTo(const Request& request) {
        Answer answer;
        answer.status = 200;
        const std::size_t limit = request.query.queryItemValue("limit").toUInt();
        const std::size_t from = request.query.queryItemValue("cursor").toUInt();
        if (request.path == "jobs/lsns") {
            if (indexStatus != 200) return {indexStatus, {}, {}, "limit", "too many to sort"};
            if (notMadeFor > 0) {
                --notMadeFor;
                answer.json = {{"lsns", ""}, {"cursor", "0"}};
                return answer;
            }
            const auto all = listOf(request.query);
            QStringList some;
            for (std::size_t at = from; at < std::min(from + limit, all.size()); ++at)
                some << QString::number(all[at]);
            answer.json = {{"lsns", garbage.isEmpty() ? some.join(',') : garbage},
                           {"total", static_cast<qint64>(all.size())}};
            if (from + limit < all.size()) answer.json.insert("cursor", QString::number(from + limit));
        } else if (request.path == "jobs" && emptyPages > 0) {
            --emptyPages;
            answer.json = {{"jobs", QJsonArray()}, {"cursor", "0"}};
        } else if (request.path == "jobs") {
            QJsonArray rows;
            const QString named = request.query.queryItemValue("lsn");
            for (const QString& lsn : named.split(',', Qt::SkipEmptyParts))
                if (!retired.contains(lsn.toLongLong())) rows.append(rowOf(lsn.toLongLong()));
            if (named.isEmpty()) {
                const auto all = listOf(request.query);
                for (std::size_t at = from; at < std::min(from + limit, all.size()); ++at)
                    rows.append(rowOf(all[at]));
                if (from + limit < all.size()) answer.json.insert("cursor", QString::number(from + limit));
            }
            answer.json.insert("jobs", rows);
        }
        return answer;
    }
};

/// A model that looks at the first forty rows of what is played.
struct Shown {
    explicit Shown(qint64 count) {
        link.count = count;
        emit link.batch(QJsonObject{{"counts", QJsonObject{{"completed", count}}}});
        model = std::make_unique<ActionsModel>(state);
        tester = std::make_unique<QAbstractItemModelTester>(model.get(),
                                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
    }
    void begin() { model->setActive(true); }
    QString what(int row) const { return model->cell(row, ActionsModel::kWhat).text; }

    PlayedLink link;
    EngineState state{link};
    std::unique_ptr<ActionsModel> model;
    std::unique_ptr<QAbstractItemModelTester> tester;
};

/// The list in a table, as the page shows it.
struct InTable : Shown {
    explicit InTable(qint64 count)
        : Shown(count) {
        tester.reset(); // as slow as the list is long
        table.setRows(model.get());
        table.resize(800, 400);
        table.show();
    }
    /// As of an engine that stands still after the first page.
    void holdNumbers() {
        link.heldPath = "jobs/lsns";
        model->setFilter("label:action*");
    }
    bool isAtEnd() const { return table.verticalScrollBar()->value() == table.verticalScrollBar()->maximum(); }

    Table table{QString()};
};

} // namespace

class TestActionLists : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() { theme_ = std::make_unique<Theme>(nullptr); }

    void numbersInRunsAreRead_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("lsns");
        QTest::newRow("nothing") << "" << QByteArray("");
        QTest::newRow("one") << "7" << QByteArray("7");
        QTest::newRow("up and down") << "3..5,9..7,2" << QByteArray("3 4 5 9 8 7 2");
        QTest::newRow("a run of one") << "4..4" << QByteArray("4");
        QTest::newRow("the largest") << "9007199254740992" << QByteArray("9007199254740992");
        QTest::newRow("a word") << "x" << QByteArray("no");
        QTest::newRow("zero") << "0" << QByteArray("no");
        QTest::newRow("negative") << "-1" << QByteArray("no");
        QTest::newRow("no end") << "1.." << QByteArray("no");
        QTest::newRow("one dot") << "1.2" << QByteArray("no");
        QTest::newRow("a comma too many") << "1,2," << QByteArray("no");
        QTest::newRow("something behind") << "1,2 " << QByteArray("no");
        QTest::newRow("too large") << "9007199254740993" << QByteArray("no");
        QTest::newRow("far too large") << QString(400, '9') << QByteArray("no");
        QTest::newRow("more than may be") << "1..101" << QByteArray("no");
        QTest::newRow("more than may be, in runs") << "1..60,100..160" << QByteArray("no");
        QTest::newRow("more than there is memory for") << "1..9007199254740992" << QByteArray("no");
    }
    void numbersInRunsAreRead() {
        QFETCH(QString, text);
        QFETCH(QByteArray, lsns);
        std::vector<qint64> read{99};
        const bool good = appendLsns(text, 101, read);
        QCOMPARE(read.front(), qint64{99});
        read.erase(read.begin());
        QCOMPARE(QByteArray::fromStdString(good ? printed(read) : read.empty() ? "no" : "left behind"), lsns);
    }

    void whatARunningRowUsesIsAskedForAgain() {
        const QJsonObject json{{"lsn", 3},
                               {"state", "running"},
                               {"cpu_seconds", 2.5},
                               {"max_rss_bytes", 13'312'000},
                               {"timestamps", QJsonObject{{"new", 1}, {"running", 2}}}};
        Shown shown(3);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole() && shown.model->action(3) != nullptr, kWaitMs);
        emit shown.link.batch(QJsonObject{{"actions", QJsonArray{json}}});
        QCOMPARE(shown.model->cell(0, ActionsModel::kCpu).text, QString("2.5 s"));
        QCOMPARE(shown.model->cell(0, ActionsModel::kPeak).text, QString("13.3 MB"));
        // No event tells of it: the row is asked for, and the answer is taken.
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->action(3)->face, DisplayState::Completed, kWaitMs);
    }

    void whatGivesWayToNewerRowsIsNeitherCountedNorTakenAway() {
        Shown shown(1'500);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(shown.link.watched.contains("filter"), kWaitMs);
        shown.model->setFrozen(true);
        QJsonArray fresh;
        for (qint64 lsn = 1'501; lsn <= 1'505; ++lsn)
            fresh.append(QJsonObject{{"lsn", lsn}, {"state", "pending"}, {"timestamps", QJsonObject{{"new", 1}}}});
        // The engine watches the newest thousand: the last five of them leave its sight.
        emit shown.link.batch(QJsonObject{{"actions", fresh}, {"gone", QJsonArray{505, 504, 503, 502, 501}}});
        QCOMPARE(shown.model->waiting(), 5);
        emit shown.link.batch(QJsonObject{{"actions", fresh}}); // they change: still five
        QCOMPARE(shown.model->waiting(), 5);
        emit shown.link.batch(QJsonObject{{"gone", QJsonArray{1'400}}}); // retired
        QCOMPARE(shown.model->waiting(), 6);
        shown.model->takeWaiting();
        QCOMPARE(shown.model->rowCount(), 1'504);
        QVERIFY(shown.model->rowOf(501) >= 0 && shown.model->rowOf(1'400) < 0);
    }

    void aRunningRowSaysHowLongItTakesYetAndItsLastLine_data() {
        QTest::addColumn<int>("seconds");
        QTest::addColumn<QString>("note");
        QTest::addColumn<QString>("said");
        QTest::newRow("both") << 100 << "frame 12 of 240" << "about 1 min 39 s left, frame 12 of 240";
        QTest::newRow("no line yet") << 100 << "" << "about 1 min 39 s left";
        QTest::newRow("the engine's words") << 100 << "about 2 min left" << "about 2 min left";
        QTest::newRow("late") << -5 << "frame 239 of 240" << "frame 239 of 240";
        QTest::newRow("nobody knows") << 0 << "frame 1 of 240" << "frame 1 of 240";
    }
    void aRunningRowSaysHowLongItTakesYetAndItsLastLine() {
        QFETCH(int, seconds);
        QFETCH(QString, note);
        QFETCH(QString, said);
        constexpr qint64 kNow = 1'760'000'000'000'000;
        ActionRow row;
        row.face = DisplayState::Running;
        row.note = note;
        if (seconds != 0) row.expected = kNow + qint64{seconds} * 1'000'000 - 500'000;
        QCOMPARE(runningNote(row, kNow, Format()), said);
        const QJsonObject estimate{{"finish", kNow}};
        QCOMPARE(actionRowOf({{"lsn", 1}, {"state", "running"}, {"estimate", estimate}}).expected, kNow);
    }

    void anIndexComesInPartsAndTellsItsFirstOnesAtOnce() {
        PlayedLink link;
        link.count = 250'000;
        link.notMadeFor = 3;
        LsnIndex index(link);
        std::size_t first = 0;
        qint64 total = 0;
        std::vector<qint64> all;
        connect(&index, &LsnIndex::begun, this, [&](const std::vector<qint64>& some, qint64 of) {
            first = some.size();
            total = of;
            QVERIFY(all.empty());
        });
        connect(&index, &LsnIndex::ready, this, [&](std::vector<qint64>& lsns) { all = std::move(lsns); });
        index.ask("label:x", "");
        QTRY_COMPARE_WITH_TIMEOUT(all.size(), std::size_t{250'000}, kSoon);
        QCOMPARE(first, static_cast<std::size_t>(LsnIndex::kFirst));
        QCOMPARE(total, 250'000);
        QVERIFY(std::ranges::is_sorted(all, std::greater<>()) && all.front() == 250'000 && all.back() == 1);
        QVERIFY(!index.isAsking());
        QCOMPARE(link.asked.size(), 3 + 1 + 3); // in the making, the first, the others
        QVERIFY(link.asked.front().contains("q=label:x"));
    }

    void anIndexThatIsDroppedOrAskedAnewTellsNothingOfTheOneBefore() {
        PlayedLink link;
        link.count = 5;
        link.isHeld = true;
        LsnIndex index(link);
        std::string told;
        connect(&index, &LsnIndex::ready, this,
                [&](std::vector<qint64>& lsns) { told += '(' + printed(lsns) + ')'; });
        index.ask({}, {});
        index.drop();
        index.ask({}, {});
        link.count = 3;
        index.ask({}, "priority");
        link.release();
        QTRY_VERIFY_WITH_TIMEOUT(!index.isAsking(), kSoon);
        QCOMPARE(told, std::string("(3 1 2)"));
        index.ask({}, {});
        index.drop();
        index.ask({}, "priority");
        QTRY_COMPARE_WITH_TIMEOUT(told, std::string("(3 1 2)(3 1 2)"), kSoon);
    }

    void anIndexThatCannotBeReadIsAFailure() {
        PlayedLink link;
        link.count = 5;
        LsnIndex index(link);
        QList<int> failures;
        connect(&index, &LsnIndex::failed, this, [&](const Answer& answer) { failures << answer.status; });
        link.garbage = "5,4,x";
        index.ask({}, {});
        QTRY_COMPARE_WITH_TIMEOUT(failures, QList<int>{200}, kSoon);
        link.garbage = "1..6"; // one more than the total
        index.ask({}, {});
        QTRY_COMPARE_WITH_TIMEOUT(failures, (QList<int>{200, 200}), kSoon);
        link.indexStatus = 409;
        index.ask({}, {});
        QTRY_COMPARE_WITH_TIMEOUT(failures, (QList<int>{200, 200, 409}), kSoon);
        QVERIFY(!index.isAsking());
    }

    void aPageWithoutRowsIsGoneOnFromButNotForEver() {
        PlayedLink link;
        link.count = 3;
        QList<qsizetype> came;
        const auto ask = [&](int most) {
            sendList(
                link, {"GET", "jobs", QUrlQuery("limit=2"), {}, {}}, this,
                [&](const Answer& answer) { came << answer.json.value("jobs").toArray().size(); }, most);
        };
        link.emptyPages = 5;
        ask(5);
        QTRY_COMPARE_WITH_TIMEOUT(came, QList<qsizetype>{2}, kSoon);
        link.emptyPages = 5;
        ask(4);
        QTRY_COMPARE_WITH_TIMEOUT(came, (QList<qsizetype>{2, 0}), kSoon);
    }

    void aMillionRowsAreKnownByNumberAndAFewByTheirCells() {
        Shown shown(1'000'000);
        shown.tester.reset(); // looks at every row
        shown.begin();
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString("action 1000000"), kSoon);
        QCOMPARE(shown.model->rowCount(), 1'000'000); // by the counters
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        QCOMPARE(shown.model->idAt(999'999), qint64{1});
        QVERIFY(!shown.model->isHere(999'999));
        shown.model->setVisible(999'960, 999'999);
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(999'999), QString("action 1"), kSoon);
        QCOMPARE(shown.model->rowOf(1), 999'999);
        QCOMPARE(shown.model->rowsOf({1'000'000, 5, 2'000'000}), (std::vector<int>{0, 999'995}));
    }

    void ofManyRowsThatWereInViewTheOldOnesAreForgotten() {
        Shown shown(20'000);
        shown.tester.reset();
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        for (int top = 0; top < 19'000; top += 100) {
            shown.model->setVisible(top, top + 99);
            QTRY_VERIFY_WITH_TIMEOUT(shown.model->isHere(top) && shown.model->isHere(top + 99), kSoon);
        }
        QVERIFY(!shown.model->isHere(5'000));
        int here = 0;
        for (int row = 0; row < 20'000; ++row) here += shown.model->isHere(row) ? 1 : 0;
        QVERIFY2(here <= static_cast<int>(KeptActions::kMost), qPrintable(QString::number(here)));
        shown.model->setVisible(5'000, 5'040);
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isHere(5'000), kSoon);
    }

    void byAnotherFieldTheFirstRowsComeFirst() {
        Shown shown(3'000);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        shown.model->sortBy(ActionsModel::kPriority, Qt::AscendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString("action 2999"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->idAt(2'999) == 2, kSoon);
        QCOMPARE(shown.model->rowOf(3'000), 1'500);
        QCOMPARE(shown.model->total().value_or(0), qint64{3'000});
        shown.model->sortBy(-1, Qt::AscendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString("action 3000"), kSoon);
    }

    void whereThereAreNoNumbersRowsComePageAfterPage_data() {
        QTest::addColumn<bool>("sorted");
        QTest::newRow("newest first") << false;
        QTest::newRow("by another field") << true;
    }
    void whereThereAreNoNumbersRowsComePageAfterPage() {
        QFETCH(bool, sorted);
        Shown shown(900);
        shown.link.indexStatus = 409;
        if (sorted) shown.model->sortBy(ActionsModel::kPriority, Qt::AscendingOrder);
        shown.begin();
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString(sorted ? "action 899" : "action 900"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 2 * ActionsModel::kPage, kSoon); // one that is not here
        for (int top = 0; !shown.model->isWhole(); top += 40) {
            QVERIFY(top < 2'000);
            shown.model->setVisible(top, top + 39);
            QTRY_VERIFY_WITH_TIMEOUT(shown.model->isHere(std::min(top + 39, 899)), kSoon);
        }
        QCOMPARE(shown.model->rowCount(), 900);
        QCOMPARE(shown.what(899), QString(sorted ? "action 2" : "action 1"));
    }

    void aListThatCannotBeAskedForSaysWhy() {
        Shown shown(300);
        shown.link.indexStatus = 422;
        shown.model->sortBy(ActionsModel::kPriority, Qt::AscendingOrder);
        shown.begin();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->problem(), QString("too many to sort"), kSoon);
        shown.link.indexStatus = 200;
        shown.model->reload();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->problem().isEmpty() && shown.model->isWhole(), kSoon);
    }

    void moreThanIsToldIsCaughtUpWithByNumber() {
        Shown shown(2'000);
        shown.tester.reset();
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole() && shown.model->isHere(0), kSoon);
        shown.link.comeAndTell(5'000);
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 7'000, kSoon);
        QCOMPARE(shown.model->idAt(0), qint64{7'000});
        QCOMPARE(shown.model->idAt(6'999), qint64{1});
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString("action 7000"), kSoon);
        const QStringList asked = shown.link.askedOf("jobs/lsns");
        QVERIFY2(asked.last().contains("lsn>2000"), qPrintable(asked.last()));
    }

    void whatComesWhileFrozenWaitsAndIsNotLostHoweverMuchItIs() {
        Shown shown(2'000);
        shown.tester.reset();
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole() && shown.model->isHere(0), kSoon);
        shown.model->setFrozen(true);
        shown.link.comeAndTell(3);
        QCOMPARE(shown.model->waiting(), 3);
        QCOMPARE(shown.model->rowCount(), 2'000);
        shown.link.comeAndTell(1'500);
        QCOMPARE(shown.model->waiting(), 1'000);
        shown.model->takeWaiting();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 3'503, kSoon);
        QCOMPARE(shown.model->waiting(), 0);
        QCOMPARE(shown.model->idAt(3'502), qint64{1});
    }

    void rowsThatAreNoMoreGoWhenTheyAreLookedAt() {
        Shown shown(1'000);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        shown.link.retired = {300, 301, 302};
        shown.model->setVisible(680, 720);
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 997, kSoon);
        QCOMPARE(shown.model->rowOf(301), -1);
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(shown.model->rowOf(303)), QString("action 303"), kSoon);
    }

    void askedAnewTheSameListKeepsItsRowsUntilTheNewOnesAreKnown() {
        Shown shown(1'000);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole() && shown.model->isHere(0), kSoon);
        shown.link.retired = {10};
        shown.link.count = 1'002;
        shown.link.isHeld = true;
        shown.model->reload();
        QCOMPARE(shown.model->rowCount(), 1'000);
        QCOMPARE(shown.what(0), QString("action 1000"));
        shown.link.release();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 1'001, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(shown.what(0), QString("action 1002"), kSoon);
        QCOMPARE(shown.model->rowOf(10), -1);
    }

    void whoWentToAnEndThatWasGuessedIsAtTheEndOnceItIsKnown_data() {
        QTest::addColumn<bool>("again");
        QTest::newRow("the numbers come late") << false;
        QTest::newRow("the list is asked for again before they come") << true;
    }
    void whoWentToAnEndThatWasGuessedIsAtTheEndOnceItIsKnown() {
        QFETCH(bool, again);
        InTable shown(2'000);
        shown.holdNumbers();
        shown.begin();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 2 * ActionsModel::kPage, kSoon);
        QTest::keyClick(&shown.table, Qt::Key_End);
        QCOMPARE(shown.table.currentIndex().row(), 2 * ActionsModel::kPage - 1);
        if (again) {
            const auto asked = shown.link.askedOf("jobs/lsns").size();
            shown.model->reload();
            QTRY_VERIFY_WITH_TIMEOUT(shown.link.askedOf("jobs/lsns").size() > asked, kSoon);
            QCOMPARE(shown.table.currentIndex().row(), 2 * ActionsModel::kPage - 1);
        }
        shown.link.release();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 2'000, kSoon);
        QCOMPARE(shown.table.currentIndex().row(), 1'999);
        QVERIFY(shown.isAtEnd());
        QCOMPARE(shown.table.selectedIds(), std::vector<qint64>{1});
    }

    void whoLooksAtTheMiddleOfAListStaysThereWhenItsEndIsKnown() {
        InTable shown(2'000);
        shown.holdNumbers();
        shown.begin();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 2 * ActionsModel::kPage, kSoon);
        shown.table.verticalScrollBar()->setValue(2'000);
        shown.link.release();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 2'000, kSoon);
        QCOMPARE(shown.table.verticalScrollBar()->value(), 2'000);
    }

    void anotherFilterBeginsAtItsTopWhereverTheListBeforeWas_data() {
        QTest::addColumn<bool>("atEnd");
        QTest::newRow("in the middle") << false;
        QTest::newRow("at the end, the last row selected") << true;
    }
    void anotherFilterBeginsAtItsTopWhereverTheListBeforeWas() {
        QFETCH(bool, atEnd);
        InTable shown(2'000);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        if (atEnd)
            QTest::keyClick(&shown.table, Qt::Key_End);
        else
            shown.table.verticalScrollBar()->setValue(5'000);
        shown.link.isHeld = true;
        shown.model->setFilter("label:action*");
        QVERIFY(!shown.model->isCurrent());
        QVERIFY(shown.table.verticalScrollBar()->value() > 0); // the rows before stay until then
        shown.link.release();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isCurrent() && shown.model->isWhole(), kSoon);
        QCOMPARE(shown.table.verticalScrollBar()->value(), 0);
        shown.table.verticalScrollBar()->setValue(5'000);
        shown.model->reload(); // the same list
        QTRY_VERIFY_WITH_TIMEOUT(shown.link.askedOf("jobs/lsns").size() > 1, kSoon);
        QCOMPARE(shown.table.verticalScrollBar()->value(), 5'000);
    }

    void atTheEndOfAListOneStaysThereWhenRowsThatWereInViewAreNoMore() {
        InTable shown(1'000);
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        QTest::keyClick(&shown.table, Qt::Key_End);
        for (qint64 lsn = 10; lsn < 40; ++lsn) shown.link.retired.insert(lsn);
        shown.link.count = 1'200;
        shown.model->reload();
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 1'170, kSoon);
        QVERIFY(shown.isAtEnd());
        QCOMPARE(shown.table.currentIndex().row(), 1'169);
    }

    void aLongListOfAFilterIsRefreshedByItselfOnceNoHandIsOnIt() {
        Shown shown(1'500);
        shown.tester.reset();
        shown.model->setFilter("label:action*");
        shown.begin();
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isWhole(), kSoon);
        shown.link.retired = {100};
        shown.model->setFrozen(true);
        emit shown.link.batch(QJsonObject{{"counts", QJsonObject{{"completed", 1'500}}}});
        QCOMPARE(shown.model->rowCount(), 1'500);
        shown.model->setFrozen(false);
        QTRY_COMPARE_WITH_TIMEOUT(shown.model->rowCount(), 1'499, kSoon);
    }
};

QTEST_MAIN(TestActionLists)
#include "tst_action_lists.moc"
