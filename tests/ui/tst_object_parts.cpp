// Parts of the page Objects without the page: where states stand, rows as they come, values of fields.
#include "tests/ui/snapshot_type.h"
#include "ui/pages/objects/object_fields.h"
#include "ui/pages/objects/objects_model.h"
#include "ui/pages/objects/state_chart.h"

#include <QTest>

using namespace yard;
using namespace yard::ui;

class TestObjectParts : public QObject {
    Q_OBJECT

private slots:
    void aTypeThatSaysNothingOfRetriesHasTheUsualOnes() {
        QJsonObject type = test::snapshotType();
        type.remove("max_retries");
        const QJsonObject json{{"types", QJsonArray{QJsonObject{{"name", "snapshot"}, {"type", type}}}}};
        QCOMPARE(readObjectTypes(json).front().mostRetries, 5);
    }

    void statesStandInColumnsByTheirDistanceFromTheInitialOne() {
        const auto read = readObjectTypes(test::snapshotTypes());
        const StateChart chart(read.front());
        const auto columnOf = [&](const char* state) { return chart.place(QLatin1String(state))->column; };
        QCOMPARE(columnOf("queued"), 0);
        QCOMPARE(columnOf("started"), 1);
        QCOMPARE(columnOf("failed"), 1);
        QCOMPARE(columnOf("sealed"), 2);
        QCOMPARE(chart.arrows().size(), read.front().moves.size());
    }

    void noArrowRunsThroughAState() {
        const StateChart chart(readObjectTypes(test::snapshotTypes()).front());
        for (const StateChart::Arrow& arrow : chart.arrows())
            for (qsizetype i = 1; i < arrow.line.size(); ++i) {
                const QPointF a = arrow.line[i - 1];
                const QPointF b = arrow.line[i];
                QVERIFY2(a.x() == b.x() || a.y() == b.y(), "right angles only");
                const QRectF line = QRectF(a, b).normalized();
                for (const StateChart::Place& place : chart.places()) {
                    const QRectF inner = place.area.adjusted(1, 1, -1, -1);
                    const bool isAcross = line.left() < inner.right() && line.right() > inner.left() &&
                                          line.top() < inner.bottom() && line.bottom() > inner.top();
                    QVERIFY2(!isAcross, qPrintable(arrow.from + " to " + arrow.to + " through " + place.state));
                }
                QVERIFY(QRectF(QPointF(0, 0), chart.size()).contains(a));
            }
    }

    void moreThanIsKeptIsSaidToBeCut() {
        ObjectsModel model;
        qint64 id = 10'000'000;
        while (model.rowCount() == 0 || model.more()) {
            ObjectsModel::Rows rows;
            for (int i = 0; i < 1'000; ++i) rows.emplace_back().id = id--;
            model.take(model.wantMore(), std::move(rows), true);
        }
        QCOMPARE(model.rowCount(), static_cast<int>(ObjectsModel::kMostRows));
        QVERIFY(model.isCut());
        QVERIFY(!model.canFetchMore({}));
    }

    void whatIsBehindTheRowsInViewStays() {
        ObjectsModel model;
        const auto rows = [](qint64 newest, qint64 oldest) {
            ObjectsModel::Rows all;
            for (qint64 id = newest; id >= oldest; --id) all.emplace_back().id = id;
            return all;
        };
        model.take({}, rows(400, 201), true);
        model.take(model.wantMore(), rows(200, 1), false);
        ObjectsModel::Rows top = rows(402, 205);
        top.back().status = "changed";
        model.take({}, top, true);
        QCOMPARE(model.rowCount(), 402);
        QCOMPARE(model.object(205)->status, QString("changed"));
        QVERIFY(model.object(204) != nullptr);
        QVERIFY(model.isWhole());
    }

    void valuesAreReadAsTheirFieldWantsThem_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("read");
        QTest::newRow("text as it is") << "12" << "string" << R"("12")";
        QTest::newRow("a whole number") << "12" << "integer" << "12";
        QTest::newRow("no whole number") << "1.5" << "integer" << "";
        QTest::newRow("a number") << "1.5" << "number" << "1.5";
        QTest::newRow("true") << "true" << "boolean" << "true";
        QTest::newRow("no truth") << "1" << "boolean" << "";
        QTest::newRow("a list") << "[1,\"a\"]" << "json" << "[1,\"a\"]";
        QTest::newRow("two values") << "1,2" << "json" << "";
        QTest::newRow("no JSON") << "{" << "json" << "";
        QTest::newRow("nothing takes it away") << " " << "integer" << "null";
    }

    void valuesAreReadAsTheirFieldWantsThem() {
        QFETCH(QString, text);
        QFETCH(QString, type);
        QFETCH(QString, read);
        const auto value = fieldValueOf(text, type);
        const QString shown = !value              ? QString()
                              : value->isNull()   ? QString("null")
                              : value->isString() ? '"' + value->toString() + '"'
                                                  : textOfField(*value, type);
        QCOMPARE(shown, read);
    }

    void textInAFieldOfAnyJsonStaysText() {
        for (const char* text : {"true", "12", "", "a \"b\"", "[1]"}) {
            const QJsonValue value{QString(text)};
            QCOMPARE(fieldValueOf(textOfField(value, "json"), "json"), std::optional(value));
            QCOMPARE(fieldValueOf(textOfField(value, "string"), "string"), std::optional(value));
        }
    }
};

QTEST_GUILESS_MAIN(TestObjectParts)
#include "tst_object_parts.moc"
