// Effects that are not carried out yet: when they are tried again, and how many at once.
#include "core/lifecycle/move_rates.h"
#include "core/lifecycle/outbox.h"

#include <QtTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::lifecycle;

namespace {

constexpr WallMicros kSecond = 1'000'000;

} // namespace

class TestOutbox : public QObject {
    Q_OBJECT

    WallMicros now_ = 0;

private Q_SLOTS:
    void init() { now_ = 1'000 * kSecond; }

    void aFailedEffectIsTriedAgainAndNeverUndoesTheMove() {
        Outbox outbox;
        const EffectKey key{.object = ObjectId(1), .revision = 4, .position = 0};
        outbox.add(key, {.kind = EffectKind::Call, .body = "{}"}, now_);
        outbox.add(key, {.kind = EffectKind::Call, .body = "{}"}, now_); // at a start once more
        QCOMPARE(outbox.size(), 1U);
        std::string pauses;
        for (int i = 0; i < 11; ++i) {
            const auto taken = outbox.take(now_);
            QCOMPARE(taken.size(), 1U);
            QCOMPARE(taken.front().attempt, unsigned(i + 1));
            QVERIFY(outbox.take(now_).empty());
            outbox.failed(key, now_);
            pauses += fmt::format("{} ", (*outbox.next() - now_) / kSecond);
            now_ = *outbox.next();
        }
        QCOMPARE(pauses, "10 20 40 80 160 320 640 1280 2560 3600 3600 ");
        (void)outbox.take(now_);
        outbox.done(key);
        QCOMPARE(outbox.size(), 0U);
        QVERIFY(!outbox.next());
    }
    void whatIsPostponedIsTakenASecondLaterAndWasNoAttempt() {
        Outbox outbox;
        const EffectKey key{.object = ObjectId(1), .revision = 4, .position = 0};
        outbox.postponed(key, now_); // there is none
        outbox.add(key, {}, now_);
        outbox.postponed(key, now_); // it is not on its way
        QCOMPARE(*outbox.next(), now_);
        for (int i = 0; i < 20; ++i) {
            QCOMPARE(outbox.take(now_).front().attempt, 1U);
            outbox.postponed(key, now_);
            QCOMPARE(*outbox.next(), now_ + kSecond);
            now_ += kSecond;
        }
        (void)outbox.take(now_);
        outbox.failed(key, now_);
        QCOMPARE(*outbox.next(), now_ + 10 * kSecond);
    }
    void whatWaitsOfAnObjectCanBeHurried() {
        Outbox outbox;
        const EffectKey first{.object = ObjectId(2), .revision = 1, .position = 0};
        const EffectKey onItsWay{.object = ObjectId(2), .revision = 1, .position = 1};
        const EffectKey call{.object = ObjectId(2), .revision = 3, .position = 0};
        const EffectKey other{.object = ObjectId(3), .revision = 1, .position = 0};
        for (const EffectKey& key : {first, onItsWay, other}) outbox.add(key, {}, now_);
        outbox.add(call, {.kind = EffectKind::Call, .body = {}}, now_);
        (void)outbox.take(now_);
        for (const EffectKey& key : {first, call, other}) outbox.failed(key, now_);
        outbox.hurry(ObjectId(2), now_);
        outbox.hurry(ObjectId(2), now_); // once more, and nothing of one that has none
        outbox.hurry(ObjectId(1), now_);
        std::string taken;
        for (const CarryOut& one : outbox.take(now_)) taken += fmt::format("{}#{} ", one.key.text(), one.attempt);
        QCOMPARE(taken, "2/1/0#2 2/3/0#2 ");
        QCOMPARE(*outbox.next(), now_ + 10 * kSecond);
    }
    void effectsOnTheirWayAreLimited() {
        Outbox outbox;
        for (std::uint32_t i = 0; i <= Outbox::kMaxOnTheirWay; ++i)
            outbox.add({.object = ObjectId(1), .revision = 1, .position = i}, {}, now_);
        const auto first = outbox.take(now_);
        QCOMPARE(first.size(), Outbox::kMaxOnTheirWay);
        QVERIFY(outbox.take(now_).empty());
        outbox.done(first.front().key);
        QCOMPARE(outbox.take(now_).size(), 1U);
    }
    void createsOfAnObjectAreCountedUntilTheyAreCarriedOut() {
        Outbox outbox;
        const Effect create{.kind = EffectKind::Create, .body = "{}"};
        const EffectKey first{.object = ObjectId(2), .revision = 1, .position = 0};
        outbox.add(first, create, now_);
        outbox.add({.object = ObjectId(2), .revision = 1, .position = 1}, {.kind = EffectKind::Call, .body = "{}"},
                   now_);
        outbox.add({.object = ObjectId(2), .revision = 4, .position = 0}, create, now_);
        outbox.add({.object = ObjectId(3), .revision = 1, .position = 0}, create, now_);
        QCOMPARE(outbox.creates(ObjectId(1)), 0U);
        QCOMPARE(outbox.creates(ObjectId(2)), 2U);
        (void)outbox.take(now_);
        outbox.failed(first, now_);
        QCOMPARE(outbox.creates(ObjectId(2)), 2U);
        outbox.done(first);
        QCOMPARE(outbox.creates(ObjectId(2)), 1U);
        QVERIFY(!outbox.has(ObjectId(1)) && outbox.has(ObjectId(2)) && outbox.has(ObjectId(3)));
    }
    void movesAreCountedPerMinuteOfTheLastTen() {
        MoveRates moves;
        const auto shown = [&moves](WallMicros now) {
            std::string line;
            for (const MoveRate& rate : moves.rates(now))
                line +=
                    fmt::format("{}>{} {}; ", rate.from ? std::to_string(*rate.from) : "", rate.to, rate.perMinute);
            return line;
        };
        constexpr WallMicros kMinute = 60 * kSecond;
        const WallMicros begin = kMinute * 1'000;
        for (int i = 0; i < 20; ++i) moves.count(0, 1, begin + i * kSecond);
        moves.count(1, 2, begin + 5 * kMinute);
        moves.count({}, 0, begin + 9 * kMinute);
        QCOMPARE(shown(begin + 9 * kMinute), ">0 0.1; 0>1 2; 1>2 0.1; ");
        QCOMPARE(shown(begin + 10 * kMinute), ">0 0.1; 1>2 0.1; ");
        moves.count(0, 1, begin + 10 * kMinute); // in the place of the first minute
        QCOMPARE(shown(begin + 10 * kMinute), ">0 0.1; 0>1 0.1; 1>2 0.1; ");
        QCOMPARE(shown(begin + 30 * kMinute), "");
        moves.clear();
        QCOMPARE(shown(begin + 10 * kMinute), "");
    }
    void callsThatNobodyTakesStopNoOtherEffects() {
        Outbox outbox;
        for (std::uint32_t i = 0; i <= Outbox::kMaxOnTheirWay; ++i)
            outbox.add({.object = ObjectId(1), .revision = 1, .position = i},
                       {.kind = EffectKind::Call, .body = {}}, now_);
        QCOMPARE(outbox.take(now_).size(), Outbox::kMaxOnTheirWay);
        QVERIFY(!outbox.next());
        outbox.add({.object = ObjectId(2), .revision = 1, .position = 0}, {}, now_);
        QCOMPARE(*outbox.next(), now_);
        QCOMPARE(outbox.take(now_).size(), 1U);
    }
};

QTEST_APPLESS_MAIN(TestOutbox)
#include "tst_outbox.moc"
