// Lists in other orders than that of the LSNs: what is in them, in which order, and what holds while actions
// change.
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/sorted_list_cache.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QFile>
#include <QObject>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr std::int64_t kUnknown = store::SortKey::kUnknown;
constexpr std::string_view kNoRetry = R"({"max_retries":0})";

std::string printed(const std::vector<Lsn>& lsns) {
    std::string text;
    for (const Lsn lsn : lsns) text += fmt::format("{}{}", text.empty() ? "" : " ", lsn.value);
    return text;
}

OrderParts parts(std::vector<store::SortKey> ended, bool descending) {
    OrderParts made;
    made.ended.append(std::move(ended));
    made.descending = descending;
    return made;
}

/// Some actions with all there is to sort by: "a" ended with 0, "b" failed with 3, "c" runs, "d" waits, held, "e"
/// was cancelled, and one more without a label ended with 0.
class Sorted {
public:
    Sorted() {
        queue = *engine.run(engine->ask(&engine::Queues::create, "", std::string(kNoRetry)));
        ref = QueueRef{queue.id, {}};
        add("a", "exit 0");
        add("b", "exit 3");
        add("", "exit 0");
        names[add("c", "touch c; exec sleep 100", false).value] = "c";
        if (!EngineTest::eventually([&] { return QFile::exists(engine.dir().filePath("c")); }))
            qFatal("it does not run");
        add("d", "exit 0", false, R"(,"hold":true,"priority":7,"locks":["app:z"])");
        const Lsn cancelled = add("e", "exit 0", false, R"(,"hold":true,"priority":-7)");
        if (!engine.run(engine->ask(&engine::Operations::cancel, cancelled))) qFatal("cannot be cancelled");
        (void)engine.wait(cancelled);
    }
    Lsn add(const std::string& label, const std::string& script, bool wait = true, std::string more = "") {
        if (!label.empty()) more += fmt::format(R"(,"label":"{}")", label);
        const Lsn lsn = engine.sh(script, more, ref);
        names[lsn.value] = label.empty() ? "-" : label;
        if (wait) (void)engine.wait(lsn);
        return lsn;
    }
    Result<ListPage> page(const std::string& sort, int limit = 100, std::string cursor = {},
                          std::string_view filter = {}) {
        ListQuery query;
        query.queue = ref;
        query.sort = *parseSort(sort);
        query.limit = limit;
        query.cursor = std::move(cursor);
        query.filter = *parseFilter(filter, wallNow());
        return engine.run(engine->ask(&engine::Listing::list, std::move(query)));
    }
    /// All pages, as labels.
    std::string list(const std::string& sort, int limit = 100, std::string_view filter = {}) {
        std::string text;
        std::string cursor;
        do {
            auto got = page(sort, limit, std::move(cursor), filter);
            if (!got) return std::string(errorName(got.error().kind)) + ": " + got.error().message;
            if (std::ssize(got->jobs) > limit) return "a page that is too long";
            for (const ActionResult& job : got->jobs) text += names[job.lsn.value];
            cursor = std::move(got->cursor);
        } while (!cursor.empty());
        return text;
    }
    Result<LsnPart> part(const std::string& sort, int limit, std::string cursor = {},
                         std::string_view filter = {}) {
        ListQuery query;
        query.queue = ref;
        query.sort = *parseSort(sort);
        query.limit = limit;
        query.cursor = std::move(cursor);
        query.filter = *parseFilter(filter, wallNow());
        return engine.run(engine->ask(&engine::Listing::lsns, std::move(query)));
    }
    /// All parts, as labels, and behind them the total that the last one told.
    std::string lsns(const std::string& sort, int limit, std::string_view filter = {}) {
        std::string text;
        std::string cursor;
        std::int64_t total = 0;
        do {
            auto got = part(sort, limit, std::move(cursor), filter);
            if (!got) return std::string(errorName(got.error().kind)) + ": " + got.error().message;
            if (std::ssize(got->lsns) > limit) return "a part that is too long";
            for (const Lsn lsn : got->lsns) text += names[lsn.value];
            total = got->total;
            cursor = std::move(got->cursor);
        } while (!cursor.empty());
        return fmt::format("{} {}", text, total);
    }
    /// Goes on until there is a row, or nothing more.
    ListPage firstRows(const std::string& sort, int limit) {
        auto got = page(sort, limit);
        while (got && got->jobs.empty() && !got->cursor.empty()) got = page(sort, limit, got->cursor);
        if (!got) qFatal("%s", got.error().message.c_str());
        return std::move(*got);
    }

    EngineTest engine;
    QueueView queue;
    QueueRef ref;
    std::map<std::int64_t, std::string> names;
};

} // namespace

class SortingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysComeInOrderAndUnknownOnesLast() {
        const std::vector<store::SortKey> keys = {{5, Lsn{1}}, {kUnknown, Lsn{2}}, {-3, Lsn{3}},
                                                  {5, Lsn{4}}, {kUnknown, Lsn{5}}, {0, Lsn{6}}};
        QCOMPARE(printed(arrange(parts(keys, false))), std::string("3 6 1 4 2 5"));
        QCOMPARE(printed(arrange(parts(keys, true))), std::string("4 1 6 3 5 2"));
        QCOMPARE(printed(arrange(parts({}, true))), std::string());
    }

    void keysThatCameInPiecesStayInTheirOrder() {
        KeyPieces keys;
        std::int64_t lsn = 0;
        for (int i = 0; i < 10'000; ++i) keys.push({0, Lsn{++lsn}});
        keys.append({{0, Lsn{10'001}}, {0, Lsn{10'002}}});
        keys.append({});
        for (lsn = 10'002; lsn < 20'000;) keys.push({0, Lsn{++lsn}});
        QCOMPARE(keys.size(), std::size_t{20'000});
        const std::vector<store::SortKey> all = keys.take();
        QCOMPARE(all.size(), std::size_t{20'000});
        for (std::size_t i = 0; i < all.size(); ++i) QCOMPARE(all[i].lsn.value, static_cast<std::int64_t>(i + 1));
        QCOMPARE(keys.size(), std::size_t{0});
        QVERIFY(keys.take().empty());
    }

    void namesGoByTheirTextNotByTheirNumbers() {
        const std::string nothing;
        const std::array<std::string, 3> texts = {"pear", "apple", "fig"};
        OrderParts some = parts({{0, Lsn{1}}, {1, Lsn{2}}, {2, Lsn{3}}, {3, Lsn{4}}, {9, Lsn{5}}}, false);
        some.names = {{&nothing, &nothing}, {&texts[0], &nothing}, {&texts[1], &nothing}, {&texts[2], &nothing}};
        QCOMPARE(printed(arrange(some)), std::string("3 4 2 1 5")); // a number without a name is unknown
        some.descending = true;
        QCOMPARE(printed(arrange(some)), std::string("2 4 3 5 1"));
        // Of the same first text the second one counts; the same in both is one name.
        const std::array<std::string, 2> ids = {"id1", "id2"};
        some = parts({{0, Lsn{1}}, {1, Lsn{2}}, {2, Lsn{3}}}, false);
        some.names = {{&texts[0], &ids[1]}, {&texts[0], &ids[0]}, {&texts[0], &ids[1]}};
        QCOMPARE(printed(arrange(some)), std::string("2 1 3"));
    }

    void anActionSeenTwiceIsListedOnceAsItEnded() {
        OrderParts some = parts({{1, Lsn{4}}, {2, Lsn{6}}}, false);
        some.live.append({{9, Lsn{3}}, {8, Lsn{4}}});
        some.putBack = {{5, Lsn{6}}, {3, Lsn{5}}, {3, Lsn{5}}};
        QCOMPARE(printed(arrange(some)), std::string("4 6 5 3"));
    }

    void listsGoByEveryField_data() {
        QTest::addColumn<QByteArray>("sort");
        QTest::addColumn<QByteArray>("listed");
        const auto row = [](const char* sort, const char* listed) {
            QTest::newRow(sort) << QByteArray(sort) << QByteArray(listed);
        };
        row("lsn", "ab-cde");
        row("-lsn", "edc-ba");
        row("state", "dca-be"); // pending, running, completed, failed, cancelled
        row("-state", "eb-acd");
        row("label", "abcde-");
        row("-label", "edcba-");
        row("queue", "ab-cde");
        row("-queue_id", "edc-ba");
        row("worker", "ab-cde");
        row("-function", "edc-ba");
        row("reason", "eba-cd");     // cancelled, exit_code; then those without
        row("-exit_code", "b-aedc"); // 3, 0, 0; then those without, the newest first
        row("priority", "eab-cd");
        row("-priority", "dc-bae");
        row("new", "ab-cde");
        row("-new", "edc-ba");
        row("retry_count", "ab-cde");
        row("held", "dab-ce"); // of what is pending it is known
        row("-held", "dec-ba");
        row("retry_at", "ab-cde"); // none is in back-off
        row("hung_since", "ab-cde");
        row("started", "ab-cde");
        row("-running", "c-baed");
        row("finished", "ab-ecd");
        row("-finished", "e-badc");
        row("-waited", "");
        row("-runtime", "");
    }
    void listsGoByEveryField() {
        QFETCH(QByteArray, sort);
        QFETCH(QByteArray, listed);
        const std::string by = sort.toStdString();
        if (by == "-waited" || by == "-runtime") {
            // How long it is depends on the machine; of what has ended it does not change any more.
            const ListPage page = shown().firstRows(by, 100);
            QCOMPARE(page.jobs.size(), std::size_t{6});
            std::vector<std::int64_t> numbers;
            for (const ActionResult& job : page.jobs)
                if (isEnded(job.state))
                    numbers.push_back(sortNumber(job, parseSort(by)->field, 0).value_or(-1)); // unknown: the last
            QCOMPARE(numbers.size(), std::size_t{4});
            QVERIFY(std::ranges::is_sorted(numbers, std::greater<>()));
            return;
        }
        const std::string wanted = listed.toStdString();
        QCOMPARE(shown().list(by), wanted);
        QCOMPARE(shown().list(by, 1), wanted);
        QCOMPARE(shown().list(by, 4), wanted);
    }

    void whatWaitsAfterAFailureGoesByWhenItRunsAgain() {
        EngineTest engine;
        const QueueView queue = *engine.run(
            engine->ask(&engine::Queues::create, "", R"({"max_retries":9,"backoff_s":600,"backoff_max_s":600})"));
        const QueueRef ref{queue.id, {}};
        std::vector<Lsn> lsns;
        for (int i = 0; i < 5; ++i) lsns.push_back(engine.sh("exit 1", "", ref));
        const auto retryAt = [&](Lsn lsn) {
            return engine.run(engine->ask(&engine::ActionRows::action, lsn))->retryAt;
        };
        QVERIFY(EngineTest::eventually(
            [&] { return std::ranges::all_of(lsns, [&](Lsn lsn) { return retryAt(lsn) != 0; }); }));
        const Lsn other = engine.sh("exit 0", R"(,"hold":true)", ref);
        // Back-off is spread at random: the order is that of the moments, not of the numbers.
        std::ranges::sort(lsns, {}, retryAt);
        lsns.push_back(other);
        ListQuery query;
        query.queue = ref;
        query.sort = *parseSort("retry_at");
        std::vector<Lsn> listed;
        do {
            const auto page = engine.run(engine->ask(&engine::Listing::list, query));
            QVERIFY(page);
            for (const ActionResult& job : page->jobs) listed.push_back(job.lsn);
            query.cursor = page->cursor;
        } while (!query.cursor.empty());
        QCOMPARE(printed(listed), printed(lsns));
    }

    void filtersHoldInEveryOrder_data() {
        QTest::addColumn<QByteArray>("filter");
        QTest::addColumn<QByteArray>("listed");
        const auto row = [](const char* filter, const char* listed) {
            QTest::newRow(filter) << QByteArray(filter) << QByteArray(listed);
        };
        row("state:completed", "-a");
        row("state:failed,cancelled", "be");
        row("state:running", "c");
        row("state:held", "d");
        row("state:pending,completed", "d-a");
        row("label:b", "b");
        row("label:a,b*,d", "dba");
        row("-label:a", "dc-be");
        row("exit:0", "-a");
        row("exit>0", "b");
        row("exit:0 label:a", "a");
        row("label:none", "");
        row("worker:nobody", "");
        row("lock:app*", "d");
        row("-lock:app*", "c-bae");
        row("machine:*", "c-ba");
        row("-machine:*", "de");
        row("machine:elsewhere", "");
        row("worker:exec label:e*", "e");
        row("sleep", ""); // no word of label, worker, function or note
    }
    void filtersHoldInEveryOrder() {
        QFETCH(QByteArray, filter);
        QFETCH(QByteArray, listed);
        // By priority downwards: d (7); c, -, b, a (0), the newest first; e (-7).
        const std::string all = shown().list("-priority", 2, filter.toStdString());
        std::string wanted;
        for (const char c : std::string("dc-bae"))
            if (listed.contains(c)) wanted += c;
        QCOMPARE(all, wanted);
    }

    void whatChangesBetweenPagesIsNeitherMissedNorListedTwice() {
        Sorted sorted;
        const ListPage first = sorted.firstRows("-state", 2); // e, b
        QCOMPARE(first.jobs.size(), std::size_t{2});
        // Those that are listed already, and those that are not, change their places; one goes, one comes.
        const Lsn failed = first.jobs.back().lsn;
        QVERIFY(sorted.engine.run(sorted.engine->ask(&engine::Rescheduling::reschedule, failed, true)));
        for (const auto& [lsn, label] : sorted.names)
            if (label == "c") QVERIFY(sorted.engine.run(sorted.engine->ask(&engine::Operations::cancel, Lsn{lsn})));
        for (const auto& [lsn, label] : sorted.names)
            if (label == "c") (void)sorted.engine.wait(Lsn{lsn});
        for (const auto& [lsn, label] : sorted.names)
            if (label == "a") QVERIFY(sorted.engine.run(sorted.engine->ask(&engine::Operations::retire, Lsn{lsn})));
        sorted.add("new", "exit 0");
        std::string rest;
        for (std::string cursor = first.cursor; !cursor.empty();) {
            const auto page = sorted.page("-state", 1, cursor);
            QVERIFY(page);
            for (const ActionResult& job : page->jobs)
                rest += sorted.names[job.lsn.value] + std::string(name(job.state)).substr(0, 2) + " ";
            cursor = page->cursor;
        }
        // In their old places as they are now; what came later is not in this order, and what went is not in any.
        QCOMPARE(rest, std::string("-co cca dpe "));
        QVERIFY(sorted.list("state").contains("new"));
    }

    void aListThatIsAskedForAgainHasWhatChanged() {
        Sorted sorted;
        QCOMPARE(sorted.list("priority"), std::string("eab-cd"));
        QCOMPARE(sorted.list("priority"), std::string("eab-cd")); // the same order again
        for (const auto& [lsn, label] : sorted.names)
            if (label == "d") {
                ActionChange change;
                change.priority = -9;
                QVERIFY(sorted.engine.run(sorted.engine->ask(&engine::Operations::change, Lsn{lsn}, change)));
            }
        QCOMPARE(sorted.list("priority"), std::string("deab-c"));
    }

    void aCursorThatIsNoneIsRefused_data() {
        QTest::addColumn<QByteArray>("cursor");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("a word") << QByteArray("x") << QByteArray("malformed");
        QTest::newRow("that of a list by LSN") << QByteArray("12") << QByteArray("malformed");
        QTest::newRow("too many parts") << QByteArray("a.1.2.3.4") << QByteArray("malformed");
        QTest::newRow("no number") << QByteArray("a.1.x.0") << QByteArray("malformed");
        QTest::newRow("no run") << QByteArray(".1.2.0") << QByteArray("malformed");
        QTest::newRow("of another run") << QByteArray("00000000.1.2.0") << QByteArray("wrong_state");
    }
    void aCursorThatIsNoneIsRefused() {
        QFETCH(QByteArray, cursor);
        QFETCH(QByteArray, error);
        const auto page = shown().page("state", 1, cursor.toStdString());
        QVERIFY(!page);
        QCOMPARE(QByteArray(errorName(page.error().kind).data()), error);
    }

    void aCursorGoesWithItsOrderOnly() {
        const ListPage first = shown().firstRows("state", 1);
        QVERIFY(!first.cursor.empty());
        const auto other = shown().page("label", 1, first.cursor);
        QVERIFY(!other && other.error().kind == ErrorKind::Malformed);
        // Past the end there is nothing.
        std::string far = first.cursor;
        far.replace(far.find('.', far.find('.') + 1) + 1, 1, "900");
        const auto past = shown().page("state", 1, far);
        QVERIFY(past && past->jobs.empty() && past->cursor.empty());
    }

    void theNumbersAloneComeInTheSameOrderAsTheRows_data() {
        QTest::addColumn<QByteArray>("sort");
        QTest::addColumn<QByteArray>("filter");
        const auto row = [](const char* sort, const char* filter) {
            QTest::addRow("%s of %s", sort, filter) << QByteArray(sort) << QByteArray(filter);
        };
        for (const char* sort : {"-lsn", "lsn", "label", "-label", "-exit_code", "state", "finished"})
            for (const char* filter : {"", "state:completed,failed", "tries>5"}) row(sort, filter);
    }
    void theNumbersAloneComeInTheSameOrderAsTheRows() {
        QFETCH(QByteArray, sort);
        QFETCH(QByteArray, filter);
        const std::string rows = shown().list(sort.toStdString(), 100, filter.toStdString());
        for (const int limit : {1, 2, 100'000})
            QCOMPARE(shown().lsns(sort.toStdString(), limit, filter.toStdString()),
                     fmt::format("{} {}", rows, rows.size()));
    }

    void aPartOfNumbersGoesOnInItsOwnOrderOnly() {
        auto first = shown().part("-lsn", 1);
        while (first && first->lsns.empty() && !first->cursor.empty())
            first = shown().part("-lsn", 1, first->cursor);
        QVERIFY(first && !first->cursor.empty());
        const auto other = shown().part("lsn", 1, first->cursor);
        QVERIFY(!other && other.error().kind == ErrorKind::Malformed);
        const auto none = shown().part("-lsn", 1, "17");
        QVERIFY(!none && none.error().kind == ErrorKind::Malformed);
        const auto gone = shown().part("-lsn", 1, "00000000.1.2.0");
        QVERIFY(!gone && gone.error().kind == ErrorKind::WrongState);
    }

    void rowsNamedOneByOneComeByLsnWhateverElseThereIs() {
        std::map<std::string, std::int64_t> lsns;
        for (const auto& [lsn, name] : shown().names) lsns[name] = lsn;
        const auto named = [&](const char* letters) {
            std::string filter = "lsn:999999";
            for (const char* at = letters; *at != 0; ++at) filter += fmt::format(",{}", lsns[std::string(1, *at)]);
            return filter;
        };
        QCOMPARE(shown().list("-lsn", 100, named("aecca")), std::string("eca"));
        QCOMPARE(shown().list("lsn", 1, named("aec")), std::string("ace"));
        QCOMPARE(shown().list("-lsn", 2, named("abcde")), std::string("edcba"));
        QCOMPARE(shown().list("-lsn", 100, named("abd") + " state:failed"), std::string("b"));
        QCOMPARE(shown().list("-lsn", 100, "-" + named("ab")), std::string("edc-"));
        QCOMPARE(shown().list("label", 100, named("eab")), std::string("abe"));
        QCOMPARE(shown().list("-lsn", 100, "lsn:999999"), std::string());
        const auto refused = shown().page("-lsn", 1, "x", named("ab"));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Malformed);
    }

    /// Order of LSNs: a b - c d e. The part of the journal that is looked at has all that a range means.
    void aRangeOfLsnsHasBothItsEnds() {
        std::map<std::string, std::int64_t> lsns;
        for (const auto& [lsn, name] : shown().names) lsns[name] = lsn;
        const auto between = [&](const char* first, const char* last) {
            return fmt::format("{}..{}", lsns[first], lsns[last]);
        };
        const std::string middle = "lsn:" + between("b", "d");
        QCOMPARE(shown().list("lsn", 100, middle), std::string("b-cd"));
        QCOMPARE(shown().list("-lsn", 1, middle), std::string("dc-b"));
        QCOMPARE(shown().lsns("lsn", 100, middle), std::string("b-cd 4"));
        QCOMPARE(shown().list("lsn", 100, "lsn:" + between("a", "b") + "," + between("d", "e")),
                 std::string("abde"));
        QCOMPARE(shown().list("lsn", 100, middle + " state:failed"), std::string("b"));
        QCOMPARE(shown().list("lsn", 100, middle + fmt::format(" lsn>{}", lsns["b"])), std::string("-cd"));
        QCOMPARE(shown().list("lsn", 100, "-" + middle), std::string("ae"));
        QCOMPARE(shown().list("lsn", 100, fmt::format("lsn<={}", lsns["b"])), std::string("ab"));
        QCOMPARE(shown().list("lsn", 100, fmt::format("lsn>={}", lsns["d"])), std::string("de"));
        QCOMPARE(shown().list("lsn", 100, "lsn:900000..999999"), std::string());
        QCOMPARE(shown().list("lsn", 100, "lsn:-5..0"), std::string());
    }

    void theOldestOrderGoesWhenThereAreTooMany() {
        SortedListCache orders;
        const auto at = [](int second) { return MonoTime(std::chrono::seconds(1'000 + second)); };
        std::vector<std::shared_ptr<KeptOrder>> all;
        ListQuery query;
        for (int i = 0; i < static_cast<int>(SortedListCache::kMost); ++i) {
            query.label = fmt::format("{}", i);
            all.push_back(*orders.begin(query, 1, at(i)));
        }
        const auto refused = orders.begin(query, 1, at(20)); // all of them are being made
        QVERIFY(!refused && refused.error().kind == ErrorKind::Busy);
        for (const auto& order : all) orders.finish(*order, std::vector{Lsn{1}});
        QVERIFY(orders.find(all.front()->id, at(21))); // used: no longer the oldest
        QVERIFY(orders.begin(query, 2, at(22)));
        QVERIFY(orders.find(all.front()->id, at(23)));
        QVERIFY(!orders.find(all[1]->id, at(23)));
        // Unused for a minute, all that are made go.
        orders.dropUnused(at(23) + SortedListCache::kKeep);
        QVERIFY(!orders.empty()); // the one in the making
        QVERIFY(!orders.find(all.front()->id, at(100)));
    }

    void ordersThatWereReadToTheirEndGoBeforeOlderOnes() {
        SortedListCache orders;
        const auto at = [](int second) { return MonoTime(std::chrono::seconds(1'000 + second)); };
        ListQuery query;
        query.label = "long";
        const auto paged = *orders.begin(query, 1, at(0));
        orders.finish(*paged, std::vector{Lsn{1}, Lsn{2}});
        std::vector<std::shared_ptr<KeptOrder>> read;
        for (int i = 1; i < 3 * static_cast<int>(SortedListCache::kMost); ++i) {
            query.label = fmt::format("{}", i);
            read.push_back(*orders.begin(query, 1, at(i)));
            orders.finish(*read.back(), std::vector{Lsn{1}});
            read.back()->isReadToEnd = true;
        }
        QVERIFY(orders.find(paged->id, at(48)));
        QVERIFY(!orders.find(read.front()->id, at(48)));
        // Asked for again, it is one of those that are paged through.
        const auto again = orders.find(read.back()->id, at(48));
        QVERIFY(again && !again->isReadToEnd);
    }

    void aListThatIsPagedThroughOutlivesOthersThatAreReadWhole() {
        const ListPage first = shown().firstRows("priority", 2);
        QVERIFY(!first.cursor.empty());
        for (int i = 0; i < static_cast<int>(SortedListCache::kMost); ++i) {
            const std::string filter = fmt::format("label:nobody{}", i);
            QCOMPARE(shown().lsns("lsn", 100, filter), std::string(" 0"));
            QCOMPARE(shown().list("-priority", 100, filter), std::string());
        }
        const auto next = shown().page("priority", 2, first.cursor);
        QVERIFY2(next, next ? "" : next.error().message.c_str());
    }

    void whatIsKeptAltogetherIsBounded() {
        SortedListCache orders;
        ListQuery query;
        const MonoTime now(std::chrono::seconds(1'000));
        std::vector<std::shared_ptr<KeptOrder>> all;
        for (int i = 0; i < 3; ++i) all.push_back(*orders.begin(query, i, now + Duration(i)));
        for (const auto& order : all) orders.finish(*order, std::vector<Lsn>(SortedListCache::kMostOfOne, Lsn{1}));
        QVERIFY(!orders.find(all[0]->id, now));
        QVERIFY(orders.find(all[1]->id, now) && orders.find(all[2]->id, now));
    }

    void oneThatFailedIsNotShared() {
        SortedListCache orders;
        ListQuery query;
        const MonoTime now(std::chrono::seconds(1'000));
        const auto order = *orders.begin(query, 5, now);
        QCOMPARE(orders.find(query, 5, now).get(), order.get());
        QVERIFY(!orders.find(query, 6, now));
        query.limit = 3; // of no matter
        QVERIFY(orders.find(query, 5, now));
        query.label = "x";
        QVERIFY(!orders.find(query, 5, now));
        orders.notePutBack(Lsn{9});
        QCOMPARE(printed(order->putBack), std::string("9"));
        orders.finish(*order, fail(ErrorKind::Busy, "no"));
        query.label.clear();
        QVERIFY(!orders.find(query, 5, now));
        orders.notePutBack(Lsn{10}); // it is made: of no interest any more
        QVERIFY(order->putBack.empty());
    }

    void cleanupTestCase() { shown_.reset(); }

private:
    Sorted& shown() {
        if (!shown_) shown_ = std::make_unique<Sorted>();
        return *shown_;
    }
    std::unique_ptr<Sorted> shown_;
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    SortingTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_sorting.moc"
