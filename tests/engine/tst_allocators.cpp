// Allocators of a real engine. The other system is a directory with a file for each job; its commands are real ones.
#include "core/base/files.h"
#include "core/engine/allocators/allocators.h"
#include "core/engine/commands/operations.h"
#include "core/engine/machines/machines.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/pilot_tickets.h"
#include "core/host/command_run.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

using namespace yard;
using engine::Allocators;
using engine::AllocatorView;
using engine::MachineView;

namespace {

/// Takes everything that the engine says to a pilot.
class DeafWire final : public engine::LinkWire {
public:
    bool send(link::Kind, std::uint64_t, std::string_view) override { return true; }
    bool hasRoomForBulk() const override { return true; }
    void finish() override {}
    void end() override {}
};

class OtherSystemBench {
public:
    OtherSystemBench() {
        std::filesystem::create_directory(jobs());
        serve();
    }
    std::string jobs() const { return engine.path("jobs"); }
    void serve() { engine->pilotTickets().publish({.url = "http://127.0.0.1:1", .fingerprint = {}}); }
    void restart() {
        engine.stop();
        engine.start();
        serve();
    }
    template<class Method, class... Args>
    auto ask(Method method, Args... args) {
        return engine.run(engine->ask(method, std::move(args)...));
    }
    /// With commands of a directory; `start` runs before a job is there.
    std::string body(const std::string& more = "", const std::string& start = ":") const {
        return fmt::format(
            R"({{"name":"cloud","kind":"command","start":"{1}; f=$(mktemp {0}/job.XXXXXX) && printf %s $YARD_JOIN_TOKEN > $f && basename $f","list":"ls {0}","stop":"rm -f {0}/$YARD_JOB"{2}}})",
            jobs(), start, more);
    }
    Result<AllocatorView> create(const std::string& json) { return ask(&Allocators::create, json); }
    AllocatorView view() {
        auto view = ask(&Allocators::get, std::string("cloud"));
        return view ? std::move(*view) : AllocatorView{};
    }
    std::vector<std::string> there() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(jobs()))
            names.push_back(entry.path().filename().string());
        return names;
    }
    bool hasJobs(std::size_t count) const {
        return test::EngineTest::eventually([&] { return there().size() == count; });
    }
    /// More than this machine runs at once, and may go elsewhere.
    void fill() {
        for (int at = 0; at < 4; ++at)
            engine.submit(R"({"worker":"exec","argv":["/bin/sleep","600"],"machine":"any"})");
    }
    /// A pilot comes with the secret that its job was given. The machine's key; empty: it was not let in.
    std::string joins(const std::string& job) {
        const std::string secret = readFile(jobs() + "/" + job, 4'096).value_or("");
        const auto key = engine->pilotTickets().enter(Sha256::of(secret), Sha256::of("own key"));
        if (!key) return {};
        const auto line = ask(&engine::Machines::opened,
                              engine::MachineCaller{.token = {}, .peer = "10.0.0.7", .key = key->hex()},
                              std::shared_ptr<engine::LinkWire>(wire_));
        if (!line) return {};
        line_ = *line;
        link::Hello hello;
        hello.runId = "run of a pilot";
        hello.name = "pilot";
        hello.platform = "linux-x86_64";
        hello.version = "0.1.0";
        hello.capacity = {.milliCores = 1'000, .memoryMb = 64};
        return say(link::Kind::Hello, link::put(hello)) ? key->hex() : std::string();
    }
    bool say(link::Kind kind, const std::string& text = {}) {
        return ask(&engine::Machines::frameCame, line_,
                   engine::LinkFrame{.id = 1, .kind = static_cast<std::uint8_t>(kind), .body = text});
    }

    test::EngineTest engine{1};

private:
    std::shared_ptr<DeafWire> wire_ = std::make_shared<DeafWire>();
    engine::LineId line_ = 0;
};

/// Slurm's commands, before all others in PATH, with a directory for its queue.
class FakeSlurm {
public:
    explicit FakeSlurm(const std::string& directory, std::string_view sbatch)
        : before_(qgetenv("PATH")) {
        std::filesystem::create_directory(directory);
        std::filesystem::create_directory(directory + "/bin");
        std::filesystem::create_directory(directory + "/queue");
        write(directory + "/bin/sbatch", fmt::format("cat > {0}/script\nfor w in \"$@\"; do echo \"$w\"; done > "
                                                     "{0}/words\n{1}\n",
                                                     directory, fmt::format(fmt::runtime(sbatch), directory)));
        write(
            directory + "/bin/squeue",
            fmt::format("n=$(sed -n 's/^--job-name=//p' {0}/words)\nprintf '{{\"jobs\":['\ns=\nfor f in "
                        "{0}/queue/*; do [ -e \"$f\" ] || continue\nprintf '%s{{\"job_id\":%s,\"name\":\"%s\","
                        "\"job_state\":\"RUNNING\",\"state_reason\":\"None\"}}' \"$s\" \"$(basename $f)\" \"$n\"\n"
                        "s=,\ndone\nprintf ']}}'\n",
                        directory));
        write(directory + "/bin/scancel", fmt::format("for j in \"$@\"; do rm -f {}/queue/$j; done\n", directory));
        qputenv("PATH", QByteArray::fromStdString(directory + "/bin:") + before_);
    }
    ~FakeSlurm() { qputenv("PATH", before_); }

private:
    static void write(const std::string& path, const std::string& script) {
        std::ofstream(path) << "#!/bin/sh\n" << script;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    QByteArray before_;
};

} // namespace

class TestAllocators : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsStartedWhileNothingWaits();
    void workThatWaitsStartsAsManyMachinesAsMayBe();
    void aPilotIsAMachineOfItsAllocatorAndItsSecretIsItsOwn();
    void aPilotGetsNothingWhoseDeadlineIsBeyondItsEnd();
    void aStartThatFailsIsToldInItsOwnWords();
    void jobsEndWithTheEngineUnlessTheyAreKept();
    void keptJobsAreTakenOverByTheNextEngine();
    void aKeptMachineThatRunsIsNotEndedBecauseNothingWaits();
    void theJobsOfAnotherEngineAreNotTakenOver();
    void aRemovedOneEndsItsJobsAndGoes();
    void aRemovedOneWhoseListFailsGoesOnceItsJobsTookTheirEnd();
    void aPilotWhoseMachineIsRemovedEndsForGood();
    void aPausedOneStartsNothingAlsoAfterAStart();
    void whatIsWrongIsRefused_data();
    void whatIsWrongIsRefused();
    void slurmGetsAScriptAndItsJobsAreEnded();
    void aJobOfSlurmWhoseAnswerWasLostIsEnded();
    void pilotsAreToldAnAddressThatOthersCanReach();
    void aCommandThatNeverStopsPrintingHasItsTime();
    void noCommandBeginsOnceTheEngineEnds();
};

void TestAllocators::nothingIsStartedWhileNothingWaits() {
    OtherSystemBench bench;
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.engine.eventually([&] { return bench.view().decision.contains("nothing waits"); }));
    QCOMPARE(bench.view().wanted, 0u);
    QVERIFY(bench.there().empty());
}

void TestAllocators::workThatWaitsStartsAsManyMachinesAsMayBe() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body(R"(,"max":2,"backlog_s":60)")));
    QVERIFY(bench.hasJobs(2));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 2 && !view.pilots[0].job.empty() && !view.pilots[1].job.empty();
    }));
    QCOMPARE(bench.view().wanted, 2u);
    QCOMPARE(bench.view().state, std::string("active"));
}

void TestAllocators::aPilotIsAMachineOfItsAllocatorAndItsSecretIsItsOwn() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.hasJobs(1));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    QVERIFY(!bench.engine->pilotTickets().knows(Sha256::of("another secret")));
    const std::string key = bench.joins(bench.there().front());
    QVERIFY(!key.empty());
    QVERIFY(bench.engine.eventually([&] {
        bench.say(link::Kind::Renew);
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && view.pilots[0].state == "joined" && view.pilots[0].machine == "pilot";
    }));
    const std::vector<MachineView> machines = bench.ask(&engine::Machines::list);
    QCOMPARE(machines.size(), std::size_t{2});
    QCOMPARE(machines[1].kind, std::string("allocated"));
    QCOMPARE(machines[1].allocator, std::string("cloud"));
    QVERIFY(bench.engine->pilotTickets().knows(Sha256::of("own key")));
}

void TestAllocators::aPilotGetsNothingWhoseDeadlineIsBeyondItsEnd() {
    OtherSystemBench bench;
    const auto submit = [&](const std::string& more) {
        return bench.engine.submit(R"({"worker":"exec","argv":["/bin/sleep","600"],"machine":"any")" + more + "}");
    };
    submit(""); // has this machine for itself
    QVERIFY(bench.create(bench.body(R"(,"min":1,"walltime_s":3600)")));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    const WallMicros before = wallNow();
    QVERIFY(!bench.joins(bench.view().pilots[0].job).empty());
    const auto pilot = [&] {
        bench.say(link::Kind::Renew);
        return bench.ask(&engine::Machines::list)[1];
    };
    QVERIFY(pilot().lifetimeEnds > before); // known when it comes: it gets work at once
    QVERIFY(pilot().lifetimeEnds < wallNow() + WallMicros{3'600} * 1'000'000);
    const Lsn longer = submit(R"(,"deadline_s":7200)");
    const Lsn shorter = submit(R"(,"deadline_s":600)");
    QVERIFY(bench.engine.eventually([&] { return pilot().waiting == 1; }));
    // The one that waits here ends at once; the other one's end is its machine's to say.
    QVERIFY(bench.ask(&engine::Operations::cancel, shorter));
    QVERIFY(bench.ask(&engine::Operations::cancel, longer));
    QVERIFY(bench.engine.eventually(
        [&] { return bench.ask(&engine::ActionRows::action, longer)->state == ActionState::Cancelled; }));
    QVERIFY(bench.ask(&engine::ActionRows::action, shorter)->state != ActionState::Cancelled);
}

void TestAllocators::aStartThatFailsIsToldInItsOwnWords() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body("", "echo there is no quota left >&2; exit 3")));
    QVERIFY(bench.engine.eventually([&] { return bench.view().state == "backing_off"; }));
    const AllocatorView view = bench.view();
    QCOMPARE(view.reason, std::string("there is no quota left"));
    QVERIFY(view.until > wallNow());
    QVERIFY(view.pilots.empty());
    QVERIFY(bench.there().empty());
    QCOMPARE(bench.ask(&Allocators::setPaused, std::string("cloud"), true)->state, std::string("paused"));
    QCOMPARE(bench.ask(&Allocators::setPaused, std::string("cloud"), false)->state, std::string("active"));
}

void TestAllocators::jobsEndWithTheEngineUnlessTheyAreKept() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.hasJobs(1));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    bench.engine.stop();
    QVERIFY(bench.there().empty());
    bench.engine.start();
    QCOMPARE(bench.view().definition.name, std::string("cloud"));
}

void TestAllocators::keptJobsAreTakenOverByTheNextEngine() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body(R"(,"keep":true)")));
    QVERIFY(bench.hasJobs(1));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    const std::string job = bench.view().pilots[0].job;
    const std::string secret = readFile(bench.jobs() + "/" + job, 4'096).value_or("");
    bench.restart();
    QCOMPARE(bench.there(), std::vector<std::string>{job});
    QCOMPARE(bench.view().pilots.size(), std::size_t{1});
    QCOMPARE(bench.view().pilots[0].job, job);
    QVERIFY(bench.engine->pilotTickets().knows(Sha256::of(secret)));
}

/// What runs there is no work that waits: without it the machine would seem to be one too many.
void TestAllocators::aKeptMachineThatRunsIsNotEndedBecauseNothingWaits() {
    OtherSystemBench bench;
    QVERIFY(bench.create(bench.body(R"(,"keep":true,"min":1)")));
    const auto isStarting = [&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && view.pilots[0].state == "starting";
    };
    QVERIFY(bench.engine.eventually(isStarting));
    const auto change = [&](const std::string& json) {
        return bench.ask(&Allocators::change, std::string("cloud"), json).has_value();
    };
    QVERIFY(change(R"({"min":0,"list":"exit 3"})"));
    const std::vector<std::string> before = bench.there();
    bench.restart();
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return !view.reason.empty() && view.decision.contains("asks first what became of its jobs");
    }));
    QVERIFY(change(fmt::format(R"({{"list":"ls {}"}})", bench.jobs())));
    QVERIFY(bench.engine.eventually(isStarting));
    QCOMPARE(bench.view().wanted, 0u);
    QCOMPARE(bench.there(), before);
}

/// As after a restored backup, beside the engine that it was taken of.
void TestAllocators::theJobsOfAnotherEngineAreNotTakenOver() {
    OtherSystemBench bench;
    QVERIFY(bench.create(bench.body(R"(,"keep":true,"min":1)")));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && view.pilots[0].state == "starting"; // no surplus
    }));
    QVERIFY(bench.ask(&Allocators::change, std::string("cloud"), std::string(R"({"min":0})")));
    const std::vector<std::string> before = bench.there();
    bench.engine.stop();
    QVERIFY(std::filesystem::remove(bench.engine.path("data/engine_id")));
    bench.engine.start();
    bench.serve();
    QVERIFY(bench.engine.eventually([&] { return bench.view().decision.contains("nothing waits"); }));
    QVERIFY(bench.view().pilots.empty());
    QCOMPARE(bench.there(), before);
}

void TestAllocators::aRemovedOneEndsItsJobsAndGoes() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.hasJobs(1));
    QVERIFY(bench.ask(&Allocators::remove, std::string("cloud")));
    QVERIFY(bench.hasJobs(0));
    QVERIFY(bench.engine.eventually([&] { return bench.ask(&Allocators::list).empty(); }));
    bench.restart();
    QVERIFY(bench.ask(&Allocators::list).empty());
    QCOMPARE(bench.ask(&Allocators::remove, std::string("cloud")).error().kind, ErrorKind::NotFound);
}

void TestAllocators::aRemovedOneWhoseListFailsGoesOnceItsJobsTookTheirEnd() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    QVERIFY(bench.ask(&Allocators::change, std::string("cloud"), std::string(R"({"list":"exit 3"})")));
    QVERIFY(bench.ask(&Allocators::remove, std::string("cloud")));
    QVERIFY(bench.engine.eventually([&] { return bench.ask(&Allocators::list).empty(); }));
    QVERIFY(bench.there().empty());
    bench.restart();
    QVERIFY(bench.ask(&Allocators::list).empty());
}

void TestAllocators::aPilotWhoseMachineIsRemovedEndsForGood() {
    OtherSystemBench bench;
    bench.fill();
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && !view.pilots[0].job.empty();
    }));
    const std::string job = bench.view().pilots[0].job;
    QVERIFY(!bench.joins(job).empty());
    const std::vector<MachineView> machines = bench.ask(&engine::Machines::list);
    QCOMPARE(machines.size(), std::size_t{2});
    QVERIFY(bench.ask(&engine::Machines::remove, machines[1].id.value, true));
    QVERIFY(!bench.engine->pilotTickets().knows(Sha256::of("own key")));
    QVERIFY(bench.engine.eventually([&] { return !std::filesystem::exists(bench.jobs() + "/" + job); }));
}

void TestAllocators::aPausedOneStartsNothingAlsoAfterAStart() {
    OtherSystemBench bench;
    QVERIFY(bench.create(bench.body()));
    QVERIFY(bench.ask(&Allocators::setPaused, std::string("cloud"), true));
    bench.restart();
    bench.fill();
    QCOMPARE(bench.view().state, std::string("paused"));
    QVERIFY(bench.engine.eventually([&] { return bench.view().wanted == 1; }));
    QVERIFY(bench.there().empty());
    QVERIFY(bench.ask(&Allocators::setPaused, std::string("cloud"), false));
    QVERIFY(bench.hasJobs(1));
}

void TestAllocators::whatIsWrongIsRefused_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("field");
    QTest::newRow("no name") << R"({"kind":"slurm"})" << "name";
    QTest::newRow("no such kind") << R"({"name":"a","kind":"cloud"})" << "kind";
    QTest::newRow("unknown") << R"({"name":"a","cores_":1})" << "cores_";
    QTest::newRow("kept only") << R"({"name":"a","removed":true})" << "removed";
    QTest::newRow("min over max") << R"({"name":"a","min":3,"max":2})" << "min";
    QTest::newRow("no commands") << R"({"name":"a","kind":"command","start":"x"})" << "list";
    QTest::newRow("commands of Slurm") << R"({"name":"a","start":"x"})" << "start";
    QTest::newRow("a script") << R"({"name":"a","options":["job.sh"]})" << "options";
    QTest::newRow("two lines") << R"({"name":"a","program":"a\nb"})" << "program";
    QTest::newRow("too short") << R"({"name":"a","walltime_s":5})" << "walltime_s";
    QTest::newRow("no cores") << R"({"name":"a","cores":0})" << "cores";
}

void TestAllocators::whatIsWrongIsRefused() {
    QFETCH(QString, json);
    QFETCH(QString, field);
    const auto read = engine::readAllocator(json.toStdString(), {});
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Invalid);
    QCOMPARE(QString::fromStdString(read.error().field), field);
}

void TestAllocators::slurmGetsAScriptAndItsJobsAreEnded() {
    OtherSystemBench bench;
    const std::string slurm = bench.engine.path("slurm");
    const FakeSlurm fake(slurm, "touch {}/queue/41; echo 41");
    bench.fill();
    QVERIFY(bench.create(R"({"name":"cloud","partition":"long","walltime_s":7200,"options":["--qos=low"]})"));
    QVERIFY(bench.engine.eventually([&] {
        const AllocatorView view = bench.view();
        return view.pilots.size() == 1 && view.pilots[0].job == "41" && view.pilots[0].state == "starting";
    }));
    const std::string words = readFile(slurm + "/words", 1u << 16).value_or("");
    for (const std::string_view word : {"--partition=long\n", "--time=120\n", "--qos=low\n"})
        QVERIFY2(words.contains(word), words.c_str());
    QVERIFY(readFile(slurm + "/script", 1u << 16).value_or("").contains("--lifetime 7140"));
    bench.engine.stop();
    QVERIFY(!std::filesystem::exists(slurm + "/queue/41"));
}

void TestAllocators::aJobOfSlurmWhoseAnswerWasLostIsEnded() {
    OtherSystemBench bench;
    const std::string slurm = bench.engine.path("slurm");
    const FakeSlurm fake(slurm, "touch {}/queue/42; echo garbled");
    bench.fill();
    QVERIFY(bench.create(R"({"name":"cloud"})"));
    QVERIFY(bench.engine.eventually([&] { return bench.view().state == "backing_off"; }));
    QVERIFY2(bench.view().reason.contains("garbled"), bench.view().reason.c_str());
    QVERIFY(bench.engine.eventually([&] { return !std::filesystem::exists(slurm + "/queue/42"); }));
}

void TestAllocators::pilotsAreToldAnAddressThatOthersCanReach() {
    engine::PilotTickets tickets;
    for (const char* url : {"https://0.0.0.0:8640/compute", "https://[::]:8640/compute"}) {
        tickets.publish({.url = url, .fingerprint = {}});
        QVERIFY2(!tickets.place()->url.contains("0.0.0.0") && !tickets.place()->url.contains("::"), url);
        QVERIFY(tickets.place()->url.starts_with("https://") && tickets.place()->url.ends_with(":8640/compute"));
    }
    tickets.publish({.url = "https://10.0.0.1:8640", .fingerprint = {}});
    QCOMPARE(tickets.place()->url, std::string("https://10.0.0.1:8640"));
}

void TestAllocators::aCommandThatNeverStopsPrintingHasItsTime() {
    const auto endless = host::runCommand({.argv = {"yes"}, .limit = std::chrono::milliseconds(200)}, {});
    QVERIFY(!endless);
    QVERIFY2(endless.error().message.contains("took longer"), endless.error().message.c_str());
    // What it left running prints on, and is not waited for.
    const auto left = host::runCommand({.argv = {"/bin/sh", "-c", "yes & exit 3"}}, {});
    QVERIFY2(left.has_value(), left ? "" : left.error().message.c_str());
    QCOMPARE(left->exitCode, 3);
}

void TestAllocators::noCommandBeginsOnceTheEngineEnds() {
    OtherSystemBench bench;
    std::stop_source ends;
    ends.request_stop();
    const auto run =
        host::runCommand({.argv = {"/bin/sh", "-c", "touch " + bench.jobs() + "/begun"}}, ends.get_token());
    QVERIFY(!run);
    QCOMPARE(run.error().kind, ErrorKind::NotAccepting);
    QVERIFY(bench.there().empty());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestAllocators test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_allocators.moc"
