// The containers below the session: nothing moves, nothing is rehashed, memory comes back.
#include "core/session/grow_array.h"
#include "core/session/heap.h"
#include "core/session/id_map.h"
#include "core/session/lanes.h"
#include "core/session/record.h"
#include "core/session/retry.h"
#include "core/session/slab.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

struct Thing {
    std::uint32_t value;
    std::uint32_t& freeLink() { return value; }
};

std::uint32_t waiting(Records& records, std::int64_t lsn, int priority, std::int64_t time, std::uint32_t lane) {
    const std::uint32_t r = records.allocate(Lsn(lsn));
    records[r].key = Record::makeKey(priority, time);
    records[r].lane = lane;
    records[r].phase = Phase::Waiting;
    records[r].set(Record::kInLane);
    return r;
}

} // namespace

class TestStructure : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void growArrayKeepsItsElementsInPlace();
    void heapGivesItsItemsInOrderAndKnowsTheirPlaces();
    void slabGivesPagesBack();
    void idMapFindsSparseNumbersAndGivesPagesBack();
    void idMapWalksInOrder();
    void lsnIsCompletedFromTheLargest();
    void laneGivesItsEntriesInOrderHoweverTheyCame();
    void lanesAreFoundAgainAmongMany();
    void sweepTakesDeadEntriesOutAndKeepsTheOrder();
    void sweepBesidePopsAndPushes();
    void phaseTableAllowsWhatItSaysAndNothingElse();
    void backoffStaysWithinTwentyPercent();
};

void TestStructure::growArrayKeepsItsElementsInPlace() {
    GrowArray<int> array;
    array.push(0);
    const int* first = &array[0];
    for (int i = 1; i < 100'000; ++i) array.push(i);
    QCOMPARE(&array[0], first);
    for (std::uint32_t i = 0; i < 100'000; ++i) QCOMPARE(array[i], static_cast<int>(i));
    const std::size_t full = array.memoryBytes();
    while (array.size() > 10) array.pop();
    QCOMPARE(array.back(), 9);
    QVERIFY(array.memoryBytes() * 100 < full);
}

void TestStructure::heapGivesItsItemsInOrderAndKnowsTheirPlaces() {
    std::mt19937 random(7);
    GrowArray<int> heap;
    std::map<int, std::uint32_t> places;
    std::multiset<int> model;
    const auto less = [](int a, int b) { return a < b; };
    const auto moved = [&](int item, std::uint32_t at) { places[item] = at; };
    for (int round = 0; round < 5'000; ++round) {
        const int value = static_cast<int>(random());
        if (model.empty() || random() % 3 != 0) {
            heapPush(heap, value, less, moved);
            model.insert(value);
        } else {
            const int victim = heap[random() % heap.size()];
            heapRemove(heap, places[victim], less, moved);
            model.erase(model.find(victim));
        }
        if (!model.empty()) QCOMPARE(heap.front(), *model.begin());
    }
    for (std::uint32_t i = 0; i < heap.size(); ++i) QCOMPARE(places[heap[i]], i);
}

void TestStructure::slabGivesPagesBack() {
    Slab<Thing, 16> slab;
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        places.push_back(slab.allocate());
        slab[places.back()].value = i;
    }
    QCOMPARE(std::set<std::uint32_t>(places.begin(), places.end()).size(), std::size_t{1'000});
    const std::size_t full = slab.memoryBytes();
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        QCOMPARE(slab[places[i]].value, i);
        slab.release(places[i]);
    }
    QCOMPARE(slab.used(), 0u);
    QVERIFY(slab.memoryBytes() < full);
    std::set<std::uint32_t> again;
    for (int i = 0; i < 1'000; ++i) again.insert(slab.allocate());
    QCOMPARE(again.size(), std::size_t{1'000});
    QVERIFY2(*again.rbegin() < 1'100, "places are used again");
}

void TestStructure::idMapFindsSparseNumbersAndGivesPagesBack() {
    IdMap map;
    std::map<std::int64_t, std::uint32_t> model;
    std::mt19937_64 random(3);
    for (std::uint32_t i = 0; i < 3'000; ++i) {
        const std::int64_t id = static_cast<std::int64_t>(random() >> (random() % 3 * 16 + 14));
        map.insert(id, i);
        model[id] = i;
        const std::int64_t asked = static_cast<std::int64_t>(random() >> 30);
        QCOMPARE(map.find(asked), model.contains(asked) ? model[asked] : kNone);
        if (i % 2) {
            const auto it = model.lower_bound(id / 2);
            map.erase(it->first);
            model.erase(it);
        }
    }
    for (const auto& [id, place] : model) QCOMPARE(map.find(id), place);
    for (const auto& [id, place] : model) map.erase(id);
    QVERIFY(map.memoryBytes() < 1'000'000);
    QCOMPARE(map.find(-1), kNone);
}

void TestStructure::idMapWalksInOrder() {
    IdMap map;
    QCOMPARE(map.next(0).second, kNone);
    const std::vector<std::int64_t> ids{1,        2, 4095, 4096, 9000, (1 << 24) - 1, 1 << 24, (5LL << 24) + 77,
                                        1LL << 40};
    for (std::size_t i = ids.size(); i-- > 0;) map.insert(ids[i], static_cast<std::uint32_t>(i));
    std::vector<std::int64_t> walked;
    for (auto [id, place] = map.next(0); place != kNone; std::tie(id, place) = map.next(id + 1)) {
        QCOMPARE(map.find(id), place);
        walked.push_back(id);
    }
    QCOMPARE(walked, ids);
    map.erase(4096);
    QCOMPARE(map.next(4096).first, 9000);
    QCOMPARE(map.next(-5).first, 1);
    QCOMPARE(map.next((1LL << 40) + 1).first, -1);
}

void TestStructure::lsnIsCompletedFromTheLargest() {
    Records records;
    const std::int64_t numbers[] = {5, 4'294'967'295, 4'294'967'296, 4'294'967'300, 700'000'000'001};
    std::vector<std::uint32_t> places;
    for (const std::int64_t n : numbers) places.push_back(records.allocate(Lsn(n)));
    for (std::size_t i = 0; i < places.size(); ++i) QCOMPARE(records.lsnOf(records[places[i]]).value, numbers[i]);
}

void TestStructure::laneGivesItsEntriesInOrderHoweverTheyCame() {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        Records records;
        Lanes lanes(records);
        const std::uint32_t lane = lanes.acquire(0, 0, 0);
        std::set<std::pair<std::int64_t, std::int64_t>> model; // time, LSN
        for (std::int64_t lsn = 1; lsn < 400; ++lsn) {
            // Mostly in order of age, some older: what comes back after a retry.
            const std::int64_t time = random() % 4 == 0 ? random() % 1'000 : lsn * 3;
            const std::uint32_t r = waiting(records, lsn, 0, time, lane);
            ++lanes[lane].refs;
            QCOMPARE(lanes.push(lane, r), model.empty() || std::pair(time, lsn) < *model.begin());
            model.emplace(time, lsn);
            while (random() % 3 == 0 && !model.empty()) {
                const std::uint32_t first = lanes[lane].first;
                QCOMPARE(records.lsnOf(records[first]).value, model.begin()->second);
                lanes.pop(lane);
                lanes.release(lane);
                model.erase(model.begin());
            }
            lanes.check(lane);
        }
    }
}

void TestStructure::lanesAreFoundAgainAmongMany() {
    Records records;
    Lanes lanes(records);
    std::map<std::tuple<std::uint32_t, std::uint32_t, int>, std::uint32_t> model;
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto number = [&] { return static_cast<std::uint32_t>(random() % 300); };
        const std::uint32_t queue = number();
        const auto key = std::tuple(queue, number(), static_cast<int>(random() % 3) * 100 - 100);
        const std::uint32_t lane = lanes.acquire(std::get<0>(key), std::get<1>(key), std::get<2>(key));
        if (const auto it = model.find(key); it != model.end())
            QCOMPARE(lane, it->second);
        else
            model[key] = lane;
        if (random() % 3 == 0) { // drop all references of one lane
            const auto it = std::next(model.begin(), random() % std::min<std::size_t>(model.size(), 50));
            while (lanes.present(it->second) && lanes[it->second].refs > 1) lanes.release(it->second);
            lanes.release(it->second);
            model.erase(it);
        }
    }
    QCOMPARE(static_cast<std::size_t>(lanes.used()), model.size());
}

void TestStructure::sweepTakesDeadEntriesOutAndKeepsTheOrder() {
    Records records;
    Lanes lanes(records);
    const std::uint32_t lane = lanes.acquire(0, 0, 0);
    for (std::int64_t lsn = 1; lsn <= 1'000; ++lsn) {
        ++lanes[lane].refs;
        lanes.push(lane, waiting(records, lsn, 0, lsn, lane));
    }
    lanes.forEachEntry(lane, [&](std::uint32_t r) {
        if (records.lsnOf(records[r]).value % 7 != 0) records[r].phase = Phase::Dead;
    });
    const Lanes::Sweeper sweeper{.isDead = [&](std::uint32_t r) { return records[r].phase == Phase::Dead; },
                                 .dropped =
                                     [&](std::uint32_t r) {
                                         records.release(r);
                                         lanes.release(lane);
                                     },
                                 .popFirst =
                                     [&](std::uint32_t l) {
                                         records.release(lanes[l].first);
                                         lanes.pop(l);
                                         lanes.release(l);
                                     }};
    int calls = 0;
    while (lanes.sweep(50, sweeper)) ++calls;
    QVERIFY(calls > 10);
    std::vector<std::int64_t> left;
    for (; lanes[lane].first != kNone; lanes.pop(lane))
        left.push_back(records.lsnOf(records[lanes[lane].first]).value);
    QCOMPARE(left.size(), std::size_t{142});
    for (std::size_t i = 0; i < left.size(); ++i) QCOMPARE(left[i], static_cast<std::int64_t>(7 * (i + 1)));
}

void TestStructure::sweepBesidePopsAndPushes() {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        Records records;
        Lanes lanes(records);
        const std::uint32_t lane = lanes.acquire(0, 0, 0);
        std::vector<std::uint32_t> alive;
        std::int64_t lsn = 0;
        std::int64_t last = 0;
        const auto add = [&] {
            ++lsn;
            const std::uint32_t r = waiting(records, lsn, 0, lsn, lane);
            ++lanes[lane].refs;
            lanes.push(lane, r);
            alive.push_back(r);
        };
        const auto takeFirst = [&](bool mustLive) {
            const std::uint32_t r = lanes[lane].first;
            if (mustLive && records[r].phase == Phase::Waiting) {
                QVERIFY(records.lsnOf(records[r]).value > last);
                last = records.lsnOf(records[r]).value;
                alive.erase(std::ranges::find(alive, r));
            }
            lanes.pop(lane);
            records.release(r);
            lanes.release(lane);
        };
        const Lanes::Sweeper sweeper{.isDead = [&](std::uint32_t r) { return records[r].phase == Phase::Dead; },
                                     .dropped =
                                         [&](std::uint32_t r) {
                                             records.release(r);
                                             lanes.release(lane);
                                         },
                                     .popFirst = [&](std::uint32_t) { takeFirst(false); }};
        for (int i = 0; i < 300; ++i) add();
        for (int round = 0; round < 200; ++round) {
            for (int n = random() % 12; n > 0; --n) add();
            for (int n = random() % 12; n > 0 && !alive.empty(); --n) {
                const std::size_t at = random() % alive.size();
                records[alive[at]].phase = Phase::Dead;
                alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
            }
            for (int n = random() % 30; n > 0 && lanes[lane].first != kNone; --n) takeFirst(true);
            lanes.sweep(static_cast<int>(random() % 60), sweeper);
            lanes.check(lane);
        }
    }
}

void TestStructure::phaseTableAllowsWhatItSaysAndNothingElse() {
    // Rows: from; columns: Free Waiting Leased Submitting Running Retrying Ending Dead.
    const char* table[] = {".w......", "F.L...ED", ".W.SR.E.", ".W..R.E.",
                           ".W...YE.", ".W....E.", "F......D", "F......."};
    for (std::size_t from = 0; from < kPhases; ++from)
        for (std::size_t to = 0; to < kPhases; ++to)
            QCOMPARE(phaseTransitions().allows(static_cast<Phase>(from), static_cast<Phase>(to)),
                     table[from][to] != '.');
}

void TestStructure::backoffStaysWithinTwentyPercent() {
    std::uint64_t random = 42;
    double least = 2, most = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double factor =
            static_cast<double>(backoffAfter({}, 3, Reason::ExitCode, random).count()) / 1'000'000.0;
        least = std::min(least, factor);
        most = std::max(most, factor);
    }
    QVERIFY(least >= 0.8 && least < 0.81 && most <= 1.2 && most > 1.19);
    for (const std::uint32_t attempt : {20u, 4'000'000'000u}) {
        const auto wait = backoffAfter({}, attempt, Reason::Signal, random).count();
        QVERIFY(wait >= 48'000'000 && wait <= 72'000'000);
    }
    QCOMPARE(backoffAfter({}, 5, Reason::EngineDied, random).count(), 0);
    QueueConfig none;
    none.backoff = Duration{0};
    QCOMPARE(backoffAfter(none, 5, Reason::Signal, random).count(), 0);
}

QTEST_APPLESS_MAIN(TestStructure)
#include "tst_structure.moc"
