// A small recording to be read, damaged and lied about.
#pragma once

#include "core/model/worker.h"
#include "core/recording/recording_reader.h"
#include "core/recording/recording_writer.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>
#include <string>
#include <utility>

namespace yard::test {

inline recording::RecordingHead sampleHead() {
    return {.note = "a note", .engine = "e1", .filter = "label:night", .started = 1'700'000'000'000'000};
}

/// Bytes as a writer asks for them, seven at once.
inline recording::RecordingWriter::Source inPieces(std::string bytes) {
    return [bytes = std::move(bytes), at = std::size_t{0}](std::size_t atMost) mutable -> Result<std::string> {
        const std::string piece = bytes.substr(at, std::min<std::size_t>(atMost, 7));
        at += piece.size();
        return piece;
    };
}

inline ChunkRef refOf(std::string_view bytes) {
    return {.hash = Sha256::of(bytes), .size = bytes.size()};
}

/// Action `lsn`, which printed `out` and left the file `path`.
inline recording::RecordedAction sampleAction(int lsn, const std::string& out,
                                              const std::string& path = "a/b.txt") {
    const auto chunk = [](const std::string& bytes) {
        return fmt::format(R"({{"hash":"{}","size":{}}})", Sha256::of(bytes).hex(), bytes.size());
    };
    return {.action = R"({"worker":"exec","argv":["true"],"cwd":"/","label":"night"})",
            .result = fmt::format(R"({{"lsn":{},"queue_id":0,"worker":"exec","label":"night","name":"night",)"
                                  R"("state":"completed","exit_code":0,"stdout":{},"outputs":{{"{}":{}}},)"
                                  R"("timestamps":{{"new":5,"running":7,"exited":8,"completed":9}}}})",
                                  lsn, chunk(out), path, chunk("left")),
            .machine = "desk"};
}

inline ParsedWorker sampleWorker() {
    auto worker = parseWorker(
        R"({"name":"thumb","version":"1","platform":"linux-x86_64","executable":"bin/t","files":[{"path":"bin/t",)"
        R"("hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","size":4,"mode":"755"}]})");
    if (!worker) qFatal("%s", worker.error().message.c_str());
    return std::move(*worker);
}

/// Two actions, one worker, the chunks "left" and "hello", whole.
inline void writeSample(const std::string& path) {
    auto writer = recording::RecordingWriter::create(path, sampleHead(), 1u << 30);
    if (!writer) qFatal("%s", writer.error().message.c_str());
    const ParsedWorker worker = sampleWorker();
    Result<void> done = writer->addWorker(worker.id, worker.canonical);
    for (const std::string bytes : {"left", "hello"})
        if (done) done = writer->addChunk(refOf(bytes), inPieces(bytes));
    for (const int lsn : {3, 4})
        if (done) done = writer->add(sampleAction(lsn, "hello"));
    recording::RecordingHead head = sampleHead();
    head.state = recording::RecordingState::Complete;
    head.ended = 12;
    if (done) done = writer->finish(head);
    if (!done) qFatal("%s", done.error().message.c_str());
}

/// "ok", or the sentence.
inline std::string checked(const std::string& path) {
    auto reader = recording::RecordingReader::open(path);
    if (!reader) return reader.error().message;
    const auto done = reader->check([] { return true; });
    return done ? "ok" : done.error().message;
}

} // namespace yard::test
