// The life of what a rule watches, as a table.
#include "core/alerts/states.h"

#include <QTest>

#include <array>
#include <string>

using namespace yard;
using namespace yard::alerts;

class TestAlertStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachEventMovesAsTheTableSays();
    void eachStateHasAWord();
};

void TestAlertStates::eachEventMovesAsTheTableSays() {
    // A row for each state: what follows raised, cleared, settled, silenced, spoken while it holds, and while it does not.
    constexpr std::array<std::string_view, kAlertStates> kRows = {"F--S--", "-R-S--", "F-QS--", "----FQ"};
    constexpr std::string_view kLetters = "QFRS";
    for (std::size_t from = 0; from < kAlertStates; ++from) {
        std::string row;
        for (std::size_t event = 0; event < kAlertEvents; ++event) {
            const auto to = move(static_cast<AlertState>(from), static_cast<AlertEvent>(event));
            row += to ? kLetters[std::to_underlying(*to)] : '-';
            if (to) QVERIFY(alertTransitions().allows(static_cast<AlertState>(from), *to));
        }
        QCOMPARE(row, std::string(kRows[from]));
    }
}

void TestAlertStates::eachStateHasAWord() {
    QCOMPARE(name(AlertState::Quiet), std::string_view("quiet"));
    QCOMPARE(name(AlertState::Firing), std::string_view("firing"));
    QCOMPARE(name(AlertState::Resolved), std::string_view("resolved"));
    QCOMPARE(name(AlertState::Silenced), std::string_view("silenced"));
}

QTEST_GUILESS_MAIN(TestAlertStates)
#include "tst_states.moc"
