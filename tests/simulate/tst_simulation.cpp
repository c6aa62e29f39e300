// The session in virtual time: what is exact by hand, and what must hold of any work.
#include "core/model/limits.h"
#include "core/simulate/answer.h"
#include "core/simulate/simulation.h"
#include "core/simulate/trace.h"

#include "tests/support/show_strings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::simulate;

namespace {

constexpr Duration seconds(double count) {
    return Duration(static_cast<std::int64_t>(count * 1e6));
}

Kind kind(std::string name, std::int64_t milliCores, std::int64_t memoryMb = 0) {
    return {.name = std::move(name), .need = {.milliCores = milliCores, .memoryMb = memoryMb, .named = {}}};
}

/// So many of one kind, all there from the start.
std::vector<Job> many(int count, double took, std::uint32_t of = 0) {
    return {static_cast<std::size_t>(count), Job{.arrival = {}, .took = seconds(took), .kind = of}};
}

Options on(int machines, int cores, std::int64_t memoryMb = 0) {
    return {.fleet = {.machines = machines, .cores = cores, .memoryMb = memoryMb}};
}

bool isNear(double value, double wanted) {
    return std::abs(value - wanted) <= wanted * 0.02;
}

Work mixed(std::uint64_t seed) {
    return workFromModel(R"({"actions":5000,"arrival_s":30,"kinds":[
        {"name":"one","share":8,"seconds":{"p50":1,"p95":5}},
        {"name":"wide","share":1,"cores":4,"memory_mb":2000,"seconds":{"p50":3,"p95":9}},
        {"name":"part","share":2,"cores":0.25,"seconds":{"p50":0.5,"p95":1}}]})",
                         seed)
        .value();
}

std::string withoutRate(const Answer& answer) {
    Answer same = answer;
    same.decisionsPerSecond = 0;
    return toJson(same);
}

} // namespace

class TestSimulation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneAfterTheOtherTakesTheSum() {
        const Work work = workOf({kind("a", 1'000)}, many(10, 2));
        const auto answer = play(work, on(1, 1));
        QVERIFY(answer);
        QVERIFY(isNear(answer->makespan, 20));
        QCOMPARE(answer->bound, 20.0);
        QVERIFY(isNear(answer->waits[0].p95, 18));
        QVERIFY(answer->utilisation.front().second > 0.97);
    }

    void whatFitsBesideEachOtherRunsAtOnce() {
        const auto answer = play(workOf({kind("a", 1'000)}, many(12, 5)), on(3, 4));
        QCOMPARE(answer->makespan, 5.0);
        QCOMPARE(answer->waits[0].p95, 0.0);
    }

    void nothingIsSpreadOverTwoMachines() {
        const auto answer = play(workOf({kind("three", 3'000)}, many(4, 5)), on(2, 5));
        QVERIFY(isNear(answer->makespan, 10));
        QCOMPARE(answer->bound, 6.0);
    }

    void memoryIsKeptTo() {
        const Work work = workOf({kind("large", 1'000, 600)}, many(4, 5));
        QVERIFY(isNear(play(work, on(1, 4, 1'000))->makespan, 20));
        QCOMPARE(play(work, on(1, 4))->makespan, 5.0);
    }

    void laterArrivalsAreWaitedFor() {
        const Work work = workOf({kind("a", 1'000)}, {{.arrival = seconds(100), .took = seconds(1)},
                                                      {.arrival = seconds(10), .took = seconds(1)}});
        const auto answer = play(work, on(1, 1));
        QCOMPARE(answer->makespan, 91.0);
        QCOMPARE(answer->bound, 91.0);
        QCOMPARE(answer->waits[0].p95, 0.0);
    }

    void noMachineHasMoreThanItHolds() {
        std::map<std::uint32_t, std::vector<Span>> spans;
        Options options = on(4, 4, 5'000);
        options.started = [&](const Span& span) { spans[span.machine].push_back(span); };
        const Work work = mixed(3);
        QVERIFY(play(work, options));
        std::size_t all = 0;
        for (const auto& [machine, of] : spans) {
            QVERIFY(machine < 4);
            all += of.size();
            for (const Span& at : of) {
                std::int64_t cores = 0;
                std::int64_t memory = 0;
                for (const Span& other : of) {
                    if (other.start > at.start || other.end <= at.start) continue;
                    cores += work.kinds[other.kind].need.milliCores;
                    memory += work.kinds[other.kind].need.memoryMb;
                }
                QVERIFY(cores <= 4'000 && memory <= 5'000);
            }
        }
        QCOMPARE(all, work.jobs.size());
    }

    void theSameIsAnsweredTwice() {
        const auto one = play(mixed(3), on(4, 4));
        QCOMPARE(withoutRate(*one), withoutRate(*play(mixed(3), on(4, 4))));
        QVERIFY(withoutRate(*one) != withoutRate(*play(mixed(4), on(4, 4))));
        QVERIFY(one->makespan >= one->bound);
        QVERIFY(one->decisionsPerSecond > 0 && one->peakMemoryBytes > 0);
    }

    void moreMachinesMakeItShorter() {
        QVERIFY(play(mixed(3), on(8, 4))->makespan < play(mixed(3), on(2, 4))->makespan);
    }

    void policiesSayWhoWaits() {
        std::vector<Job> jobs = many(50, 10, 0);
        for (const Job& job : many(50, 1, 1)) jobs.push_back(job);
        const Work work = workOf({kind("long", 1'000), kind("short", 1'000)}, jobs);
        const auto waitOf = [&](Policy policy, std::size_t of) {
            Options options = on(1, 2);
            options.policy = policy;
            return play(work, options)->waits[of].p50;
        };
        QVERIFY(waitOf(Policy::ShortestFirst, 1) < waitOf(Policy::Usual, 1));
        QVERIFY(waitOf(Policy::LongestFirst, 1) > waitOf(Policy::ShortestFirst, 1) * 5);
        QVERIFY(waitOf(Policy::LongestFirst, 0) < waitOf(Policy::ShortestFirst, 0));
        for (const char* word : {"usual", "no-reserve", "shortest-first", "longest-first"}) {
            const auto policy = policyFrom(word);
            QVERIFY(policy);
            QCOMPARE(std::string(name(*policy)), std::string(word));
            QVERIFY(waitOf(*policy, 0) >= 0);
        }
        QVERIFY(!policyFrom("random"));
    }

    void whatIsOverALimitIsRefused() {
        const Work work = workOf({kind("wide", 8'000, 100)}, many(1, 1));
        QCOMPARE(play(work, on(0, 8)).error().field, "machines");
        QCOMPARE(play(work, on(kMostMachines + 1, 8)).error().field, "machines");
        QCOMPARE(play(work, on(1, 0)).error().field, "cores");
        QCOMPARE(play(work, on(1'000, kMostCores)).error().field, "cores");
        QCOMPARE(play(work, on(1, 8, -1)).error().field, "memory");
        QCOMPARE(play(work, on(5, 4)).error().message,
                 R"("wide" asks for 8 cores, and a machine has 4: it would never start.)");
        QCOMPARE(play(work, on(5, 8, 50)).error().field, "memory");
        QCOMPARE(play(Work{}, on(1, 1)).error().field, "actions");
        const Work endless = workOf({kind("a", 1'000)}, many(4'000, kMaxSeconds));
        QCOMPARE(play(endless, on(1, 1)).error().field, "seconds");
    }

    void theAnswerIsJson() {
        const auto answer = play(workOf({kind("a", 1'000)}, many(2, 5)), on(1, 2));
        const QJsonObject json =
            QJsonDocument::fromJson(QByteArray::fromStdString(toJson(*answer, *answer))).object()["b"].toObject();
        QCOMPARE(json["makespan_s"].toDouble(), 5.0);
        QCOMPARE(json["bound_s"].toDouble(), 5.0);
        QCOMPARE(json["utilisation"].toArray().first().toArray().at(1).toDouble(), 1.0);
        QCOMPARE(json["wait_s"].toObject()["a"].toObject()["p95"].toDouble(), 0.0);
        QVERIFY(json.contains("decisions_per_s") && json["peak_memory_bytes"].toDouble() > 0);
    }

    void aTraceHasALaneForEachThatRunsBesideOthers() {
        const Work work = workOf({kind("a", 1'000)}, many(4, 5));
        Trace trace(work);
        Options options = on(1, 2);
        options.started = [&](const Span& span) { trace.add(span); };
        QVERIFY(play(work, options));
        const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(trace.json())).object();
        std::map<int, int> lanes;
        for (const QJsonValue event : json["traceEvents"].toArray())
            if (event["ph"] == "X") {
                QCOMPARE(event["dur"].toDouble(), 5e6);
                ++lanes[event["tid"].toInt()];
            }
        QCOMPARE(lanes, (std::map<int, int>{{1, 2}, {2, 2}}));
        QCOMPARE(json["otherData"]["omitted"].toInt(), 0);
    }

    void aTraceHasAnEnd() {
        const Work work = workOf({kind("a", 1'000)}, many(1, 5));
        Trace trace(work);
        for (std::size_t i = 0; i < Trace::kMostSpans + 3; ++i) trace.add({.start = seconds(1), .end = seconds(1)});
        QCOMPARE(trace.omitted(), std::int64_t{3});
    }
};

QTEST_GUILESS_MAIN(TestSimulation)
#include "tst_simulation.moc"
