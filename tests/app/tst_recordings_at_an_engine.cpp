// Recordings as their users have them: the real engine, killed in the middle, and replays that a CI would run.
#include "core/base/files.h"
#include "core/recording/recording_reader.h"
#include "tests/app/at_engine.h"
#include "tests/support/waiting.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <memory>

using namespace yard;
using namespace yard::torture;

class TestRecordings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        place_ = std::make_unique<Place>();
        engine_ = std::make_unique<Yardmaster>(*place_);
        QVERIFY2(engine_->isServing(), engine_->errors().c_str());
    }
    void cleanup() {
        engine_.reset();
        place_.reset();
    }
    void aKillInTheMiddleLeavesWhatWasWritten();
    void aReplayNamesTheOutputsThatAChangedScriptMadeOtherwise();
    void aRecordingGoesToAnotherEngine();

private:
    std::int64_t run(const std::string& script, const std::string& more = {}) {
        return engine_->caller().post("/compute/jobs?wait=60", shJson(*place_, script, more)).number("lsn");
    }
    std::string path(const std::string& name) const { return place_->data() + "/recordings/" + name + ".yrec"; }
    std::int64_t actionsIn(const std::string& file) const {
        auto reader = recording::RecordingReader::open(file);
        const auto counts = reader ? reader->counts() : Result<recording::RecordingCounts>();
        return reader && counts ? counts->actions : -1;
    }

    std::unique_ptr<Place> place_;
    std::unique_ptr<Yardmaster> engine_;
};

void TestRecordings::aKillInTheMiddleLeavesWhatWasWritten() {
    QCOMPARE(test::ctl(*place_, {"record", "start", "night"}).code, 0);
    for (int i = 0; i < 25; ++i)
        run(fmt::format("mkdir -p $YARD_SCRATCH/outputs; echo {} > $YARD_SCRATCH/outputs/o; echo {}", i, i),
            R"(,"expect":["o"])");
    QTRY_COMPARE_WITH_TIMEOUT(actionsIn(path("night")), std::int64_t{25}, kWaitMs);
    for (int i = 25; i < 50; ++i) run(fmt::format("echo {}", i));
    engine_->kill();
    engine_ = std::make_unique<Yardmaster>(*place_);
    QVERIFY2(engine_->isServing(), engine_->errors().c_str());
    const test::Ended shown = test::ctl(*place_, {"record", "show", "night"});
    QVERIFY2(shown.out.starts_with("night: interrupted, "), shown.out.c_str());
    auto reader = recording::RecordingReader::open(path("night"));
    QVERIFY(reader.has_value());
    const auto checked = reader->check([] { return true; });
    QVERIFY2(checked.has_value(), checked ? "" : checked.error().message.c_str());
    const std::int64_t kept = actionsIn(path("night"));
    QVERIFY(kept >= 25 && kept <= 50);
    const test::Ended exported = test::ctl(*place_, {"record", "export", "night"});
    QCOMPARE(std::ranges::count(exported.out, '\n'), kept);
    const test::Ended replayed = test::ctl(*place_, {"replay", "night"});
    QVERIFY2(replayed.code == 0, (replayed.out + replayed.err).c_str());
}

void TestRecordings::aReplayNamesTheOutputsThatAChangedScriptMadeOtherwise() {
    const std::string script = place_->work() + "/script";
    const std::string head = "mkdir -p $YARD_SCRATCH/outputs; echo $1 > $YARD_SCRATCH/outputs/a; ";
    QVERIFY(writeFileAtomically(script, head + "echo $1 > $YARD_SCRATCH/outputs/b\n", 0600));
    QCOMPARE(test::ctl(*place_, {"record", "start", "night"}).code, 0);
    std::vector<std::int64_t> lsns;
    for (int i = 0; i < 6; ++i) lsns.push_back(run(fmt::format("sh ./script {}", i), R"(,"expect":["a","b"])"));
    QCOMPARE(test::ctl(*place_, {"record", "stop", "night"}).code, 0);
    QCOMPARE(test::ctl(*place_, {"replay", "night"}).code, 0);
    QVERIFY(writeFileAtomically(script, head + "[ $1 = 4 ] && set -- other; echo $1 > $YARD_SCRATCH/outputs/b\n",
                                0600));
    const std::string junit = place_->path("replay.xml");
    const test::Ended differs = test::ctl(*place_, {"replay", "night", "--junit", QString::fromStdString(junit)});
    QCOMPARE(differs.code, 1);
    QCOMPARE(differs.out, fmt::format("{} output b:\n    @@ -1,1 +1,1 @@\n    -4\n    +other\n", lsns[4]));
    const std::string xml = fileText(junit);
    QVERIFY2(xml.contains(R"(tests="6" failures="1")") && xml.contains(fmt::format(R"(name="{}")", lsns[4])),
             xml.c_str());
    QCOMPARE(test::ctl(*place_, {"replay", "night", "--ignore", "output"}).code, 0);
    QCOMPARE(test::ctl(*place_, {"replay", "none"}).code, 2);
}

void TestRecordings::aRecordingGoesToAnotherEngine() {
    QCOMPARE(test::ctl(*place_, {"record", "start", "night"}).code, 0);
    run("cat", R"(,"stdin":{"text":"given"})");
    QCOMPARE(test::ctl(*place_, {"record", "stop", "night"}).code, 0);
    const QString file = QString::fromStdString(place_->path("night.yrec"));
    QCOMPARE(test::ctl(*place_, {"record", "pull", "night", file}).code, 0);
    const Place elsewhere;
    Yardmaster other(elsewhere);
    QVERIFY2(other.isServing(), other.errors().c_str());
    QCOMPARE(test::ctl(elsewhere, {"record", "push", file}).code, 0);
    QVERIFY(test::ctl(elsewhere, {"record"}).out.contains("night"));
    const QString url = QString("http://127.0.0.1:%1").arg(other.port());
    const QString token = QString::fromStdString(elsewhere.data() + "/token");
    const test::Ended replayed =
        test::ctl(*place_, {"replay", "night", "--against", url, "--against-token", token});
    QVERIFY2(replayed.code == 0, (replayed.out + replayed.err).c_str());
    QVERIFY(!test::ctl(elsewhere, {"record"}).out.contains("replayed-"));
}

QTEST_GUILESS_MAIN(TestRecordings)
#include "tst_recordings_at_an_engine.moc"
