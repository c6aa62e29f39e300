// What is printed elsewhere, in files here: in its place, within limits, and gone once it has ended.
#include "core/base/files.h"
#include "core/coro/loop.h"
#include "core/coro/suspend.h"
#include "core/engine/machines/remote_streams.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using engine::RemoteStreams;
using runners::AttemptId;
using runners::Stream;

namespace {

const AttemptId kOne{.lsn = Lsn(7), .attempt = 2};

/// On a loop that runs until all is written.
struct Rig {
    Rig() { std::filesystem::create_directory(path("elsewhere")); }
    ~Rig() { helpers.stop(); }
    std::string path(const std::string& name) const { return dir.path().toStdString() + "/" + name; }
    void settle() { loop.run(); }
    std::string text(Stream stream = Stream::Out) {
        const std::string name = stream == Stream::Out ? "elsewhere/7.2.out" : "elsewhere/7.2.err";
        return readFile(path(name), 64u << 20).value_or("(none)");
    }
    std::uint64_t told() const { return grown.empty() ? 0 : grown.back().size; }

    QTemporaryDir dir;
    coro::Loop loop;
    coro::HelperPool helpers{1};
    bool isThere = true;
    std::vector<runners::StreamAt> grown;
    RemoteStreams streams{
        {.directory = path("elsewhere"),
         .helpers = helpers,
         .spawn = [this](const char* name, coro::Task<void> task) { loop.spawn(name, std::move(task)); },
         .isThere = [this](AttemptId) { return isThere; },
         .grown = [this](AttemptId, runners::StreamAt at) { grown.push_back(std::move(at)); }}};
};

} // namespace

class TestRemoteStreams : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatComesIsWrittenInItsPlace() {
        Rig rig;
        rig.streams.came(kOne, Stream::Out, 0, "one ");
        rig.streams.came(kOne, Stream::Out, 4, "two");
        rig.streams.came(kOne, Stream::Err, 0, "bad");
        rig.settle();
        QCOMPARE(rig.text(), std::string("one two"));
        QCOMPARE(rig.text(Stream::Err), std::string("bad"));
        rig.streams.came(kOne, Stream::Out, 0, "one "); // over another link
        rig.streams.came(kOne, Stream::Out, 7, "!");
        rig.settle();
        QCOMPARE(rig.text(), std::string("one two!"));
        QCOMPARE(rig.told(), std::uint64_t{8});
    }
    void whatIsMissingIsBlank() {
        Rig rig;
        rig.streams.came(kOne, Stream::Out, 3, "x");
        rig.streams.came(kOne, Stream::Out, 100, "y");
        rig.settle();
        QCOMPARE(rig.text().size(), std::size_t{101});
        QVERIFY(rig.text().starts_with("   x\n[some output has not arrived]\n "));
        QVERIFY(rig.text().ends_with(" y"));
    }
    void whatCameIsKnown() {
        Rig rig;
        QCOMPARE(rig.streams.has(kOne, Stream::Out), std::uint64_t{0});
        rig.streams.came(kOne, Stream::Out, 0, "some");
        QCOMPARE(rig.streams.has(kOne, Stream::Out), std::uint64_t{4}); // not written so far
        QCOMPARE(rig.streams.has(kOne, Stream::Err), std::uint64_t{0});
        rig.streams.came(kOne, Stream::Out, 2, "me more"); // two bytes of it came before
        rig.settle();
        QCOMPARE(rig.text(), std::string("some more"));
        QCOMPARE(rig.grown.back().path, rig.path("elsewhere/7.2.out"));
    }
    void whatComesWhileOthersAreWrittenHasItsPlace() {
        Rig rig;
        std::string all;
        rig.loop.spawn("prints", [](RemoteStreams& streams, std::string& text) -> coro::Task<void> {
            for (int at = 0; at < 500; ++at) {
                const std::string line = "line " + std::to_string(at) + "\n";
                streams.came(kOne, Stream::Out, text.size(), line);
                text += line;
                co_await coro::yieldNow();
            }
        }(rig.streams, all));
        rig.settle();
        QCOMPARE(rig.text(), all);
    }
    void whatIsTooFarIsNotTold_data() {
        QTest::addColumn<qulonglong>("offset");
        QTest::newRow("a gap") << qulonglong{RemoteStreams::kMostGap + 5};
        QTest::newRow("a file") << qulonglong{RemoteStreams::kMostBytes};
        QTest::newRow("all numbers") << ~qulonglong{0};
    }
    void whatIsTooFarIsNotTold() {
        QFETCH(const qulonglong, offset);
        Rig rig;
        rig.streams.came(kOne, Stream::Out, 0, "some");
        rig.settle();
        rig.streams.came(kOne, Stream::Out, offset, "far");
        rig.streams.came(kOne, Stream::Out, 4, "more");
        rig.settle();
        QCOMPARE(rig.text(), std::string("some"));
        QCOMPARE(rig.told(), std::uint64_t{4});
    }
    void filesOfWhatHasEndedGo() {
        Rig rig;
        rig.streams.came(kOne, Stream::Out, 0, "some");
        rig.settle();
        rig.streams.sweep();
        rig.settle();
        QCOMPARE(rig.text(), std::string("some"));
        rig.isThere = false;
        rig.streams.sweep();
        rig.settle();
        QCOMPARE(rig.text(), std::string("(none)"));
    }
    void whatAnotherEngineLeftGoes() {
        Rig rig;
        QVERIFY(writeFileAtomically(rig.path("elsewhere/7.2.out"), "old and longer", 0600));
        rig.streams.came(kOne, Stream::Out, 0, "new");
        rig.settle();
        QCOMPARE(rig.text(), std::string("new"));
    }
};

QTEST_APPLESS_MAIN(TestRemoteStreams)
#include "tst_remote_streams.moc"
