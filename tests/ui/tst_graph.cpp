// The graph of who waits for whom as it is drawn: places, edges beside nodes, keys, words for screen readers.
#include "ui/pages/actions/graph_view.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QAccessible>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace yard::ui;

namespace {

QJsonObject node(qint64 id, int layer, const QString& label, const QJsonObject& states,
                 const QJsonObject& more = {}) {
    qint64 count = 0;
    for (const QJsonValue value : states) count += value.toInteger();
    QJsonObject made{{"id", id},       {"lsn", id},        {"count", count},
                     {"label", label}, {"states", states}, {"layer", layer}};
    for (auto it = more.begin(); it != more.end(); ++it) made.insert(it.key(), it.value());
    return made;
}
QJsonObject edge(qint64 from, qint64 to, bool met) {
    return {{"from", from}, {"to", to}, {"on", "completed"}, {"met", met}};
}
QJsonObject left(double seconds, double slack) {
    return {{"estimate", QJsonObject{{"left_s", seconds}}}, {"slack_s", slack}};
}

/// compile, then frames (an array) and lint, which failed, then film; notes wait for compile and film.
QJsonObject film() {
    return {{"nodes",
             QJsonArray{node(12, 0, "compile", {{"completed", 1}}),
                        node(13, 1, "frames", {{"pending", 3}, {"running", 1}, {"completed", 5}}, left(310, 0)),
                        node(22, 1, "lint", {{"failed", 1}}), node(23, 2, "film", {{"pending", 1}}, left(60, 0)),
                        node(24, 3, "notes", {{"pending", 1}}, left(1, 0))}},
            {"edges", QJsonArray{edge(12, 13, true), edge(12, 22, true), edge(13, 23, false), edge(22, 23, false),
                                 edge(23, 24, false), edge(12, 24, true)}},
            {"critical", QJsonArray{13, 23, 24}},
            {"truncated", false}};
}

} // namespace

class TestGraphView : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    static QImage pictureOf(GraphView& view) {
        QImage picture(view.size(), QImage::Format_RGB32);
        view.render(&picture);
        return picture;
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }

    void whatTheEngineSaysIsRead() {
        const Graph graph = graphOf(film());
        QCOMPARE(graph.nodes.size(), std::size_t{5});
        QCOMPARE(graph.edges.size(), std::size_t{6});
        QVERIFY(graph.nodes[1].isCritical && !graph.nodes[2].isCritical);
        QVERIFY(graph.edges[2].isCritical && !graph.edges[2].isVain);
        QVERIFY(graph.edges[3].isVain); // lint failed: film waits in vain
        QCOMPARE(graph.criticalSeconds, 371.0);
        QCOMPARE(graph.nodes[1].face(), DisplayState::Running);
        QVERIFY(graph.nodes[1].has(21) && !graph.nodes[1].has(22));
    }

    void whatIsNoGraphIsEmpty() {
        QVERIFY(graphOf({}).nodes.empty());
        const QJsonObject damaged{{"nodes", QJsonArray{7, QJsonObject{{"id", 3}}, QJsonObject{{"id", 3}}}},
                                  {"edges", QJsonArray{edge(3, 3, true), edge(3, 9, true)}},
                                  {"critical", "all"}};
        const Graph graph = graphOf(damaged);
        QCOMPARE(graph.nodes.size(), std::size_t{1});
        QVERIFY(graph.edges.empty());
        QVERIFY(GraphLayout(Graph()).nodes().empty());
    }

    void layersAreColumnsAndNothingOverlaps() {
        const Graph graph = graphOf(film());
        const GraphLayout layout(graph);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const QRectF& area = layout.nodes()[i];
            QCOMPARE(area.left(),
                     GraphLayout::kMargin + graph.nodes[i].layer * (GraphLayout::kNodeWidth + GraphLayout::kGap));
            QVERIFY(area.right() < layout.size().width() && area.bottom() < layout.size().height());
            for (std::size_t other = 0; other < i; ++other) QVERIFY(!area.intersects(layout.nodes()[other]));
        }
    }

    void edgesHaveRightAnglesAndCrossNoNode() {
        const Graph graph = graphOf(film());
        const GraphLayout layout(graph);
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const QPolygonF& line = layout.edges()[i];
            for (qsizetype at = 1; at < line.size(); ++at) {
                const QPointF& a = line[at - 1];
                const QPointF& b = line[at];
                QVERIFY(qFuzzyCompare(a.x(), b.x()) || qFuzzyCompare(a.y(), b.y()));
                const QRectF piece = QRectF(a, b).normalized().adjusted(-0.1, -0.1, 0.1, 0.1);
                for (std::size_t node = 0; node < graph.nodes.size(); ++node)
                    if (node != graph.edges[i].from && node != graph.edges[i].to)
                        QVERIFY2(!piece.intersects(layout.nodes()[node]), qPrintable(graph.nodes[node].label));
            }
        }
    }

    void arrowsFollowEdgesAndEnterChooses() {
        GraphView view;
        view.setGraph(graphOf(film()), 23);
        QCOMPARE(view.current(), 23);
        QSignalSpy chosen(&view, &GraphView::chosen);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.current(), 24);
        QTest::keyClick(&view, Qt::Key_Right); // nothing waits for it
        QCOMPARE(view.current(), 24);
        QTest::keyClick(&view, Qt::Key_Left);
        QTest::keyClick(&view, Qt::Key_Left);
        const qint64 first = view.current();
        QVERIFY(first == 13 || first == 22);
        QTest::keyClick(&view, first == 13 ? Qt::Key_Down : Qt::Key_Up);
        QTest::keyClick(&view, first == 13 ? Qt::Key_Up : Qt::Key_Down);
        QCOMPARE(view.current(), first);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.current(), 12);
        QVERIFY(chosen.isEmpty());
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(chosen.takeFirst().first().toLongLong(), 12);
    }

    void aClickChoosesTheActionBelowIt() {
        GraphView view;
        view.setGraph(graphOf(film()), 12);
        QSignalSpy chosen(&view, &GraphView::chosen);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.areaOf(3).center());
        QCOMPARE(chosen.takeFirst().first().toLongLong(), 23);
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(1, 1));
        QVERIFY(chosen.isEmpty());
    }

    void statesChangeInPlace() {
        GraphView view;
        view.setGraph(graphOf(film()), 23);
        QTest::keyClick(&view, Qt::Key_Right);
        const QRect before = view.areaOf(1);
        QJsonObject later = film();
        QJsonArray nodes = later.value("nodes").toArray();
        nodes[1] = node(13, 1, "frames", {{"completed", 9}});
        later.insert("nodes", nodes);
        view.setGraph(graphOf(later), 23);
        QCOMPARE(view.areaOf(1), before);
        QCOMPARE(view.current(), 24); // where the keys left it
        QVERIFY(view.wordsOf(1).contains("9 completed"));
    }

    void eachNodeIsSaidInWords() {
        GraphView view;
        view.setGraph(graphOf(film()), 23);
        const auto parts = view.spokenParts();
        QCOMPARE(parts.size(), std::size_t{5});
        QVERIFY2(parts[1].name.startsWith("frames, 13, "), qPrintable(parts[1].name));
        for (const char* words : {"3 pending", "1 running", "5 completed", "5 min 10 s left", "critical path"})
            QVERIFY2(parts[1].name.contains(words), qPrintable(parts[1].name));
        QVERIFY2(parts[3].name.contains("waits for frames, lint"), qPrintable(parts[3].name));
        QCOMPARE(view.spokenValue(), parts[3].name);
        QCOMPARE(view.accessibleName(), QString("Who waits for whom"));
    }

    void itIsPaintedInBothSchemes() {
        GraphView view;
        view.setGraph(graphOf(film()), 23);
        QImage last;
        for (const auto choice : {Theme::Choice::Dark, Theme::Choice::Light}) {
            theme_->choose(choice);
            const QImage picture = pictureOf(view);
            const QRect area = view.areaOf(3);
            QCOMPARE(picture.pixelColor(area.right() - 6, area.bottom() - 6), (*theme_)(Token::Selection));
            QVERIFY(picture != last);
            last = picture;
        }
        theme_->choose(Theme::Choice::System);
    }

    void zoomingKeepsWithinItsBounds() {
        GraphView view;
        view.setGraph(graphOf(film()), 23);
        const QSize usual = view.size();
        for (int i = 0; i < 20; ++i) QTest::keyClick(&view, Qt::Key_Plus);
        QCOMPARE(view.zoom(), GraphView::kMostZoom);
        QVERIFY(view.width() > usual.width());
        for (int i = 0; i < 20; ++i) QTest::keyClick(&view, Qt::Key_Minus);
        QCOMPARE(view.zoom(), GraphView::kLeastZoom);
        pictureOf(view);
    }
};

QTEST_MAIN(TestGraphView)
#include "tst_graph.moc"
