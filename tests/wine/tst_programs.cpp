// Workers for Windows: values, then programs of MinGW by a real engine, where Wine and MinGW are installed.
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/windows_end.h"
#include "core/engine/running/wine_host.h"
#include "core/engine/state/workers.h"
#include "core/launcher/launcher.h"
#include "core/wine/ending.h"
#include "core/wine/starter_image.h"
#include "core/wine/template.h"
#include "core/wine/wine.h"
#include "tests/coro/coro_test.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QObject>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::test;
using engine::WineHost;

namespace {

#ifdef YARD_WINDOWS_PROGRAM
constexpr const char* kProgram = YARD_WINDOWS_PROGRAM;
#else
constexpr const char* kProgram = "";
#endif

WorkerDescriptor windowsWorker() {
    WorkerDescriptor worker;
    worker.platform = std::string(wine::kPlatform);
    worker.executable = "bin/run.exe";
    return worker;
}

wine::Installation someWine() {
    return {.loader = "/usr/lib/wine/wine64", .server = "/usr/lib/wine/wineserver64", .version = "1x2"};
}

/// As it is told to a person.
std::string endingOf(std::string_view written, std::optional<int> exitCode = 0) {
    AttemptOutcome outcome;
    outcome.exitCode = exitCode;
    outcome.state = exitCode == 0 ? ActionState::Completed : ActionState::Failed;
    outcome.reason = exitCode == 0 ? Reason::None : Reason::ExitCode;
    engine::applyWindowsEnd(outcome, wine::parseEnding(written));
    return fmt::format("{} {} {} {}", name(outcome.state), name(outcome.reason),
                       outcome.exitCode ? fmt::format("{}", *outcome.exitCode) : "-", outcome.note);
}

std::string kindOf(const Result<void>& result) {
    return result ? "fine" : fmt::format("{} {}", errorName(result.error().kind), result.error().field);
}

class Host {
public:
    explicit Host(bool isSandboxed = true)
        : host({.directory = "/nowhere",
                .isSandboxed = isSandboxed,
                .find = [this] { return found; },
                .make = [this](const wine::TemplateOrder& order) -> Result<std::string> {
                    ++made;
                    removes += order.removesOthers ? "all " : "none ";
                    isHeld.wait(true);
                    if (fails) return fail(ErrorKind::NoSpace, "no room");
                    return order.directory + "/" + order.wine.version;
                }}) {}
    std::string prefix() {
        const Result<std::string> answer = rig.ask(host.prefix());
        return answer ? *answer : answer.error().message;
    }

    coro::test::Rig rig;
    std::optional<wine::Installation> found = someWine();
    std::atomic<int> made = 0;
    std::atomic<bool> isHeld = false; ///< making takes as long
    std::string removes;              ///< what of others, each time
    bool fails = false;
    WineHost host;
};

/// Processes of the engine's actions, whoever their parent is by now.
std::string processesMarked(const std::string& mark) {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string path = entry.path().string();
        const auto variables = readFile(path + "/environ");
        // The engine's own launcher has it for its life.
        const bool isLauncher = readFile(path + "/comm").value_or("") == "yard-launcher\n";
        if (!isLauncher && variables && variables->contains(mark)) found += readFile(path + "/comm").value_or(path);
    }
    return found;
}

/// An engine with one worker of Windows, whose functions are those of program.c.
class Yard {
public:
    Yard()
        : engine_(2, [](engine::Options& options) { options.noSandbox = false; }) {
        const std::string program = readFile(kProgram).value();
        auto writer = engine_->chunks().writer();
        if (!writer || !writer->write(program) || !writer->finish()) qFatal("the program cannot be kept");
        std::string functions;
        for (const char* name :
             {"say", "remember", "result", "exit259", "minus", "crash", "hang", "outputs", "child", "nothing"})
            functions += fmt::format(R"({}{{"name":"{}","version":"1"}})", functions.empty() ? "" : ",", name);
        const auto worker = parseWorker(fmt::format(
            R"({{"name":"w","version":"1","platform":"{}","executable":"a program.exe","environment":{{"COLOUR":"blue"}},"files":[{{"path":"a program.exe","hash":"{}","size":{},"mode":"0755"}}],"functions":[{}]}})",
            wine::kPlatform, Sha256::of(program).hex(), program.size(), functions));
        if (!worker) qFatal("%s", worker.error().message.c_str());
        const auto added = engine_.run(engine_->ask(&engine::Workers::add, *worker));
        if (!added) qFatal("%s", added.error().message.c_str());
    }
    ActionResult run(const std::string& function, const std::string& more = "") {
        const Lsn lsn = engine_.submit(
            fmt::format(R"({{"worker":"w","function":"{}","args":{{}},"max_retries":0{}}})", function, more));
        return engine_.wait(lsn, std::chrono::seconds(120));
    }
    EngineTest& engine() { return engine_; }
    /// What marks its processes.
    std::string mark() const { return readFile(engine_.path("data/engine_id")).value().substr(0, 32); }

private:
    EngineTest engine_;
};

std::optional<int> exitCodeOf(const ActionResult& result) {
    return result.outcome ? result.outcome->exitCode : std::nullopt;
}

} // namespace

class ProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- values

    void whatWasWrittenDownIsReadStrictly() {
        using wine::Ending;
        using Kind = Ending::Kind;
        QVERIFY((wine::parseEnding("X00000103\n") == Ending{Kind::Exited, 259}));
        QVERIFY((wine::parseEnding("E000000c1\n") == Ending{Kind::NotStarted, 193}));
        for (const char* wrong : {"", "X", "X0000010\n", "X00000103", "Y00000103\n", "X0000010g\n", "X-0000103\n",
                                  "X00000103\n\n", "X 0000103\n", "X0x000103\n"})
            QVERIFY2(wine::parseEnding(wrong) == Ending{}, wrong);
    }

    void exitCodesAndCrashesBecomeReasons() {
        QCOMPARE(endingOf("X00000000\n"), "completed  0 ");
        QCOMPARE(endingOf("X00000103\n", 3), "failed exit_code 259 ");
        QCOMPARE(endingOf("X00000100\n", 0), "failed exit_code 256 "); // of which Linux has the lower half
        QCOMPARE(endingOf("Xffffffff\n", 255), "failed exit_code -1 ");
        QCOMPARE(endingOf("Xc0000005\n", 5),
                 "failed worker_crashed -1073741819 it crashed: 0xC0000005, access violation");
        QCOMPARE(endingOf("Xc0001234\n", 0x34), "failed worker_crashed -1073737164 it crashed: 0xC0001234");
        QCOMPARE(endingOf("Xe06d7363\n", 0x63),
                 "failed worker_crashed -529697949 it crashed: 0xE06D7363, C++ exception that nobody caught");
        QCOMPARE(endingOf("E000000c1\n", 125),
                 "failed spawn_error - Wine could not start the program: error 193 of "
                 "Windows, it is no program for 64-bit Windows");
        QCOMPARE(endingOf("E0000ffff\n", 125),
                 "failed spawn_error - Wine could not start the program: error 65535 of Windows");
        QVERIFY(wine::isLastingStartError(193) && wine::isLastingStartError(2));
        QVERIFY(!wine::isLastingStartError(8) && !wine::isLastingStartError(65535)); // it is tried again
    }

    void aProgramOfWhichNothingIsKnownDidNotComplete() {
        QCOMPARE(endingOf(""), "failed worker_crashed 0 Wine ended before it could tell how the program did");
        QCOMPARE(endingOf("", 53), "failed exit_code 53 ");
    }

    void whatALimitEndedStaysSo() {
        AttemptOutcome outcome;
        outcome.state = ActionState::Failed;
        outcome.reason = Reason::Memory;
        engine::applyWindowsEnd(outcome, wine::parseEnding("X00000000\n"));
        QCOMPARE(name(outcome.reason), std::string_view("memory"));
    }

    void theFileOfAnEndIsTakenOnceAndOnlyAFile() {
        const QTemporaryDir directory;
        const std::string root = directory.path().toStdString();
        QVERIFY(engine::makeWindowsEnd(root, 0));
        QVERIFY(!engine::makeWindowsEnd(root, 0)); // another one's is not taken over
        QVERIFY(writeFileAtomically(root + "/ending", "X0000002a\n", 0600));
        QCOMPARE(engine::takeWindowsEnd(root).code, 42u);
        QVERIFY(engine::takeWindowsEnd(root) == wine::Ending{});
        QVERIFY(writeFileAtomically(root + "/other", "X0000002a\n", 0600));
        std::filesystem::create_symlink(root + "/other", root + "/ending");
        QVERIFY(engine::takeWindowsEnd(root) == wine::Ending{});
        QCOMPARE(::mkfifo((root + "/ending").c_str(), 0600), 0);
        QVERIFY(engine::takeWindowsEnd(root) == wine::Ending{});
    }

    void pathsAreThoseOfWindows() {
        QCOMPARE(wine::windowsPath("/worker/bin/run.exe"), "Z:\\worker\\bin\\run.exe");
        const std::vector<std::string> command = wine::commandOf(someWine(), windowsWorker());
        QCOMPARE(command, (std::vector<std::string>{"/usr/lib/wine/wine64", "C:\\yard\\starter.exe",
                                                    "Z:\\worker\\bin\\run.exe"}));
    }

    void variablesOfAWorkerStayButForThePrefix() {
        const auto made = wine::environmentOf(
            {{"WINEDEBUG", "+all"}, {"WINEPREFIX", "/elsewhere"}, {"YARD_ACTION", "/action.json"}});
        std::string text;
        for (const auto& [name, value] : made) text += fmt::format("{}={} ", name, value);
        QCOMPARE(text,
                 "WINEDEBUG=+all YARD_ACTION=Z:\\action.json WINEPREFIX=/wine "
                 "WINEDLLOVERRIDES=mscoree,mshtml,winebus.sys,wineusb.sys,winehid.sys,winedbg.exe,winemenubuilder."
                 "exe= LC_ALL=C.UTF-8 ");
    }

    void wineIsFoundWhereDebianHasItAndWhereOthersHaveIt() {
        if (wine::starterImage().empty()) QSKIP("the starter is built for x86-64 alone");
        const QTemporaryDir directory;
        const std::string root = directory.path().toStdString();
        QVERIFY(!wine::find(root));
        const auto put = [&](const std::string& path) {
            return makeDirectories((root + path).substr(0, (root + path).rfind('/'))) &&
                   writeFileAtomically(root + path, "x", 0755);
        };
        QVERIFY(put("/usr/bin/wine"));
        QVERIFY(!wine::find(root)); // its server is not there
        QVERIFY(put("/usr/bin/wineserver"));
        QCOMPARE(wine::find(root)->loader, "/usr/bin/wine");
        QVERIFY(put("/usr/lib/wine/wine64"));
        QCOMPARE(wine::find(root)->loader, "/usr/lib/wine/wine64");
        const std::string version = wine::find(root)->version;
        QVERIFY(std::ranges::all_of(version, [](unsigned char c) { return std::isalnum(c) != 0; }));
        const std::string starter = Sha256::of(wine::starterImage()).hex();
        QVERIFY(version.ends_with(starter.substr(0, 16))); // a prefix with another starter is another one
    }

    // --- what the engine knows of it

    void withoutWineItWaitsAndSaysWhatToInstall() {
        Host b;
        QCOMPARE(b.host.hostOf("windows-x86_64"), std::string(thisPlatform()));
        QCOMPARE(b.host.hostOf("plan9"), "plan9");
        QCOMPARE(b.host.whyNot("windows-x86_64"), "");
        b.found.reset();
        QVERIFY(b.host.look());
        QVERIFY(!b.host.look());
        QCOMPARE(b.host.hostOf("windows-x86_64"), "windows-x86_64");
        QVERIFY(b.host.whyNot("windows-x86_64").starts_with("Wine is not installed here"));
        QCOMPARE(b.host.whyNot("plan9"), "");
        QVERIFY(b.prefix().starts_with("Wine is not installed here"));
        QCOMPARE(b.made.load(), 0);
    }

    void onlyProcessesInASandboxAreRegistered() {
        WorkerDescriptor worker = windowsWorker();
        QCOMPARE(kindOf(Host().host.mayRegister(worker)), "fine");
        QCOMPARE(kindOf(Host(false).host.mayRegister(worker)), "wrong_state ");
        QVERIFY(Host(false).prefix().contains("--no-sandbox"));
        worker.mode = WorkerMode::Warm;
        QCOMPARE(kindOf(Host().host.mayRegister(worker)), "invalid mode");
        worker.platform = "plan9";
        QCOMPARE(kindOf(Host().host.mayRegister(worker)), "invalid platform");
    }

    void thePrefixIsMadeOnceAndAgainForAnotherWine() {
        Host b;
        b.fails = true;
        QCOMPARE(b.prefix(), "no room");
        b.fails = false;
        QCOMPARE(b.prefix(), "/nowhere/1x2");
        QCOMPARE(b.prefix(), "/nowhere/1x2");
        QCOMPARE(b.made.load(), 2);
        b.found->version = "3x4";
        b.host.look();
        QCOMPARE(b.prefix(), "/nowhere/3x4");
        QCOMPARE(b.made.load(), 3);
        QCOMPARE(b.removes, "all all none "); // actions may run over the one before
        b.host.close();
    }

    void whoWaitsForAPrefixGetsItsFailureToo() {
        Host b;
        b.fails = true;
        b.isHeld = true;
        const auto first = b.rig.begin(b.host.prefix());
        const auto second = b.rig.begin(b.host.prefix());
        b.isHeld = false;
        b.isHeld.notify_all();
        QVERIFY(QTest::qWaitFor([&] {
            b.rig.settle();
            return first->has_value() && second->has_value();
        }));
        QVERIFY(!first->value() && !second->value());
        QCOMPARE(second->value().error().message, "no room");
        QCOMPARE(b.made.load(), 1);
        QCOMPARE(b.prefix(), "no room"); // the next one tries again
        QCOMPARE(b.made.load(), 2);
    }

    void aPrefixThatCannotBeMadeLeavesNothing() {
        const QTemporaryDir directory;
        const std::string root = directory.path().toStdString();
        QVERIFY(makeDirectories(root + "/old"));
        wine::TemplateOrder order{.directory = root,
                                  .wine = {.loader = "/bin/false", .server = "/bin/true", .version = "1x2"},
                                  .stop = {}};
        const auto failed = wine::ensureTemplate(order);
        QVERIFY(!failed);
        QVERIFY2(failed.error().message.starts_with("Wine's prefix could not be made"),
                 failed.error().message.c_str());
        std::stop_source stop;
        stop.request_stop();
        order.stop = stop.get_token();
        order.wine.loader = "/bin/sleep";
        QVERIFY(!wine::ensureTemplate(order));
        QVERIFY(std::filesystem::is_empty(root));
        order.stop = {};
        order.removesOthers = false;
        QVERIFY(makeDirectories(root + "/old") && makeDirectories(root + "/making/left"));
        QVERIFY(!wine::ensureTemplate(order));
        QVERIFY(std::filesystem::exists(root + "/old"));
        QVERIFY(!std::filesystem::exists(root + "/making"));
    }

    // --- real programs

    void initTestCase() {
        if (*kProgram == 0) whyNot_ = "MinGW is not installed (Debian: gcc-mingw-w64-x86-64)";
        if (!wine::find()) whyNot_ = "Wine is not installed (Debian: wine, wine64)";
        if (whyNot_.isEmpty()) yard_ = std::make_unique<Yard>();
    }
    void cleanupTestCase() { yard_.reset(); }

    void aProgramSpeaksAsItWouldInWindows() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        const ActionResult result = yard_->run("say");
        QCOMPARE(ending(result), "completed");
        QCOMPARE(exitCodeOf(result), 0);
        QCOMPARE(yard_->engine().text(result.outcome->out), "Z:\\action.json\r\nhello\r\n");
        QCOMPARE(yard_->engine().text(result.outcome->err), "blue\r\n");
        QVERIFY(result.outcome->denied.empty()); // Wine does nothing that is not allowed
    }

    void theLastLineIsAResultForAllItsLineEnd() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        QCOMPARE(yard_->run("result").outcome->result, R"({"sum":42})");
    }

    void exitCodesHave32Bits() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        QCOMPARE(ending(yard_->run("exit259")), "failed exit_code 259");
        QCOMPARE(ending(yard_->run("minus")), "failed exit_code -1");
    }

    void aCrashIsToldByItsCode() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        const ActionResult result = yard_->run("crash");
        QCOMPARE(ending(result), "failed worker_crashed");
        QCOMPARE(result.note, "it crashed: 0xC0000005, access violation");
        const std::string err = yard_->engine().text(result.outcome->err);
        QVERIFY2(err.contains("Unhandled page fault") && !err.contains("Register dump"), err.c_str());
    }

    void whatHangsIsEndedAtItsDeadline() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        QCOMPARE(ending(yard_->run("hang", R"(,"deadline_s":2)")), "failed deadline");
        QTRY_COMPARE(processesMarked(yard_->mark()), "");
    }

    void aChildDoesNotOutliveItsAction() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        const ActionResult result = yard_->run("child");
        QCOMPARE(ending(result), "completed");
        QCOMPARE(yard_->engine().text(result.outcome->out), "started\r\n");
        QTRY_COMPARE(processesMarked(yard_->mark()), "");
    }

    void outputsKeepLongAndForeignNames() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        const ActionResult result = yard_->run("outputs");
        QCOMPARE(ending(result), "completed");
        std::vector<std::string> names;
        for (const NamedChunk& output : result.outcome->outputs) names.push_back(output.name);
        QCOMPARE(names, (std::vector<std::string>{"gr\u00fc\u00dfe \u65e5\u672c.txt", std::string(200, 'n')}));
    }

    void nobodySeesWhatAnotherWroteToItsWindows() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        QCOMPARE(ending(yard_->run("remember")), "completed");
        QCOMPARE(ending(yard_->run("remember")), "completed");
    }

    void manyInARowLeaveNoProcess() {
        if (!yard_) QSKIP(qPrintable(whyNot_));
        const int rounds = qEnvironmentVariableIntValue("YARD_WINE_ROUNDS");
        for (int i = 0; i < std::max(rounds, 5); ++i) QCOMPARE(ending(yard_->run("nothing")), "completed");
        QTRY_COMPARE(processesMarked(yard_->mark()), "");
    }

private:
    QString whyNot_;
    std::unique_ptr<Yard> yard_;
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    ProgramsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_programs.moc"
