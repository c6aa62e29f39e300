#include "core/engine/machines/machine_host.h"

#include "core/engine/machines/lease_words.h"
#include "core/runners/link_attempts.h"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace yard::engine {

using runners::LinkHost;
using runners::RemoteChunk;

namespace {

Result<LinkHost::Piece> readPiece(store::ChunkStore& chunks, const Hash256& hash, std::uint64_t offset,
                                  std::size_t most) {
    auto reader = chunks.open(hash);
    if (!reader) return std::unexpected(reader.error());
    LinkHost::Piece piece{.bytes = {}, .size = reader->size()};
    if (offset >= piece.size) return piece;
    if (auto sought = reader->seek(offset); !sought) return std::unexpected(sought.error());
    piece.bytes.resize(std::min<std::uint64_t>(most, piece.size - offset));
    std::span<char> left(piece.bytes);
    while (!left.empty()) {
        const auto count = reader->read(left);
        if (!count) return std::unexpected(count.error());
        if (*count == 0) return fail(ErrorKind::Io, "a chunk is shorter than its file says");
        left = left.subspan(*count);
    }
    return piece;
}

coro::Task<void> answerPiece(store::ChunkStore& chunks, coro::HelperPool& helpers, Hash256 hash,
                             std::uint64_t offset, std::size_t most,
                             LinkHost::Answer<Result<LinkHost::Piece>> answer) {
    answer(co_await helpers.run([&chunks, hash, offset, most] { return readPiece(chunks, hash, offset, most); }));
}

coro::Task<void> answerMissing(store::ChunkStore& chunks, coro::HelperPool& helpers, std::vector<RemoteChunk> asked,
                               LinkHost::Answer<std::vector<RemoteChunk>> answer) {
    auto look = [&chunks, asked = std::move(asked)]() mutable {
        std::vector<Hash256> hashes;
        hashes.reserve(asked.size());
        for (const RemoteChunk& chunk : asked) hashes.push_back(chunk.hash);
        const std::vector<Hash256> lacking = chunks.missing(hashes);
        const std::unordered_set<Hash256> wanted(lacking.begin(), lacking.end());
        std::erase_if(asked, [&](const RemoteChunk& chunk) { return !wanted.contains(chunk.hash); });
        return std::move(asked);
    };
    answer(co_await helpers.run(std::move(look)));
}

} // namespace

MachineHost::MachineHost(Parts parts)
    : parts_(std::move(parts))
    , intake_(parts_.chunks, parts_.helpers, parts_.spawn) {}

Result<link::Lease> MachineHost::wordsOf(const runners::Lease& lease) {
    const Attempt* attempt = parts_.attempts.get(lease.id);
    if (!attempt || !attempt->spec) return fail(ErrorKind::NotFound, "its spec is not here");
    const ClassKey& key = parts_.dictionary.classKey(attempt->cls.value);
    const RegisteredWorker* worker = key.isExec() ? nullptr : parts_.workers.find(key.workerId);
    return engine::wordsOf(*attempt->spec, lease, key.resources.memoryMb, worker);
}

std::vector<Hash256> MachineHost::chunksOf(std::string_view worker) {
    const RegisteredWorker* known = parts_.workers.find(worker);
    const auto id = Hash256::fromHex(worker);
    if (!known || !id || known->id != worker) return {};
    std::vector<Hash256> chunks{*id};
    for (const WorkerFile& file : known->descriptor->files) chunks.push_back(file.hash);
    return chunks;
}

void MachineHost::readChunk(const Hash256& hash, std::uint64_t offset, std::size_t most,
                            Answer<Result<Piece>> answer) {
    // Descriptors are in no store: what one is the hash of is its canonical text.
    const std::string id = hash.hex();
    if (const RegisteredWorker* worker = parts_.workers.find(id); worker && worker->id == id) {
        const std::string& text = worker->canonical;
        return answer(
            Piece{.bytes = offset < text.size() ? text.substr(offset, most) : std::string(), .size = text.size()});
    }
    parts_.spawn("input of a machine",
                 answerPiece(parts_.chunks, parts_.helpers, hash, offset, most, std::move(answer)));
}

void MachineHost::missing(std::vector<RemoteChunk> chunks, Answer<std::vector<RemoteChunk>> answer) {
    parts_.spawn("outputs of a machine",
                 answerMissing(parts_.chunks, parts_.helpers, std::move(chunks), std::move(answer)));
}

void MachineHost::storePiece(link::Chunk piece, Answer<Result<void>> answer) {
    intake_.take(std::move(piece),
                 [answer = std::move(answer), stored = parts_.stored](Result<void> result) mutable {
                     answer(std::move(result));
                     stored();
                 });
}

void MachineHost::keep(const link::Finished& finished) {
    Attempt* attempt = parts_.attempts.get(runners::idOf(finished.id));
    if (!attempt) return;
    attempt->leftElsewhere.clear();
    for (const link::Output& output : finished.outputs)
        attempt->leftElsewhere.push_back(
            {.name = output.path, .chunk = {.hash = output.hash, .size = output.size}});
}

} // namespace yard::engine
