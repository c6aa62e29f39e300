// Lists of actions that name each other: who is meant, what is refused, and in which order they come.
#include "core/model/action_graph.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;

namespace {

std::string action(std::string_view more) {
    return fmt::format(R"({{"worker":"exec","argv":["true"]{}{}}})", more.empty() ? "" : ",", more);
}

std::string list(std::initializer_list<std::string_view> more) {
    std::string text = "[";
    for (const std::string_view one : more) text += (text.size() > 1 ? "," : "") + action(one);
    return text + "]";
}

std::string parentsOf(const ParsedAction& action) {
    std::string text;
    for (std::size_t i = 0; i < action.parents.size(); ++i)
        text += fmt::format("{}{}/{}", i > 0 ? " " : "", action.parents[i], name(action.spec->references[i].on));
    return text;
}

} // namespace

class TestActionGraph : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void actionsOfAListNameEachOther() {
        const auto parsed =
            parseActions(list({R"("id":"compile")", R"("after":["compile",{"id":"lint","on":"any"},7])",
                               R"("id":"lint","after":[{"array":9,"on":"failed"}])"}));
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->actions[0].spec->id, std::string("compile"));
        QCOMPARE(parentsOf(parsed->actions[1]), "0/completed 2/any");
        QCOMPARE(parsed->actions[1].spec->after.size(), std::size_t{1});
        QCOMPARE(parsed->actions[1].spec->after[0].lsn, Lsn(7));
        QVERIFY(!parsed->actions[1].spec->after[0].isArray);
        QVERIFY(parsed->actions[2].spec->after[0].isArray);
        QVERIFY(parsed->actions[2].spec->after[0].on == DependencyOn::Failed);
    }

    void whatCannotBeIsRefusedByName_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("field");
        QTest::addColumn<int>("index");
        QTest::addColumn<std::string>("says");
        const auto row = [](const char* of, std::string text, const char* field, int index, const char* says) {
            QTest::newRow(of) << std::move(text) << std::string(field) << index << std::string(says);
        };
        row("unknown", list({R"("id":"a")", R"("after":["b"])"}), "after", 1, R"(the "id" "b")");
        row("of one action alone", action(R"("after":["b"])"), "after", -1, R"(the "id" "b")");
        row("twice", list({R"("id":"a")", "", R"("id":"a")"}), "id", 2, R"("a": action 0)");
        row("itself", list({"", R"("id":"a","after":["a"])"}), "after", 1, R"("a" after "a")");
        row("in a circle",
            list({R"("id":"a","after":["b"])", R"("id":"b","after":["c"])", R"("id":"c","after":["b"])"}), "after",
            1, R"("b" after "c" after "b")");
        row("an empty id", action(R"("id":"")"), "id", -1, "1");
        row("a number as id", action(R"("id":1)"), "id", -1, "id");
        row("neither", action(R"("after":[{"on":"any"}])"), "after[0]", -1, R"("lsn", "array" or "id")");
        row("both", action(R"("after":[{"lsn":1,"array":2}])"), "after[0]", -1, R"("lsn", "array" or "id")");
        row("a kind that is none", action(R"("after":[true])"), "after[0]", -1, "an LSN");
        row("an array zero", action(R"("after":[{"array":0}])"), "after[0].array", -1, "whole number");
        row("an id with a line", action(R"("after":["a\n"])"), "after[0]", -1, "control");
        row("an id that turns the line around", action("\"id\":\"a\xE2\x80\xAE\""), "id", -1,
            "direction of writing");
        row("an id with a separator of lines", action("\"after\":[\"a\xE2\x80\xA8\"]"), "after[0]", -1,
            "line separators");
        row("a member that is unknown", action(R"("after":[{"id":"a","when":"any"}])"), "after[0].when", -1,
            "when");
    }
    void whatCannotBeIsRefusedByName() {
        QFETCH(std::string, text);
        QFETCH(std::string, field);
        QFETCH(int, index);
        QFETCH(std::string, says);
        const auto parsed = parseActions(text);
        QVERIFY(!parsed);
        QCOMPARE(errorName(parsed.error().kind), std::string_view("invalid"));
        QCOMPARE(parsed.error().field, field);
        QCOMPARE(parsed.error().index, index);
        QVERIFY2(parsed.error().message.contains(says), parsed.error().message.c_str());
    }

    void aLongCircleIsToldInShort() {
        std::string text = "[";
        for (int i = 0; i < 20; ++i)
            text += (i > 0 ? "," : "") + action(fmt::format(R"("id":"n{}","after":["n{}"])", i, (i + 1) % 20));
        const auto parsed = parseActions(text + "]");
        QVERIFY(!parsed && parsed.error().message.contains("… after"));
    }

    void eachComesAfterItsParents() {
        const auto parsed = parseActions(
            list({R"("id":"a","after":["d"])", R"("id":"b")", R"("id":"c","after":["a","b"])", R"("id":"d")"}));
        QVERIFY(parsed.has_value());
        QCOMPARE(*parentsFirst(parsed->actions), (std::vector<std::uint32_t>{3, 0, 1, 2}));
        std::vector<ParsedAction> circle = parsed->actions;
        circle[3].parents = {2};
        QVERIFY(!parentsFirst(circle));
    }

    void aLongChainIsNoDeepCall() {
        std::string text = "[";
        for (int i = 0; i < 50'000; ++i)
            text += (i > 0 ? "," : "") +
                    action(fmt::format(R"("id":"n{}"{})", i,
                                       i < 49'999 ? fmt::format(R"(,"after":["n{}"])", i + 1) : ""));
        const auto parsed = parseActions(text + "]");
        QVERIFY(parsed.has_value());
        QCOMPARE(parentsFirst(parsed->actions)->front(), 49'999u);
    }

    void theKeptTextNamesNumbers() {
        const std::vector<Dependency> after{{.lsn = Lsn(7)},
                                            {.lsn = Lsn(8), .on = DependencyOn::Any},
                                            {.lsn = Lsn(9), .isArray = true},
                                            {.lsn = Lsn(10), .on = DependencyOn::Failed, .isArray = true}};
        constexpr std::string_view kWritten =
            R"("after":[7,{"lsn":8,"on":"any"},{"array":9},{"array":10,"on":"failed"}])";
        // moc does not get along with raw strings that have such things in them
        const std::string hard = "{\"after\":[\"x\"],\"y\":\"a\\\",b\"}";
        const std::string first = "{\"args\":" + hard + ",\"after\":[\"x\",{\"id\":\"]\"}],\"label\":\"l\"}";
        QCOMPARE(withAfter(first, after), fmt::format(R"({{"args":{},{},"label":"l"}})", hard, kWritten));
        QCOMPARE(withAfter(R"({"after":["x"]})", after), fmt::format("{{{}}}", kWritten));
        QCOMPARE(withAfter(R"({"label":"after"})", after), std::string(R"({"label":"after"})"));
        // and is read again
        const std::string text = withAfter(action(R"("after":["x"])"), after);
        QCOMPARE(parseAction(text)->spec->after.size(), std::size_t{4});
    }

    void whatIsReplacedIsNotInTheKeptText() {
        for (const char* members :
             {R"("replaces":7,"label":"l")", R"("label":"l","replaces":[7,8])", R"("replaces":[],"label":"l")"}) {
            const auto parsed = parseAction(action(members));
            QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
            QCOMPARE(parseAction(parsed->text)->spec->label, std::string("l"));
            QCOMPARE(parsed->spec->replaces.empty(), std::string_view(members).contains("[]"));
            QVERIFY(parsed->spec->replaces.empty() || !parsed->text.contains("replaces"));
        }
        QCOMPARE(withoutMember(R"({"replaces":1})", "replaces"), std::string("{}"));
        for (const char* wrong : {R"("replaces":0)", R"("replaces":"7")", R"("replaces":[7,-1])"})
            QCOMPARE(parseAction(action(wrong)).error().kind, ErrorKind::Invalid);
    }

    void aGraphIsDrawn() {
        const auto parsed = parseActions(
            "[{\"worker\":\"exec\",\"argv\":[\"echo\",\"\\\"\\\\\"],\"id\":\"a\"},"
            R"({"worker":"thumbs","function":"small","after":[{"id":"a","on":"failed"},{"array":4},5]}])");
        QVERIFY(parsed.has_value());
        QCOMPARE(toDot(parsed->actions), "digraph actions {\n"
                                         "    rankdir=LR;\n"
                                         "    node [shape=box];\n"
                                         "    a0 [label=\"a: echo '\\\"\\\\'\"];\n"
                                         "    a1 [label=\"thumbs.small\"];\n"
                                         "    r4 [label=\"array 4\", style=dotted];\n"
                                         "    r4 -> a1;\n"
                                         "    l5 [label=\"action 5\", style=dotted];\n"
                                         "    l5 -> a1;\n"
                                         "    a0 -> a1 [label=\"failed\", style=dashed];\n"
                                         "}\n");
    }
};

QTEST_GUILESS_MAIN(TestActionGraph)
#include "tst_action_graph.moc"
