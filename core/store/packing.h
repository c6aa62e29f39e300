// Private to core/store: lists inside one column of the journal, as bytes. Little-endian; a reader that meets bytes
// it does not understand gets nothing rather than a guess (the column may come from a damaged file).
#pragma once

#include "core/model/result.h"
#include "core/store/rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::store {

std::string packHashes(std::span<const Hash256> hashes);
std::vector<Hash256> unpackHashes(std::string_view bytes);
/// 40 bytes; the empty chunk is no bytes at all.
std::string packChunk(const ChunkRef& chunk);
std::optional<ChunkRef> unpackChunk(std::string_view bytes);
std::string packOutputs(std::span<const NamedChunk> outputs);
std::vector<NamedChunk> unpackOutputs(std::string_view bytes);
std::string packDenied(std::span<const Denial> denied);
std::vector<Denial> unpackDenied(std::string_view bytes);
std::string packEdges(std::span<const Edge> edges);
std::vector<Edge> unpackEdges(std::string_view bytes);
std::string packLsns(std::span<const Lsn> lsns);
std::vector<Lsn> unpackLsns(std::string_view bytes);

/// JSON of what an attempt was given, and for how long it stood still (Timestamps::frozen), as a member whose name no
/// resource has. Empty: neither.
std::string packGiven(const GivenResources& given, std::int64_t frozen);
GivenResources unpackGiven(std::string_view text, std::int64_t& frozen);

/// The first eight bytes of a hash: the key of blob_key.
std::int64_t keyOf(const Hash256& hash);

} // namespace yard::store
