// What an action is called: a command as it would be typed, in short.
#include "core/model/action_name.h"
#include "core/model/filter.h"
#include "tests/support/show_strings.h"

#include <QTest>

using namespace yard;

namespace {

std::string typed(std::vector<std::string> argv) {
    return commandName(argv);
}

ActionResult command(std::string text) {
    ActionResult action;
    action.workerId = action.workerName = "exec";
    action.command = std::move(text);
    return action;
}

} // namespace

class TestActionName : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsAreQuotedWhereAShellWantsIt_data() {
        QTest::addColumn<std::vector<std::string>>("argv");
        QTest::addColumn<std::string>("name");
        const auto row = [](const char* of, std::vector<std::string> argv, const char* name) {
            QTest::newRow(of) << std::move(argv) << std::string(name);
        };
        row("plain words", {"gcc", "-O2", "-o", "a.out", "x.c"}, "gcc -O2 -o a.out x.c");
        row("a line for the shell", {"sh", "-c", "make -j4 && echo done"}, "sh -c 'make -j4 && echo done'");
        row("nothing", {"echo", ""}, "echo ''");
        row("a quote", {"echo", "it's"}, "echo 'it'\\''s'");
        row("a star", {"ls", "*.c"}, "ls '*.c'");
        row("the index of an array", {"render", "frame{index}.png"}, "render frame{index}.png");
        row("braces that mean several words", {"echo", "{a,b}", "{1..3}"}, "echo '{a,b}' '{1..3}'");
        row("lines", {"sh", "-c", "a\n'b\\\t\x01"}, "sh -c $'a\\n\\'b\\\\\\t\\x01'");
        row("a control character of two bytes", {"x\xC2\x85"}, "$'x\\xc2\\x85'");
        row("other letters", {"grüße", "日本"}, "grüße 日本");
    }
    void wordsAreQuotedWhereAShellWantsIt() {
        QFETCH(std::vector<std::string>, argv);
        QFETCH(std::string, name);
        QCOMPARE(typed(argv), name);
    }

    void whatIsLongIsCutBetweenCharacters() {
        const std::string most(kMaxNameBytes, 'x');
        QCOMPARE(typed({most}), most);
        QCOMPARE(typed({most, "y"}), most.substr(0, kMaxNameBytes - 3) + "…");
        std::string wide;
        for (int i = 0; i < 100; ++i) wide += "日";
        const std::string name = typed({wide});
        QVERIFY(name.size() <= kMaxNameBytes && name.ends_with("日…"));
        QCOMPARE(typed({std::string(4u << 20, 'x')}).size(), kMaxNameBytes);
    }

    void anElementHasItsIndex() {
        QCOMPARE(elementName("render {index} f{index}.png", 12), std::string("render 12 f12.png"));
        std::string full(kMaxNameBytes - 7, 'x');
        full += "{index}";
        QCOMPARE(elementName(full, 123'456'789'012).size(), kMaxNameBytes);
    }

    void theLabelOfAnElementHasItsIndexAndFiltersTakeItAsPosted() {
        ActionResult element;
        element.label = "cliff_{index}_8k";
        QCOMPARE(labelOf(element), std::string("cliff_{index}_8k"));
        element.index = 52;
        QCOMPARE(labelOf(element), std::string("cliff_52_8k"));
        QCOMPARE(actionName(element), std::string("cliff_52_8k"));
        QVERIFY(parseFilter("name:cliff_{index}*", 1)->matches(element, 1));
        const std::string json = toJson(element);
        QVERIFY(json.contains(R"("label":"cliff_{index}_8k","index":52,"name":"cliff_52_8k")"));
    }

    void itsLabelGoesBeforeItsCommandAndThatBeforeItsFunction() {
        ActionResult action = command("make all");
        QCOMPARE(actionName(action), std::string("make all"));
        action.label = "night";
        QCOMPARE(actionName(action), std::string("night"));
        ActionResult worker;
        worker.workerName = "thumbs";
        QCOMPARE(actionName(worker), std::string("thumbs"));
        worker.function = "small";
        QCOMPARE(actionName(worker), std::string("thumbs.small"));
    }

    void filtersLookAtTheName() {
        const auto matches = [](const ActionResult& action, const char* text) {
            return parseFilter(text, 1)->matches(action, 1);
        };
        QVERIFY(matches(command("make all"), "name:make*"));
        QVERIFY(matches(command("make all"), R"(name:"make all",ninja)"));
        QVERIFY(!matches(command("make all"), "name:exec"));
        QVERIFY(matches(command("make all"), "-name:exec"));
        QVERIFY(matches(command("make ALL"), "all"));
        ActionResult worker;
        worker.workerName = "thumbs";
        worker.function = "small";
        QVERIFY(matches(worker, "name:thumbs.small"));
    }

    void whereTheCommandIsNotAtHandWhatWasFoundDecides() {
        ActionResult live = command("");
        live.lsn = Lsn(7);
        live.isCommandKnown = false;
        for (const char* text : {"name:make*", "make"}) {
            Filter filter = *parseFilter(text, 1);
            QVERIFY(!filter.matches(live, 1));
            filter.terms.front().found = {{5, 9}};
            QVERIFY(filter.matches(live, 1));
            filter.terms.front().negated = true;
            QVERIFY(!filter.matches(live, 1));
        }
        QVERIFY(!parseFilter("name:exec", 1)->matches(live, 1)); // every command would be one
    }
};

QTEST_GUILESS_MAIN(TestActionName)
#include "tst_action_name.moc"
