// What is typed to yardctl and not to the program (app/yardctl/escape_keys.h).
#include "app/yardctl/escape_keys.h"
#include "tests/support/show_strings.h"

#include <QTest>

using namespace yard::ctl;

namespace {

/// Keys for the program, commands in brackets.
std::string taken(EscapeKeys& escape, std::string_view typed) {
    constexpr const char* kNames[] = {"", "[leave]", "[suspend]", "[help]"};
    std::string all;
    while (!typed.empty()) {
        const EscapeKeys::Taken one = escape.take(typed);
        typed.remove_prefix(one.used);
        all += one.keys + kNames[static_cast<int>(one.command)];
    }
    return all;
}

} // namespace

class TestEscapeKeys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTildeAfterEnterIsTheirs_data() {
        QTest::addColumn<std::string>("typed");
        QTest::addColumn<std::string>("wanted");
        const auto row = [](const char* name, const std::string& typed, const std::string& wanted) {
            QTest::newRow(name) << typed << wanted;
        };
        row("at the beginning", "~.", "[leave]");
        row("after Enter", "ls\r~.", "ls\r[leave]");
        row("after a line feed", "ls\n~.", "ls\n[leave]");
        row("within a line", "a~.b~?\r", "a~.b~?\r");
        row("suspend, and go on", "~\x1a~\x1ax", "[suspend][suspend]x");
        row("help, and leave", "\r~?~.", "\r[help][leave]");
        row("a tilde itself", "\r~~.", "\r~.");
        row("something else", "\r~x~.", "\r~x~.");
        row("Enter after a tilde", "~\r~.", "~\r[leave]");
        row("Ctrl+C and Ctrl+Z", "\x03\x1a\r\x03~.", "\x03\x1a\r\x03~.");
        row("every byte", std::string("\0\xff\x1b[A", 5), std::string("\0\xff\x1b[A", 5));
    }
    void aTildeAfterEnterIsTheirs() {
        QFETCH(std::string, typed);
        QFETCH(std::string, wanted);
        EscapeKeys whole;
        QCOMPARE(taken(whole, typed), wanted);
        EscapeKeys bytewise;
        std::string all;
        for (const char byte : typed) all += taken(bytewise, {&byte, 1});
        QCOMPARE(all, wanted);
    }
};

QTEST_GUILESS_MAIN(TestEscapeKeys)
#include "tst_escape_keys.moc"
