// Steps that handlers of several files share. On the http thread; nothing here blocks it.
#pragma once

#include "core/http/route.h"

#include <optional>
#include <set>
#include <string>

namespace yard::http {

// lists (api_lists.cpp)
/// What the parameters of a list say, within the queue that the route names. `usual`, `most`: rows of a page.
coro::Task<Result<engine::ListQuery>> readListCall(Call& call, int usual, int most);

// queues (api_queues.cpp)
/// For routes that only read, a queue that was deleted will do, by its number.
enum class QueueNeeded : unsigned char { Existing, Known };
/// NotFound unless the call names no queue or there is such a queue.
coro::Task<Result<void>> requireQueue(Call& call, QueueNeeded needed = QueueNeeded::Existing);
/// NotFound unless the call names no queue or the action belongs to it.
coro::Task<Result<void>> checkQueue(Call& call, Lsn lsn);

// actions (api_jobs.cpp)
/// As it is when it ends, else as it is after `wait`, when the client leaves or the server stops. NotFound.
coro::Task<Result<ActionResult>> waitFor(Call& call, Lsn lsn, Duration wait);

// changes (api_bulk.cpp)
/// Of an action whose queue was looked at. What came back with one that is retried is added to `revived`.
coro::Task<Result<void>> changeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn, std::vector<Lsn>& revived);
/// What a body's member "filter" chooses, within the queue that the route names. Invalid.
Result<engine::ListQuery> readChosen(const Call& call);
/// The member "refused": those that were named and not changed, each with its error.
void writeRefused(JsonWriter& writer, std::span<const std::pair<Lsn, Error>> refused);

// marks (api_annotations.cpp)
/// Of a body's member "mark": nothing when absent, Mark::None for null. Invalid.
Result<std::optional<Mark>> readMark(const JsonRequest& body);

// chunks (api_chunks.cpp)
/// Bytes; those of `producer` as they come, without one none. `length`: of all of them, when it is known.
Response bytesResponse(std::unique_ptr<BodyProducer> producer = nullptr, std::optional<std::uint64_t> length = {});
/// Bytes of a chunk as an answer; `whole`: the hash is checked on the way.
coro::Task<Response> chunkResponse(Call& call, Hash256 hash, std::uint64_t length, std::uint64_t offset,
                                   bool whole);
/// Reads `source` to its end. Invalid when its bytes are not those of `hash`.
coro::Task<Result<ChunkRef>> storeChunk(Call& call, BodySource& source, Hash256 hash,
                                        std::optional<std::uint64_t> size);

// bodies in parts (api_parts.cpp)
/// Stores the chunks of a multipart body, returns the JSON of the action. `share` holds the JSON's bytes.
coro::Task<Result<std::string>> readParts(Call& call, BodyShare& share);

// machines (api_machines.cpp)
/// Hashes of the keys of those that the engine knows; nothing: it ends, and answers no more, or the key of one cannot be read.
coro::Task<std::optional<std::set<std::string>>> keysOfMachines(engine::Engine& engine);

} // namespace yard::http
