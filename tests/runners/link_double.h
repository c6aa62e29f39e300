// A machine at the other end of a link, word by word, and a host whose journal and store answer when they are told to.
#pragma once

#include "core/runners/link_runner.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::runners::test {

using namespace std::chrono_literals;

/// What the yard says over one connection, as "Lease:1.1 Cancel:1.1"; `log` is emptied by who reads it.
class DoubleLink final : public LinkOut {
public:
    bool send(link::Kind kind, std::uint64_t id, std::string_view body) override {
        if (isOver) return false;
        if (link::isBulk(kind) && !hasRoom) return false;
        note(kind, id, body);
        return true;
    }
    bool hasRoomForBulk() const override { return hasRoom; }
    void finish() override { note("finished"); }
    void end() override {
        isOver = true;
        note("ended");
    }

    std::string take() { return std::exchange(log, {}); }

    std::string log;
    std::vector<link::Chunk> chunks;
    std::optional<link::Welcome> welcome;
    std::optional<link::Lease> lease;
    std::optional<link::Cancel> cancel;
    bool hasRoom = true;
    bool isOver = false;

private:
    void note(const std::string& word) { log += (log.empty() ? "" : " ") + word; }
    template<class Body>
    static Body read(std::string_view bytes) {
        Body body;
        if (!link::get(bytes, body)) qFatal("the yard sent no body");
        return body;
    }
    static std::string text(const link::AttemptRefs& refs) {
        std::string all;
        for (const link::AttemptRef& ref : refs)
            all += fmt::format("{}{}.{}", all.empty() ? "" : ",", ref.lsn, ref.attempt);
        return all;
    }
    void note(link::Kind kind, std::uint64_t id, std::string_view body) {
        switch (kind) {
        case link::Kind::Welcome:
            welcome = read<link::Welcome>(body);
            return note(fmt::format("Welcome:{}", text(welcome->held)));
        case link::Kind::Lease:
            lease = read<link::Lease>(body);
            return note(fmt::format("Lease:{}", text({lease->id})));
        case link::Kind::Settled: {
            const auto refs = read<link::AttemptRefs>(body);
            return note(refs.size() > 9 ? fmt::format("Settled:{} of them", refs.size())
                                        : fmt::format("Settled:{}", text(refs)));
        }
        case link::Kind::Cancel: {
            cancel = read<link::Cancel>(body);
            return note(fmt::format("Cancel:{}{}", text({cancel->id}), cancel->onlyIfWaiting ? " if waiting" : ""));
        }
        case link::Kind::Renewed: return note(fmt::format("Renewed:{}", id));
        case link::Kind::Need: return note(fmt::format("Need:{}", read<link::Need>(body).hashes.size()));
        case link::Kind::Chunk: chunks.push_back(read<link::Chunk>(body)); return note("Chunk");
        case link::Kind::Refused: return note(fmt::format("Refused:{}", read<link::Refused>(body).sentence));
        case link::Kind::Follow: {
            const auto follow = read<link::Follow>(body);
            return note(
                fmt::format("Follow:{} {} from {}", text({follow.id}), follow.isErr ? "err" : "out", follow.from));
        }
        default: qFatal("a yard does not say that");
        }
    }
};

/// Answers at once, or, with `isSlow`, when answer() is called.
class DoubleHost final : public LinkHost {
public:
    link::BootTime bootNow() const override { return link::BootTime(now); }
    MonoTime monoNow() const override { return MonoTime(now); }
    std::optional<link::Refused> refuse(const link::Hello&) override { return refusal; }
    std::string yardName() const override { return "yard"; }
    std::string yardRunId() const override { return "yard run"; }

    Result<link::Lease> wordsOf(const Lease&) override {
        if (!words) return fail(ErrorKind::Invalid, "It cannot run elsewhere.");
        return *words;
    }
    std::vector<Hash256> chunksOf(std::string_view worker) override {
        return worker == "w" ? workerChunks : std::vector<Hash256>();
    }
    void writeDown(LinkIntent intent, Answer<Result<void>> answer) override {
        journal += fmt::format("{}x{}@{} ", intent.ids.size(), intent.runId, intent.lease / 1s);
        later([answer = std::move(answer), result = journalResult]() mutable { answer(result); });
    }
    void readChunk(const Hash256& hash, std::uint64_t offset, std::size_t most,
                   Answer<Result<Piece>> answer) override {
        const auto at = store.find(hash);
        Result<Piece> piece = fail(ErrorKind::NotFound, "not here");
        if (at != store.end()) piece = Piece{.bytes = at->second.substr(offset, most), .size = at->second.size()};
        later([answer = std::move(answer), piece = std::move(piece)]() mutable { answer(std::move(piece)); });
    }
    void missing(std::vector<RemoteChunk> chunks, Answer<std::vector<RemoteChunk>> answer) override {
        std::erase_if(chunks, [this](const RemoteChunk& chunk) { return store.contains(chunk.hash); });
        later([answer = std::move(answer), chunks = std::move(chunks)]() mutable { answer(std::move(chunks)); });
    }
    void storePiece(link::Chunk piece, Answer<Result<void>> answer) override {
        Result<void> result = storeResult;
        if (result) {
            std::string& part = parts[piece.hash];
            if (piece.offset == 0) part.clear();
            part += piece.bytes;
            if (part.size() == piece.size) {
                if (Sha256::of(part) == piece.hash)
                    store[piece.hash] = part;
                else
                    result = fail(ErrorKind::Invalid, "another hash");
            }
        }
        later([answer = std::move(answer), result = std::move(result)]() mutable { answer(result); });
    }
    void told(const link::Update&) override { ++updates; }
    std::uint64_t printed(AttemptId, Stream) override { return printedSoFar; }
    void keep(const link::Finished& finished) override { kept += fmt::format("{} ", finished.id.lsn); }
    void notTaken(AttemptId id, std::string_view sentence) override {
        kept += fmt::format("not {}: {} ", id.lsn.value, sentence);
    }

    void answer() {
        while (!waiting.empty()) {
            auto call = std::move(waiting.front());
            waiting.pop_front();
            call();
        }
    }

    Duration now = 100s;
    bool isSlow = false;
    std::optional<link::Refused> refusal;
    std::optional<link::Lease> words = link::Lease{};
    std::vector<Hash256> workerChunks; ///< of the worker "w"
    Result<void> journalResult;
    Result<void> storeResult;
    std::string journal;
    std::string kept;
    int updates = 0;
    std::uint64_t printedSoFar = 0;
    std::map<Hash256, std::string> store;
    std::map<Hash256, std::string> parts;
    std::deque<std::move_only_function<void()>> waiting;

private:
    void later(std::move_only_function<void()> call) {
        if (!isSlow) return call();
        waiting.push_back(std::move(call));
    }
};

/// A yard's runner and its machine. `told()` is what the engine hears, as "started 1.1 ended 1.1 exit 0".
struct LinkBench {
    explicit LinkBench(unsigned slots = 2) {
        runner = std::make_unique<LinkRunner>(host, LinkRunnerOptions{.name = "desk", .slots = slots, .lease = 20s},
                                              [this](std::vector<Update> batch) {
                                                  for (const Update& update : batch) note(update);
                                              });
        if (!runner->open()) qFatal("no timer");
    }

    /// A new connection, which says Hello; what it says to the yard is refused when that is false.
    bool connect(std::string runId = "run", std::vector<link::Held> held = {}) {
        links.push_back(std::make_unique<DoubleLink>());
        connection = runner->opened(*links.back());
        link::Hello hello;
        hello.runId = std::move(runId);
        hello.name = "desk";
        hello.held = std::move(held);
        return say(link::Kind::Hello, link::put(hello));
    }
    DoubleLink& yard() { return *links.back(); }
    /// What the machine heard since the last time.
    std::string heard() { return yard().take(); }

    bool say(link::Kind kind, std::string_view body = {}, std::uint64_t id = 1) {
        return runner->frameCame(connection, {.id = id, .kind = static_cast<std::uint8_t>(kind), .body = body});
    }
    bool sayRunning(std::int64_t lsn) {
        return say(link::Kind::Updates,
                   link::put(link::Updates{{.id = {.lsn = lsn}, .kind = link::UpdateKind::Submitting},
                                           {.id = {.lsn = lsn}, .kind = link::UpdateKind::Running, .number = 77}}));
    }
    static link::Finished finished(std::int64_t lsn) {
        link::Finished body;
        body.id.lsn = lsn;
        return body;
    }
    bool sayFinished(std::int64_t lsn) { return say(link::Kind::Finished, link::put(finished(lsn))); }
    bool sayHandedBack(std::int64_t lsn) {
        return say(link::Kind::HandedBack, link::put(link::AttemptRefs{{.lsn = lsn}}));
    }
    bool sayChunk(const std::string& content, std::uint64_t offset = 0, std::size_t most = link::kChunkPiece) {
        return say(link::Kind::Chunk, link::put(link::Chunk{.hash = Sha256::of(content),
                                                            .size = content.size(),
                                                            .offset = offset,
                                                            .bytes = content.substr(offset, most)}));
    }

    void submit(std::vector<std::int64_t> lsns) {
        std::vector<Lease> batch;
        for (const std::int64_t lsn : lsns) {
            Lease lease;
            lease.id.lsn = Lsn(lsn);
            batch.push_back(std::move(lease));
        }
        runner->submit(std::move(batch));
    }
    void acknowledge(std::int64_t lsn) { runner->acknowledge(SlotId(0), {.lsn = Lsn(lsn)}); }
    /// Time passes, and the runner hears of it.
    void pass(Duration time) {
        host.now += time;
        runner->onReadable();
    }
    std::string told() {
        runner->onReadable();
        return std::exchange(news, {});
    }

    DoubleHost host;
    std::vector<std::unique_ptr<DoubleLink>> links;
    LinkRunner::Connection connection = 0;
    std::string news;
    std::vector<Ended> ends;
    std::unique_ptr<LinkRunner> runner;

private:
    void note(const Update& update) {
        std::string word;
        if (std::holds_alternative<Started>(update.what)) word = "started";
        if (std::holds_alternative<Returned>(update.what)) word = "returned";
        if (const auto* ended = std::get_if<Ended>(&update.what)) {
            word = std::string(name(ended->cause));
            ends.push_back(*ended);
        }
        news += fmt::format("{}{} {}.{}", news.empty() ? "" : " ", word, update.id.lsn.value, update.id.attempt);
    }
};

inline std::vector<link::Held> held(std::int64_t lsn, link::GuestStage stage) {
    return {{.id = {.lsn = lsn}, .stage = stage}};
}

/// An end with one output of this content.
inline std::string finishedWith(const std::string& content, std::int64_t lsn = 1) {
    link::Finished body = LinkBench::finished(lsn);
    body.outputs.push_back({.path = "out", .hash = Sha256::of(content), .size = content.size()});
    return link::put(body);
}

/// With one attempt that was given, and nothing left to be read.
struct Given : LinkBench {
    Given() {
        connect();
        submit({1});
        heard();
    }
};

} // namespace yard::runners::test
