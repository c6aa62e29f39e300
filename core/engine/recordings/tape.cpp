#include "core/engine/recordings/tape.h"

#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

using recording::Attachments;

namespace {

constexpr Duration kGroupAtMost = std::chrono::seconds(1);

/// Of one action: the others are written all the same.
bool isOfOne(const Error& error) {
    return error.kind == ErrorKind::Malformed || error.kind == ErrorKind::Invalid ||
           error.kind == ErrorKind::TooLarge || error.kind == ErrorKind::WrongState;
}

} // namespace

Result<std::unique_ptr<Tape>> Tape::begin(const std::string& path, recording::RecordingHead head,
                                          std::uint64_t maxBytes, Parts parts) {
    auto writer = recording::RecordingWriter::create(path, head, maxBytes);
    if (!writer) return std::unexpected(writer.error());
    return std::unique_ptr<Tape>(new Tape(std::move(*writer), std::move(head), std::move(parts)));
}

Result<Tape::Stand> Tape::write(std::vector<TapeItem> items, std::int64_t missed, const std::stop_token& stop) {
    stop_ = stop;
    head_.missed += missed;
    for (TapeItem& item : items) {
        if (stop.stop_requested()) {
            ++head_.missed;
            continue;
        }
        if (auto room = hasRoom(); !room) return std::unexpected(room.error());
        const auto written = writeOne(item);
        if (!written && !isOfOne(written.error()) && !stop.stop_requested())
            return std::unexpected(written.error());
        if (!written) ++head_.missed;
        if (MonoClock::now() - committed_ < kGroupAtMost) continue;
        if (auto done = commit(); !done) return done;
    }
    return stand();
}

Result<void> Tape::hasRoom() const {
    if (parts_.freeBytes() >= parts_.leave) return {};
    return fail(ErrorKind::NoSpace, "The disk is nearly full: what runs needs what is left of it.");
}

Result<void> Tape::writeOne(TapeItem& item) {
    if (auto written = writeInputs(item.action); !written) return written;
    if (auto written = writeWorker(item); !written) return written;
    if (head_.attachments == Attachments::All && item.result.outcome)
        if (auto written = writeLeft(*item.result.outcome); !written) return written;
    std::string machine = std::exchange(item.result.machine, {});
    auto written = writer_.add(
        {.action = std::move(item.action), .result = toJson(item.result), .machine = std::move(machine)});
    if (written && item.result.state == ActionState::Failed) ++stand_.failed;
    return written;
}

Result<void> Tape::writeWorker(const TapeItem& item) {
    if (!item.worker) return {};
    if (const auto id = Hash256::fromHex(item.result.workerId); id && writer_.hasWorker(*id)) return {};
    const auto worker = parseWorker(*item.worker);
    if (!worker) return {}; // the registry has none such
    if (writer_.hasWorker(worker->id)) return {};
    if (head_.attachments != Attachments::None)
        for (const auto& file : worker->descriptor->files)
            if (auto written = writeChunk(file.hash); !written) return written;
    auto written = writer_.addWorker(worker->id, worker->canonical);
    if (written) ++stand_.workers;
    return written;
}

Result<void> Tape::writeInputs(std::string& action) {
    if (action.empty()) return {};
    const auto parsed = parseAction(action);
    if (!parsed) action.clear(); // a reader would refuse the whole file for it
    if (!parsed || head_.attachments == Attachments::None) return {};
    for (const Hash256& hash : parsed->spec->inputChunks())
        if (auto written = writeChunk(hash); !written) return written;
    return {};
}

Result<void> Tape::writeLeft(const AttemptOutcome& outcome) {
    for (const auto& stream : {outcome.out, outcome.err})
        if (stream)
            if (auto written = writeChunk(stream->hash); !written) return written;
    for (const NamedChunk& output : outcome.outputs)
        if (auto written = writeChunk(output.chunk.hash); !written) return written;
    return {};
}

Result<void> Tape::writeChunk(const Hash256& hash) {
    if (writer_.hasChunk(hash)) return {};
    auto reader = parts_.chunks.open(hash);
    if (!reader) {
        ++head_.gone;
        return {};
    }
    std::string piece;
    bool isUnreadable = false;
    const auto source = [&](std::size_t atMost) -> Result<std::string> {
        if (auto room = hasRoom(); !room) return std::unexpected(room.error());
        if (stop_.stop_requested()) return fail(ErrorKind::NotAccepting, "The engine ends.");
        piece.resize(atMost);
        const auto got = reader->read(piece);
        isUnreadable = !got;
        if (!got) return std::unexpected(got.error());
        return piece.substr(0, *got);
    };
    const ChunkRef ref{.hash = hash, .size = reader->size()};
    const auto written = writer_.addChunk(ref, source);
    if (!written && (isUnreadable || written.error().kind == ErrorKind::Malformed)) {
        ++head_.gone; // it is damaged
        return {};
    }
    if (!written) return written;
    ++stand_.chunks;
    stand_.chunkBytes += static_cast<std::int64_t>(ref.size);
    return {};
}

Result<Tape::Stand> Tape::commit() {
    if (auto done = writer_.commit(head_.missed, head_.gone); !done) return std::unexpected(done.error());
    committed_ = MonoClock::now();
    return stand();
}

Result<Tape::Stand> Tape::end(recording::RecordingState state, const std::string& why, WallMicros now) {
    head_.state = state;
    head_.why = utf8Prefix(wellFormed(why), recording::kMostWhyBytes);
    head_.ended = now;
    if (auto done = writer_.finish(head_); !done) return std::unexpected(done.error());
    return stand();
}

Tape::Stand Tape::stand() const {
    Stand now = stand_;
    now.actions = writer_.actions();
    now.bytes = writer_.bytes();
    now.missed = head_.missed;
    now.gone = head_.gone;
    now.span = writer_.span();
    now.isUncommitted = writer_.isUncommitted();
    return now;
}

} // namespace yard::engine
