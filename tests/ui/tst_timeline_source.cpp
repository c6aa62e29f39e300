// What an answer is as a picture, what is asked for and when, filters of bars, and the trace that is exported.
#include "tests/support/waiting.h"
#include "tests/ui/timeline_answers.h"
#include "ui/bridge/engine_link.h"
#include "ui/timeline/bar_filter.h"
#include "ui/timeline/chrome_trace.h"
#include "ui/timeline/timeline_json.h"
#include "ui/timeline/timeline_source.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace yard;
using namespace yard::ui;
using namespace yard::ui::timeline;
using namespace yard::test;

namespace {

constexpr int kSoon = kWaitMs;

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

} // namespace

class TestTimelineSource : public QObject {
    Q_OBJECT
private slots:
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
};

QTEST_GUILESS_MAIN(TestTimelineSource)
#include "tst_timeline_source.moc"
