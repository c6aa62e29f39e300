#include "core/engine/guests/guest_store.h"

#include "core/engine/guests/guest_workers.h"

#include <algorithm>
#include <span>
#include <utility>

namespace yard::engine {

namespace {

/// A piece of a chunk as it goes over the link; empty at its end. Blocks.
Result<std::string> readPiece(store::ChunkReader& reader) {
    std::string bytes(link::kChunkPiece, '\0');
    std::size_t count = 0;
    while (count < bytes.size()) {
        const auto got = reader.read(std::span(bytes).subspan(count));
        if (!got) return std::unexpected(got.error());
        if (*got == 0) break;
        count += *got;
    }
    bytes.resize(count);
    return bytes;
}

} // namespace

void GuestStore::post(Job job) {
    jobs_.push_back(std::move(job));
    work_.set();
}

void GuestStore::take(guests::DeskOut::Piece piece) {
    bytes_ += piece.chunk.bytes.size();
    post(std::move(piece));
}

coro::Task<void> GuestStore::waitForRoom() {
    while (isFull()) co_await less_.wait();
}

coro::Task<void> GuestStore::run() {
    for (;;) {
        while (jobs_.empty()) {
            work_.clear();
            co_await work_.wait();
        }
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        const auto* piece = std::get_if<guests::DeskOut::Piece>(&job);
        const std::size_t bytes = piece ? piece->chunk.bytes.size() : 0;
        co_await carryOut(std::move(job));
        bytes_ -= bytes;
        less_.notifyAll();
    }
}

coro::Task<void> GuestStore::carryOut(Job job) {
    if (auto* lookup = std::get_if<guests::DeskOut::Lookup>(&job)) {
        const link::AttemptRef id = lookup->id;
        auto answer = co_await helpers_.run(
            [&chunks = chunks_, asked = std::move(*lookup)] { return lookUpInputs(chunks, asked); });
        hears_.lookedUp(id, std::move(answer));
    } else if (auto* piece = std::get_if<guests::DeskOut::Piece>(&job)) {
        co_await store(std::move(*piece));
    } else {
        open_.erase(std::get<Abandoned>(job).hash);
        failed_.erase(std::get<Abandoned>(job).hash);
    }
}

coro::Task<void> GuestStore::store(guests::DeskOut::Piece piece) {
    const Hash256 hash = piece.chunk.hash;
    if (piece.chunk.offset == 0) {
        open_.erase(hash);
        failed_.erase(hash);
        auto writer = co_await helpers_.run(
            [&chunks = chunks_, hash, size = piece.chunk.size] { return chunks.writer(hash, size); });
        if (!writer)
            failed_[hash] = writer.error().message;
        else if (open_.size() >= kMostOpen)
            failed_[hash] = "too many come at once";
        else
            open_.emplace(hash, std::make_shared<store::ChunkWriter>(std::move(*writer)));
    }
    if (const auto open = open_.find(hash); open != open_.end()) {
        auto written = co_await helpers_.run(
            [writer = open->second, bytes = std::move(piece.chunk.bytes), isLast = piece.isLast]() -> Result<void> {
                if (auto wrote = writer->write(bytes); !wrote || !isLast) return wrote;
                const auto finished = writer->finish();
                return finished ? Result<void>() : std::unexpected(finished.error());
            });
        if (!written || piece.isLast) open_.erase(hash);
        if (!written) failed_[hash] = written.error().message;
    }
    if (!piece.isLast) co_return;
    if (auto failed = failed_.extract(hash))
        hears_.notStored(hash, failed.mapped());
    else
        hears_.stored(hash);
}

// --- what goes out

void GuestStore::serve(guests::DeskOut::Serve serve) {
    serves_.push_back(serve);
    serving_.set();
}

coro::Task<void> GuestStore::runServing(linkio::LinkConnection& connection) {
    for (;;) {
        while (serves_.empty()) {
            serving_.clear();
            co_await serving_.wait();
        }
        const guests::DeskOut::Serve serve = serves_.front();
        serves_.pop_front();
        co_await send(serve, connection);
        hears_.served(serve);
    }
}

coro::Task<void> GuestStore::send(guests::DeskOut::Serve serve, linkio::LinkConnection& connection) {
    const auto reader =
        co_await helpers_.run([&chunks = chunks_, hash = serve.hash]() -> std::shared_ptr<store::ChunkReader> {
            auto opened = chunks.open(hash);
            return opened ? std::make_shared<store::ChunkReader>(std::move(*opened)) : nullptr;
        });
    if (!reader) co_return; // the yard asks again, and takes it for lost in the end
    const std::uint64_t size = reader->size();
    std::uint64_t offset = 0;
    do {
        auto bytes = co_await helpers_.run([reader] { return readPiece(*reader); });
        if (!bytes || (bytes->empty() && size > 0)) co_return;
        const std::size_t count = bytes->size();
        const std::string body =
            put(link::Chunk{.hash = serve.hash, .size = size, .offset = offset, .bytes = std::move(*bytes)});
        while (!connection.send(link::Kind::Chunk, serve.id, body)) {
            if (connection.isOver()) co_return;
            co_await room_.wait();
            room_.clear();
        }
        offset += count;
    } while (offset < size);
}

} // namespace yard::engine
