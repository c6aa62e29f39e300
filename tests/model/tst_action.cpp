// Actions as posted: what is taken, what is refused and with which sentence, and the text that is kept.

#include "core/model/action_spec.h"
#include "core/model/class_key.h"
#include "core/model/unkept_env.h"
#include "tests/model/printed.h"

#include <QTest>

#include <set>

using namespace yard;

namespace {

const char* const kHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// An exec action with more members.
QByteArray exec(const QByteArray& members) {
    return R"({"worker":"exec","argv":["true"])" + (members.isEmpty() ? "" : "," + members) + "}";
}

QString amounts(const Resources& resources) {
    QString text = QString("%1m %2MB").arg(resources.milliCores).arg(resources.memoryMb);
    for (const auto& [name, amount] : resources.named) text += QString(" %1=%2m").arg(qt(name)).arg(amount);
    return text;
}

QString lists(const ActionSpec& spec) {
    QStringList words;
    for (const auto& [path, hash] : spec.inputs) words << "in " + qt(path);
    for (const auto& path : spec.expect) words << "expect " + qt(path);
    for (const auto& argument : spec.argv) words << "arg " + qt(argument);
    for (const auto& [name, value] : spec.env) words << "env " + qt(name) + "=" + qt(value);
    for (const auto& lock : spec.locks) words << "lock " + qt(lock);
    for (const auto& parent : spec.after) words << QString("after %1/%2").arg(parent.lsn.value).arg(int(parent.on));
    return words.join(", ");
}

/// What a spec says, defaults left out.
QString printedSpec(const ActionSpec& spec) {
    QStringList words{"worker " + qt(spec.worker)};
    if (!spec.function.empty()) words << "function " + qt(spec.function);
    if (!spec.args.empty()) words << "args " + qt(spec.args);
    if (const QString more = lists(spec); !more.isEmpty()) words << more;
    if (spec.cwd) words << "cwd " + qt(*spec.cwd);
    if (spec.sandbox) words << "sandbox";
    for (const std::string& name : spec.unkeptEnv) words << "unkept " + qt(name);
    if (!spec.engineEnv) words << "own environment";
    if (const auto& source = spec.stdinSource)
        words << "stdin " + (source->chunk ? qt(source->chunk->hex()) : qt(source->text));
    if (spec.tty) words << QString("terminal %1x%2").arg(spec.tty->rows).arg(spec.tty->cols);
    if (!spec.label.empty()) words << "label " + qt(spec.label);
    if (spec.deadline) words << QString("deadline %1us").arg(spec.deadline->count());
    if (spec.priority) words << QString("priority %1").arg(spec.priority);
    if (spec.notBefore) words << QString("not_before %1").arg(spec.notBefore);
    if (spec.hold) words << "hold";
    if (spec.resources) words << amounts(*spec.resources);
    if (spec.retryLimits.retries) words << QString("retries %1").arg(*spec.retryLimits.retries);
    if (spec.retryLimits.interruptions) words << QString("interruptions %1").arg(*spec.retryLimits.interruptions);
    if (spec.jobserver)
        words << QStringList{"no jobserver", "jobserver", "jobserver fifo"}[static_cast<int>(*spec.jobserver)];
    for (const std::string& machine : spec.machines) words << "at " + qt(machine);
    if (!spec.platform.empty()) words << "platform " + qt(spec.platform);
    if (spec.array) words << QString("array %1-%2").arg(spec.array->from).arg(spec.array->to);
    return words.join("; ");
}

QString parsed(const QByteArray& json) {
    const auto action = parseAction({json.data(), static_cast<std::size_t>(json.size())});
    return action ? printedSpec(*action->spec) : printed(action.error());
}

} // namespace

class TestAction : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void deadlinesOfAClassAreFewAndNeverShorter();
    void goodActionsAreTaken_data();
    void goodActionsAreTaken();
    void badActionsAreRefused_data();
    void badActionsAreRefused();
    void badNamesAndPathsAreRefused_data();
    void badNamesAndPathsAreRefused();
    void theTextIsWhatWasPostedWithoutWhiteSpace();
    void theTextReadsBackToTheSameSpecAndText();
    void aListIsTakenWholeAndErrorsNameTheElement();
    void theRoutesWorkerIsPutIn();
    void variablesThatAreNeverKeptLeaveAnAction();
    void anArrayIndexReachesArgvAndEnvironment();
    void resourcesNotNamedAreTheWorkers();
    void whatAWarmProcessHasIsNotTheActions();
    void memoryOfGpusIsOfEachThatItAsksFor();
    void scratchIsNeededUnlessACommandHasItsOwnDirectory();
    void footprintGrowsWithWhatIsHeld();
    void relativePathsAreSafeOrNot_data();
    void relativePathsAreSafeOrNot();
};

void TestAction::goodActionsAreTaken_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("spec");
    const auto row = [](const char* sentence, const QByteArray& json, const QString& spec) {
        QTest::newRow(sentence) << json << spec;
    };
    const QByteArray hash = kHash;
    row("the least command", R"({"worker":"exec","argv":["true"]})", "worker exec; arg true");
    row("a worker's function with everything of its own",
        R"({"worker":"thumb@1.2.0","function":"make","args":{"a":[1, 2.50]},"inputs":{"d/p.jpg":")" + hash +
            R"("},"expect":["out.png"]})",
        R"(worker thumb@1.2.0; function make; args {"a":[1,2.50]}; in d/p.jpg, expect out.png)");
    row("a worker by its id", R"({"worker":")" + hash + R"(","function":"f"})",
        QString("worker %1; function f").arg(kHash));
    row("args that are null are args", R"({"worker":"w","args":null})", "worker w; args null");
    row("a command with everything of its own",
        R"({"worker":"exec","argv":["sh","-c","é \n"],"cwd":"/tmp","sandbox":true,"env":{"A":"1=2","B":""}})",
        "worker exec; arg sh, arg -c, arg é \n, env A=1=2, env B=; cwd /tmp; sandbox");
    row("a variable that is not kept, no other variables, and a text to read",
        exec(R"("env":{"A":"1","B":null},"engine_env":false,"stdin":{"text":"a\n"})"),
        "worker exec; arg true, env A=1; unkept B; own environment; stdin a\n");
    row("a terminal", exec(R"("tty":{"cols":1000,"rows":1})"), "worker exec; arg true; terminal 1x1000");
    row("a chunk to read", exec(R"("stdin":{"hash":")" + hash + R"("})"),
        QString("worker exec; arg true; stdin %1").arg(kHash));
    row("label, deadline, priority, time and hold",
        exec(R"("label":"night: é","deadline_s":0.5,"priority":-100,"not_before":1700000000000000,"hold":true)"),
        "worker exec; arg true; label night: é; deadline 500000us; priority -100; not_before 1700000000000000; "
        "hold");
    row("how often it is tried again", exec(R"("max_retries":0,"max_interruptions":1000)"),
        "worker exec; arg true; retries 0; interruptions 1000");
    row("tokens for what it does at once", exec(R"("jobserver":true)"), "worker exec; arg true; jobserver");
    row("tokens by a named pipe", exec(R"("jobserver":"fifo")"), "worker exec; arg true; jobserver fifo");
    row("no tokens, whatever its queue says", exec(R"("jobserver":false)"), "worker exec; arg true; no jobserver");
    row("a deadline of a nanosecond is a microsecond", exec(R"("deadline_s":1e-9)"),
        "worker exec; arg true; deadline 1us");
    row("whole numbers with a point, as some languages write them", exec(R"("priority":5.0,"not_before":1e15)"),
        "worker exec; arg true; priority 5; not_before 1000000000000000");
    row("resources in thousandths, sorted, without zeros",
        exec(R"("resources":{"licence.x":1,"cores":0.5,"gpus":0.125,"memory_mb":500,"slots":0})"),
        "worker exec; arg true; 500m 500MB gpus=125m licence.x=1000m");
    row("locks, each once", exec(R"("locks":["app:immich","a@b-c_d.e","app:immich"])"),
        "worker exec; arg true, lock app:immich, lock a@b-c_d.e");
    row("parents as numbers and as objects", exec(R"("after":[12,{"lsn":13,"on":"failed"},{"on":"any","lsn":14}])"),
        "worker exec; arg true, after 12/0, after 13/2, after 14/1");
    row("a machine and a platform", exec(R"("machine":"desk-2.lan","platform":"linux-aarch64")"),
        "worker exec; arg true; at desk-2.lan; platform linux-aarch64");
    row("machines and tags, each once", exec(R"("machine":["tag:render","local","any","local"])"),
        "worker exec; arg true; at any; at local; at tag:render");
    row("an array of one", exec(R"("array":{"from":5,"to":5})"), "worker exec; arg true; array 5-5");
    row("an array of a million", exec(R"("array":{"to":1000000,"from":1})"),
        "worker exec; arg true; array 1-1000000");
    row("empty lists and objects", exec(R"("env":{},"locks":[],"after":[],"expect":[],"inputs":{},"label":"")"),
        "worker exec; arg true");
    row("white space everywhere", " {\n\"worker\" : \"exec\" ,\t\"argv\" : [ \"a\" , \"\" ] } ",
        "worker exec; arg a, arg ");
}

void TestAction::goodActionsAreTaken() {
    QFETCH(QByteArray, json);
    QTEST(parsed(json), "spec");
}

void TestAction::badActionsAreRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* sentence, const QByteArray& json, const char* answer) {
        QTest::newRow(sentence) << json << answer;
    };
    const auto member = [&row](const char* sentence, const char* field, const QByteArray& members,
                               const char* what) {
        row(sentence, exec(members), qPrintable(QString(R"(invalid %1: Give "%1" as %2.)").arg(field, what)));
    };
    row("not JSON", "{", "malformed: The JSON ends too early; send the whole document.");
    row("no object", "5", "invalid: Give each action as a JSON object.");
    row("a list where one is wanted", "[]", "invalid: Give one action as a JSON object, not a list.");
    row("no worker", "{}", R"(invalid worker: Add "worker": "exec", a worker's id, name or name@version.)");
    row("a command without argv", R"({"worker":"exec"})",
        R"(invalid argv: Add "argv": the worker "exec" needs a program and its arguments.)");
    row("an unknown member", exec(R"("prio":1)"),
        R"(invalid prio: Remove "prio" or correct its spelling: an action has no such member.)");
    row("an unknown member with a hostile name", exec(R"("a\n\"b":1)"),
        "invalid a\n\"b: Remove \"a\\n\\\"b\" or correct its spelling: an action has no such member.");
    row("a member given twice", exec(R"("hold":true,"hold":false)"),
        R"(invalid hold: "hold" appears twice in one object; send it once.)");
    row("a member given twice inside args", R"({"worker":"w","args":{"x":{"k":1,"k":2}}})",
        R"(invalid k: "k" appears twice in one object; send it once.)");
    row("an integer over 64 bits inside args", R"({"worker":"w","args":[100000000000000000000]})",
        "invalid args: Give the integer 100000000000000000000 as a string: it needs more than 64 bits.");
    row("argv for another worker", R"({"worker":"w","argv":["a"]})",
        R"(invalid argv: Remove "argv": only the worker "exec" takes it.)");
    row("cwd for another worker", R"({"worker":"w","cwd":"/"})",
        R"(invalid cwd: Remove "cwd": only the worker "exec" takes it.)");
    row("sandbox for another worker", R"({"sandbox":false,"worker":"w"})",
        R"(invalid sandbox: Remove "sandbox": only the worker "exec" takes it.)");
    row("stdin for another worker", R"({"worker":"w","stdin":{"text":""}})",
        R"(invalid stdin: Remove "stdin": only the worker "exec" takes it.)");
    row("a terminal of a side only", exec(R"("tty":{"rows":5})"),
        R"(invalid tty: Give "tty" as an object with "rows" and "cols".)");
    row("a terminal without rows", exec(R"("tty":{"rows":0,"cols":80})"),
        R"(invalid tty.rows: Give "tty.rows" as a whole number from 1 to 1000.)");
    row("a terminal with a name", exec(R"("tty":{"rows":1,"cols":1,"term":"xterm"})"),
        R"(invalid tty.term: Remove "tty.term" or correct its spelling: an action has no such member.)");
    row("stdin as a text", exec(R"("stdin":"text")"),
        R"(invalid stdin: Give "stdin" as an object, {"text":"…"} or {"hash":"…"}.)");
    row("stdin of nothing", exec(R"("stdin":{})"),
        R"(invalid stdin: Give "stdin" as an object with either "hash" or "text".)");
    row("stdin of both", exec(R"("stdin":{"text":"","hash":")" + QByteArray(kHash) + R"("})"),
        R"(invalid stdin: Give "stdin" as an object with either "hash" or "text".)");
    row("stdin from a path", exec(R"("stdin":{"path":"/etc/passwd"})"),
        R"(invalid stdin.path: Remove "stdin.path" or correct its spelling: an action has no such member.)");
    row("stdin of a long text", exec(R"("stdin":{"text":")" + QByteArray(65'537, 'x') + R"("})"),
        R"(invalid stdin.text: Give "stdin.text" as text of at most 65536 bytes; put more as a chunk and give its "hash".)");
    row("function for exec", exec(R"("function":"f")"),
        R"(invalid function: Remove "function": the worker "exec" takes "argv" instead.)");
    row("args for exec", exec(R"("args":1)"),
        R"(invalid args: Remove "args": the worker "exec" takes "argv" instead.)");
    member("priority over the range", "priority", R"("priority":101)", "a whole number from -100 to 100");
    member("priority below the range", "priority", R"("priority":-101)", "a whole number from -100 to 100");
    member("priority with a fraction", "priority", R"("priority":1.5)", "a whole number from -100 to 100");
    member("priority as text", "priority", R"("priority":"1")", "a whole number from -100 to 100");
    member("priority of 64 bits", "priority", R"("priority":18446744073709551615)",
           "a whole number from -100 to 100");
    member("priority of null", "priority", R"("priority":null)", "a whole number from -100 to 100");
    for (const char* name : {"max_retries", "max_interruptions"}) {
        const auto with = [name](const char* value) { return QByteArray("\"") + name + "\":" + value; };
        member("a limit below zero", name, with("-1"), "a whole number from 0 to 1000");
        member("a limit of thousands", name, with("1001"), "a whole number from 0 to 1000");
        member("a limit of null", name, with("null"), "a whole number from 0 to 1000");
    }
    for (const char* value : {"\"pipe\"", "1", "null", "{}"})
        member("a jobserver of another kind", "jobserver", QByteArray(R"("jobserver":)") + value,
               R"(true, false or "fifo")");
    const char* const machine =
        R"("any", "local", the name of a machine, "tag:" and a tag, or a list of 1 to 16 of these)";
    for (const char* value : {"\"\"", "\"-a\"", "\"a b\"", "\"tag:\"", "\"tag:tag:a\"", "[]", "[1]", "null", "{}"})
        member("a machine that is no name", "machine", QByteArray(R"("machine":)") + value, machine);
    member("a machine of a long name", "machine", R"("machine":")" + QByteArray(65, 'm') + '"', machine);
    member("many machines", "machine", R"("machine":["a")" + QByteArray(R"(,"a")").repeated(16) + "]", machine);
    row("a platform without a name", exec(R"("platform":"")"),
        R"(invalid platform: Give "platform" as text of 1 to 64 bytes without control characters.)");
    const char* const seconds = "seconds, more than 0 and at most 315360000";
    member("a deadline of zero", "deadline_s", R"("deadline_s":0)", seconds);
    member("a deadline below zero", "deadline_s", R"("deadline_s":-1)", seconds);
    member("a deadline of eleven years", "deadline_s", R"("deadline_s":346896000)", seconds);
    member("a deadline as text", "deadline_s", R"("deadline_s":"1h")", seconds);
    member("a time that is no number", "not_before", R"("not_before":"now")",
           "a whole number from 0 to 9007199254740992");
    member("a time with a fraction", "not_before", R"("not_before":1.5)",
           "a whole number from 0 to 9007199254740992");
    member("a time before 1970", "not_before", R"("not_before":-1)", "a whole number from 0 to 9007199254740992");
    member("hold as a number", "hold", R"("hold":1)", "true or false");
    member("resources as a list", "resources", R"("resources":[])", "an object of at most 35 members");
    const char* const cores = "a number from 0.001 to 1000000 with at most three decimals";
    member("no cores", "resources.cores", R"("resources":{"cores":0})", cores);
    member("a third of a core", "resources.cores", R"("resources":{"cores":0.3333})", cores);
    member("cores below zero", "resources.cores", R"("resources":{"cores":-1})", cores);
    member("cores beyond reason", "resources.cores", R"("resources":{"cores":1e300})", cores);
    member("memory below zero", "resources.memory_mb", R"("resources":{"memory_mb":-1})",
           "a whole number from 0 to 1000000000000");
    member("memory by another word", "resources.memory_mb", R"("resources":{"memory_mb":"guessed"})",
           "a whole number from 0 to 1000000000000");
    member("gpus below zero", "resources.gpus", R"("resources":{"gpus":-1})",
           "a number from 0 to 1000000000 with at most three decimals");
    member("memory of GPUs below zero", "resources.gpu_memory_mb", R"("resources":{"gpus":1,"gpu_memory_mb":-1})",
           "a whole number from 0 to 1000000000000");
    member("one parent without a list", "after", R"("after":1)", "a list of at most 10000 elements");
    member("parent zero", "after[1]", R"("after":[1,0])", "a whole number from 1 to 9223372036854775807");
    member("a parent without lsn", "after[0]", R"("after":[{"on":"any"}])",
           R"(an LSN, the "id" of another action of the list, or an object with "lsn", "array" or "id")");
    member("a parent with an unknown end", "after[0].on", R"("after":[{"lsn":1,"on":"done"}])",
           R"("completed", "any" or "failed")");
    member("an array backwards", "array", R"("array":{"from":2,"to":1})",
           R"("from" and "to" with from <= to and at most 1000000 elements)");
    member("an array of a million and one", "array", R"("array":{"from":0,"to":1000000})",
           R"("from" and "to" with from <= to and at most 1000000 elements)");
    member("an array without a beginning", "array", R"("array":{"to":1})",
           R"("from" and "to" with from <= to and at most 1000000 elements)");
    member("an array below zero", "array.from", R"("array":{"from":-1,"to":1})",
           "a whole number from 0 to 9007199254740992");
}

void TestAction::badActionsAreRefused() {
    QFETCH(QByteArray, json);
    QTEST(parsed(json), "answer");
}

void TestAction::badNamesAndPathsAreRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* sentence, const QByteArray& json, const char* field) {
        QTest::newRow(sentence) << json << field;
    };
    const QByteArray hash = kHash;
    const auto input = [&](const QByteArray& path) {
        return exec(R"("inputs":{")" + path + R"(":")" + hash + R"("})");
    };
    row("a worker named as a route", R"({"worker":"all"})", "worker");
    row("a worker with a slash", R"({"worker":"a/b"})", "worker");
    row("a worker without a name", R"({"worker":""})", "worker");
    row("a worker with an empty version", R"({"worker":"a@"})", "worker");
    row("a worker that is no text", R"({"worker":1})", "worker");
    row("an empty function", R"({"worker":"w","function":""})", "function");
    row("a function with a line break", R"({"worker":"w","function":"a\nb"})", "function");
    row("a function too long", R"({"worker":"w","function":")" + QByteArray(257, 'f') + "\"}", "function");
    row("a label with a control character", exec(R"("label":"a\u0007")"), "label");
    row("a label with a C1 control character", exec("\"label\":\"a\xC2\x9B\""), "label");
    row("a label too long", exec(R"("label":")" + QByteArray(1025, 'l') + "\""), "label");
    row("no arguments", R"({"worker":"exec","argv":[]})", "argv");
    row("an empty program", R"({"worker":"exec","argv":["","a"]})", "argv[0]");
    row("an argument with NUL", R"({"worker":"exec","argv":["a","b\u0000c"]})", "argv[1]");
    row("an argument that is a number", R"({"worker":"exec","argv":["sleep",5]})", "argv[1]");
    row("an argument that Linux would refuse",
        R"({"worker":"exec","argv":["a",")" + QByteArray(131072, 'x') + "\"]}", "argv[1]");
    row("arguments that Linux would refuse together",
        R"({"worker":"exec","argv":["a")" + (",\"" + QByteArray(100000, 'x') + "\"").repeated(21) + "]}", "argv");
    row("a relative cwd", exec(R"("cwd":"tmp")"), "cwd");
    row("an empty cwd", exec(R"("cwd":"")"), "cwd");
    row("a cwd with NUL", exec(R"("cwd":"/a\u0000")"), "cwd");
    row("a variable without a name", exec(R"("env":{"":"x"})"), "env");
    row("a variable with an equals sign in its name", exec(R"("env":{"A=B":"x"})"), "env");
    row("a variable with NUL in its name", exec(R"("env":{"A\u0000":"x"})"), "env");
    row("a value with NUL", exec(R"("env":{"A":"\u0000"})"), "env.A");
    row("a value that is a number", exec(R"("env":{"A":1})"), "env.A");
    row("an input that climbs", input("../x"), "inputs");
    row("an absolute input", input("/x"), "inputs");
    row("an input with an empty part", input("a//b"), "inputs");
    row("an input with a line break", input("a\\nb"), "inputs");
    row("an input whose hash is short", exec(R"("inputs":{"a":"12"})"), "inputs.a");
    row("an input whose hash is upper case", exec(R"("inputs":{"a":")" + hash.toUpper() + "\"}"), "inputs.a");
    row("an input that is a file and a directory",
        exec(R"("inputs":{"a/b":")" + hash + R"(","a-c":")" + hash + R"(","a":")" + hash + "\"}"), "inputs");
    row("an expected path that climbs", exec(R"("expect":["a","b/../c"])"), "expect[1]");
    row("a lock with a space", exec(R"("locks":["a b"])"), "locks");
    row("an empty lock", exec(R"("locks":[""])"), "locks");
    row("a lock too long", exec(R"("locks":[")" + QByteArray(129, 'l') + "\"]"), "locks");
    row("a resource with a space", exec(R"("resources":{"my gpu":1})"), "resources.my gpu");
    row("an unknown member of array", exec(R"("array":{"from":0,"to":1,"step":2})"), "array.step");
    row("an unknown member of a parent", exec(R"("after":[{"lsn":1,"when":"any"}])"), "after[0].when");
}

void TestAction::badNamesAndPathsAreRefused() {
    QFETCH(QByteArray, json);
    const auto action = parseAction({json.data(), static_cast<std::size_t>(json.size())});
    QVERIFY(!action);
    QCOMPARE(action.error().kind, ErrorKind::Invalid);
    QTEST(qt(action.error().field), "field");
    QVERIFY2(action.error().message.ends_with('.'), action.error().message.c_str());
    QVERIFY2(action.error().message.size() < 400, action.error().message.c_str());
}

void TestAction::theTextIsWhatWasPostedWithoutWhiteSpace() {
    const auto action = parseAction(R"( { "function" : "f", "args" : { "x" : [ 1.0, 1e2 ], "é" : "\u00e9" },
                                        "worker" : "w" } )");
    QVERIFY(action);
    QCOMPARE(qt(action->text),
             QString::fromUtf8(R"({"function":"f","args":{"x":[1.0,1e2],"é":"é"},"worker":"w"})"));
    QCOMPARE(qt(action->spec->args), QString::fromUtf8(R"({"x":[1.0,1e2],"é":"é"})"));
}

void TestAction::theTextReadsBackToTheSameSpecAndText() {
    const auto first = parseAction(R"({"worker":"w","function":"f","args":"\"\\\n","inputs":{},"env":{"A":"\t"},
                                       "resources":{"gpus":1},"after":[{"lsn":1,"on":"any"}],"array":{"from":1,"to":9}})");
    QVERIFY(first);
    const auto second = parseAction(first->text);
    QVERIFY(second);
    QCOMPARE(qt(second->text), qt(first->text));
    QCOMPARE(printedSpec(*second->spec), printedSpec(*first->spec));
}

void TestAction::aListIsTakenWholeAndErrorsNameTheElement() {
    const auto good = parseActions(R"([{"worker":"exec","argv":["a"]}, {"worker":"w","args":[{}]}])");
    QVERIFY(good);
    QVERIFY(good->isList);
    QCOMPARE(good->actions.size(), 2u);
    QCOMPARE(qt(good->actions[0].text), QString(R"({"worker":"exec","argv":["a"]})"));
    QCOMPARE(printedSpec(*good->actions[1].spec), QString("worker w; args [{}]"));

    const auto one = parseActions(R"({"worker":"exec","argv":["a"]})");
    QVERIFY(one && !one->isList && one->actions.size() == 1);
    const auto none = parseActions(" [ ] ");
    QVERIFY(none && none->isList && none->actions.empty());

    const auto bad = parseActions(R"([{"worker":"w"},{"worker":"w"},{"worker":"w","priority":1000},{"worker":7}])");
    QVERIFY(!bad);
    QCOMPARE(printed(bad.error()),
             QString(R"([2] invalid priority: Give "priority" as a whole number from -100 to 100.)"));
    const auto nested = parseActions(R"([[{"worker":"w"}]])");
    QCOMPARE(printed(nested.error()), QString("[0] invalid: Give each action as a JSON object."));
    const auto twice = parseActions(R"([{"worker":"w"},{"worker":"w","worker":"v"}])");
    QCOMPARE(printed(twice.error()),
             QString(R"([1] invalid worker: "worker" appears twice in one object; send it once.)"));
}

void TestAction::theRoutesWorkerIsPutIn() {
    const auto absent = parseAction(R"({"function":"f"})", "thumb");
    QVERIFY(absent);
    QCOMPARE(qt(absent->text), QString(R"({"worker":"thumb","function":"f"})"));
    QCOMPARE(qt(absent->spec->worker), QString("thumb"));
    const auto empty = parseAction("{}", "thumb");
    QVERIFY(empty);
    QCOMPARE(qt(empty->text), QString(R"({"worker":"thumb"})"));
    QVERIFY(parseAction(R"({"worker":"thumb"})", "thumb"));
    const auto other = parseAction(R"({"worker":"exec","argv":["a"]})", "thumb");
    QVERIFY(!other);
    QCOMPARE(printed(other.error()),
             QString(R"(invalid worker: Remove "worker" or give it as "thumb", the worker of the route.)"));
}

void TestAction::variablesThatAreNeverKeptLeaveAnAction() {
    const char* const patterns = " *TOKEN*  *KEY ";
    QVERIFY(isNeverKept("GITHUB_TOKEN", patterns) && isNeverKept("my_token_2", patterns) &&
            isNeverKept("Key", patterns));
    QVERIFY(!isNeverKept("KEYBOARD", patterns) && !isNeverKept("", patterns) && !isNeverKept("KEY", ""));
    ParsedAction action = *parseAction(
        R"({"env":{"A":"\"1\"","API_KEY":"s1","GONE":null,"TOKEN":"s2"},"worker":"exec","argv":["env","{\"env\":1}"]})");
    QCOMPARE(takeUnkeptEnv(action, patterns), (Variables{{"API_KEY", "s1"}, {"TOKEN", "s2"}}));
    QCOMPARE(
        action.text,
        R"({"env":{"A":"\"1\"","GONE":null,"API_KEY":null,"TOKEN":null},"worker":"exec","argv":["env","{\"env\":1}"]})");
    QCOMPARE(qt(action.text), qt(parseAction(action.text)->text));
    QCOMPARE(printedSpec(*action.spec), printedSpec(*parseAction(action.text)->spec));
    const std::string before = action.text;
    QCOMPARE(takeUnkeptEnv(action, patterns), Variables{});
    QCOMPARE(action.text, before);
    QCOMPARE(listedNames({"A"}), "A");
    QCOMPARE(listedNames({"A", "B", "C"}), "A, B and C");
    QCOMPARE(listedNames({"A", "B", "C", "D", "E"}), "A, B, C and 2 more");
}

void TestAction::anArrayIndexReachesArgvAndEnvironment() {
    ActionSpec spec;
    spec.argv = {"run", "{index}", "--part={index}/{index}", "{INDEX}"};
    spec.env = {{"A", "{index}"}};
    applyArrayIndex(spec, 42);
    QCOMPARE(lists(spec),
             QString("arg run, arg 42, arg --part=42/42, arg {INDEX}, env A={index}, env YARD_INDEX=42"));
    applyArrayIndex(spec, 43); // its own variable is replaced, never there twice
    QCOMPARE(qt(spec.env.back().second), QString("43"));
    QCOMPARE(spec.env.size(), 2u);
}

void TestAction::resourcesNotNamedAreTheWorkers() {
    const Resources worker{.milliCores = 4000, .memoryMb = 100, .named = {}};
    const auto effective = [&](const QByteArray& members) {
        return amounts(effectiveResources(*parseAction(exec(members).toStdString())->spec, worker));
    };
    QCOMPARE(effective(""), QString("4000m 100MB"));
    QCOMPARE(effective(R"("resources":{"memory_mb":7})"), QString("4000m 7MB"));
    QCOMPARE(effective(R"("resources":{"memory_mb":"learned"})"),
             QString("4000m 100MB")); // until something is known
    QVERIFY(parseAction(exec(R"("resources":{"memory_mb":"learned"})").toStdString())->spec->memoryLearned);
    QCOMPARE(effective(R"("resources":{"cores":1,"gpus":1})"), QString("1000m 100MB gpus=1000m"));
    QCOMPARE(amounts(effectiveResources(ActionSpec{})), QString("1000m 0MB"));
    const Resources named{
        .milliCores = 1000, .memoryMb = 0, .named = {{"gpus", 1000}, {"port", 1000}}, .gpuMemoryMb = 50};
    const auto beside = [&](const QByteArray& members) {
        return effectiveResources(*parseAction(exec(members).toStdString())->spec, named);
    };
    QCOMPARE(amounts(beside("")), QString("1000m 0MB gpus=1000m port=1000m"));
    QCOMPARE(amounts(beside(R"("resources":{"port":2})")), QString("1000m 0MB gpus=1000m port=2000m"));
    QCOMPARE(beside(R"("resources":{"port":2})").gpuMemoryMb, 50);
    QCOMPARE(beside(R"("resources":{"gpus":2})").gpuMemoryMb, 0);
}

void TestAction::whatAWarmProcessHasIsNotTheActions() {
    const Resources worker{
        .milliCores = 2000, .memoryMb = 100, .named = {{"gpus", 1000}, {"port", 2000}}, .gpuMemoryMb = 50};
    const auto beside = [&](const QByteArray& members) {
        return resourcesBesideProcess(*parseAction(exec(members).toStdString())->spec, worker);
    };
    QCOMPARE(amounts(beside("")), QString("2000m 100MB"));
    const Resources own = beside(R"("resources":{"cores":1,"gpus":2,"gpu_memory_mb":7,"licence.x":1})");
    QCOMPARE(amounts(own), QString("2000m 100MB licence.x=1000m"));
    QCOMPARE(own.gpuMemoryMb, 0);
    QCOMPARE(amounts(keptPart(worker, {"gpus"})), QString("0m 100MB gpus=1000m"));
    QCOMPARE(keptPart(worker, {"gpus"}).gpuMemoryMb, 50);
    QCOMPARE(amounts(keptPart(worker, {})), QString("0m 100MB"));
    QCOMPARE(amounts(busyPart(worker, {"gpus"})), QString("2000m 0MB port=2000m"));
    QCOMPARE(busyPart(worker, {"gpus"}).gpuMemoryMb, 0);
}

void TestAction::memoryOfGpusIsOfEachThatItAsksFor() {
    const auto asked = [](const QByteArray& resources) {
        return parseAction(exec(R"("resources":)" + resources).toStdString());
    };
    const auto both = asked(R"({"gpu_memory_mb":20000,"gpus":0.5})");
    QVERIFY(both);
    QCOMPARE(effectiveResources(*both->spec).gpuMemoryMb, 20'000);
    QVERIFY(asked(R"({"gpu_memory_mb":0})"));
    for (const char* none : {R"({"gpu_memory_mb":1})", R"({"gpu_memory_mb":1,"gpus":0})"}) {
        const auto refused = asked(none);
        QVERIFY(!refused);
        QCOMPARE(qt(refused.error().field), QString("resources.gpu_memory_mb"));
    }
    ClassKey key;
    key.workerId = key.workerName = "exec";
    key.resources = effectiveResources(*both->spec);
    const auto again = ClassKey::parse(key.text());
    QVERIFY(again && *again == key);
    key.resources.gpuMemoryMb = 0;
    QVERIFY(!key.text().contains("gpu_memory"));
}

void TestAction::deadlinesOfAClassAreFewAndNeverShorter() {
    using namespace std::chrono_literals;
    ClassKey key;
    key.workerId = key.workerName = "exec";
    QVERIFY(!key.text().contains("longest"));
    key.longestS = longestFor(50min);
    QCOMPARE(key.longestS, std::int64_t{3'072});
    QVERIFY(ClassKey::parse(key.text()) == key);
    QCOMPARE(longestFor(1s), std::int64_t{60});
    std::set<std::int64_t> all;
    for (std::int64_t seconds = 60; seconds <= 86'400; ++seconds) {
        const std::int64_t longest = longestFor(std::chrono::seconds(seconds));
        QVERIFY(longest >= seconds && longest <= seconds + seconds / 8);
        all.insert(longest);
    }
    QVERIFY(all.size() < 100);
    QVERIFY(longestFor(Duration::max()) > 86'400);
}

void TestAction::scratchIsNeededUnlessACommandHasItsOwnDirectory() {
    const auto needs = [](const QByteArray& json) { return parseAction(json.toStdString())->spec->needsScratch(); };
    QVERIFY(needs(R"({"worker":"w"})"));
    QVERIFY(needs(exec("")));
    QVERIFY(!needs(exec(R"("cwd":"/tmp")")));
    QVERIFY(needs(exec(R"("cwd":"/tmp","sandbox":true)")));
    QVERIFY(needs(exec(R"("cwd":"/tmp","expect":["a"])")));
}

void TestAction::footprintGrowsWithWhatIsHeld() {
    const auto size = [](const QByteArray& json) { return parseAction(json.toStdString())->spec->footprint(); };
    const std::size_t least = size(exec(""));
    QVERIFY(least >= sizeof(ActionSpec));
    QVERIFY(size(exec(R"("label":")" + QByteArray(1000, 'x') + "\"")) >= least + 1000);
    QVERIFY(size(exec(R"("env":{"A":")" + QByteArray(5000, 'x') + "\"}")) >= least + 5000);
}

void TestAction::relativePathsAreSafeOrNot_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("safe");
    QTest::newRow("a name") << QByteArray("a") << true;
    QTest::newRow("a path") << QByteArray("a/b.c/d e") << true;
    QTest::newRow("beyond ASCII") << QByteArray("é/😀") << true;
    QTest::newRow("three dots are a name") << QByteArray("...") << true;
    QTest::newRow("a hidden file") << QByteArray(".a") << true;
    QTest::newRow("nothing") << QByteArray("") << false;
    QTest::newRow("itself") << QByteArray(".") << false;
    QTest::newRow("the parent") << QByteArray("..") << false;
    QTest::newRow("the parent inside") << QByteArray("a/../b") << false;
    QTest::newRow("the parent last") << QByteArray("a/..") << false;
    QTest::newRow("absolute") << QByteArray("/a") << false;
    QTest::newRow("a slash last") << QByteArray("a/") << false;
    QTest::newRow("two slashes") << QByteArray("a//b") << false;
    QTest::newRow("a line break") << QByteArray("a\nb") << false;
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << false;
    QTest::newRow("DEL") << QByteArray("a\x7f") << false;
    QTest::newRow("not UTF-8") << QByteArray("a\xFF") << false;
    QTest::newRow("a part of 255 bytes") << QByteArray(255, 'a') << true;
    QTest::newRow("a part of 256 bytes") << QByteArray(256, 'a') << false;
    QTest::newRow("4,096 bytes") << QByteArray("aaaaaaa/").repeated(511) + "aaaaaaaa" << true;
    QTest::newRow("4,097 bytes") << QByteArray("aaaaaaa/").repeated(511) + "aaaaaaaaa" << false;
}

void TestAction::relativePathsAreSafeOrNot() {
    QFETCH(QByteArray, path);
    QTEST(isSafeRelativePath({path.data(), static_cast<std::size_t>(path.size())}), "safe");
}

QTEST_APPLESS_MAIN(TestAction)
#include "tst_action.moc"
