// What a line of Lua may do, and what keeps one that does more.
#include "core/console/command_files.h"
#include "core/console/interpreter.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>

namespace yard::console {

namespace {

using Step = Interpreter::Step;

LineLimits quick() {
    return {.time = std::chrono::milliseconds(300), .unpaused = std::chrono::milliseconds(100)};
}

/// A state and someone who answers every request with the same.
struct Prompt {
    Interpreter interpreter{quick()};
    ApiAnswer answer{.status = 200, .body = "{}"};
    std::vector<ApiRequest> asked{};
    int pauses = 0;

    Step carryOn() {
        for (;;) {
            const Step step = interpreter.resume();
            if (step == Step::Paused) {
                ++pauses;
            } else if (step == Step::Asks) {
                asked.push_back(interpreter.request());
                interpreter.answer(answer);
            } else {
                return step;
            }
        }
    }
    Step run(std::string_view line) {
        pauses = 0;
        interpreter.start(line);
        return carryOn();
    }
    /// What it printed, or its error.
    std::string say(std::string_view line) {
        const Step step = run(line);
        std::string output = interpreter.takeOutput();
        return step == Step::Done ? output : output + "error: " + interpreter.error();
    }
    std::string ask(std::string_view line, std::string body) {
        answer.body = std::move(body);
        asked.clear();
        return say(line);
    }
};

} // namespace

class TestInterpreter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { ::umask(022); } // files that others may write are not read

    void anExpressionIsShown();
    void aNameThatNothingHasIsAnError();
    void statementsKeepTheirVariables();
    void whatIsDangerousIsAbsent_data();
    void whatIsDangerousIsAbsent();
    void aMetatableHasNoFinaliser();
    void stringsKeepTheirMetatable();
    void whatIsCalledIsAFunction();
    void bytecodeIsRefused();
    void anEndlessLineIsEnded_data();
    void anEndlessLineIsEnded();
    void aLineThatWorksGivesWay();
    void memoryIsBounded_data();
    void memoryIsBounded();
    void outputIsBoundedAndCannotSteerATerminal();
    void errorsOfEveryKindAreSentences_data();
    void errorsOfEveryKindAreSentences();
    void anErrorCanBeHandled();
    void whatWasOpenedIsClosedAfterAnError();
    void sortingAndMovingWorkAsInLua();
    void textsAreFoundAsTheyAre();
    void aCommandIsAWordOrAFunction();
    void commandsAskTheEngine();
    void veryManyThreadsAreNotAllKept();
    void aRefusalIsTheErrorOfTheLine();
    void waitingForTheEngineCostsNoTime();
    void theEngineIsNotAskedWhereNothingPauses();
    void valuesPrintAsTablesAndAsJson();
    void filesOfCommandsAreRead();
    void filesThatOthersMayWriteAreNot();
    void commentsAreTheHelp();
    void wordsMayBeQuoted();
};

void TestInterpreter::anExpressionIsShown() {
    Prompt prompt;
    QCOMPARE(prompt.say("1 + 2"), "3\n");
    QCOMPARE(prompt.say("'a' .. 'b', 7"), "ab\n7\n");
    QCOMPARE(prompt.say("nil"), "");
    QCOMPARE(prompt.say("1 / 4"), "0.25\n");
    QCOMPARE(prompt.say("json({0.1, 1 / 3})"), "[0.1,0.3333333333333333]\n");
}

void TestInterpreter::aNameThatNothingHasIsAnError() {
    Prompt prompt;
    QCOMPARE(prompt.say("thraeds"), "error: there is nothing named \"thraeds\"; see help");
    QCOMPARE(prompt.say("false"), "false\n");
    QCOMPARE(prompt.say("x = 1"), "");
    QCOMPARE(prompt.say("x"), "1\n");
    QCOMPARE(prompt.say("x = nil"), "");
    QVERIFY(prompt.say("x").starts_with("error: "));
}

void TestInterpreter::statementsKeepTheirVariables() {
    Prompt prompt;
    QCOMPARE(prompt.say("x = 20"), "");
    QCOMPARE(prompt.say("for n = 1, 2 do x = x + n end print(x)"), "23\n");
    QCOMPARE(prompt.say("x"), "23\n");
}

void TestInterpreter::whatIsDangerousIsAbsent_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"io", "os", "debug", "package", "require", "dofile", "loadfile", "load", "coroutine", "collectgarbage",
          "string.dump", "string.match", "string.gmatch", "string.gsub", "set_log_level"})
        QTest::newRow(name) << QString(name);
}

void TestInterpreter::whatIsDangerousIsAbsent() {
    QFETCH(QString, name);
    Prompt prompt;
    QCOMPARE(prompt.say("type(" + name.toStdString() + ")"), "nil\n");
}

void TestInterpreter::aMetatableHasNoFinaliser() {
    Prompt prompt;
    QVERIFY(prompt.say("setmetatable({}, {__gc = function() while true do end end})").contains("no __gc"));
    QCOMPARE(prompt.say("getmetatable(setmetatable({}, {__index = {a = 3}})).__index.a"), "3\n");
    QVERIFY(prompt.say("setmetatable(setmetatable({}, {__metatable = 1}), {})").contains("protected"));
}

void TestInterpreter::stringsKeepTheirMetatable() {
    Prompt prompt;
    QCOMPARE(prompt.say("getmetatable('')"), "false\n");
    QVERIFY(prompt.say("setmetatable('', {})").contains("table expected"));
}

void TestInterpreter::whatIsCalledIsAFunction() {
    Prompt prompt;
    QVERIFY(prompt.say("local t = {} t.__call = t setmetatable(t, t)").contains("__call"));
    // What is set is a copy.
    QVERIFY(prompt.say("local t = {} setmetatable(t, t) t.__call = t t()").contains("call a table"));
    QCOMPARE(prompt.say("setmetatable({}, {__call = function(self, n) return n + 1 end})(2)"), "3\n");
}

void TestInterpreter::bytecodeIsRefused() {
    Prompt prompt;
    QVERIFY(prompt.say("\x1bLua").starts_with("error: "));
}

void TestInterpreter::anEndlessLineIsEnded_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("loop") << "while true do end";
    QTest::newRow("swallowed") << "while true do pcall(function() while true do end end) end";
    QTest::newRow("handled")
        << "while true do xpcall(function() while true do end end, function() while true do end "
           "end) end";
    QTest::newRow("closed") << "local a <close> = setmetatable({}, {__close = function() while true do end end})";
    QTest::newRow("closed after an error")
        << "local a <close> = setmetatable({}, {__close = function() while true do end end}) error('x')";
    QTest::newRow("closed when ended")
        << "local a <close> = setmetatable({}, {__close = function() while true do end "
           "end}) while true do end";
    QTest::newRow("compared")
        << "local t = setmetatable({}, {__lt = function() while true do end end}) return t < t";
    QTest::newRow("sorted") << "table.sort({1, 2, 3}, function() while true do end end)";
    QTest::newRow("length") << "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 1)";
    QTest::newRow("joined")
        << R"(table.concat(setmetatable({}, {__index = getmetatable, __metatable = ""}), "", 1, math.maxinteger))";
    QTest::newRow("joined by a split of one's own")
        << "string.split = function() return setmetatable({}, {__index = getmetatable, __metatable = '', "
           "__len = function() return 1 << 60 end}) end while true do ('a'):replace('b', 'c') end";
    QTest::newRow("unpacked") << "local t = setmetatable({}, {__index = function() while true do end end}) "
                                 "table.unpack(t, 1, 9)";
    QTest::newRow("moved") << "table.move({}, 1, 1 << 60, 5)";
    QTest::newRow("text") << "tostring(setmetatable({}, {__tostring = function() while true do end end}))";
    QTest::newRow("recursion of no pcall")
        << "local function f() while true do f() end end while true do pcall(f) end";
    QTest::newRow("recursion") << "local function f() while true do pcall(f) end end f()";
}

void TestInterpreter::anEndlessLineIsEnded() {
    QFETCH(QString, line);
    Prompt prompt;
    const MonoTime begin = MonoClock::now();
    QCOMPARE(prompt.run(line.toStdString()), Step::Failed);
    QVERIFY(prompt.interpreter.isSpent() || prompt.interpreter.error().contains("cannot be paused"));
    QVERIFY(MonoClock::now() - begin < std::chrono::seconds(10));
}

void TestInterpreter::aLineThatWorksGivesWay() {
    Prompt prompt;
    QCOMPARE(prompt.run("for n = 1, 100000 do end"), Step::Done);
    QVERIFY(prompt.pauses >= 50);
    QCOMPARE(prompt.run("pcall(function() for n = 1, 100000 do end end)"), Step::Done);
    QVERIFY(prompt.pauses >= 50);
}

void TestInterpreter::memoryIsBounded_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("table") << "local t = {} while true do t[#t + 1] = {} end";
    QTest::newRow("text") << "local s = 'x' while true do s = s .. s end";
    QTest::newRow("repeated") << "local s = string.rep('x', 9000000) .. string.rep('y', 9000000)";
}

void TestInterpreter::memoryIsBounded() {
    QFETCH(QString, line);
    // However long it takes to fill it.
    Prompt prompt{.interpreter = Interpreter({.time = std::chrono::hours(1), .unpaused = std::chrono::hours(1)})};
    QCOMPARE(prompt.run(line.toStdString()), Step::Failed);
    QVERIFY2(prompt.interpreter.error().contains("memory"), prompt.interpreter.error().c_str());
    QVERIFY(prompt.interpreter.isSpent());
    QVERIFY(prompt.interpreter.memoryUsed() <= 16u << 20);
}

void TestInterpreter::outputIsBoundedAndCannotSteerATerminal() {
    Prompt prompt;
    QCOMPARE(prompt.say("print('a\\27[2Jb\\4ok')"), "a?[2Jb?ok\n");
    QCOMPARE(prompt.say("print('a\\u{9b}2Jb\\u{202e}c\\xffd\\u{e4}\\u{1f600}\\n')"),
             "a?2Jb?c?d\u00e4\U0001F600\n\n");
    QVERIFY(!prompt.say("\"a\x04ok").contains('\x04'));
    const std::string output = prompt.say("local s = string.rep('x', 1000000) for n = 1, 1000 do print(s) end");
    QVERIFY(output.size() < 2u << 20);
    QVERIFY(output.contains("left out"));
}

void TestInterpreter::errorsOfEveryKindAreSentences_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("syntax") << "for";
    QTest::newRow("nil") << "nothing.at.all";
    QTest::newRow("text") << "error('because')";
    QTest::newRow("table") << "error({})";
    QTest::newRow("nothing") << "error()";
    QTest::newRow("depth") << "local function f() return 1 + f() end f()";
    QTest::newRow("types") << "{} + 1";
    QTest::newRow("to text") << "print(setmetatable({}, {__tostring = function() return {} end}))";
    QTest::newRow("divided") << "1 // 0";
    QTest::newRow("too long") << "string.rep('x', 1 << 40)";
    QTest::newRow("no command") << "nonsense 5";
    QTest::newRow("number of a thread") << "thread x";
    QTest::newRow("no number of a thread") << "interrupt()";
    QTest::newRow("number of an action") << "action x";
}

void TestInterpreter::errorsOfEveryKindAreSentences() {
    QFETCH(QString, line);
    Prompt prompt;
    QCOMPARE(prompt.run(line.toStdString()), Step::Failed);
    QVERIFY(!prompt.interpreter.error().empty());
    QCOMPARE(prompt.say("1 + 1"), "2\n");
}

void TestInterpreter::anErrorCanBeHandled() {
    Prompt prompt;
    QCOMPARE(prompt.say("print(xpcall(error, function(e) return 'handled ' .. e end, 'x', 0))"),
             "false\thandled x\n");
    QCOMPARE(prompt.say("print(xpcall(function(...) return ... end, print, 1, nil, 3))"), "true\t1\tnil\t3\n");
    QCOMPARE(prompt.say("print(pcall(error, 'x', 0))"), "false\tx\n");
    QCOMPARE(prompt.say("local function f(n) return n == 0 or (pcall(f, n - 1)) end print(f(100))"), "true\n");
}

void TestInterpreter::whatWasOpenedIsClosedAfterAnError() {
    Prompt prompt;
    prompt.say("local a <close> = setmetatable({}, {__close = function() closed = true end}) error('x')");
    QCOMPARE(prompt.say("closed"), "true\n");
}

void TestInterpreter::sortingAndMovingWorkAsInLua() {
    Prompt prompt;
    QCOMPARE(prompt.say("t = {5, 3, 4, 1, 2} table.sort(t) print(table.concat(t, ' '))"), "1 2 3 4 5\n");
    QCOMPARE(prompt.say("table.sort(t, function(a, b) return a > b end) print(table.concat(t, ' '))"),
             "5 4 3 2 1\n");
    QCOMPARE(prompt.say("table.insert(t, 9) table.insert(t, 1, 0) print(table.concat(t, ' '))"), "0 5 4 3 2 1 9\n");
    QCOMPARE(prompt.say("print(table.remove(t), table.remove(t, 1), table.concat(t, ' '))"), "9\t0\t5 4 3 2 1\n");
    QCOMPARE(prompt.say("print(table.concat(table.move({1, 2, 3}, 1, 3, 2), ' '))"), "1 1 2 3\n");
    QCOMPARE(prompt.say("print(table.concat(table.move({1, 2, 3}, 2, 3, 1), ' '))"), "2 3 3\n");
    QCOMPARE(
        prompt.say("print(table.concat({1, 'b', 2.5}, '-'), table.concat({1, 2, 3}, '', 2, 2), table.concat({}))"),
        "1-b-2.5\t2\t\n");
    QVERIFY(prompt.say("table.concat({1, {}})").contains("invalid value (at index 2)"));
    QCOMPARE(prompt.say("print(table.unpack({1, nil, 3}, 1, 3))"), "1\tnil\t3\n");
    QVERIFY(prompt.say("table.unpack({}, 1, 1 << 60)").contains("too many results"));
    QCOMPARE(prompt.say("string.format('%s %d', setmetatable({}, {__tostring = function() return 'a' end}), 5)"),
             "a 5\n");
    QCOMPARE(prompt.say("#string.rep('', 1 << 60)"), "0\n");
    QCOMPARE(prompt.say("string.rep('ab', 3, '-')"), "ab-ab-ab\n");
}

void TestInterpreter::textsAreFoundAsTheyAre() {
    Prompt prompt;
    QCOMPARE(prompt.say("print(('a.b.c'):find('.', 3))"), "4\t4\n");
    QCOMPARE(
        prompt.say("print(('abc'):find('', 4), ('abc'):find('x'), ('abc'):find('c', -1), ('abc'):find('a', 9))"),
        "4\tnil\t3\tnil\n");
    QCOMPARE(prompt.say("json(('a,b,,c'):split(','))"), "[\"a\",\"b\",\"\",\"c\"]\n");
    QCOMPARE(prompt.say("('a.b.c'):replace('.', '/')"), "a/b/c\n");
    QVERIFY(prompt.say("('abc'):split('')").starts_with("error: "));
}

void TestInterpreter::aCommandIsAWordOrAFunction() {
    Prompt prompt;
    for (const char* line : {"action 12", "action(12)", "action '12'"}) {
        (void)prompt.ask(line, R"({"lsn":12})");
        QCOMPARE(prompt.asked.size(), std::size_t(1));
        QCOMPARE(prompt.asked[0].method, "GET");
        QCOMPARE(prompt.asked[0].path, "jobs/12");
    }
    QVERIFY(prompt.say("help").contains("machines"));
    QVERIFY(prompt.say("help set").contains("checks of the API"));
    QVERIFY(prompt.say("help nothing").contains("no command"));
}

void TestInterpreter::commandsAskTheEngine() {
    Prompt prompt;
    QCOMPARE(prompt.ask("queues", R"({"queues":[{"queue_id":7,"token":"0123456789abcdef01234567","tag":"nightly",
             "state":"active","held":false,"active":3,"pending":2,"held_actions":0,"running":1,"completed":5,
             "failed":0,"abandoned":0,"cancelled":0,"config":{}}]})"),
             "queue_id  tag      state   pending  running  abandoned  active  cancelled  completed  failed\n"
             "7         nightly  active  2        1        0          3       0          5          0\n");
    (void)prompt.ask("actions state:failed queue:a", R"({"jobs":[]})");
    QCOMPARE(prompt.asked[0].path, "jobs?limit=50&q=state%3Afailed%20queue%3Aa");
    QCOMPARE(prompt.ask("set \"capacity\" (3)", "{}"), "capacity is 3\n");
    QCOMPARE(prompt.asked[0].method, "PATCH");
    QCOMPARE(prompt.asked[0].path, "settings");
    QCOMPARE(prompt.asked[0].body, R"({"capacity":3})");
    QCOMPARE(prompt.ask("set capacity 4", R"({"restart_needed":["slots","capacity"]})"),
             "capacity is 4 from the next start of the engine on\n");
    QCOMPARE(prompt.ask("set grace_s 4", R"({"restart_needed":["capacity"]})"), "grace_s is 4\n");
    QVERIFY(prompt.say("set \"capacity\"").contains("needs a value"));
    QCOMPARE(prompt.say("thread x"), "error: give a whole number");
    QCOMPARE(prompt.ask("for _, q in ipairs(queues()) do print(q.tag) end", R"({"queues":[{"tag":"x"}]})"), "x\n");
}

void TestInterpreter::veryManyThreadsAreNotAllKept() {
    constexpr std::chrono::minutes kLong(1); // what is tested is the memory
    Prompt prompt{.interpreter = Interpreter({.time = kLong, .unpaused = kLong})};
    std::string chain = R"({"file":"core/a.cpp","line":7,"function":"yard::a"})";
    for (int n = 1; n < 32; ++n) chain += R"(,{"file":"core/b.cpp","line":8,"function":"yard::b"})";
    std::string page;
    for (int n = 0; n < 100; ++n)
        page += (n > 0 ? "," : "") + fmt::format(R"({{"number":{},"chain":[{}],"timeouts_s":[1.5]}})", n, chain);
    page = R"({"threads":[)" + page + R"(],"cursor":"99"})";
    const std::string shown = prompt.ask("rows = threads() print(#rows, rows[1].at, rows[1].chain)", page);
    QCOMPARE(shown, "these are the first 1000; threads \"text\" has those with a text\n1000\tcore/a.cpp:7\tnil\n");
    QCOMPARE(prompt.asked.size(), std::size_t(10));
}

void TestInterpreter::aRefusalIsTheErrorOfTheLine() {
    Prompt prompt;
    prompt.answer.status = 422;
    QCOMPARE(prompt.ask("set capacity 0", R"({"error":"invalid","message":"At least 1."})"), "error: At least 1.");
    prompt.answer.status = 0;
    QCOMPARE(prompt.ask("queues", "the engine does not answer"), "error: the engine does not answer");
}

void TestInterpreter::waitingForTheEngineCostsNoTime() {
    Prompt prompt;
    prompt.interpreter.start("session");
    QCOMPARE(prompt.interpreter.resume(), Step::Asks);
    const MonoTime until = MonoClock::now() + std::chrono::milliseconds(400);
    while (MonoClock::now() < until) QTest::qWait(10);
    prompt.interpreter.answer({.status = 200, .body = R"({"state":"ready"})"});
    QCOMPARE(prompt.carryOn(), Step::Done);
    QCOMPARE(prompt.interpreter.takeOutput(), "state  ready\n");
}

void TestInterpreter::theEngineIsNotAskedWhereNothingPauses() {
    Prompt prompt;
    QVERIFY(prompt.say("tostring(setmetatable({}, {__tostring = function() return queues() end}))")
                .contains("cannot be asked from here"));
}

void TestInterpreter::valuesPrintAsTablesAndAsJson() {
    Prompt prompt;
    QCOMPARE(prompt.say("{b = 1, a = 'x'}"), "a  x\nb  1\n");
    QCOMPARE(prompt.say("{}"), "(nothing)\n");
    QCOMPARE(prompt.say("{1, 'two'}"), "1\ntwo\n");
    QCOMPARE(prompt.say("{{name = 'n', size = 5}, {name = 'long', size = 10}}"), "name  size\nn     5\nlong  10\n");
    QCOMPARE(prompt.say("json{a = {1, 2.5, true}, b = 'q\"\\n'}"), "{\"a\":[1,2.5,true],\"b\":\"q\\\"\\u000a\"}\n");
    QVERIFY(prompt.say("t = {} t.t = t json(t)").contains("too deeply"));
}

void TestInterpreter::filesOfCommandsAreRead() {
    const QTemporaryDir home;
    const std::string path = home.path().toStdString() + "/console.d";
    std::filesystem::create_directory(path);
    std::ofstream(path + "/a.lua") << "-- Says hello.\nfunction hello(name) print('hello ' .. name) end\n";
    std::ofstream(path + "/b.txt") << "nonsense";
    const auto files = commandFiles(path);
    QCOMPARE(files.size(), std::size_t(1));
    QCOMPARE(files[0].problem, "");
    Prompt prompt;
    prompt.interpreter.startFile(files[0].name, files[0].text, commandHelps(files[0].text));
    QCOMPARE(prompt.carryOn(), Step::Done);
    QCOMPARE(prompt.say("hello 'you'"), "hello you\n");
    QVERIFY(prompt.say("help hello").contains("Says hello."));
    prompt.interpreter.startFile("console.d/bad.lua", "local x = = 1", {});
    QCOMPARE(prompt.carryOn(), Step::Failed);
    QVERIFY(prompt.interpreter.error().starts_with("console.d/bad.lua:1:"));
    QCOMPARE(prompt.say("hello 'again'"), "hello again\n");
    QVERIFY(commandFiles(path + "/nothing").empty());
}

void TestInterpreter::filesThatOthersMayWriteAreNot() {
    const QTemporaryDir home;
    const std::string path = home.path().toStdString() + "/console.d";
    std::filesystem::create_directory(path);
    std::ofstream(path + "/a.lua") << "function a() end";
    std::ofstream(path + "/big.lua") << std::string(70'000, ' ');
    ::chmod((path + "/a.lua").c_str(), 0666);
    const auto files = commandFiles(path);
    QCOMPARE(files.size(), std::size_t(2));
    QVERIFY(files[0].problem.contains("written by others"));
    QVERIFY(files[1].problem.contains("64 KiB"));
    ::chmod(path.c_str(), 0777);
    QCOMPARE(commandFiles(path).size(), std::size_t(1));
    QVERIFY(commandFiles(path)[0].problem.contains("written by others"));
}

void TestInterpreter::commentsAreTheHelp() {
    const Helps helps =
        commandHelps("-- First line.\n-- second\nfunction one()\nend\n\nfunction two(a)\n  --- Inside.\n"
                     "end\nfunction three() end\nlocal x\n");
    QCOMPARE(helps.size(), std::size_t(2));
    QCOMPARE(helps[0].first, "one");
    QCOMPARE(helps[0].second, "First line.");
    QCOMPARE(helps[1].first, "two");
    QCOMPARE(helps[1].second, "Inside.");
}

void TestInterpreter::wordsMayBeQuoted() {
    QCOMPARE(wordsOf("a \"b c\" 'd' 5"), (std::vector<std::string>{"a", "b c", "d", "5"}));
    QCOMPARE(wordsOf("a \"b"), std::vector<std::string>{});
    QCOMPARE(wordsOf("  "), std::vector<std::string>{});
}

} // namespace yard::console

QTEST_GUILESS_MAIN(yard::console::TestInterpreter)
#include "tst_interpreter.moc"
