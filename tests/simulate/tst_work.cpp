// Work of a model: what is read, what is refused, and that a seed means always the same.
#include "core/simulate/work.h"

#include "tests/support/show_strings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::simulate;

namespace {

const char* const kModel = R"({"actions":20000,"arrival_s":100,"kinds":[
    {"name":"short","share":3,"seconds":{"p50":2,"p95":8}},
    {"name":"wide","share":1,"cores":2.5,"memory_mb":500,"seconds":{"p50":10,"p95":10}}]})";

std::vector<double> secondsOf(const Work& work, std::uint32_t kind) {
    std::vector<double> all;
    for (const Job& job : work.jobs)
        if (job.kind == kind) all.push_back(inSeconds(job.took));
    std::ranges::sort(all);
    return all;
}

bool isNear(double value, double wanted, double part) {
    return std::abs(value - wanted) <= wanted * part;
}

} // namespace

class TestWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aModelSaysWhatThereIs() {
        const auto work = workFromModel(kModel, 1);
        QVERIFY(work);
        QCOMPARE(work->jobs.size(), std::size_t{20'000});
        QCOMPARE(work->kinds.size(), std::size_t{2});
        QCOMPARE(work->kinds[0].need.milliCores, std::int64_t{1'000});
        QCOMPARE(work->kinds[1].need.milliCores, std::int64_t{2'500});
        QCOMPARE(work->kinds[1].need.memoryMb, std::int64_t{500});
        const std::vector<double> shorts = secondsOf(*work, 0);
        QVERIFY(isNear(static_cast<double>(shorts.size()), 15'000, 0.03));
        QVERIFY(isNear(shorts[shorts.size() / 2], 2, 0.05));
        QVERIFY(isNear(shorts[shorts.size() * 95 / 100], 8, 0.08));
        const std::vector<double> wides = secondsOf(*work, 1);
        QCOMPARE(wides.front(), 10.0);
        QCOMPARE(wides.back(), 10.0);
    }

    void arrivalsAreEven() {
        const auto work = workFromModel(kModel, 1);
        QCOMPARE(work->jobs.front().arrival, Duration::zero());
        QCOMPARE(work->jobs[10'000].arrival, Duration{50'000'000});
        QVERIFY(std::ranges::is_sorted(work->jobs, {}, &Job::arrival));
    }

    void aSeedMakesTheSameAgain() {
        const auto one = workFromModel(kModel, 7);
        const auto again = workFromModel(kModel, 7);
        const auto other = workFromModel(kModel, 8);
        const auto isSame = [](const Job& a, const Job& b) { return a.kind == b.kind && a.took == b.took; };
        QVERIFY(std::ranges::equal(one->jobs, again->jobs, isSame));
        QVERIFY(!std::ranges::equal(one->jobs, other->jobs, isSame));
    }

    void whatArrivedFirstBeginsAtZero() {
        const Work work = workOf({{.name = "a", .need = {}}},
                                 {{.arrival = Duration{9}, .took = Duration{1}}, {.arrival = Duration{5}}});
        QCOMPARE(work.jobs[0].arrival, Duration{0});
        QCOMPARE(work.jobs[1].arrival, Duration{4});
        QCOMPARE(work.jobs[1].took, Duration{1});
    }

    void wrongModelsAreRefused_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* sentence, const char* json, const char* field) {
            QTest::newRow(sentence) << json << field;
        };
        row("not JSON", "{", "");
        row("no object", "[]", "");
        row("no actions", R"({"kinds":[{"name":"a","seconds":{"p50":1,"p95":1}}]})", "actions");
        row("too many actions", R"({"actions":10000001,"kinds":[{"name":"a","seconds":{"p50":1,"p95":1}}]})",
            "actions");
        row("no kinds", R"({"actions":1,"kinds":[]})", "kinds");
        row("kinds that are none", R"({"actions":1,"kinds":[5]})", "kinds[0]");
        row("a kind without a name", R"({"actions":1,"kinds":[{"seconds":{"p50":1,"p95":1}}]})", "kinds[0].name");
        row("two kinds of a name",
            R"({"actions":1,"kinds":[{"name":"a","seconds":{"p50":1,"p95":1}},{"name":"a","seconds":{"p50":1,"p95":1}}]})",
            "kinds[1].name");
        row("nothing of any kind", R"({"actions":1,"kinds":[{"name":"a","share":0,"seconds":{"p50":1,"p95":1}}]})",
            "kinds");
        row("no times", R"({"actions":1,"kinds":[{"name":"a"}]})", "kinds[0].seconds");
        row("a time of nothing", R"({"actions":1,"kinds":[{"name":"a","seconds":{"p50":0,"p95":1}}]})",
            "kinds[0].seconds.p50");
        row("a tail before the middle", R"({"actions":1,"kinds":[{"name":"a","seconds":{"p50":2,"p95":1}}]})",
            "kinds[0].seconds.p95");
        row("no cores", R"({"actions":1,"kinds":[{"name":"a","cores":0,"seconds":{"p50":1,"p95":1}}]})",
            "kinds[0].cores");
        row("less than no memory",
            R"({"actions":1,"kinds":[{"name":"a","memory_mb":-1,"seconds":{"p50":1,"p95":1}}]})",
            "kinds[0].memory_mb");
        row("a member that there is not", R"({"actions":1,"kind":[]})", "kind");
        row("a member that a kind has not",
            R"({"actions":1,"kinds":[{"name":"a","core":1,"seconds":{"p50":1,"p95":1}}]})", "kinds[0].core");
    }
    void wrongModelsAreRefused() {
        QFETCH(QString, json);
        QFETCH(QString, field);
        const auto work = workFromModel(json.toStdString(), 1);
        QVERIFY(!work);
        QCOMPARE(QString::fromStdString(work.error().field), field);
        QVERIFY(work.error().message.ends_with('.'));
    }

    void aModelOfABookIsRefused() {
        QCOMPARE(workFromModel(std::string(kMostModelBytes + 1, ' '), 1).error().kind, ErrorKind::TooLarge);
    }
};

QTEST_GUILESS_MAIN(TestWork)
#include "tst_work.moc"
