// What an action is given along: its environment, values that are never kept, its stdin.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/state/settings_service.h"
#include "core/engine/state/unkept_values.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr const char* kSecret = "hush-4711-hush";

/// The secret's length as it reaches the program, but never the secret.
const std::string kTell = R"(printf '%s/%s' "$PLAIN" "${#API_KEY}")";
const std::string kEnv = fmt::format(R"(,"env":{{"PLAIN":"p","API_KEY":"{}"}})", kSecret);

std::string escaped(const std::string& script) {
    std::string out;
    for (const char c : script) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

/// Files below the directory that hold the text.
std::string filesWith(const std::string& directory, const std::string& text) {
    std::string found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (bytes.find(text) != std::string::npos) found += entry.path().string() + "\n";
    }
    return found;
}

ChunkRef put(EngineTest& engine, const std::string& bytes) {
    auto writer = engine->chunks().writer();
    if (!writer || !writer->write(bytes)) qFatal("no chunk");
    return *writer->finish();
}

} // namespace

class GivenAlongTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalValuesAreHeldOnceAndGoWithTheirActions() {
        UnkeptValues values;
        const Variables one{{"API_KEY", std::string(1000, 'x')}};
        QVERIFY(values.put(Lsn{1}, 1, one) && values.put(Lsn{2}, 3, one));
        QVERIFY(values.bytes() < 2000);
        QCOMPARE(*values.find(Lsn{4}), one);
        QVERIFY(!values.find(Lsn{5}) && !UnkeptValues().find(Lsn{1}));
        values.ended(Lsn{1}, ActionState::Completed);
        QVERIFY(!values.find(Lsn{1}));
        for (const std::int64_t lsn : {3, 2, 4}) {
            QVERIFY(values.find(Lsn{lsn}));
            values.ended(Lsn{lsn}, lsn == 3 ? ActionState::Failed : ActionState::Cancelled);
        }
        QVERIFY(values.find(Lsn{3})); // it may be run again
        values.drop(Lsn{2});
        QCOMPARE(values.bytes(), std::size_t{0});
    }

    void whatFailedAndCameBackIsDoneWithOnceItIsCompleted() {
        UnkeptValues values;
        QVERIFY(values.put(Lsn{1}, 1, {{"A", "a"}}));
        values.ended(Lsn{1}, ActionState::Abandoned);
        values.ended(Lsn{1}, ActionState::Failed);
        QVERIFY(values.find(Lsn{1}));
        values.ended(Lsn{1}, ActionState::Completed);
        QCOMPARE(values.bytes(), std::size_t{0});
    }

    void atTheLimitWhatHasEndedGoesThenWhatComesIsRefused() {
        UnkeptValues values(4000);
        const auto value = [](char c) { return Variables{{"A", std::string(1000, c)}}; };
        QVERIFY(values.put(Lsn{1}, 1, value('a')) && values.put(Lsn{2}, 1, value('b')));
        const auto refused = values.put(Lsn{3}, 2, Variables{{"A", std::string(2000, 'c')}});
        QVERIFY(!refused && refused.error().kind == ErrorKind::Busy);
        QVERIFY(!values.find(Lsn{3}));
        values.ended(Lsn{1}, ActionState::Failed);
        QVERIFY(values.find(Lsn{1}));
        QVERIFY(values.put(Lsn{3}, 2, Variables{{"A", std::string(2000, 'c')}}));
        QVERIFY(!values.find(Lsn{1}) && values.find(Lsn{2}) && values.find(Lsn{4}));
        // One of a set that is there already takes little.
        QVERIFY(values.put(Lsn{9}, 1, value('b')));
    }

    void aValueThatIsNeverKeptReachesTheProgramAndNoFile() {
        EngineTest engine;
        // The second attempt has it as the first had.
        const std::string script = "[ -e tried ] || { touch tried; exit 1; }; " + kTell;
        const Lsn lsn = engine.sh(escaped(script), kEnv + R"(,"max_retries":1)");
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "p/14");
        QCOMPARE(result.outcome->note, "");
        const Lsn failed = engine.sh("exit 1", kEnv + R"(,"max_retries":0)");
        (void)engine.wait(failed);
        const auto spec = engine.run(engine->ask(&engine::ActionDetails::spec, failed, false));
        QVERIFY2(spec && spec->contains(R"("env":{"PLAIN":"p","API_KEY":null})"), spec->c_str());
        engine.stop();
        QCOMPARE(filesWith(engine.path("data"), kSecret), std::string());
    }

    void afterARestartAnAttemptLacksItAndSaysSo() {
        EngineTest engine;
        const Lsn fine = engine.sh(escaped(kTell), kEnv + R"(,"hold":true)");
        const Lsn failing = engine.sh("echo bad >&2; exit 1", kEnv + R"(,"hold":true,"max_retries":0)");
        engine.stop();
        engine.start();
        for (const Lsn lsn : {fine, failing}) QVERIFY(engine.run(engine->ask(&engine::Operations::release, lsn)));
        const ActionResult result = engine.wait(fine);
        QCOMPARE(engine.text(result.outcome->out), "p/0");
        QCOMPARE(result.outcome->note, "it ran without API_KEY: the value is never kept, so not over a restart");
        QCOMPARE(engine.wait(failing).outcome->note,
                 "bad (it ran without API_KEY: the value is never kept, so not over a restart)");
    }

    void whatIsNeverKeptIsASetting() {
        EngineTest engine;
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"env_never_kept":"PLA*"})")));
        const Lsn lsn = engine.sh("exit 1", kEnv + R"(,"max_retries":0)");
        (void)engine.wait(lsn);
        const auto spec = engine.run(engine->ask(&engine::ActionDetails::spec, lsn, false));
        QVERIFY2(spec->contains(fmt::format(R"("env":{{"API_KEY":"{}","PLAIN":null}})", kSecret)), spec->c_str());
    }

    void anActionMayHaveAnEnvironmentOfItsOwn() {
        qputenv("OF_THE_ENGINE", "yes");
        EngineTest engine;
        const std::string script = escaped(R"(echo "$OF_THE_ENGINE/$MINE/$PATH")");
        const std::string mine = R"(,"env":{"MINE":"m","PATH":"/bin"})";
        QCOMPARE(engine.text(engine.wait(engine.sh(script, mine)).outcome->out), "yes/m//bin\n");
        QCOMPARE(engine.text(engine.wait(engine.sh(script, mine + R"(,"engine_env":false)")).outcome->out),
                 "/m//bin\n");
        qunsetenv("OF_THE_ENGINE");
    }

    void stdinIsATextOrAChunk() {
        EngineTest engine;
        QCOMPARE(engine.text(engine.wait(engine.sh("cat", R"(,"stdin":{"text":"a\nb"})")).outcome->out), "a\nb");
        QCOMPARE(engine.text(engine.wait(engine.sh("cat")).outcome->out), "");
        // One that the store compresses, and that reads as it was.
        std::string large;
        for (int i = 0; large.size() < 3'000'000; ++i) large += std::to_string(i) + '\0';
        const std::string given = fmt::format(R"(,"stdin":{{"hash":"{}"}})", put(engine, large).hash.hex());
        // What an attempt does to it, the next does not see; nothing of it has a name.
        const std::string script =
            R"([ -e tried ] || { touch tried; : > /proc/self/fd/0; cat >/dev/null; exit 1; }; cat; readlink /proc/self/fd/0 >&2)";
        const ActionResult result = engine.wait(engine.sh(escaped(script), given + R"(,"max_retries":1)"));
        QCOMPARE(ending(result), "completed");
        QVERIFY(engine.text(result.outcome->out) == large);
        QVERIFY2(engine.text(result.outcome->err).ends_with(" (deleted)\n"),
                 engine.text(result.outcome->err).c_str());
        // With a directory of its own, too.
        const ActionResult scratch =
            engine.wait(engine.submit(fmt::format(R"({{"worker":"exec","argv":["wc","-c"]{}}})", given)));
        QCOMPARE(engine.text(scratch.outcome->out), fmt::format("{}\n", large.size()));
    }

    void stdinThatCannotBeGivenIsRefused() {
        EngineTest engine;
        const std::string absent(64, 'a');
        const auto missing =
            engine.trySubmit(engine.shJson("cat", fmt::format(R"(,"stdin":{{"hash":"{}"}})", absent)));
        QVERIFY(!missing);
        QCOMPARE(missing.error().need, std::vector<std::string>{absent});
        auto writer = engine->chunks().writer();
        QVERIFY(writer && writer->writeZeros(kMaxStdinBytes + 1));
        const auto large = engine.trySubmit(
            engine.shJson("cat", fmt::format(R"(,"stdin":{{"hash":"{}"}})", writer->finish()->hash.hex())));
        QVERIFY(!large);
        QCOMPARE(large.error().message,
                 "Give at most 64 MiB as \"stdin\": let the program read a file, or give more as "
                 "one of \"inputs\".");
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    GivenAlongTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_given_along.moc"
