// Where pending actions stand that people moved: kept by the journal, and brought to journals that had none.
#include "core/model/place_key.h"
#include "core/store/database.h"
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include <QTest>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestPlaces : public QObject {
    Q_OBJECT

    Directories directories_;
    std::string fresh(const char* name) { return directories_.fresh(name); }

private Q_SLOTS:
    void aPlaceSurvivesTheNextStartAndARetryAndGoesWithTheEnd() {
        const auto path = fresh("place");
        const PlaceKey to{.time = kThen, .anchor = Lsn(1), .rank = -(std::int64_t{1} << 40)};
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1, 2, 3}))), "ok");
            QCOMPARE(word(journal.carryOut(PlaceActions{.rows = {{Lsn(2), to}, {Lsn(3), to}, {Lsn(9), to}}})),
                     "ok");
            QCOMPARE(word(journal.carryOut(finish(3, ActionState::Failed, Reason::ExitCode))), "ok");
            QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(3), .tPending = kThen + 700})), "ok");
        }
        Journal again(path);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(!again.pending[0].place && again.pending[1].place == to);
        QVERIFY(!again.pending[2].place); // run again by hand, it has the place of its age
    }

    void whatIsNoPlaceIsNone() {
        QVERIFY(placeKeyFrom("1 2 -3") == (PlaceKey{.time = 1, .anchor = Lsn(2), .rank = -3}));
        for (const char* text : {"", "1", "1 2", "1 2 3 ", "1 2 x", "-1 2 3", "1 0 3", "1 2 9223372036854775807",
                                 "36028797018963968 2 3", "1  2 3"})
            QVERIFY2(!placeKeyFrom(text), text);
    }

    void tooManyPlacesAtOnceAreRefused() {
        Journal journal(fresh("places"));
        PlaceActions placed;
        for (std::int64_t i = 0; i <= kMostAtOnce; ++i) placed.rows.emplace_back(Lsn(i + 1), PlaceKey{});
        QCOMPARE(word(journal.carryOut(std::move(placed))), "invalid");
    }

    void aJournalWithoutPlacesGetsThem() {
        const auto path = fresh("no_places");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
        }
        {
            auto database = Database::openForWriting(path + "/journal.sqlite", {});
            QVERIFY(database.has_value());
            QVERIFY(database->execute(undoneTo(13)).has_value());
        }
        Journal again(path);
        QCOMPARE(lsnsOf(again.pending), "1 2");
        QVERIFY(!again.pending[0].place);
        QCOMPARE(word(again.carryOut(PlaceActions{.rows = {{Lsn(2), {.time = 1, .anchor = Lsn(1), .rank = -1}}}})),
                 "ok");
    }
};

QTEST_APPLESS_MAIN(TestPlaces)
#include "tst_places.moc"
