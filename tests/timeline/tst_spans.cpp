// Spans: as bytes, and as what is drawn of them.
#include "core/model/states.h"
#include "core/timeline/raster.h"
#include "tests/support/show_strings.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <random>

using namespace yard;
using namespace yard::timeline;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr WallMicros kNoon = 1'800'000'000 * kSecond;
constexpr std::size_t kMany = 1'000'000;

Span span(std::int64_t lsn, double begin, double end, ActionState state = ActionState::Completed,
          std::uint32_t slot = 0) {
    const auto at = [](double seconds) { return kNoon + static_cast<std::int64_t>(seconds * kSecond); };
    return {
        .lsn = Lsn{lsn}, .slot = slot, .state = state, .begin = at(begin), .running = at(begin), .end = at(end)};
}

/// "slot 0: [7 completed 1..4] 0+0.50 completed x2 #5": bars, then columns by their second.
std::string printed(const View& view) {
    std::string text;
    const auto second = [](WallMicros at) { return static_cast<double>(at - kNoon) / kSecond; };
    for (const LaneView& lane : view.lanes) {
        text += fmt::format("slot {}:", lane.slot);
        for (const Span& bar : lane.bars)
            text += fmt::format(" [{} {} {}..{}]", bar.lsn.value, name(bar.state), second(bar.begin),
                                bar.isOpen() ? std::string() : fmt::format("{}", second(bar.end)));
        for (const Column& column : lane.columns)
            text += fmt::format(" {}+{:.2f} {} x{} #{}", second(column.t), column.covered,
                                column.retried ? "retry" : name(column.state), column.count, column.lsn.value);
        text += "\n";
    }
    return text;
}

std::string drawn(const std::vector<Span>& spans, double from, double to, double resolution) {
    const auto at = [](double seconds) { return static_cast<std::int64_t>(seconds * kSecond); };
    Raster raster(kNoon + at(from), kNoon + at(to), at(resolution), kMany);
    for (const Span& one : spans) raster.add(one);
    return printed(raster.finish());
}

} // namespace

class SpansTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bytesBringSpansBack();
    void damagedBytesAreNothing();
    void whatIsLongIsABar();
    void whatIsShortSharesColumns();
    void theWorstIsSeen();
    void aSpanOverTwoColumnsIsInBoth();
    void whatGoesOnHasNoEnd();
    void whatIsOutsideIsNotThere();
    void tooMuchIsSaid();
    void nothingThatFailedIsLostAtAnyZoom();
};

void SpansTest::bytesBringSpansBack() {
    Span whole = span(1'283'902, 0, 90, ActionState::Failed, 300);
    whole.attempt = 3;
    whole.cls = 70'000;
    whole.label = 12;
    whole.retried = true;
    whole.exited = whole.begin + 89 * kSecond;
    QVERIFY(decode(encode(whole)) == whole);
    Span bare = span(1, 0, 0);
    bare.running = 0;
    QVERIFY(decode(encode(bare)) == bare);
    // Days are kept to the millisecond, more than 24 of them are cut.
    const Span week = span(2, 0, 7 * 86'400);
    QVERIFY(decode(encode(week)) == week);
    const auto year = decode(encode(span(3, 0, 365.0 * 86'400)));
    QVERIFY(year && year->length() > std::int64_t(24) * 86'400 * kSecond);
    // A clock that went back within an attempt: no negative lengths.
    QCOMPARE(decode(encode(span(4, 5, 4)))->length(), 0);
}

void SpansTest::damagedBytesAreNothing() {
    const std::string good = encode(span(5, 1, 2));
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x10);
        QVERIFY(!decode(bad));
    }
    QVERIFY(!decode(good.substr(1)));
    QVERIFY(!decode(std::string(kRecordBytes, '\0')));
}

void SpansTest::whatIsLongIsABar() {
    QCOMPARE(drawn({span(7, 1, 4), span(8, 4, 6)}, 0, 10, 1),
             std::string("slot 0: [7 completed 1..4] [8 completed 4..6]\n"));
    QCOMPARE(drawn({span(2, 5, 9, ActionState::Completed, 3), span(1, 0, 4)}, 0, 10, 1),
             std::string("slot 0: [1 completed 0..4]\nslot 3: [2 completed 5..9]\n"));
}

void SpansTest::whatIsShortSharesColumns() {
    QCOMPARE(drawn({span(1, 0, 0.25), span(2, 0.5, 0.75), span(3, 2, 2.1)}, 0, 10, 1),
             std::string("slot 0: 0+0.50 completed x2 #1 2+0.10 completed x1 #3\n"));
}

void SpansTest::theWorstIsSeen() {
    const std::vector<ActionState> worse = {ActionState::Completed, ActionState::Cancelled, ActionState::Abandoned,
                                            ActionState::Failed};
    std::vector<Span> spans;
    for (std::size_t i = 0; i < worse.size(); ++i) {
        spans.push_back(span(std::int64_t(i) + 1, 0.1, 0.2, worse[i]));
        QCOMPARE(drawn(spans, 0, 1, 1),
                 fmt::format("slot 0: 0+{:.2f} {} x{} #{}\n", 0.1 * double(i + 1), name(worse[i]), i + 1, i + 1));
    }
    Span retried = span(9, 0.1, 0.2, ActionState::Failed);
    retried.retried = true;
    QCOMPARE(drawn({span(1, 0, 0.1, ActionState::Cancelled), retried}, 0, 1, 1),
             std::string("slot 0: 0+0.20 retry x2 #9\n"));
    QCOMPARE(drawn({retried, span(1, 0, 0.1, ActionState::Abandoned)}, 0, 1, 1),
             std::string("slot 0: 0+0.20 abandoned x2 #1\n"));
}

void SpansTest::aSpanOverTwoColumnsIsInBoth() {
    QCOMPARE(drawn({span(1, 0.5, 1.75, ActionState::Failed)}, 0, 10, 1),
             std::string("slot 0: 0+0.50 failed x1 #1 1+0.75 failed x0 #1\n"));
}

void SpansTest::whatGoesOnHasNoEnd() {
    Span open = span(1, 9.99, 0, ActionState::Running);
    open.end = 0;
    QCOMPARE(drawn({open}, 0, 10, 1), std::string("slot 0: [1 running 9.99..]\n"));
    QCOMPARE(drawn({open}, 20, 30, 1), std::string("slot 0: [1 running 9.99..]\n"));
    QCOMPARE(drawn({open}, 0, 5, 1), std::string());
}

void SpansTest::whatIsOutsideIsNotThere() {
    const std::vector<Span> spans = {span(1, 0, 1), span(2, 4.5, 5.5), span(3, 8, 20), span(4, 30, 31)};
    QCOMPARE(drawn(spans, 5, 10, 1), std::string("slot 0: [3 completed 8..20] 5+0.50 completed x1 #2\n"));
    Span never = span(5, 6, 7);
    never.begin = 0;
    QCOMPARE(drawn({never}, 0, 10, 1), std::string());
}

void SpansTest::tooMuchIsSaid() {
    Raster raster(kNoon, kNoon + 100 * kSecond, kSecond, 10);
    for (int i = 0; i < 50; ++i) {
        raster.add(span(i + 1, i, i + 0.1));
        QCOMPARE(raster.isFull(), i >= 10);
    }
}

void SpansTest::nothingThatFailedIsLostAtAnyZoom() {
    std::mt19937 random(4);
    std::vector<Span> spans;
    std::vector<Span> failed;
    for (int i = 0; i < 5'000; ++i) {
        const double begin = std::uniform_real_distribution(0.0, 3'000.0)(random);
        const bool fails = i % 250 == 0;
        spans.push_back(span(i + 1, begin, begin + std::uniform_real_distribution(0.0, 3.0)(random),
                             fails ? ActionState::Failed : ActionState::Completed, std::uint32_t(i % 7)));
        if (fails) failed.push_back(spans.back());
    }
    for (const double resolution : {0.01, 0.3, 1.0, 17.0, 300.0, 5'000.0}) {
        const auto step = static_cast<std::int64_t>(resolution * kSecond);
        Raster raster(kNoon, kNoon + 3'600 * kSecond, step, kMany);
        for (const Span& one : spans) raster.add(one);
        const View view = raster.finish();
        for (const Span& one : failed) {
            const auto lane = std::ranges::find(view.lanes, one.slot, &LaneView::slot);
            QVERIFY(lane != view.lanes.end());
            const bool isBar = std::ranges::find(lane->bars, one.lsn, &Span::lsn) != lane->bars.end();
            const WallMicros t = kNoon + (one.begin - kNoon) / step * step;
            const auto column = std::ranges::find(lane->columns, t, &Column::t);
            QVERIFY(isBar || (column != lane->columns.end() && column->state == ActionState::Failed));
        }
    }
}

QTEST_APPLESS_MAIN(SpansTest)
#include "tst_spans.moc"
