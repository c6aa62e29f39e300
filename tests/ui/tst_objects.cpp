// The page Objects on a real engine: what nobody has described, a type and its objects with the engine's own numbers, moves
// by mouse and by keys, a field that somebody else changed meanwhile, and a list that is longer than what is in view.
#include "tests/ui/numbers_test.h"
#include "ui/pages/objects/object_panel.h"
#include "ui/pages/objects/objects_page.h"
#include "ui/pages/objects/orphan_banner.h"
#include "ui/pages/objects/type_list.h"
#include "ui/style/format.h"

using namespace yard;
using namespace yard::ui;

namespace {

/// Nobody looks after it: what is due has no actor.
QJsonObject pageType() {
    const QJsonObject draft{{"initial", true}, {"kind", "wait"}};
    const QJsonObject kept{{"final", true}, {"kind", "done"}};
    return {{"name", "page"},
            {"version", "1"},
            {"fields", QJsonObject{{"url", QJsonObject{{"type", "string"}, {"index", true}}},
                                   {"depth", QJsonObject{{"type", "integer"}}}}},
            {"states", QJsonObject{{"draft", draft}, {"review", QJsonObject{{"kind", "work"}}}, {"kept", kept}}},
            {"transitions", QJsonArray{QJsonObject{{"from", "draft"}, {"to", "review"}},
                                       QJsonObject{{"from", "review"}, {"to", "kept"}}}}};
}

constexpr int kMany = 450;

} // namespace

class TestObjects : public test::NumbersTest {
    Q_OBJECT

    qint64 first_ = 0;

    ObjectsPage* page() { return at<ObjectsPage>("objects"); }
    Table* table() { return page()->table(); }
    QJsonObject told(qint64 object) { return get(QStringLiteral("objects/%1").arg(object)); }
    QString statusOf(qint64 object) { return told(object).value("status").toString(); }
    qint64 make(QJsonObject more) {
        more.insert("type", "page");
        return ask("POST", "objects", more).json.value("id").toInteger();
    }
    /// Alone in the list and selected.
    void select(qint64 object) {
        QTRY_VERIFY_WITH_TIMEOUT(table()->rows()->rowOf(object) >= 0, kSoon);
        table()->setFocus();
        table()->selectId(object);
        QTRY_VERIFY_WITH_TIMEOUT(page()->panel()->fields()->edit("url") != nullptr, kSoon);
    }

private slots:
    void initTestCase() {
        QVERIFY(start("objects", {"--capacity", "2"}));
        QVERIFY(openWindow());
    }
    void cleanupTestCase() {
        window_.reset();
        engine_.kill();
    }

    void withoutATypeItSaysHowToBegin() {
        press(Qt::Key_4, Qt::ControlModifier);
        QCOMPARE(window_->navigation().pageId(), QString("objects"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isFirst(), kSoon);
        QVERIFY(shown(page()).contains("yardctl"));
    }

    void aTypeThatComesIsSeen() {
        QVERIFY(ask("POST", "types", pageType()).ok());
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isFirst(), kSoon);
        const qint64 later = QDateTime::currentMSecsSinceEpoch() * 1'000 + qint64{3'600} * 1'000'000;
        first_ =
            make({{"key", "front page"}, {"fields", QJsonObject{{"url", "https://a.org"}}}, {"retry_at", later}});
        QVERIFY(first_ > 0);
        make({{"fields", QJsonObject{{"url", "https://b.org"}}}, {"retry_at", later}});
        QTRY_COMPARE_WITH_TIMEOUT(table()->rows()->rowCount(), 2, kSoon);
    }

    void itsNumbersAreTheEngines() {
        agree(7, [this]() -> test::Numbers {
            const QJsonObject counts = get("types").value("types")[0].toObject().value("counts").toObject();
            const auto of = [&](const char* status) { return counts.value(QLatin1String(status)).toInteger(); };
            const TypeList* list = page()->typeList();
            const qint64 all = of("draft") + of("review") + of("kept");
            test::Numbers numbers{{"head", page()->note(), grouped(all)}};
            const QStringList rows{"page", "draft", "review", "kept"};
            const std::vector<qint64> told{all, of("draft"), of("review"), of("kept")};
            for (int row = 0; row < std::min(list->rows()->rowCount(), 4); ++row)
                numbers.push_back({rows[row], paintedRow(page()->typeList(), list->rows()->idAt(row), "objects"),
                                   grouped(told[static_cast<std::size_t>(row)])});
            const QJsonObject object = get(QStringLiteral("objects/%1").arg(first_));
            addCell(numbers, table(), first_, "object", grouped(object.value("id").toInteger()));
            addCell(numbers, table(), first_, "tries", grouped(object.value("retries").toInteger()));
            return numbers;
        });
    }

    void itIsMovedByItsMenuAndCannotBeMovedAsItsTypeForbids() {
        select(first_);
        withNextMenu([this](QMenu* menu) {
            for (QAction* action : menu->actions())
                if (action->text() == "review") return click(menu, menu->actionGeometry(action).center());
            menu->close();
        });
        click(page()->panel()->moveTo(), page()->panel()->moveTo()->rect().center());
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(first_), QString("review"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(paintedRow(table(), first_, "status"), QString("review"), kSoon);
    }

    void aFieldIsSetInPlace() {
        select(first_);
        QLineEdit* depth = page()->panel()->fields()->edit("depth")->edit();
        depth->setFocus();
        typeEnter("3");
        QTRY_COMPARE_WITH_TIMEOUT(told(first_).value("fields")["depth"].toInt(), 3, kSoon);
    }

    void whatSomebodyElseChangedMeanwhileIsShown() {
        select(first_);
        ObjectFieldEdit* url = page()->panel()->fields()->edit("url");
        QTRY_COMPARE_WITH_TIMEOUT(url->edit()->text(), QString("https://a.org"), kSoon);
        url->edit()->setFocus();
        url->edit()->selectAll();
        QTest::keyClicks(url->edit(), "https://mine.org");
        const QJsonObject theirs{{"fields", QJsonObject{{"url", "https://theirs.org"}}}};
        QVERIFY(ask("PATCH", QStringLiteral("objects/%1").arg(first_), theirs).ok());
        QTest::keyClick(url->edit(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(url->edit()->text(), QString("https://theirs.org"), kSoon);
        QVERIFY(url->problem().contains("https://mine.org"));
        QCOMPARE(told(first_).value("fields")["url"].toString(), QString("https://theirs.org"));
    }

    void whatIsDueAndHasNoActorIsToldInTheBannerAndInTheRail() {
        select(first_);
        press(Qt::Key_L, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(page()->banner()->isVisible(), kSoon);
        QVERIFY(page()->banner()->why().contains("its type has no actor"));
        const auto railSays = [this] {
            for (auto* item : window_->findChildren<RailItem*>())
                if (item->text() == "Objects") return shown(item);
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(railSays(), QString("Objects 1"), kSoon);
    }

    void itIsDeletedAfterAQuestion() {
        select(first_);
        table()->setFocus();
        answerNext("verb");
        press(Qt::Key_Delete, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(statusOf(first_).isEmpty(), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(table()->rows()->rowCount(), 1, kSoon);
    }

    void aLongListComesAsItIsScrolled() {
        QJsonArray many;
        const qint64 later = QDateTime::currentMSecsSinceEpoch() * 1'000 + qint64{3'600} * 1'000'000;
        for (int i = 0; i < kMany; ++i)
            many.append(QJsonObject{{"type", "page"},
                                    {"fields", QJsonObject{{"url", QStringLiteral("https://a.org/%1").arg(i)}}},
                                    {"retry_at", later}});
        QVERIFY(ask("POST", "objects", many).ok());
        const auto hasFirstPage = [this] { return table()->rows()->rowCount() >= ObjectsModel::kPage; };
        QTRY_VERIFY_WITH_TIMEOUT(hasFirstPage(), kSoon);
        QVERIFY(table()->rows()->rowCount() < kMany);
        const auto isAllHere = [this] {
            table()->scrollToBottom();
            return table()->rows()->rowCount() == kMany + 1;
        };
        QVERIFY(QTest::qWaitFor(isAllHere, kSoon));
        table()->scrollToTop();
        page()->setFilter("type:page url:https://a.org/7");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rows()->rowCount(), 1, kSoon);
    }
};

QTEST_MAIN(TestObjects)
#include "tst_objects.moc"
