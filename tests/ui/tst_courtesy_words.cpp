// What the status bar says of courtesy.
#include "ui/state/courtesy_words.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace yard::ui;

class TestCourtesyWords : public QObject {
    Q_OBJECT

    static QJsonObject measure(const char* name, const char* because, int cores = 0) {
        QJsonObject one{{"name", name}, {"because", because}, {"since", 1}};
        if (cores > 0) one.insert("cores", cores);
        return one;
    }
    static QString words(const char* profile, const QJsonArray& measures) {
        return courtesyWords({{"profile", profile}, {"cores", 8}, {"measures", measures}});
    }

private slots:
    void nothingIsSaidWhereNothingIsInForce() {
        QCOMPARE(words("gentle", {}), QString());
        QCOMPARE(courtesyWords({}), QString()); // an engine that knows nothing of it
    }

    void coresAreSaidWithTheReason() {
        QCOMPARE(words("gentle", {measure("idle_priority", "active"), measure("fewer_cores", "active", 1)}),
                 QString("Gentle: you are active, 1 of 8 cores left free"));
    }

    void theMostThatIsDoneIsSaid() {
        QCOMPARE(words("polite", {measure("idle_priority", "active"), measure("fewer_cores", "active", 4),
                                  measure("hold", "memory_pressure")}),
                 QString("Polite: memory is short, nothing new starts"));
        QCOMPARE(words("polite", {measure("hold", "on_battery"), measure("freeze", "on_battery")}),
                 QString("Polite: on battery, actions stand still"));
        QCOMPARE(words("study", {measure("freeze", "full_screen")}),
                 QString("study: a program has the whole screen, actions stand still"));
    }

    void idlePriorityIsSaidWhereItIsAlone() {
        QCOMPARE(words("night", {measure("idle_priority", "active")}),
                 QString("Night: you are active, idle priority"));
    }

    void profilesAndConditionsOfOthersAreSaidAsTheyAre() {
        QCOMPARE(words("study", {measure("hold", "moon")}), QString("study: moon, nothing new starts"));
    }
};

QTEST_GUILESS_MAIN(TestCourtesyWords)
#include "tst_courtesy_words.moc"
