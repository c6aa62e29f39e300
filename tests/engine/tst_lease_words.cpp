// An action in the words of a link: what another machine reads is what was submitted, and what cannot go says why.
#include "core/engine/machines/lease_words.h"
#include "core/model/limits.h"

#include <QTest>

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

SpecPtr specOf(const std::string& json) {
    auto parsed = parseAction(json);
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    return parsed->spec;
}

RegisteredWorker workerOf(const std::string& mode) {
    const auto parsed =
        parseWorker(R"({"name":"cook","version":"1","platform":"linux-x86_64","mode":")" + mode +
                    R"(","executable":"run","files":[{"path":"run","hash":")" + Sha256::of("run").hex() +
                    R"(","size":3,"mode":"0755"}],"functions":[{"name":"f","version":"1"}],"cores":2})");
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    return {.id = parsed->id.hex(), .canonical = parsed->canonical, .descriptor = parsed->descriptor};
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

    void memoryThatItsKindSaidIsSetAsideThere() {
        const auto words =
            wordsOf(*specOf(R"({"worker":"exec","argv":["true"],"resources":{"memory_mb":"learned"}})"), {}, 96);
        QVERIFY(words);
        QCOMPARE(words->needs.memoryMb, std::int64_t{96});
        // Its sandbox is bounded by what it asks for itself, as here.
        QCOMPARE(effectiveResources(*specOf(words->spec)).memoryMb, std::int64_t{0});
    }

    void stdinOfTheStoreIsAnInput() {
        const std::string hash(64, 'b');
        const auto words =
            wordsOf(*specOf(R"({"worker":"exec","argv":["cat"],"stdin":{"hash":")" + hash + R"("}})"), {}, 0);
        QVERIFY(words);
        QCOMPARE(words->inputs, std::vector{*Hash256::fromHex(hash)});
        QCOMPARE(*specOf(words->spec)->stdinSource->chunk, *Hash256::fromHex(hash));
    }

    void anActionOfAWorkerNamesItByItsId() {
        const RegisteredWorker worker = workerOf("process");
        const std::string hash(64, 'c');
        const auto spec = specOf(R"({"worker":"cook","function":"f","args":{"a":[1,"x"]},"inputs":{"in":")" + hash +
                                 R"("},"expect":["out"],"env":{"A":"b"}})");
        runners::Lease lease;
        lease.env = spec->env;
        const auto words = wordsOf(*spec, lease, 64, &worker);
        QVERIFY2(words, words ? "" : words.error().message.c_str());
        QCOMPARE(words->worker, worker.id);
        const SpecPtr read = specOf(words->spec);
        QCOMPARE(read->worker, worker.id);
        QCOMPARE(read->function, std::string("f"));
        QCOMPARE(read->args, spec->args);
        QCOMPARE(read->inputs, spec->inputs);
        QCOMPARE(read->expect, spec->expect);
        QCOMPARE(read->env, spec->env);
        // What its worker asks for is said: the machine counts by it.
        QCOMPARE(words->needs.milliCores, std::int64_t{2'000});
        QCOMPARE(effectiveResources(*read).milliCores, std::int64_t{2'000});
        QCOMPARE(words->needs.memoryMb, std::int64_t{64});
        // Descriptor and files are asked for by their hashes.
        QCOMPARE(words->inputs, std::vector{*Hash256::fromHex(hash)});
    }

    void whatAMachineCannotHaveOfAWorkerSaysWhy() {
        const auto spec = specOf(R"({"worker":"cook","function":"f"})");
        const auto why = [&](const RegisteredWorker& worker) {
            const auto words = wordsOf(*spec, {}, 0, &worker);
            return words ? std::string() : words.error().message;
        };
        QVERIFY(why(workerOf("warm")).contains("is warm"));
        RegisteredWorker large = workerOf("process");
        QCOMPARE(why(large), std::string());
        large.canonical.resize(kMaxSentWorkerBytes + 1, ' ');
        QVERIFY(why(large).contains("a descriptor of more than 4 MB"));
        WorkerDescriptor many = *workerOf("process").descriptor;
        many.files.resize(kMaxSentWorkerFiles + 1, many.files.front());
        RegisteredWorker spread = workerOf("process");
        spread.descriptor = std::make_shared<const WorkerDescriptor>(std::move(many));
        QVERIFY(why(spread).contains("more than 4000 files"));
    }

    void whatIsOfThisMachineStays() {
        const auto why = [](const std::string& json, runners::Lease lease = {}) {
            const auto words = wordsOf(*specOf(json), lease, 0);
            return words ? std::string() : words.error().message;
        };
        QVERIFY(why(R"({"worker":"exec","argv":["true"],"cwd":"/"})").contains("cwd"));
        QVERIFY(why(R"({"worker":"exec","argv":["true"],"tty":{"rows":4,"cols":4}})").contains("terminal"));
        QVERIFY(why(R"({"worker":"w","function":"f"})").contains("its worker was removed"));
        runners::Lease locking;
        locking.locks = {"a"};
        QVERIFY(why(R"({"worker":"exec","argv":["true"]})", locking).contains("locks"));
    }
};

QTEST_GUILESS_MAIN(TestLeaseWords)
#include "tst_lease_words.moc"
