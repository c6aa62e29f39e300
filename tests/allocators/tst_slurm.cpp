// What Slurm's commands are, and what their output says. The outputs are those of Slurm 22.05, where not told.
#include "core/allocators/slurm.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::allocators;
using namespace std::chrono_literals;

namespace {

bool has(const std::vector<std::string>& command, std::string_view word) {
    return std::ranges::find(command, word) != command.end();
}

std::string job(int id, std::string_view name, std::string_view state, std::string_view reason) {
    return QStringLiteral(R"({"job_id":%1,"name":"%2","job_state":%3,"state_reason":"%4","time_limit":60})")
        .arg(id)
        .arg(QString::fromUtf8(name.data(), qsizetype(name.size())),
             QString::fromUtf8(state.data(), qsizetype(state.size())),
             QString::fromUtf8(reason.data(), qsizetype(reason.size())))
        .toStdString();
}

std::string list(const std::vector<std::string>& jobs) {
    std::string text = R"({"meta":{},"errors":[],"jobs":[)";
    for (const std::string& one : jobs) text += (text.back() == '[' ? "" : ",") + one;
    return text + "]}";
}

} // namespace

class TestAllocatorsSlurm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aJobAsksForWhatItsMachineIs();
    void noPartitionIsSlurmsDefault();
    void ownOptionsComeLast();
    void theScriptBecomesTheProgram();
    void aProgramsPathIsOneWord();
    void theTokenIsNoArgument();
    void submittedIsANumberAlsoOfACluster();
    void whatIsNoNumberIsRefused();
    void theSentenceIsSlurmsOwn();
    void jobsOfOthersAreNotListed();
    void whatRunsAndWhatWaitsIsToldApart();
    void whatEndedIsNotListed();
    void whatCanNeverStartSaysWhy();
    void listsOfNewerSlurmAreRead();
    void theEndOfAJobIsReadWhereItRuns();
    void whatIsNoListIsRefused();
    void jobsAreEndedByTheirNumbers();
};

void TestAllocatorsSlurm::aJobAsksForWhatItsMachineIs() {
    const SlurmOptions options{.partition = "night",
                               .options = {},
                               .walltime = 90min,
                               .shape = {.cores = 3.5, .memoryMb = 4'096, .gpus = 1},
                               .program = "yardmaster",
                               .idle = 300s};
    const auto command = submitCommand(options, jobName("farm", "e1"));
    QCOMPARE(command.front(), std::string("sbatch"));
    for (const std::string_view word :
         {"--parsable", "--job-name=yard-farm-e1", "--partition=night", "--time=90", "--cpus-per-task=4",
          "--mem=4096M", "--gres=gpu:1", "--signal=B:USR2@90", "--no-requeue"})
        QVERIFY2(has(command, word), std::string(word).c_str());
}

void TestAllocatorsSlurm::noPartitionIsSlurmsDefault() {
    const auto command = submitCommand({}, "yard-a-b");
    QVERIFY(std::ranges::none_of(command, [](const std::string& word) {
        return word.starts_with("--partition") || word.starts_with("--mem") || word.starts_with("--gres");
    }));
}

void TestAllocatorsSlurm::ownOptionsComeLast() {
    SlurmOptions options;
    options.options = {"--account=film", "--time=10"};
    const auto command = submitCommand(options, "yard-a-b");
    QCOMPARE(command.back(), std::string("--time=10"));
}

void TestAllocatorsSlurm::theScriptBecomesTheProgram() {
    SlurmOptions options;
    options.walltime = 1h;
    options.idle = 120s;
    QVERIFY(pilotScript(options).starts_with("#!/bin/sh\n"));
    QVERIFY(pilotScript(options).contains("--join \"$YARD_JOIN_URL\" --idle-exit 120 --lifetime 3540 &\n"));
    QVERIFY(pilotScript(options).contains("\n'yardmaster' --headless --data-dir \"$dir\" --listen 127.0.0.1:0 "));
    options.walltime = 30s; // shorter than what is kept back
    QVERIFY(pilotScript(options).contains("--lifetime 60 &\n"));
}

void TestAllocatorsSlurm::aProgramsPathIsOneWord() {
    SlurmOptions options;
    options.program = "/opt/it's here/yardmaster; rm";
    QVERIFY(pilotScript(options).contains(R"('/opt/it'\''s here/yardmaster; rm' --headless)"));
}

void TestAllocatorsSlurm::theTokenIsNoArgument() {
    QVERIFY(!pilotScript({}).contains("--join-token"));
}

void TestAllocatorsSlurm::submittedIsANumberAlsoOfACluster() {
    QCOMPARE(readSubmitted("12\n").value(), std::string("12"));
    QCOMPARE(readSubmitted("12;east\n").value(), std::string("12"));
}

void TestAllocatorsSlurm::whatIsNoNumberIsRefused() {
    for (const std::string_view output : {"", "\n", "Submitted batch job 12", "-3", "12 13"})
        QCOMPARE(readSubmitted(output).error().kind, ErrorKind::Malformed);
}

void TestAllocatorsSlurm::theSentenceIsSlurmsOwn() {
    QCOMPARE(
        slurmSentence("sbatch: error: invalid partition specified: x\nsbatch: error: Batch job submission failed: "
                      "Invalid partition name specified\n",
                      1),
        std::string("Batch job submission failed: Invalid partition name specified"));
    QCOMPARE(slurmSentence("sbatch: fatal: Unable to open file x", 1), std::string("Unable to open file x"));
    QCOMPARE(slurmSentence("\n", 127), std::string("Slurm's command ended with exit code 127 and said nothing."));
    QCOMPARE(slurmSentence(std::string(9'000, 'x'), 1).size(), std::size_t(500));
}

void TestAllocatorsSlurm::jobsOfOthersAreNotListed() {
    const auto jobs = readListed(
        list({job(1, "yard-a-b", R"("RUNNING")", "None"), job(2, "other", R"("RUNNING")", "None")}), "yard-a-b");
    QCOMPARE(jobs.value().size(), std::size_t(1));
    QCOMPARE(jobs->front().job, std::string("1"));
}

void TestAllocatorsSlurm::whatRunsAndWhatWaitsIsToldApart() {
    const auto jobs =
        readListed(list({job(1, "p", R"("RUNNING")", "None"), job(2, "p", R"("PENDING")", "Resources"),
                         job(3, "p", R"("COMPLETING")", "None")}),
                   "p");
    QCOMPARE(jobs.value().size(), std::size_t(3));
    QVERIFY(jobs->at(0).isRunning);
    QVERIFY(!jobs->at(1).isRunning);
    QVERIFY(jobs->at(2).isRunning);
    QVERIFY(jobs->at(1).never.empty());
}

void TestAllocatorsSlurm::whatEndedIsNotListed() {
    const auto jobs =
        readListed(list({job(1, "p", R"("COMPLETED")", "None"), job(2, "p", R"("CANCELLED")", "None"),
                         job(3, "p", R"("TIMEOUT")", "TimeLimit"), job(0, "p", R"("RUNNING")", "None")}),
                   "p");
    QVERIFY(jobs.value().empty());
}

void TestAllocatorsSlurm::whatCanNeverStartSaysWhy() {
    for (const std::string_view reason :
         {"PartitionTimeLimit", "PartitionConfig", "PartitionNodeLimit", "PartitionDown"}) {
        const auto jobs = readListed(list({job(7, "p", R"("PENDING")", reason)}), "p");
        QVERIFY(jobs.value().front().never.contains(reason));
    }
    for (const std::string_view reason : {"BeginTime", "Dependency", "Resources", "Priority", ""})
        QCOMPARE(neverStarts(reason), std::string());
    // What runs already did start.
    QVERIFY(readListed(list({job(7, "p", R"("RUNNING")", "PartitionDown")}), "p").value().front().never.empty());
}

void TestAllocatorsSlurm::listsOfNewerSlurmAreRead() {
    const auto jobs = readListed(list({job(1, "p", R"(["RUNNING"])", "None"), job(2, "p", R"([])", "None")}), "p");
    QCOMPARE(jobs.value().size(), std::size_t(1)); // Slurm 23.11 writes lists of words
    QVERIFY(jobs->front().isRunning);
}

void TestAllocatorsSlurm::theEndOfAJobIsReadWhereItRuns() {
    const auto endOf = [](const char* state, const char* end) {
        const std::string json =
            QStringLiteral(R"({"jobs":[{"job_id":1,"name":"p","job_state":"%1","end_time":%2}]})")
                .arg(QLatin1String(state), QLatin1String(end))
                .toStdString();
        return readListed(json, "p").value().front().endsAt;
    };
    QCOMPARE(endOf("RUNNING", "1700000000"), std::int64_t{1'700'000'000});
    QCOMPARE(endOf("RUNNING", R"({"set":true,"infinite":false,"number":1700000000})"), std::int64_t{1'700'000'000});
    QCOMPARE(endOf("PENDING", "1700000000"), std::int64_t{0}); // an estimate
    for (const char* none : {"null", "-5", "\"soon\"", "{}"}) QCOMPARE(endOf("RUNNING", none), std::int64_t{0});
    QVERIFY(endOf("RUNNING", "9223372036854775807") < std::int64_t{1} << 41);
}

void TestAllocatorsSlurm::whatIsNoListIsRefused() {
    for (const std::string_view json :
         {"", "slurm_load_jobs error", "[]", "{}", R"({"jobs":3})", R"({"jobs":[3]})"})
        QCOMPARE(readListed(json, "p").error().kind, ErrorKind::Malformed);
    QCOMPARE(readListed(std::string(kMaxSlurmOutput + 1, ' '), "p").error().kind, ErrorKind::TooLarge);
}

void TestAllocatorsSlurm::jobsAreEndedByTheirNumbers() {
    QCOMPARE(endCommand({"1", "2"}), (std::vector<std::string>{"scancel", "1", "2"}));
    QCOMPARE(listCommand(), (std::vector<std::string>{"squeue", "--me", "--json"}));
}

QTEST_APPLESS_MAIN(TestAllocatorsSlurm)
#include "tst_slurm.moc"
