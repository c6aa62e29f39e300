// Changes of many actions by keys and by mouse while nobody knows yet how many they are: the engine is asked first,
// the operator sees the number, and no more than that many change.
#include "tests/ui/held_link.h"
#include "tests/ui/operator_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"

#include <QAction>
#include <QInputDialog>
#include <QSignalSpy>

using namespace yard;
using namespace yard::test;
using namespace yard::ui;

class TestMany : public OperatorTest {
    Q_OBJECT

    ActionsPage* page() { return at<ActionsPage>("actions"); }
    Button* button(const QString& text) {
        for (Button* each : page()->findChildren<Button*>())
            if (each->isVisible() && each->text() == text) return each;
        return nullptr;
    }
    QString note() { return page()->findChild<PageHead*>()->note(); }
    qint64 count(const QString& filter) {
        const QString q = QString::fromLatin1(QUrl::toPercentEncoding(filter));
        return ask("GET", "jobs?limit=1&count=1&q=" + q).json.value("total").toInteger(-1);
    }
    /// A held queue with an array of so many.
    qint64 makeMany(const QString& tag, int many, const QJsonObject& more = {}) {
        const qint64 queue = makeQueue(tag, {{"max_retries", 0}});
        ask("POST", QStringLiteral("queues/%1/hold").arg(queue));
        QJsonObject action = more;
        action.insert("array", QJsonObject{{"from", 0}, {"to", many - 1}});
        submit(tag, "exit 3", action, queue);
        return queue;
    }
    /// The offscreen platform does not give the focus back by itself when a question closes.
    void focusList() {
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        page()->table()->setFocus();
    }
    /// The list of this filter, all of it selected, and nobody knows how many that is.
    void selectAllOf(const QString& filter) {
        page()->setFilter({});
        link_->hold("jobs/lsns");
        page()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(model()->isCurrent() && model()->rowCount() > 200, kSoon);
        clickRow(page()->table(), model()->idAt(0));
        focusList();
        press(Qt::Key_A, Qt::ControlModifier);
        QVERIFY(page()->table()->allSelected());
        QVERIFY2(note().contains("and more"), qPrintable(note()));
    }
    ActionsModel* model() { return page()->model(); }
    /// The question that comes next, answered so; what it asks is in asked_.
    void answer(const QString& button) {
        asked_.clear();
        auto* poll = new QTimer(window_.get());
        connect(poll, &QTimer::timeout, this, [this, poll, button] {
            auto* dialog = window_->findChild<QDialog*>("question");
            if (dialog == nullptr || !dialog->isVisible()) return;
            poll->deleteLater();
            asked_ = dialog->windowTitle();
            for (const QLabel* label : dialog->findChildren<QLabel*>()) asked_ += ' ' + label->text();
            dialog->findChild<QAbstractButton*>(button)->click();
        });
        poll->start(10);
    }
    /// The form for a number or a queue that comes next.
    void acceptInput(const QString& text) {
        auto* poll = new QTimer(window_.get());
        connect(poll, &QTimer::timeout, this, [poll, text] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            poll->deleteLater();
            if (dialog->inputMode() == QInputDialog::IntInput)
                dialog->setIntValue(text.toInt());
            else
                dialog->setTextValue(text);
            dialog->accept();
        });
        poll->start(10);
    }
    void trigger(const QString& id) {
        for (QAction* action : page()->commands())
            if (action->objectName() == id) return action->trigger();
        QFAIL(qPrintable("no command " + id));
    }
    static QJsonObject bodyOf(const Request& request) { return QJsonDocument::fromJson(request.body).object(); }

    HeldLink* link_ = nullptr;
    QString asked_;

private slots:
    void initTestCase() { QVERIFY(start("many", {"--capacity", "4"})); }
    void init() {
        QSettings().clear();
        window_ = std::make_unique<MainWindow>();
        auto link = std::make_unique<HeldLink>(engine_.address(), engine_.token());
        link_ = link.get();
        window_->engine().set(std::move(link), "embedded");
        window_->resize(1'440, 900);
        window_->show();
        window_->activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(
            window_->engine().state()->isLive() && !window_->engine().state()->queues().empty(), kSoon);
        page();
    }
    void cleanup() { window_.reset(); }

    void cancelOfAnUnknownNumberIsAskedAboutWithTheNumber_data() {
        QTest::addColumn<bool>("byMouse");
        QTest::newRow("by keys") << false;
        QTest::newRow("by mouse") << true;
    }
    void cancelOfAnUnknownNumberIsAskedAboutWithTheNumber() {
        QFETCH(bool, byMouse);
        const QString tag = byMouse ? "mouse" : "keys";
        makeMany(tag, 1'200);
        selectAllOf("queue:" + tag);
        const auto cancel = [&] {
            focusList();
            if (!byMouse) return press(Qt::Key_Delete, Qt::ControlModifier);
            QVERIFY(button("Cancel all that match") != nullptr);
            click(button("Cancel all that match"), {5, 5});
        };
        answer("keep");
        cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
        QVERIFY2(asked_.contains("Cancel 1,200 action(s)?") && asked_.contains("queue:" + tag), qPrintable(asked_));
        QCOMPARE(count("state:pending queue:" + tag), 1'200);
        answer("verb");
        cancel();
        QTRY_COMPARE_WITH_TIMEOUT(count("state:cancelled queue:" + tag), 1'200, kSoon);
        const Request sent = link_->sentTo("jobs/cancel").back();
        QCOMPARE(bodyOf(sent).value("at_most").toInteger(), 1'200);
    }

    void theQuestionSaysHowManyCameSince() {
        const qint64 queue = makeMany("since", 1'200);
        page()->setFilter("queue:since");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 1'200, kSoon);
        clickRow(page()->table(), model()->idAt(0));
        focusList();
        press(Qt::Key_A, Qt::ControlModifier);
        QVERIFY2(note().startsWith("1,200 selected"), qPrintable(note()));
        submit("since", "true", {{"array", QJsonObject{{"from", 1}, {"to", 5}}}}, queue);
        answer("verb");
        press(Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
        QVERIFY2(asked_.contains("Cancel 1,205") && asked_.contains("5 of them came after you selected."),
                 qPrintable(asked_));
        QTRY_COMPARE_WITH_TIMEOUT(count("state:cancelled queue:since"), 1'205, kSoon);
        // Done at once: there is nothing to take back, and that is said.
        const QSignalSpy said(window_->engine().commands(), &Commands::said);
        focusList();
        press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(said.count(), 1);
        QVERIFY(said.front().front().toString().startsWith("There is nothing to take back"));
    }

    void aSmallerNumberCanBeTakenBack() {
        makeMany("fewer", 300);
        selectAllOf("queue:fewer");
        press(Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        QCOMPARE(window_->engine().commands()->waiting()->title, QString("Cancel 300 action(s)"));
        QCOMPARE(count("state:pending queue:fewer"), 300);
        press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window_->engine().commands()->waiting() == nullptr);
        QCOMPARE(count("state:pending queue:fewer"), 300);
    }

    void moreThanWasConfirmedIsAskedAboutAgain() {
        const qint64 queue = makeMany("grows", 300);
        selectAllOf("queue:grows");
        press(Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        submit("one more", "true", {}, queue);
        answer("keep");
        window_->engine().commands()->sendNow();
        QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
        QVERIFY2(asked_.contains("Cancel 301 action(s)?") && asked_.contains("more than you confirmed"),
                 qPrintable(asked_));
        QCOMPARE(count("state:pending queue:grows"), 301);
        focusList();
        press(Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        window_->engine().commands()->sendNow();
        QTRY_COMPARE_WITH_TIMEOUT(count("state:cancelled queue:grows"), 301, kSoon);
    }

    void otherChangesOfAnUnknownNumberAreAskedAboutToo_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("question");
        QTest::addColumn<QString>("after"); // what finds them then
        QTest::newRow("hold") << "hold" << "" << "Hold 300 action(s)?" << "state:held queue:hold";
        QTest::newRow("priority") << "priority" << "7" << "Set priority of 300 action(s)?" << "";
        QTest::newRow("move") << "move" << "elsewhere" << "Move 300 action(s) to elsewhere?" << "queue:elsewhere";
    }
    void otherChangesOfAnUnknownNumberAreAskedAboutToo() {
        QFETCH(QString, id);
        QFETCH(QString, input);
        QFETCH(QString, question);
        QFETCH(QString, after);
        if (id == "move") {
            const qint64 elsewhere = makeQueue("elsewhere");
            ask("POST", QStringLiteral("queues/%1/hold").arg(elsewhere));
            // The form offers the queues that the window knows.
            QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->queues().contains(elsewhere), kSoon);
        }
        // Held while they are made, released before they are looked at.
        const qint64 tomorrow = (QDateTime::currentMSecsSinceEpoch() + 86'400'000) * 1'000;
        const qint64 queue = makeMany(id, 300, {{"not_before", tomorrow}});
        ask("POST", QStringLiteral("queues/%1/release").arg(queue));
        const QString path = id == "hold" ? "jobs/hold" : "jobs";
        for (const char* button : {"keep", "verb"}) {
            selectAllOf("queue:" + id);
            if (!input.isEmpty()) acceptInput(input);
            answer(button);
            trigger(id);
            QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
            QVERIFY2(asked_.contains(question), qPrintable(asked_));
            link_->letGo();
        }
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->records().back().status == 200, kSoon);
        QCOMPARE(window_->engine().commands()->records().size(), std::size_t{1}); // counted twice, changed once
        QCOMPARE(bodyOf(link_->sentTo(path).back()).value("at_most").toInteger(), 300);
        if (!after.isEmpty()) QCOMPARE(count(after), 300);
    }

    void rowsFollowTheHoldOfTheirQueueAndCtrlHTheirOwn() {
        const qint64 tomorrow = (QDateTime::currentMSecsSinceEpoch() + 86'400'000) * 1'000;
        const qint64 queue = makeMany("follows", 3, {{"not_before", tomorrow}});
        page()->setFilter("queue:follows");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 3, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(model()->idAt(0)) != nullptr, kSoon);
        const qint64 first = model()->idAt(0);
        const auto face = [&] { return model()->action(first)->face; };
        const auto noteOf = [&](int row) { return model()->action(model()->idAt(row))->note; };
        QTRY_COMPARE_WITH_TIMEOUT(face(), DisplayState::Pending, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(noteOf(0), QString("its queue is held"), kSoon);
        clickRow(page()->table(), first);
        focusList();
        press(Qt::Key_H, Qt::ControlModifier); // held by its queue alone: this holds it by itself
        QTRY_COMPARE_WITH_TIMEOUT(count("state:held queue:follows"), 1, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(face(), DisplayState::Held, kSoon);
        ask("POST", QStringLiteral("queues/%1/release").arg(queue));
        QTRY_VERIFY_WITH_TIMEOUT(!noteOf(1).startsWith("its queue"), kSoon);
        QCOMPARE(model()->action(model()->idAt(1))->face, DisplayState::Pending);
        QTRY_COMPARE_WITH_TIMEOUT(face(), DisplayState::Held, kSoon);
        press(Qt::Key_H, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(face(), DisplayState::Pending, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!noteOf(0).startsWith("its queue"), kSoon);
        ask("POST", QStringLiteral("queues/%1/hold").arg(queue));
        QTRY_COMPARE_WITH_TIMEOUT(noteOf(0), QString("its queue is held"), kSoon);
        QCOMPARE(face(), DisplayState::Pending);
    }

    void asManyRowsReadHeldAsTheCountSays() {
        const qint64 queue = makeMany("one-meaning", 3);
        const qint64 byHand = submit("one-meaning", "true", {{"hold", true}}, queue);
        page()->setFilter("queue:one-meaning");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 4, kSoon);
        const auto held = [&] {
            std::vector<qint64> lsns;
            for (int row = 0; row < model()->rowCount(); ++row)
                if (const ActionRow* action = model()->action(model()->idAt(row)))
                    if (action->face == DisplayState::Held) lsns.push_back(action->lsn);
            return lsns;
        };
        QTRY_COMPARE_WITH_TIMEOUT(held(), std::vector<qint64>{byHand}, kSoon);
        QCOMPARE(count("state:held queue:one-meaning"), 1);
        // The bar of the queue has what waits in it as pending, although the queue is held, and apart from what is held
        // by hand.
        const auto inBar = [&](DisplayState face) {
            const QueueInfo* info = window_->engine().state()->queue(queue);
            return info == nullptr ? 0 : info->of(face);
        };
        QTRY_COMPARE_WITH_TIMEOUT(inBar(DisplayState::Pending), 3, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(inBar(DisplayState::Held), 1, kSoon);
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "queue:one-meaning"}});
    }

    void releaseOfAnUnknownNumberIsAskedAbout() {
        makeMany("release", 300, {{"hold", true}});
        selectAllOf("queue:release");
        answer("verb");
        press(Qt::Key_H, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(asked_.contains("Release 300 action(s)?"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(count("state:held queue:release"), 0, kSoon);
        QCOMPARE(count("state:pending queue:release"), 300);
    }

    void whatHasEndedIsCountedBeforeItRunsAgainOrIsForgotten() {
        const qint64 queue = makeMany("ended", 300);
        ask("POST", QStringLiteral("queues/%1/release").arg(queue));
        QTRY_COMPARE_WITH_TIMEOUT(count("state:failed queue:ended"), 300, 3 * kSoon);
        ask("POST", QStringLiteral("queues/%1/hold").arg(queue));
        selectAllOf("queue:ended");
        press(Qt::Key_R, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        QCOMPARE(window_->engine().commands()->waiting()->title, QString("Reschedule 300 action(s)"));
        window_->engine().commands()->undo();
        press(Qt::Key_Delete, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        QCOMPARE(window_->engine().commands()->waiting()->title, QString("Retire 300 action(s)"));
        QCOMPARE(count("state:failed queue:ended"), 300);
        window_->engine().commands()->sendNow();
        QTRY_COMPARE_WITH_TIMEOUT(count("queue:ended"), 0, kSoon);
        QCOMPARE(bodyOf(link_->sentTo("jobs/retire").back()).value("at_most").toInteger(), 300);
    }

    void whereNothingMatchesNothingIsSent() {
        makeMany("pending only", 300);
        selectAllOf("queue:\"pending only\"");
        press(Qt::Key_R, Qt::ControlModifier); // none has failed
        QTRY_VERIFY_WITH_TIMEOUT(shown(window_->findChild<StatusBar*>("status-bar")).contains("None of these"),
                                 kSoon);
        QCOMPARE(link_->sentTo("jobs/retry").size(), std::size_t{1}); // the count
        QVERIFY(window_->engine().commands()->records().empty());
    }

    void allOfOneFilterAreNotAllOfAnother() {
        makeMany("narrow", 300);
        selectAllOf("queue:narrow");
        page()->setFilter({});
        QVERIFY(!page()->table()->allSelected());
        QVERIFY(button("Cancel all that match") == nullptr);
    }

    void theToolbarNamesWhatItActsOn() {
        const qint64 queue = makeMany("named", 3);
        page()->setFilter("queue:named");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 3, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(model()->idAt(2)) != nullptr, kSoon);
        QVERIFY(button("Cancel") != nullptr && button("Reschedule") != nullptr);
        const qint64 first = model()->idAt(0);
        clickRow(page()->table(), first);
        QVERIFY(button("Cancel " + grouped(first)) != nullptr && button("Reschedule " + grouped(first)) != nullptr);
        page()->table()->selectAll();
        QVERIFY(button("Cancel 3 action(s)") != nullptr);
        // What a link opens and the list does not have is what is acted on, and named.
        const qint64 other = submit("elsewhere", "true", {{"hold", true}});
        window_->navigation().showAction(other);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->lsn(), other, kSoon);
        page()->setFilter("queue:named");
        window_->navigation().page()->open(other);
        QVERIFY(page()->table()->selectedIds().empty());
        QVERIFY(button("Cancel " + grouped(other)) != nullptr);
        // It is not in view: asked about first.
        answer("keep");
        click(button("Cancel " + grouped(other)), {5, 5});
        QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
        QVERIFY2(asked_.contains(grouped(other)) && asked_.contains("not selected in the list"),
                 qPrintable(asked_));
        QCOMPARE(stateOf(other), QString("pending"));
        answer("verb");
        click(button("Cancel " + grouped(other)), {5, 5});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(other), QString("cancelled"), kSoon);
        QCOMPARE(count("state:pending queue:named"), 3);
        page()->closeInnermost();
        QVERIFY(button("Cancel") != nullptr);
        ask("POST", QStringLiteral("queues/%1/cancel").arg(queue));
    }

    void whatAnotherFilterDoesNotShowIsNotChangedByKeysOrButtons() {
        const qint64 queue = makeMany("victim", 3);
        const qint64 other = submit("bystander", "true", {{"hold", true}});
        page()->setFilter("label:victim");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 3, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(model()->idAt(2)) != nullptr, kSoon);
        const qint64 victim = model()->idAt(1);
        clickRow(page()->table(), victim);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->action().value("lsn").toInteger(), victim, kSoon);
        const auto filterBy = [&](const QString& words) {
            focusList();
            press(Qt::Key_Slash);
            typeEnter(words);
            press(Qt::Key_Tab);
            QTRY_VERIFY_WITH_TIMEOUT(model()->isCurrent() && model()->filter() == words, kSoon);
            focusList();
        };
        filterBy("label:bystander");
        QCOMPARE(page()->detail()->lsn(), victim); // still looked at
        QVERIFY(page()->detail()->isVisible());
        QTRY_VERIFY2_WITH_TIMEOUT(note().endsWith("1, nothing selected"), qPrintable(note()), kSoon);
        QVERIFY(button("Cancel") != nullptr);
        const std::size_t done = window_->engine().commands()->records().size();
        press(Qt::Key_Delete, Qt::ControlModifier);
        press(Qt::Key_Delete, Qt::ShiftModifier);
        QVERIFY(window_->engine().commands()->waiting() == nullptr);
        QCOMPARE(window_->engine().commands()->records().size(), done);
        // Where the hand is in the panel its action is named, and asked about.
        page()->detail()->takeFocus();
        QVERIFY(button("Cancel " + grouped(victim)) != nullptr);
        answer("keep");
        press(Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!asked_.isEmpty(), kSoon);
        QVERIFY2(asked_.contains(grouped(victim)), qPrintable(asked_));
        QCOMPARE(window_->engine().commands()->records().size(), done);
        focusList();
        QVERIFY(button("Cancel") != nullptr);
        // Nor does it come back into the selection with the filter before.
        filterBy("label:victim");
        QVERIFY(page()->table()->selectedIds().empty());
        // What the other filter has of them stays selected.
        clickRow(page()->table(), model()->idAt(0));
        focusList();
        press(Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(page()->table()->selectedIds().size(), std::size_t{2});
        QTRY_VERIFY2_WITH_TIMEOUT(note().endsWith("3, 2 selected"), qPrintable(note()), kSoon);
        filterBy("label:bystander");
        QTRY_VERIFY2_WITH_TIMEOUT(note().endsWith("1, nothing selected"), qPrintable(note()), kSoon);
        press(Qt::Key_Delete, Qt::ControlModifier);
        QVERIFY(window_->engine().commands()->waiting() == nullptr);
        clickRow(page()->table(), other);
        filterBy("label:bystander,victim");
        QCOMPARE(page()->table()->selectedIds(), std::vector<qint64>{other});
        QVERIFY(button("Cancel " + grouped(other)) != nullptr);
        QCOMPARE(count("state:pending label:victim"), 3);
        ask("POST", QStringLiteral("queues/%1/cancel").arg(queue));
    }

    void theButtonsOfThePanelActOnWhatThePanelShows() {
        makeMany("apart", 3);
        const qint64 failed = submit("failed alone", "exit 3", {}, makeQueue("quick", {{"max_retries", 0}}));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(failed), QString("failed"), kSoon);
        page()->setFilter("label:apart,\"failed alone\"");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 4, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(failed) != nullptr, kSoon);
        clickRow(page()->table(), failed);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->action().value("lsn").toInteger(), failed, kSoon);
        page()->table()->selectAll();
        Button* again = nullptr;
        for (Button* each : page()->detail()->findChildren<Button*>())
            if (each->text() == "Reschedule") again = each;
        QVERIFY(again != nullptr && again->isVisible());
        click(again, {5, 5});
        QTRY_VERIFY_WITH_TIMEOUT(!link_->sentTo("jobs/retry").empty(), kSoon);
        QCOMPARE(bodyOf(link_->sentTo("jobs/retry").back()).value("lsns").toArray(), QJsonArray{failed});
    }

    void editAndResubmitOfOneElementSubmitsThatOneAlone() {
        const qint64 queue = makeQueue("array", {{"max_retries", 0}});
        const qint64 first =
            submit("shot_{index}", "echo $YARD_INDEX", {{"array", QJsonObject{{"from", 10}, {"to", 49}}}}, queue);
        QTRY_COMPARE_WITH_TIMEOUT(count("state:completed queue:array"), 40, kSoon);
        page()->setFilter("queue:array");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), 40, kSoon); // the rows before it are gone
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(first + 7) != nullptr, kSoon);
        clickRow(page()->table(), first + 7);
        press(Qt::Key_E, Qt::ControlModifier);
        QDialog* form = nullptr;
        const auto isOpen = [&] {
            for (QDialog* each : window_->findChildren<QDialog*>())
                if (each->isVisible() && each->findChild<QAbstractButton*>("submit-now") != nullptr) form = each;
            return form != nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(form->findChild<QAbstractButton*>("submit-now")->isEnabled(), kSoon);
        form->findChild<QAbstractButton*>("submit-now")->click();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->engine().commands()->records().empty(), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().commands()->records().back().status, 200, kSoon);
        const Request posted = window_->engine().commands()->records().back().operation.request;
        QCOMPARE(bodyOf(posted).value("array").toObject(), (QJsonObject{{"from", 17}, {"to", 17}}));
        QTRY_VERIFY2_WITH_TIMEOUT(count("state:completed queue:array") == 41, qPrintable(posted.path), kSoon);
        const QJsonArray newest = jobs("q=queue:array", 1);
        QCOMPARE(newest.size(), 1);
        const qint64 again = newest[0]["lsn"].toInteger();
        QCOMPARE(ask("GET", QStringLiteral("jobs/%1/stdout").arg(again)).bytes, QByteArray("17\n"));
    }
};

QTEST_MAIN(TestMany)
#include "tst_many.moc"
