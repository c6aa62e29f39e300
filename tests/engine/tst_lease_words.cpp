// An action in the words of a link: what another machine reads is what was submitted, and what cannot go says why.
#include "core/engine/machines/lease_words.h"

#include <QTest>

#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

SpecPtr specOf(const std::string& json) {
    auto parsed = parseAction(json);
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    return parsed->spec;
}

} // namespace

class TestLeaseWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOtherSideReadsTheSameAction() {
        const std::string hash(64, 'a');
        const auto spec =
            specOf(R"({"worker":"exec","argv":["sh","-c","a\udcffb"],"sandbox":true,"engine_env":false,)"
                   R"("inputs":{"d/in":")" +
                   hash +
                   R"("},"expect":["out"],"stdin":{"text":"hello"},)"
                   R"("resources":{"cores":0.5,"memory_mb":64,"gpus":1}})");
        runners::Lease lease;
        lease.env = {{"NAME", "value"}};
        const auto words = wordsOf(*spec, lease, 64);
        QVERIFY(words);
        const SpecPtr read = specOf(words->spec);
        QCOMPARE(read->argv, spec->argv);
        QVERIFY(read->sandbox);
        QVERIFY(!read->engineEnv);
        QCOMPARE(read->inputs, spec->inputs);
        QCOMPARE(read->expect, spec->expect);
        QCOMPARE(read->stdinSource->text, spec->stdinSource->text);
        QCOMPARE(read->env, lease.env);
        QVERIFY(effectiveResources(*read) == effectiveResources(*spec));
        QCOMPARE(words->needs.milliCores, std::int64_t{500});
        QCOMPARE(words->needs.memoryMb, std::int64_t{64});
        QCOMPARE(words->needs.named, (link::NamedAmounts{{"gpus", 1'000}}));
        QCOMPARE(words->inputs, std::vector{*Hash256::fromHex(hash)});
    }

    void memoryThatItsKindSaidIsAskedForThere() {
        const auto words =
            wordsOf(*specOf(R"({"worker":"exec","argv":["true"],"resources":{"memory_mb":"learned"}})"), {}, 96);
        QVERIFY(words);
        QCOMPARE(words->needs.memoryMb, std::int64_t{96});
        QCOMPARE(effectiveResources(*specOf(words->spec)).memoryMb, std::int64_t{96});
    }

    void stdinOfTheStoreIsAnInput() {
        const std::string hash(64, 'b');
        const auto words =
            wordsOf(*specOf(R"({"worker":"exec","argv":["cat"],"stdin":{"hash":")" + hash + R"("}})"), {}, 0);
        QVERIFY(words);
        QCOMPARE(words->inputs, std::vector{*Hash256::fromHex(hash)});
        QCOMPARE(*specOf(words->spec)->stdinSource->chunk, *Hash256::fromHex(hash));
    }

    void whatIsOfThisMachineStays() {
        const auto why = [](const std::string& json, runners::Lease lease = {}) {
            const auto words = wordsOf(*specOf(json), lease, 0);
            return words ? std::string() : words.error().message;
        };
        QVERIFY(why(R"({"worker":"exec","argv":["true"],"cwd":"/"})").contains("cwd"));
        QVERIFY(why(R"({"worker":"exec","argv":["true"],"tty":{"rows":4,"cols":4}})").contains("terminal"));
        QVERIFY(why(R"({"worker":"w","function":"f"})").contains("no workers yet"));
        runners::Lease locking;
        locking.locks = {"a"};
        QVERIFY(why(R"({"worker":"exec","argv":["true"]})", locking).contains("locks"));
    }
};

QTEST_GUILESS_MAIN(TestLeaseWords)
#include "tst_lease_words.moc"
