// A recording while it is written: what it takes from the content store, and how it ends where there is no room.
#include "core/engine/recordings/tape.h"

#include "core/launcher/launcher.h"
#include "core/recording/recording_reader.h"
#include "tests/engine/engine_test.h"

#include <QTest>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

class TestTape : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        engine_ = std::make_unique<test::EngineTest>();
        looks_ = 1'000'000;
    }
    void cleanup() { engine_.reset(); }
    void aFullDiskEndsItAndWhatWasWrittenIsReadable();
    void aDiskThatFillsWithinAChunkEndsIt();
    void whatIsNotKeptIsCounted();
    void aDamagedChunkIsCountedAndTheRestIsWritten();
    void anActionThatEndsAgainIsMissed();
    void whatIsLeftWhenItStopsIsMissed();

private:
    std::string path() const { return engine_->path("one.yrec"); }
    std::unique_ptr<Tape> tape() {
        auto begun = Tape::begin(path(), {.started = 1}, 1u << 30,
                                 {.chunks = (*engine_)->chunks(),
                                  .freeBytes = [this] { return looks_-- > 0 ? free_ : 0; },
                                  .leave = 1'000});
        if (!begun) qFatal("%s", begun.error().message.c_str());
        return std::move(*begun);
    }
    TapeItem item(Lsn lsn) {
        return {.result = engine_->wait(lsn), .action = engine_->shJson("echo x"), .worker = {}};
    }
    std::vector<TapeItem> items(Lsn lsn) {
        std::vector<TapeItem> all;
        all.push_back(item(lsn));
        return all;
    }

    std::unique_ptr<test::EngineTest> engine_;
    std::uint64_t free_ = 1'000'000;
    int looks_ = 1'000'000; ///< after so many looks the disk is full
};

void TestTape::aFullDiskEndsItAndWhatWasWrittenIsReadable() {
    const auto tape = this->tape();
    QVERIFY(tape->write(items(engine_->sh("echo x")), 0, {}).has_value());
    free_ = 999;
    const auto refused = tape->write(items(engine_->sh("echo y")), 0, {});
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, ErrorKind::NoSpace);
    const auto stand = tape->end(recording::RecordingState::Cut, refused.error().message, 7);
    QVERIFY(stand.has_value());
    QCOMPARE(stand->actions, std::int64_t{1});
    auto reader = recording::RecordingReader::open(path());
    QVERIFY(reader->check([] { return true; }).has_value());
    QCOMPARE(reader->counts()->actions, std::int64_t{1});
    QCOMPARE(reader->head()->why, std::string("The disk is nearly full: what runs needs what is left of it."));
    QVERIFY(*reader->hasChunk(Sha256::of("x\n")));
    free_ = 1'000'000;
}

void TestTape::aDiskThatFillsWithinAChunkEndsIt() {
    const auto tape = this->tape();
    auto all = items(engine_->sh("echo x"));
    looks_ = 2; // before the action, and before its first bytes
    const auto refused = tape->write(std::move(all), 0, {});
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, ErrorKind::NoSpace);
    const auto stand = tape->end(recording::RecordingState::Cut, refused.error().message, 7);
    QVERIFY(stand.has_value());
    QCOMPARE(stand->actions, std::int64_t{0});
    QCOMPARE(stand->chunks, std::int64_t{0});
    looks_ = 1'000'000;
    auto reader = recording::RecordingReader::open(path());
    QVERIFY(reader->check([] { return true; }).has_value());
    QVERIFY(!*reader->hasChunk(Sha256::of("x\n")));
}

void TestTape::whatIsNotKeptIsCounted() {
    const auto tape = this->tape();
    auto all = items(engine_->sh("echo x"));
    all.front().result.outcome->outputs.push_back(
        {.name = "o", .chunk = {.hash = Sha256::of("nowhere"), .size = 7}});
    all.push_back(item(engine_->sh("echo y")));
    all.back().action = R"({"worker":"exec"})"; // which nobody could have submitted
    const auto stand = tape->write(std::move(all), 3, {});
    QVERIFY(stand.has_value());
    QCOMPARE(stand->gone, std::int64_t{1});
    QCOMPARE(stand->missed, std::int64_t{3});
    QCOMPARE(stand->actions, std::int64_t{2});
    QVERIFY(tape->end(recording::RecordingState::Complete, {}, 7).has_value());
    auto reader = recording::RecordingReader::open(path());
    QVERIFY(reader->check([] { return true; }).has_value());
    QCOMPARE(reader->actions(1, 1)->front().action, std::string());
}

void TestTape::aDamagedChunkIsCountedAndTheRestIsWritten() {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + "\n";
    auto writer = (*engine_)->chunks().writer();
    QVERIFY(writer && writer->write(text).has_value());
    const auto chunk = writer->finish();
    QVERIFY(chunk.has_value());
    const std::string hex = chunk->hash.hex();
    const std::string file = engine_->path("data/chunks/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".z");
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    const auto tape = this->tape();
    auto all = items(engine_->sh("echo x"));
    all.front().result.outcome->outputs.push_back({.name = "o", .chunk = *chunk});
    all.push_back(item(engine_->sh("echo y")));
    const auto stand = tape->write(std::move(all), 0, {});
    QVERIFY(stand.has_value());
    QCOMPARE(stand->gone, std::int64_t{1});
    QCOMPARE(stand->actions, std::int64_t{2});
    QVERIFY(tape->end(recording::RecordingState::Complete, {}, 7).has_value());
    auto reader = recording::RecordingReader::open(path());
    QVERIFY(reader->check([] { return true; }).has_value());
    QVERIFY(!*reader->hasChunk(chunk->hash));
    QVERIFY(*reader->hasChunk(Sha256::of("y\n")));
}

void TestTape::anActionThatEndsAgainIsMissed() {
    const auto tape = this->tape();
    const Lsn lsn = engine_->sh("echo x");
    QCOMPARE(tape->write(items(lsn), 0, {})->missed, std::int64_t{0});
    QCOMPARE(tape->write(items(lsn), 0, {})->missed, std::int64_t{1});
}

void TestTape::whatIsLeftWhenItStopsIsMissed() {
    const auto tape = this->tape();
    std::stop_source stop;
    QCOMPARE(tape->write(items(engine_->sh("echo x")), 0, stop.get_token())->actions, std::int64_t{1});
    stop.request_stop();
    const auto stand = tape->write(items(engine_->sh("echo y")), 0, stop.get_token());
    QVERIFY(stand.has_value());
    QCOMPARE(stand->actions, std::int64_t{1});
    QCOMPARE(stand->missed, std::int64_t{1});
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TestTape test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_tape.moc"
