// Numbers of what unfolds, of chips under a filter, of panels beside lists and of maps, held against the engine's: what
// tst_numbers is for whole pages. Nothing runs while they are compared.
#include "tests/ui/numbers_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/pages/failures/failure_groups.h"
#include "ui/pages/failures/failure_panel.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/map_pane.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queue_troubles.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/widgets/cell_map.h"
#include "ui/widgets/tabs.h"

#include <QHeaderView>
#include <QSettings>

#include <map>

using namespace yard;
using namespace yard::ui;
using test::Number;
using test::Numbers;

namespace {

qint64 numberIn(const QJsonObject& counts, const char* word) {
    return counts.value(QLatin1String(word)).toInteger();
}

/// As the window shows faces: pending has the held ones and those to be retried among it.
std::map<DisplayState, qint64> facesOf(const QJsonObject& states) {
    const qint64 held = numberIn(states, "held");
    const qint64 retry = numberIn(states, "retry");
    return {{DisplayState::Pending, numberIn(states, "pending") - held - retry},
            {DisplayState::Held, held},
            {DisplayState::Completed, numberIn(states, "completed")},
            {DisplayState::Failed, numberIn(states, "failed")},
            {DisplayState::Cancelled, numberIn(states, "cancelled")}};
}

} // namespace

class TestNumbersLists : public test::NumbersTest {
    Q_OBJECT

    qint64 cook_ = 0;  ///< a queue without retries
    qint64 moss_ = 0;  ///< the first of an array, some of which failed
    qint64 brick_ = 0; ///< the first of one that is held

    /// Its counts by state, the faces of pending beside it as GET session has them.
    QJsonObject statesOf(const QString& filter) {
        const QString facets = QStringLiteral("jobs/facets?by=state&own=1&q=%1").arg(filter);
        QJsonObject states = get(facets).value("facets")["state"].toObject();
        states.insert("held", totalOf(filter + "%20state:held"));
        states.insert("retry", totalOf(filter + "%20state:retry"));
        return states;
    }
    /// The least place of what waits of these; of none that waits there is none.
    QString firstPlaceIn(qint64 first, qint64 last) {
        qint64 least = 0;
        for (const QJsonValue job : jobs(QStringLiteral("state=pending&q=lsn:%1..%2").arg(first).arg(last)))
            if (const qint64 place = job["place"].toInteger(); least == 0 || place < least) least = place;
        return least == 0 ? Format::unknown() : grouped(least);
    }
    bool isQuiet() {
        const QJsonObject told = get("session").value("counts").toObject();
        return numberIn(told, "completed") == 7 && numberIn(told, "failed") == 4 && numberIn(told, "pending") == 6;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("numbers-lists", {"--capacity", "4"}));
        QVERIFY(openWindow());
        cook_ = makeQueue("nightly-cook", {{"max_retries", 0}});
        const auto array = [](int to, QJsonObject more = {}) {
            more.insert("array", QJsonObject{{"from", 1}, {"to", to}});
            return more;
        };
        moss_ =
            submit("moss {index}", "[ $YARD_INDEX -gt 3 ] || { echo \"error: no room $YARD_INDEX\" >&2; exit 3; }",
                   array(9), cook_);
        submit("foliage", "echo 'error: out of licences' >&2; exit 75", {}, cook_);
        brick_ = submit("brick {index}", "true", array(4, {{"hold", true}}), cook_);
        submit("behind it", "true", {{"after", QJsonArray{brick_}}}, cook_);
        submit("behind, elsewhere", "true", {{"after", QJsonArray{brick_}}});
        submit("elsewhere", "true");
        QTRY_VERIFY_WITH_TIMEOUT(isQuiet(), kSoon);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
    }
    void cleanup() { window_.reset(); }

    void underAFilterTheChipsAreItsFacets() {
        for (const QString& filter : {"queue:nightly-cook", "label:moss*", "state:failed%20label:moss*"}) {
            auto* page = show<ActionsPage>("actions");
            page->setFilter(QString(filter).replace("%20", " "));
            // Of other states a chip says what a press on it would find.
            const QString rest = QString(filter).remove("state:failed%20");
            agree(5, [&] {
                Numbers all;
                const auto told = facesOf(statesOf(rest));
                for (auto* chip : page->findChildren<StateChip*>())
                    if (const auto face = told.find(chip->face()); chip->isVisible() && face != told.end())
                        all.push_back({filter + ", chip, " + chip->text(), shown(chip),
                                       chip->text() + grouped(face->second)});
                return all;
            });
        }
    }

    void aFoldedRowHasTheNumbersOfItsActions() {
        QSettings().setValue("actions/folded", true);
        window_.reset();
        QVERIFY(openWindow());
        agree(4 * 2, [this] {
            Numbers all;
            FoldedList* list = show<ActionsPage>("actions")->folded();
            for (const QJsonValue value : get("jobs?fold=1&sort=-lsn").value("jobs").toArray()) {
                const FoldedRow row = foldedRowOf(value.toObject());
                if (!row.isFold()) continue;
                const QJsonObject states = value["states"].toObject();
                const qint64 live = numberIn(states, "pending") + numberIn(states, "running");
                addCell(all, list, row.id(), "lsn", grouped(row.first));
                addCell(all, list, row.id(), "index",
                        QStringLiteral("%1 of %2").arg(row.count - live).arg(row.count));
                addCell(all, list, row.id(), "place", firstPlaceIn(row.first, row.last()));
                addCell(all, list, row.id(), "failed", grouped(numberIn(states, "failed")));
            }
            return all;
        });
    }

    void aColumnThatIsHiddenLeavesTheOthersTrue() {
        const auto table = [this] { return show<ActionsPage>("actions")->table(); };
        const auto& columns = table()->rows()->columns();
        const int ran = static_cast<int>(std::ranges::find(columns, "ran", &Column::id) - columns.begin());
        const auto areTrue = [&] {
            agree(10, [&] {
                Numbers all;
                for (const QJsonValue job : jobs("sort=-lsn")) {
                    const qint64 lsn = job["lsn"].toInteger();
                    addCell(all, table(), lsn, "lsn", grouped(lsn));
                }
                return all;
            });
        };
        const auto press = [&] {
            clickInMenu("Ran");
            emit table() -> horizontalHeader()->customContextMenuRequested(QPoint(2, 2));
        };
        areTrue();
        QVERIFY(!table()->isColumnHidden(ran));
        press();
        QVERIFY(table()->isColumnHidden(ran));
        areTrue();
        window_.reset();
        QVERIFY(openWindow()); // it is remembered
        areTrue();
        QVERIFY(table()->isColumnHidden(ran));
        press();
        QVERIFY(!table()->isColumnHidden(ran));
        areTrue();
    }

    void eachGroupOfFailuresHasTheNumbersOfItsRow() {
        agree(2 * 2, [this] {
            Numbers all;
            std::map<qint64, QString> tags;
            for (const QJsonValue queue : get("queues").value("queues").toArray())
                tags[queue["queue_id"].toInteger()] = queue["tag"].toString();
            Table* table = show<FailuresPage>("failures")->table();
            for (const QJsonValue value : get("failures").value("groups").toArray()) {
                const FailureGroupInfo group = readFailureGroup(value.toObject());
                const QJsonArray queues = value["queues"].toArray();
                addCell(all, table, group.row(), "count", grouped(value["count"].toInteger()));
                addCell(all, table, group.row(), "queues",
                        tags[queues[0].toInteger()] +
                            (queues.size() > 1 ? QStringLiteral(" +%1").arg(queues.size() - 1) : QString()));
            }
            return all;
        });
    }

    void whatIsHeldOfAQueueIsInItsBar() {
        agree(2, [this]() -> Numbers {
            Table* table = show<QueuesPage>("queues")->table();
            Numbers all;
            for (const QJsonValue queue : get("queues").value("queues").toArray()) {
                const int at = table->rows()->rowOf(rowIdOf(queue["queue_id"].toInteger()));
                const int column =
                    static_cast<int>(std::ranges::find(table->rows()->columns(), "progress", &Column::id) -
                                     table->rows()->columns().begin());
                if (at < 0) continue;
                const auto& shares = table->rows()->cell(at, column).shares;
                all.push_back({"held, queue " + queue["tag"].toString(),
                               grouped(shares[std::to_underlying(DisplayState::Held)]),
                               grouped(queue["held_actions"].toInteger())});
            }
            return all;
        });
        QCOMPARE(get(QStringLiteral("queues/%1").arg(cook_)).value("held_actions").toInteger(), 4);
    }

    void theFailuresOfAQueueAreCountedByKind() {
        auto* page = show<QueuesPage>("queues");
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(rowIdOf(cook_)) >= 0, kSoon);
        page->table()->selectId(rowIdOf(cook_));
        agree(1, [this, page]() -> Numbers {
            std::map<qint64, qint64> byCode;
            for (const QJsonValue job : jobs(QStringLiteral("state=failed&queue=%1").arg(cook_)))
                ++byCode[job["exit_code"].toInteger()];
            std::vector<qint64> counts;
            for (const auto& [code, count] : byCode) counts.push_back(count);
            std::ranges::sort(counts);
            QStringList told;
            for (const qint64 count : counts) told << grouped(count);
            return {{"kinds", columnText(page->panel()->troubles()->kindTable(), "count", true), told.join(' ')}};
        });
    }

    void theMapOfAQueueHasACellForEachOfItsActions() {
        auto* page = show<QueuesPage>("queues");
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(rowIdOf(cook_)) >= 0, kSoon);
        page->table()->selectId(rowIdOf(cook_));
        emit page->work()->tabs()->chosen(1);
        agree(5, [this, page]() -> Numbers {
            std::map<DisplayState, qint64> seen;
            for (const MapCell& cell : page->work()->map()->map()->cells())
                if (cell.face) ++seen[*cell.face];
            Numbers all;
            for (const auto& [face, count] : facesOf(statesOf("queue:nightly-cook")))
                all.push_back({"map, " + wordOf(face), grouped(seen[face]), grouped(count)});
            return all;
        });
    }

    void thePanelOfAGroupOfFailuresHasItsNumbers() {
        auto* page = show<FailuresPage>("failures");
        const auto largest = [this] { return get("failures").value("groups")[0].toObject(); };
        const qint64 row = readFailureGroup(largest()).row();
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(row) >= 0, kSoon);
        clickRow(page->table(), row);
        agree(4, [&]() -> Numbers {
            const QJsonObject group = largest();
            const QJsonObject by = get("failures?group=" + group.value("id").toString()).value("by").toObject();
            QStringList told;
            for (const char* part : {"queue", "worker", "machine"})
                for (const QJsonValue value : by.value(QLatin1String(part))["values"].toArray())
                    told << grouped(value["count"].toInteger());
            std::vector<qint64> newest;
            for (const QJsonValue lsn : group.value("lsns").toArray()) newest.push_back(lsn.toInteger());
            std::ranges::sort(newest); // they ended at once, nearly
            QStringList lsns;
            for (const qint64 lsn : newest) lsns << grouped(lsn);
            FailurePanel* panel = page->panel();
            const QString count = grouped(group.value("count").toInteger());
            const QString counts = columnText(panel->differs(), "count");
            return {test::within("title", shown(panel), count + " failure(s)"),
                    test::within("button", shown(panel->reschedule()), "Reschedule " + count),
                    {"where", counts.endsWith(told.join(' ')) ? told.join(' ') : counts, told.join(' ')},
                    {"newest", columnText(panel->newest(), "action", true), lsns.join(' ')}};
        });
    }
};

QTEST_MAIN(TestNumbersLists)
#include "tst_numbers_lists.moc"
