// What is told while attempts run: how often, what of it, and that each body can be read on the other side.
#include "core/guests/update_batch.h"
#include "core/link/frame.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <chrono>
#include <string>

using namespace yard;
using namespace yard::guests;
using namespace std::chrono_literals;
using link::UpdateKind;

namespace {

constexpr link::AttemptRef kOne{.lsn = 1, .attempt = 1};
constexpr link::AttemptRef kTwo{.lsn = 2, .attempt = 1};

link::BootTime at(Duration time) {
    return link::BootTime(time);
}

link::Update figure(UpdateKind kind, std::uint64_t number, link::AttemptRef id = kOne) {
    return {.id = id, .kind = kind, .number = number};
}

link::Update output(std::uint64_t offset, std::string bytes, link::AttemptRef id = kOne) {
    return {.id = id, .kind = UpdateKind::Output, .number = offset, .text = std::move(bytes)};
}

/// "1:1=0 1:5=0'abc'": LSN, kind, number and text of each, with a bar between bodies.
std::string told(const std::vector<link::Updates>& bodies) {
    std::string all;
    for (const link::Updates& body : bodies) {
        if (!all.empty()) all += " |";
        for (const link::Update& update : body) {
            all += (all.empty() ? "" : " ") + std::to_string(update.id.lsn) + ':' +
                   std::to_string(static_cast<int>(update.kind)) + '=' + std::to_string(update.number);
            if (!update.text.empty()) all += '\'' + update.text + '\'';
        }
    }
    return all;
}

} // namespace

class TestUpdateBatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFirstGoesOutAtOnce();
    void eachAttemptIsToldOfTenTimesASecond();
    void theLastFigureCounts();
    void outputIsPutTogether();
    void theNewestOutputStays();
    void aGapStartsAnew();
    void allOutputTogetherIsBounded();
    void whatEndedIsNotToldOf();
    void eachBodyIsWithinItsLimit();
};

void TestUpdateBatch::theFirstGoesOutAtOnce() {
    UpdateBatch batch;
    QVERIFY(batch.take(at(0s)).empty());
    batch.note(figure(UpdateKind::Running, 77));
    QCOMPARE(told(batch.take(at(0s))), std::string("1:1=77"));
    QVERIFY(batch.take(at(9s)).empty());
}

void TestUpdateBatch::eachAttemptIsToldOfTenTimesASecond() {
    UpdateBatch batch;
    batch.note(figure(UpdateKind::Cpu, 1));
    batch.take(at(1s));
    batch.note(figure(UpdateKind::Cpu, 2));
    batch.note(figure(UpdateKind::Cpu, 3, kTwo));
    QCOMPARE(told(batch.take(at(1s + 99ms))), std::string("2:2=3"));
    QCOMPARE(told(batch.take(at(1s + 100ms))), std::string("1:2=2"));
}

void TestUpdateBatch::theLastFigureCounts() {
    UpdateBatch batch;
    batch.note(figure(UpdateKind::Memory, 1));
    batch.note(figure(UpdateKind::Cpu, 5));
    batch.note(figure(UpdateKind::Memory, 2));
    QCOMPARE(told(batch.take(at(1s))), std::string("1:2=5 1:3=2"));
}

void TestUpdateBatch::outputIsPutTogether() {
    UpdateBatch batch;
    batch.note(output(0, "ab"));
    batch.note(output(2, "cd"));
    QCOMPARE(batch.pendingBytes(), 4u);
    QCOMPARE(told(batch.take(at(1s))), std::string("1:5=0'abcd'"));
    QCOMPARE(batch.pendingBytes(), 0u);
    batch.note(output(4, "e"));
    QCOMPARE(told(batch.take(at(2s))), std::string("1:5=4'e'"));
}

void TestUpdateBatch::theNewestOutputStays() {
    UpdateBatch batch;
    batch.note(output(0, std::string(link::kMaxUpdateBytes, 'a')));
    batch.note(output(link::kMaxUpdateBytes, "bc"));
    auto bodies = batch.take(at(1s));
    QCOMPARE(bodies.front().front().number, std::uint64_t{2});
    QVERIFY(bodies.front().front().text.ends_with("abc"));
    QCOMPARE(bodies.front().front().text.size(), link::kMaxUpdateBytes);
    batch.note(output(0, std::string(link::kMaxUpdateBytes, 'a') + "z"));
    bodies = batch.take(at(2s));
    QCOMPARE(bodies.front().front().number, std::uint64_t{1});
    QVERIFY(bodies.front().front().text.ends_with("az"));
    QCOMPARE(batch.pendingBytes(), 0u);
}

void TestUpdateBatch::aGapStartsAnew() {
    UpdateBatch batch;
    batch.note(output(0, "ab"));
    batch.note(output(10, "cd"));
    QCOMPARE(batch.pendingBytes(), 2u);
    QCOMPARE(told(batch.take(at(1s))), std::string("1:5=10'cd'"));
}

void TestUpdateBatch::allOutputTogetherIsBounded() {
    UpdateBatch batch;
    constexpr auto kMost = UpdateBatch::kPendingBytes / link::kMaxUpdateBytes;
    for (std::size_t lsn = 1; lsn <= kMost + 5; ++lsn)
        batch.note(output(0, std::string(link::kMaxUpdateBytes, 'a'),
                          {.lsn = static_cast<std::int64_t>(lsn), .attempt = 1}));
    QCOMPARE(batch.pendingBytes(), UpdateBatch::kPendingBytes);
    std::size_t updates = 0;
    for (const link::Updates& body : batch.take(at(1s))) updates += body.size();
    QCOMPARE(updates, kMost);
    QCOMPARE(batch.pendingBytes(), 0u);
}

void TestUpdateBatch::whatEndedIsNotToldOf() {
    UpdateBatch batch;
    batch.note(output(0, "ab"));
    batch.note(figure(UpdateKind::Cpu, 1));
    batch.drop(kOne);
    batch.drop(kTwo);
    QCOMPARE(batch.pendingBytes(), 0u);
    QVERIFY(batch.take(at(1s)).empty());
}

void TestUpdateBatch::eachBodyIsWithinItsLimit() {
    UpdateBatch batch;
    std::size_t noted = 0;
    for (std::int64_t lsn = 1; lsn <= 60; ++lsn, ++noted)
        batch.note(output(0, std::string(link::kMaxUpdateBytes, 'a'), {.lsn = lsn, .attempt = 1}));
    for (std::int64_t lsn = 100; lsn < 25'000; ++lsn, ++noted)
        batch.note(figure(UpdateKind::Cpu, 1, {.lsn = lsn, .attempt = 1}));
    const auto bodies = batch.take(at(1s));
    std::size_t read = 0;
    for (const link::Updates& body : bodies) {
        const std::string bytes = put(body);
        QVERIFY(bytes.size() <= link::bodyLimit(static_cast<std::uint8_t>(link::Kind::Updates)));
        link::Updates back;
        QVERIFY(get(bytes, back));
        read += back.size();
    }
    QCOMPARE(read, noted);
    QVERIFY(bodies.size() > 2);
}

QTEST_GUILESS_MAIN(TestUpdateBatch)
#include "tst_update_batch.moc"
