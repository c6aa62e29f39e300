// The timeline: answers as pictures, what is asked for, the widget by mouse and keys, exports; the page on the real
// program.
#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/painted.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/timeline_fixed.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/timelines/selection_strip.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/timeline/chrome_trace.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_access.h"

#include <QAccessible>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace yard;
using namespace yard::ui;
using namespace yard::ui::timeline;

namespace {

constexpr int kSoon = kWaitMs;
constexpr WallMicros kNoon = 1'800'000'000'000'000;

QJsonObject barJson(qint64 lsn, const QString& state, WallMicros begin, WallMicros end, const QString& label = {}) {
    QJsonObject bar{{"lsn", lsn},
                    {"n", 1},
                    {"state", state},
                    {"submitting", qint64{begin}},
                    {"running", qint64{begin + 1'000}}};
    if (end != 0) {
        bar["exited"] = qint64{end - 1'000};
        bar["end"] = qint64{end};
    }
    if (!label.isEmpty()) bar["label"] = label;
    return bar;
}

QJsonObject answer(Range range, const QJsonArray& bars, const QJsonObject& columns = {}, double step = 0.064) {
    const QJsonObject lane{{"slot", 1}, {"bars", bars}, {"columns", columns}};
    return {{"from", qint64{range.from}},
            {"to", qint64{range.to}},
            {"now", qint64{range.to}},
            {"resolution", step},
            {"workers",
             QJsonArray{QJsonObject{{"worker", "exec"}, {"worker_name", "exec"}, {"lanes", QJsonArray{lane}}}}}};
}

/// Keeps requests until they are answered.
class HeldLink final : public EngineLink {
public:
    HeldLink() { setState(LinkState::Connected); }
    void send(const Request& request, QObject*, Done done) override {
        asked.emplace_back(request, std::move(done));
    }
    std::unique_ptr<QObject> stream(const Request&, std::function<void(const QByteArray&)>, Done) override {
        return nullptr;
    }
    void watch(const QJsonObject&) override {}
    QUrl address() const override { return {}; }
    void lose() { setState(LinkState::Waiting); }
    /// Takes those of this path out.
    std::vector<std::pair<Request, Done>> take(const QString& path) {
        std::vector<std::pair<Request, Done>> found;
        for (auto at = asked.begin(); at != asked.end();)
            if (at->first.path == path) {
                found.push_back(std::move(*at));
                at = asked.erase(at);
            } else {
                ++at;
            }
        return found;
    }
    std::vector<std::pair<Request, Done>> asked;
};

Answer good(const QJsonObject& json) {
    Answer answer;
    answer.status = 200;
    answer.json = json;
    return answer;
}

qint64 fromOf(const Request& request) {
    return request.query.queryItemValue("from").toLongLong();
}

Picture demo() {
    const Range range{kNoon, kNoon + kMinute};
    const QJsonArray bars{barJson(7, "completed", kNoon + 5 * kSecond, kNoon + 15 * kSecond, "brick_worn"),
                          barJson(8, "failed", kNoon + 20 * kSecond, kNoon + 30 * kSecond, "foliage_wind"),
                          barJson(9, "running", kNoon + 50 * kSecond, 0, "frame 0311")};
    return pictureOf(answer(range, bars));
}

} // namespace

class TestTimeline : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    /// A view of a minute of demo() on 1000 pixels.
    struct Shown {
        test::FixedTimeline data;
        TimelineView view{data};
        Shown() {
            data.set(demo());
            view.resize(kLabels + 1'000 + kRight, 600);
            view.setRange({kNoon, kNoon + kMinute});
            view.show();
        }
        QPoint at(WallMicros time, int lane = 0) const {
            const double x = kLabels + static_cast<double>(time - kNoon) / kMinute * 1'000;
            return {static_cast<int>(x), kLanesTop + kGroupHead + lane * 18 + 9};
        }
    };

private slots:
    void initTestCase() {
        test::useOwnSettings("timeline");
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }

    void whatAnAnswerLacksIsLeftOutAndNoEndIsMadeUp() {
        const QJsonObject columns{{"t", QJsonArray{qint64{kNoon}}},
                                  {"covered", QJsonArray{0.75}},
                                  {"state", QJsonArray{"retry"}},
                                  {"count", QJsonArray{214}},
                                  {"lsn", QJsonArray{977}}};
        QJsonArray bars{barJson(9, "running", kNoon + kSecond, 0)};
        bars.append(QJsonObject{{"lsn", 3}}); // without times
        const Picture picture = pictureOf(answer({kNoon, kNoon + kMinute}, bars, columns));
        const Lane& lane = picture.group("exec")->lanes.at(1);
        QCOMPARE(lane.size(), std::size_t{2});
        QVERIFY(lane[0].isStep && lane[0].face == DisplayState::Retry);
        QCOMPARE(lane[0].count, 214U);
        QVERIFY(lane[1].isOpen());
        QCOMPARE(lane[1].exited, WallMicros{0});
        QVERIFY(pictureOf({}).groups.empty());
    }

    void aLabelHasTheIndexOfItsElementInIt() {
        QJsonObject element = barJson(4, "completed", kNoon, kNoon + kSecond, "frame {index}");
        element.insert("index", 311);
        const QJsonObject unknown =
            barJson(5, "completed", kNoon + 2 * kSecond, kNoon + 3 * kSecond, "frame {index}");
        const Picture picture = pictureOf(answer({kNoon, kNoon + kMinute}, {element, unknown}));
        const Lane& lane = picture.group("exec")->lanes.at(1);
        QCOMPARE((*picture.names)[lane[0].name], QString("frame 311"));
        QCOMPARE((*picture.names)[lane[1].name], QString("frame {index}"));
    }

    void aTailReplacesWhatWentOnAndKeepsWhatHadEnded() {
        const Picture old = demo();
        const Range tail{kNoon + 55 * kSecond, kNoon + 70 * kSecond};
        const Picture fresh =
            pictureOf(answer(tail, {barJson(9, "completed", kNoon + 50 * kSecond, kNoon + 65 * kSecond),
                                    barJson(10, "running", kNoon + 66 * kSecond, 0)}));
        const Picture all = merged(old, fresh);
        const Lane& lane = all.group("exec")->lanes.at(1);
        QCOMPARE(lane.size(), std::size_t{4});
        QCOMPARE(lane[2].lsn, 9);
        QCOMPARE(lane[2].end, kNoon + 65 * kSecond);
        QVERIFY(lane[3].isOpen());
        QCOMPARE((*all.names)[lane[0].name], QString("brick_worn"));
        QCOMPARE(all.range, (Range{kNoon, kNoon + 70 * kSecond}));
    }

    void figuresBreakWhereTheEngineDidNotRun() {
        const QJsonObject json{{"resolution", 1},
                               {"t", QJsonArray{qint64{kNoon}, qint64{kNoon + kSecond}}},
                               {"series", QJsonObject{{"cpu_actions", QJsonArray{1.5, QJsonValue()}},
                                                      {"cpu_others", QJsonArray{0.5, 1}}}}};
        const Figures figures = figuresOf(json, {kNoon, kNoon + 2 * kSecond});
        QCOMPARE(figures.cores[0], 2.0);
        QVERIFY(std::isnan(figures.cores[1]));
        QVERIFY(std::isnan(figures.memory[0]));
        QCOMPARE(figures.stepAt(kNoon + kSecond / 2), std::ptrdiff_t{0});
        QCOMPARE(figures.stepAt(kNoon - 1), std::ptrdiff_t{-1});
        QCOMPARE(figures.stepAt(kNoon + kMinute), std::ptrdiff_t{-1});
    }

    void filtersFindByWordStateNumberAndTheirOpposites_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<bool>("matches");
        QTest::newRow("word") << "FOLI" << true;
        QTest::newRow("worker") << "exec" << true;
        QTest::newRow("state") << "state:failed" << true;
        QTest::newRow("or") << "state:completed,failed" << true;
        QTest::newRow("and") << "foliage state:completed" << false;
        QTest::newRow("not") << "-foliage" << false;
        QTest::newRow("number") << "lsn:8" << true;
        QTest::newRow("tries") << "tries>1" << false;
        QTest::newRow("label") << "label:wind" << true;
        QTest::newRow("other worker") << "worker:render" << false;
        QTest::newRow("unknown key is left out") << "sate:failed" << true;
        QTest::newRow("being typed") << "state:" << true;
    }
    void filtersFindByWordStateNumberAndTheirOpposites() {
        QFETCH(QString, filter);
        QFETCH(bool, matches);
        Item item;
        item.lsn = 8;
        item.face = DisplayState::Failed;
        QCOMPARE(BarFilter(filter).matches(item, "foliage_wind", "exec"), matches);
        QVERIFY(!BarFilter("sate:failed").problem().isEmpty());
    }

    void aTraceHasNoEndForWhatGoesOn() {
        const QJsonObject trace = QJsonDocument::fromJson(chromeTrace(demo())).object();
        int begun = 0;
        int whole = 0;
        for (const QJsonValue& event : trace.value("traceEvents").toArray()) {
            const QString phase = event["ph"].toString();
            QVERIFY(phase != "E");
            if (phase == "B") {
                ++begun;
                QVERIFY(event["dur"].isUndefined());
            }
            if (phase == "X") {
                ++whole;
                QVERIFY(event["dur"].toInteger() >= 0);
            }
            if (event["name"].toString() == "foliage_wind") {
                QCOMPARE(event["ts"].toInteger(), qint64{kNoon + 20 * kSecond});
                QCOMPARE(event["dur"].toInteger(), qint64{10 * kSecond});
                QCOMPARE(event["args"]["lsn"].toInteger(), 8);
            }
        }
        QCOMPARE(begun, 2);         // the bar and its running part
        QCOMPARE(whole, 2 * 4 + 1); // two bars with three phases, and a preparing that was over
    }

    void joinedPicturesHaveWhatReachesOverTheSeamOnce() {
        const Picture a = demo();
        QCOMPARE(joined({a, a}).items(), a.items());
    }

    // --- what is asked for

    void theCoarseLevelIsAskedFirstAndNothingWhileHidden() {
        HeldLink link;
        TimelineSource source(link);
        const WallMicros now = source.now();
        source.look({now - kMinute, now}, 60'000, {});
        QTest::qWait(0);
        QVERIFY(link.asked.empty());
        source.setActive(true);
        source.look({now - kMinute, now}, 60'000, {});
        QTRY_VERIFY_WITH_TIMEOUT(link.asked.size() >= 3, kSoon);
        const auto asked = link.take("timelines");
        QCOMPARE(asked.size(), std::size_t{2});
        QVERIFY(fromOf(asked[0].first) < fromOf(asked[1].first));
        QCOMPARE(asked[0].first.query.queryItemValue("resolution"), QString("0.256000"));
        QCOMPARE(asked[1].first.query.queryItemValue("resolution"), QString("0.032000"));
    }

    void whatIsKeptIsNotAskedAgainAndThenOnlyTheNewestIs() {
        HeldLink link;
        TimelineSource source(link);
        source.setActive(true);
        const WallMicros now = source.now();
        const Range visible{now - kMinute, now};
        source.look(visible, 60'000, {});
        QTRY_VERIFY_WITH_TIMEOUT(link.asked.size() >= 3, kSoon);
        for (auto& [request, done] : link.take("timelines"))
            done(good(answer({fromOf(request), now}, {barJson(1, "running", now - kSecond, 0)}, {},
                             request.query.queryItemValue("resolution").toDouble())));
        const auto pieces = source.pieces("exec", visible, 60'000);
        QCOMPARE(pieces.size(), std::size_t{1});
        QCOMPARE(pieces[0].picture->step, std::int64_t{32'000});
        QVERIFY(source.known().at("exec").lanes.contains(1));
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::any_of(link.asked, [](const auto& one) { return one.first.path == "timelines"; }), kSoon);
        for (auto& [request, done] : link.take("timelines")) QVERIFY(fromOf(request) > now - 10 * kSecond);
    }

    void aRefusalIsToldAndTriedAgain() {
        HeldLink link;
        TimelineSource source(link);
        source.setActive(true);
        source.look({source.now() - kMinute, source.now()}, 60'000, {});
        QTRY_VERIFY_WITH_TIMEOUT(link.asked.size() >= 3, kSoon);
        Answer refusal;
        refusal.status = 503;
        refusal.message = "The engine is busy.";
        for (auto& [request, done] : link.take("timelines")) done(refusal);
        QCOMPARE(source.problem(), QString("The engine is busy."));
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::any_of(link.asked, [](const auto& one) { return one.first.path == "timelines"; }), kSoon);
    }

    void timeStandsStillWhileTheConnectionIsLost() {
        HeldLink link;
        TimelineSource source(link);
        link.lose();
        const WallMicros lost = source.now();
        QTRY_VERIFY_WITH_TIMEOUT(QDateTime::currentMSecsSinceEpoch() * 1'000 > lost + 5'000, kSoon);
        QCOMPARE(source.now(), lost);
    }

    void aRangeThatIsTooFullIsAskedInHalvesAndRefusedAtTheLimit() {
        HeldLink link;
        TimelineSource source(link);
        QString problem;
        const Range range{source.now() - kHour, source.now()};
        source.exact(range, this, [&](const Picture* picture, const QString& why) {
            QVERIFY(picture == nullptr);
            problem = why;
        });
        int asked = 0;
        const QJsonObject full{{"t", QJsonArray{qint64{kNoon}}},
                               {"covered", QJsonArray{1}},
                               {"state", QJsonArray{"completed"}},
                               {"count", QJsonArray{5}},
                               {"lsn", QJsonArray{1}}};
        for (auto requests = link.take("timelines"); !requests.empty(); requests = link.take("timelines"))
            for (auto& [request, done] : requests) {
                ++asked;
                done(good(answer({fromOf(request), fromOf(request) + kMinute}, {}, full, 1)));
            }
        QCOMPARE(asked, TimelineSource::kMostExact);
        QVERIFY(problem.contains("zoom in"));
    }

    void nothingOfTheFutureIsExported() {
        HeldLink link;
        TimelineSource source(link);
        std::size_t items = 99;
        const Range range{source.now() + kHour, source.now() + 2 * kHour};
        source.exact(range, this, [&](const Picture* picture, const QString&) { items = picture->items(); });
        QCOMPARE(items, std::size_t{0});
        QVERIFY(link.asked.empty());
    }

    // --- the widget

    void aClickSelectsTheBarAndArrowsWalkTheLane() {
        Shown shown;
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 10 * kSecond));
        QVERIFY(shown.view.selected().has_value());
        QCOMPARE(shown.view.selected()->item.lsn, 7);
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QTest::keyClick(&shown.view, Qt::Key_Right); // stays at the last
        QCOMPARE(shown.view.selected()->item.lsn, 9);
        QSignalSpy opened(&shown.view, &TimelineView::opened);
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QTest::keyClick(&shown.view, Qt::Key_L, Qt::ControlModifier);
        QCOMPARE(opened.size(), 2);
        QCOMPARE(opened[0][0].toLongLong(), 9);
        QCOMPARE(opened[1][1].toString(), QString("output"));
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 40 * kSecond));
        QVERIFY(!shown.view.selected());
    }

    void theFocusIsFramedForKeysAndNotForTheMouse() {
        Shown shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.view));
        const auto isFramed = [&] {
            return shown.view.grab().toImage().pixelColor(0, 300) == (*theme_)(Token::Accent);
        };
        shown.view.setFocus(Qt::TabFocusReason);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view.hasFocus() && isFramed(), kSoon);
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 10 * kSecond));
        QVERIFY(shown.view.hasFocus() && !isFramed());
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QVERIFY(isFramed());
    }

    void aBarOverASeamHasItsLabelOnce() {
        const Picture picture = demo();
        const Lane& lane = picture.groups.front().lanes.begin()->second;
        QWidget surface;
        surface.resize(1'000, 40);
        const test::Painted painted(surface, [&](QPainter& painter) {
            LanePainter bars(painter, TimeScale({kNoon, kNoon + kMinute}, 0, 1'000), 18, picture.now, 1);
            const QRectF row(0, 0, 1'000, 18);
            const WallMicros seam = kNoon + 10 * kSecond; // in the middle of the first bar
            bars.paint(row, lane, *picture.names, {kNoon, seam});
            bars.paint(row, lane, *picture.names, {seam, kNoon + kMinute});
        });
        QCOMPARE(painted.text().count("brick_worn"), 1);
        QCOMPARE(painted.text().count("foliage_wind"), 1);
    }

    void theWheelZoomsAroundThePointerAndEndsFollowing() {
        Shown shown;
        shown.view.follow();
        QVERIFY(shown.view.isFollowing());
        shown.view.setRange({kNoon, kNoon + kMinute});
        QVERIFY(!shown.view.isFollowing());
        const QPointF at(shown.at(kNoon + 15 * kSecond));
        QWheelEvent wheel(at, shown.view.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&shown.view, &wheel);
        QCOMPARE(shown.view.range().length(), static_cast<std::int64_t>(kMinute / 1.25));
        const TimeScale scale(shown.view.range(), kLabels, 1'000);
        QVERIFY(std::abs(scale.timeAt(at.x()) - (kNoon + 15 * kSecond)) < 2'000);
        QTest::keyClick(&shown.view, Qt::Key_End);
        QVERIFY(shown.view.isFollowing());
        const TimeScale followed(shown.view.range(), kLabels, 1'000);
        QVERIFY(std::abs(followed.xOf(shown.data.now()) - (kLabels + 960)) < 1);
    }

    void aDragPansAndADragOnTheRulerSelectsARangeThatEnterShows() {
        Shown shown;
        const QPoint start = shown.at(kNoon + 40 * kSecond);
        QTest::mousePress(&shown.view, Qt::LeftButton, {}, start);
        QTest::mouseMove(&shown.view, start + QPoint(50, 0));
        QTest::mouseMove(&shown.view, start + QPoint(100, 0));
        QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, start + QPoint(100, 0));
        QVERIFY(std::abs(shown.view.range().from - (kNoon - 6 * kSecond)) < kSecond / 5);
        shown.view.setRange({kNoon, kNoon + kMinute});
        const QPoint ruler(kLabels + 250, kMapHeight + 10);
        QTest::mousePress(&shown.view, Qt::LeftButton, {}, ruler);
        QTest::mouseMove(&shown.view, ruler + QPoint(250, 0));
        QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, ruler + QPoint(250, 0));
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QVERIFY(std::abs(shown.view.range().from - (kNoon + 15 * kSecond)) < kSecond / 5);
        QVERIFY(std::abs(shown.view.range().length() - 15 * kSecond) < kSecond / 5);
    }

    void aFilterCountsAndF3GoesFromMatchToMatch() {
        Shown shown;
        QCOMPARE(shown.view.counts().all, 3);
        shown.view.setFilter("state:failed,running");
        QCOMPARE(shown.view.counts().matching, 2);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 9);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
    }

    void lettersGoToTheFilterAndControlWheelChangesLanes() {
        Shown shown;
        QSignalSpy typed(&shown.view, &TimelineView::typed);
        QTest::keyClick(&shown.view, 'f');
        QCOMPARE(typed.size(), 1);
        const QPointF at(shown.at(kNoon));
        QWheelEvent wheel(at, at, {}, {0, 120}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&shown.view, &wheel);
        QCOMPARE(shown.view.laneHeight(), 24);
    }

    void theCardTellsTheSplitAndNeverLiesOverTheBar() {
        Shown shown;
        QTest::mouseMove(&shown.view, shown.at(kNoon + 25 * kSecond));
        HoverCard* card = shown.view.card();
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kSoon);
        QCOMPARE(card->title(), QString("foliage_wind"));
        QVERIFY(std::ranges::any_of(card->lines(),
                                    [](const HoverCard::Line& line) { return line.value.contains("run 10.0 s"); }));
        const QRectF bar = shown.view.hoveredAt(shown.at(kNoon + 25 * kSecond)).area;
        QVERIFY(!bar.intersects(card->geometry()));
        QVERIFY(shown.view.rect().contains(card->geometry()));
        QTest::keyPress(&shown.view, Qt::Key_Control);
        QVERIFY(card->isPinned());
        QVERIFY(shown.view.clearInnermost());
        QVERIFY(!card->isVisible());
        QTest::mouseMove(&shown.view, shown.at(kNoon + 40 * kSecond));
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kSoon);
        QVERIFY(card->title().contains("idle"));
    }

    void cardsFlipToStayInside() {
        const QRectF inside(200, 0, 1'000, 600);
        QCOMPARE(cardRect({356, 150}, {300, 100, 20, 18}, inside), QRect(300, 130, 356, 150));
        QCOMPARE(cardRect({356, 150}, {300, 500, 20, 18}, inside), QRect(300, 338, 356, 150));
        QCOMPARE(cardRect({356, 150}, {1'190, 100, 20, 18}, inside).right(), 1'199);
        const QRect beside = cardRect({356, 590}, {300, 290, 20, 18}, inside);
        QVERIFY(beside.left() > 320);
    }

    void screenReadersFindLanesWithTheirBarsInWords() {
        Shown shown;
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&shown.view);
        QVERIFY(access != nullptr);
        QCOMPARE(access->role(), QAccessible::Table);
        QCOMPARE(access->childCount(), 4); // three graphs, then lanes
        QAccessibleInterface* lane = access->child(3);
        QCOMPARE(lane->text(QAccessible::Name), QString("exec slot 1"));
        QCOMPARE(lane->childCount(), 3);
        QVERIFY(lane->child(1)->text(QAccessible::Name).startsWith("Failed, 8, foliage_wind, exec slot 1"));
        QCOMPARE(access->indexOfChild(lane), 3);
        QCOMPARE(lane->indexOfChild(lane->child(2)), 2);
    }

    void screenReadersAreToldWhatTheGraphsSay() {
        Shown shown;
        shown.view.setMachine({16, 64e9, 0});
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&shown.view);
        QAccessibleInterface* processor = access->child(0);
        QCOMPARE(processor->role(), QAccessible::Chart);
        QCOMPARE(processor->text(QAccessible::Name), QString("Processor, of 16 cores"));
        QCOMPARE(processor->text(QAccessible::Value), QString("no data"));
        const Range range = shown.view.range();
        const double none = std::numeric_limits<double>::quiet_NaN();
        Figures figures;
        figures.range = range;
        figures.step = 1'000'000;
        figures.t = {range.from - 5'000'000, range.from, range.from + 1'000'000, range.from + 2'000'000};
        figures.cores = {15, 2, 8, none}; // what is before the view is not told
        figures.memory = {1e9, 2e9, 4e9, 3e9};
        figures.pending = {900, 10, 12, 1'100};
        shown.data.setFigures(figures);
        QCOMPARE(access->childCount(), 4); // counted again, made again
        processor = access->child(0);
        QCOMPARE(processor->text(QAccessible::Value),
                 QString("last 8.00 cores, between 2.00 cores and 8.00 cores"));
        QCOMPARE(access->child(1)->text(QAccessible::Value), QString("last 3.00 GB, between 2.00 GB and 4.00 GB"));
        QCOMPARE(access->child(2)->text(QAccessible::Value), QString("last 1,100, between 10 and 1,100"));
        const QPoint within = processor->rect().center();
        QCOMPARE(access->childAt(within.x(), within.y()), processor);
    }

    void aPictureOfWhatIsShownHasTheBars() {
        Shown shown;
        QImage image(shown.view.size(), QImage::Format_RGB32);
        QPainter painter(&image);
        shown.view.paintTo(painter);
        painter.end();
        const QColor failed = image.pixelColor(shown.at(kNoon + 27 * kSecond));
        QCOMPARE(failed, theme_->fillOf(DisplayState::Failed));
        QCOMPARE(image.pixelColor(shown.at(kNoon + 13 * kSecond)), theme_->fillOf(DisplayState::Completed));
        QCOMPARE(image.pixelColor(shown.at(kNoon + 17 * kSecond)), (*theme_)(Token::Lane));
    }

    void slotsOfAllWorkersAsOneGroup() {
        Shown shown;
        shown.view.setBySlot(true);
        QCOMPARE(shown.view.visibleBars().size(), std::size_t{3});
        QVERIFY(shown.view.store().isBySlot());
    }

    // --- the page

    void thePageShowsRealWorkFindsItAndExportsIt() {
        test::RealEngine engine;
        QVERIFY(engine.start());
        MainWindow window;
        window.engine().set(std::make_unique<AttachedLink>(engine.address(), engine.token()), "embedded");
        window.resize(1'280, 720);
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive(), kSoon);
        window.engine().commands()->run(operations::submit(
            QJsonObject{
                {"worker", "exec"}, {"argv", QJsonArray{"sh", "-c", "sleep 0.3; exit 3"}}, {"label", "will fail"}},
            0, {}));
        window.navigation().show("timelines");
        auto* page = qobject_cast<TimelinesPage*>(window.navigation().page());
        QVERIFY(page != nullptr);
        QVERIFY(page->view()->isFollowing());
        page->view()->setRange(
            {page->view()->data().now() - 20 * kSecond, page->view()->data().now() + 5 * kSecond});
        page->view()->follow();
        page->setFilter("will");
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->counts().matching >= 1, kSoon);
        page->view()->selectNextMatch();
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selected().has_value() && !page->view()->selected()->item.isOpen(),
                                 kSoon);
        QVERIFY(page->strip()->title().contains("will fail"));
        QTest::keyClick(page->view(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(page->showsTable());
        QVERIFY(page->table()->rows()->rowCount() >= 1);
        QVERIFY(page->closeInnermost());
        QTemporaryDir directory;
        for (const auto& [name, kind] :
             {std::pair("a.png", TimelinesPage::Export::Png), std::pair("a.svg", TimelinesPage::Export::Svg),
              std::pair("a.json", TimelinesPage::Export::Trace)}) {
            page->exportTo(directory.filePath(name), kind);
            QTRY_VERIFY_WITH_TIMEOUT(QFile(directory.filePath(name)).size() > 500, kSoon);
        }
        QFile trace(directory.filePath("a.json"));
        QVERIFY(trace.open(QIODevice::ReadOnly));
        QVERIFY(trace.readAll().contains("will fail"));
        page->exportTo(directory.filePath("no/such/a.png"), TimelinesPage::Export::Png);
        QVERIFY(!QFile::exists(directory.filePath("no/such/a.png")));
    }
};

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
