// Ports and (fake) GPUs that are told apart, over kill -9 of the engine: no two programs ever have the same at once. Each program
// takes a kernel lock for what it was told it has; the kernel gives it back with the last process of its tree, so who
// finds one taken has what another still has. YARD_TORTURE_ROUNDS says how often the engine is killed (2).
#include "tests/torture/program.h"

#include <QTest>

#include <algorithm>
#include <optional>

using namespace yard;
using namespace yard::torture;

namespace {

constexpr int kRoundsInShort = 2;
constexpr int kActions = 20;

int rounds() {
    return numberFrom("YARD_TORTURE_ROUNDS", kRoundsInShort);
}

/// Two may share a GPU by halves: each takes one of its two locks; who has it whole takes both.
constexpr std::string_view kScript = R"(share=$1
gpu=$CUDA_VISIBLE_DEVICES
double() { echo "$1 of $YARD_LSN" >> double; }
exec 5>>"port-$YARD_RESOURCE_PORT"; flock -n 5 || double "port $YARD_RESOURCE_PORT"
if [ -n "$YARD_RESOURCE_GPUS" ]; then
    exec 6>>"$gpu-a" 7>>"$gpu-b"
    if [ "$share" = half ]; then flock -n 6 || flock -n 7 || double "half of $gpu"
    else { flock -n 6 && flock -n 7; } || double "$gpu"; fi
fi
echo "begin $YARD_RESOURCE_PORT ${gpu:-none}" >> log
sleep 0.2
echo "end $YARD_RESOURCE_PORT ${gpu:-none}" >> log
)";

class House {
public:
    House() {
        writeText(place_.path("work/hold.sh"), kScript);
        writeText(place_.path("gpus"), "GPU-aa A100 81920 0 1 0 0 0 0 ok\nGPU-bb A100 81920 1 2 0 0 0 0 ok\n");
        qputenv("YARD_FAKE_GPUS", QByteArray::fromStdString(place_.path("gpus")));
        qputenv("YARD_NVML", YARD_FAKE_NVML_PATH);
        start();
    }
    void start() {
        Yardmaster::Options options;
        options.arguments = {"--capacity", "16", "--set", "grace_s=0.3", "--set", "resources.port=5000-5003"};
        engine_.emplace(place_, std::move(options));
        if (!engine_->isServing()) qFatal("the engine does not start: %s", engine_->errors().c_str());
        caller_.emplace(engine_->caller());
    }
    void kill() { engine_->kill(); }
    /// Every third without a GPU, every third with a half, every third with a whole one.
    void submit() {
        for (int i = 0; i < kActions; ++i) {
            const std::string gpus = i % 3 == 0 ? "" : i % 3 == 1 ? R"(,"gpus":0.5)" : R"(,"gpus":1)";
            const std::string body = fmt::format(
                R"({{"worker":"exec","argv":["/bin/bash","hold.sh","{}"],"cwd":{},"max_interruptions":1000,)"
                R"("resources":{{"cores":1,"port":1{}}}}})",
                i % 3 == 1 ? "half" : "whole", jsonText(place_.work()), gpus);
            const Answer answer = caller_->post("/compute/jobs", body);
            if (answer.number("lsn") < 0) qFatal("refused: %s", answer.shown().c_str());
            lsns_.push_back(answer.number("lsn"));
        }
    }
    int lines(std::string_view word) const {
        const std::string log = fileText(place_.path("work/log"));
        int count = 0;
        for (std::size_t at = log.find(word); at != std::string::npos; at = log.find(word, at + 1)) ++count;
        return count;
    }
    std::string doubles() const { return fileText(place_.path("work/double")); }
    /// Each result says one port, and a GPU if it asked for one. Empty, or what is wrong.
    std::string wrong() {
        for (std::size_t i = 0; i < lsns_.size(); ++i) {
            const Answer result = caller_->result(lsns_[i]);
            if (result.text("state") != "completed") return result.shown();
            const auto json = result.json();
            const auto* given = json.if_contains("resources_given");
            const bool wantsGpu = i % kActions % 3 != 0;
            if (!given || given->get_object().at("port").get_array().size() != 1 ||
                given->get_object().contains("gpus") != wantsGpu)
                return result.shown();
        }
        return {};
    }
    int stop() { return engine_->stop(); }
    const Place& place() const { return place_; }

private:
    Place place_;
    std::optional<Yardmaster> engine_;
    std::optional<Caller> caller_;
    std::vector<std::int64_t> lsns_;
};

} // namespace

class TestPieces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noTwoProgramsHaveTheSameAtOnceOverKills() {
        House house;
        for (int round = 0; round < rounds(); ++round) {
            house.submit();
            const int before = house.lines("begin");
            QVERIFY(QTest::qWaitFor([&] { return house.lines("begin") >= before + 5; }, kWaitMs));
            house.kill();
            house.start();
        }
        house.submit();
        const std::string wrong = house.wrong();
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(house.doubles(), std::string());
        // What had ended when the engine was killed, before the journal had it, ran again.
        QVERIFY(house.lines("end") >= kActions * (rounds() + 1));
        QVERIFY(house.lines("begin") >= house.lines("end"));
        QCOMPARE(house.stop(), 0);
        QCOMPARE(describe(processesOf(house.place())), std::string());
    }
};

QTEST_GUILESS_MAIN(TestPieces)
#include "tst_pieces.moc"
