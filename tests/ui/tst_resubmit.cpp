// "Edit and resubmit" over a link that is played: what the form is filled in with, and what is said of what is missing.
#include "tests/ui/played_page.h"
#include "ui/pages/actions/resubmit.h"

#include <QTest>

using namespace yard;
using namespace yard::ui;

class TestResubmit : public QObject {
    Q_OBJECT

private slots:
    void aCopyWithoutWhatTheTokenDoesNotSeeSaysSo_data() {
        QTest::addColumn<QJsonObject>("token");
        QTest::addColumn<bool>("isSaid");
        const QJsonArray its{3, 7};
        const QJsonArray others{8};
        QTest::newRow("the owner's") << QJsonObject{{"name", ""}, {"rights", "admin"}} << false;
        QTest::newRow("operate") << QJsonObject{{"rights", "operate"}} << false;
        QTest::newRow("submit") << QJsonObject{{"rights", "submit"}} << true;
        QTest::newRow("submit to its queue") << QJsonObject{{"rights", "submit"}, {"queues", its}} << false;
        QTest::newRow("submit to another queue") << QJsonObject{{"rights", "submit"}, {"queues", others}} << true;
        QTest::newRow("read") << QJsonObject{{"rights", "read"}} << true;
    }
    void aCopyWithoutWhatTheTokenDoesNotSeeSaysSo() {
        QFETCH(QJsonObject, token);
        QFETCH(bool, isSaid);
        test::PlayedContext played;
        ActionRow row;
        row.lsn = 5;
        row.queue = 7;
        editAndResubmit(played.context(), this, row);
        QVERIFY(played.link.answer("jobs/5/spec", QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"true"}}}));
        QVERIFY(played.window.forms.isEmpty());
        QVERIFY(played.link.answer("token", token));
        QCOMPARE(played.window.forms.size(), 1);
        QCOMPARE(played.window.forms.at(0)["replaces"].toInteger(), 5);
        QCOMPARE(!played.window.said.isEmpty(), isSaid);
        if (isSaid) QVERIFY2(played.window.said[0].contains("environment"), qPrintable(played.window.said[0]));
    }

    void anEngineThatDoesNotTellOfTokensHidesNothing() {
        test::PlayedContext played;
        ActionRow row;
        row.lsn = 5;
        editAndResubmit(played.context(), this, row);
        QVERIFY(played.link.answer("jobs/5/spec", QJsonObject{{"worker", "exec"}}));
        QVERIFY(played.link.answer("token", Answer{404, {}, {}, "not_found", "There is no such route."}));
        QCOMPARE(played.window.forms.size(), 1);
        QVERIFY(played.window.said.isEmpty());
    }

    void whatIsNoLongerKeptOpensNothing() {
        test::PlayedContext played;
        ActionRow row;
        row.lsn = 5;
        editAndResubmit(played.context(), this, row);
        QVERIFY(played.link.answer("jobs/5/spec", Answer{404, {}, {}, "not_found", "It is no longer kept."}));
        QVERIFY(played.window.forms.isEmpty());
        QCOMPARE(played.window.said, QStringList{"It is no longer kept."});
        QCOMPARE(played.link.waiting("token"), std::size_t{0});
    }
};

QTEST_MAIN(TestResubmit)
#include "tst_resubmit.moc"
