#include "core/link/bodies.h"

#include "core/link/body_parts.h"
#include <algorithm>

namespace yard::link {

namespace {

constexpr std::size_t kRefBytes = 12;
constexpr std::size_t kMaxNamed = 64;
constexpr std::size_t kMaxTags = 64;
constexpr std::size_t kMaxPathBytes = 4'096;

void putRef(BodyWriter& out, const AttemptRef& id) {
    out.i64(id.lsn);
    out.u32(id.attempt);
}

AttemptRef getRef(BodyReader& in) {
    const AttemptRef id{.lsn = in.i64(), .attempt = in.u32()};
    if (id.lsn <= 0 || id.attempt == 0) in.fail();
    return id;
}

void putRefs(BodyWriter& out, const AttemptRefs& ids) {
    out.u32(static_cast<std::uint32_t>(ids.size()));
    for (const AttemptRef& id : ids) putRef(out, id);
}

AttemptRefs getRefs(BodyReader& in, std::size_t limit) {
    AttemptRefs ids(in.count(limit, kRefBytes));
    for (AttemptRef& id : ids) id = getRef(in);
    return ids;
}

void putAmounts(BodyWriter& out, const Amounts& amounts) {
    out.i64(amounts.milliCores);
    out.i64(amounts.memoryMb);
    out.u32(amounts.slots);
    out.u32(static_cast<std::uint32_t>(amounts.named.size()));
    for (const auto& [name, amount] : amounts.named) {
        out.text(name);
        out.i64(amount);
    }
}

/// Below this sums of a whole fleet stay exact.
constexpr std::int64_t kMaxAmount = std::int64_t{1} << 40;

std::int64_t getAmount(BodyReader& in) {
    const std::int64_t amount = in.i64();
    if (amount < 0 || amount > kMaxAmount) in.fail();
    return amount;
}

Amounts getAmounts(BodyReader& in) {
    Amounts amounts{.milliCores = getAmount(in), .memoryMb = getAmount(in), .slots = in.u32()};
    if (amounts.slots > kMaxLeases) in.fail();
    amounts.named.resize(in.count(kMaxNamed, 12));
    for (auto& [name, amount] : amounts.named) {
        name = in.plainText(kMaxNameBytes);
        amount = getAmount(in);
    }
    return amounts;
}

void putHashes(BodyWriter& out, const std::vector<Hash256>& hashes) {
    out.u32(static_cast<std::uint32_t>(hashes.size()));
    for (const Hash256& hash : hashes) out.hash(hash);
}

std::vector<Hash256> getHashes(BodyReader& in, std::size_t limit) {
    std::vector<Hash256> hashes(in.count(limit, sizeof(Hash256)));
    for (Hash256& hash : hashes) hash = in.hash();
    return hashes;
}

void putStream(BodyWriter& out, const KeptStream& stream) {
    out.u64(stream.size);
    out.text(stream.bytes);
    out.u8(stream.hash ? 1 : 0);
    if (stream.hash) out.hash(*stream.hash);
}

KeptStream getStream(BodyReader& in) {
    KeptStream stream{.size = in.u64(), .bytes = in.text(kInlineBytes), .hash = {}};
    if (in.word(std::uint8_t{1}) == 1) stream.hash = in.hash();
    return stream;
}

} // namespace

std::vector<Hash256> hashesOf(const Finished& end) {
    std::vector<Hash256> hashes;
    for (const KeptStream* stream : {&end.out, &end.err})
        if (stream->hash) hashes.push_back(*stream->hash);
    for (const Output& output : end.outputs) hashes.push_back(output.hash);
    return hashes;
}

std::string put(const Hello& body) {
    BodyWriter out;
    out.u32(body.protocol);
    out.text(body.runId);
    out.text(body.name);
    out.text(body.platform);
    out.text(body.version);
    putAmounts(out, body.capacity);
    out.u32(static_cast<std::uint32_t>(body.tags.size()));
    for (const std::string& tag : body.tags) out.text(tag);
    out.u32(static_cast<std::uint32_t>(body.held.size()));
    for (const Held& held : body.held) {
        putRef(out, held.id);
        out.u8(static_cast<std::uint8_t>(held.stage));
    }
    out.u32(
        static_cast<std::uint32_t>(std::clamp(body.utcOffset, -kMostUtcOffset, kMostUtcOffset) + kMostUtcOffset));
    out.u8(body.takesWorkers ? 1 : 0);
    return out.take();
}

bool get(std::string_view bytes, Hello& body) {
    BodyReader in(bytes);
    body.protocol = in.u32();
    body.runId = in.plainText(kMaxNameBytes);
    body.name = in.plainText(kMaxNameBytes);
    body.platform = in.plainText(kMaxNameBytes);
    body.version = in.plainText(kMaxNameBytes);
    body.capacity = getAmounts(in);
    body.tags.resize(in.count(kMaxTags, 4));
    for (std::string& tag : body.tags) tag = in.plainText(kMaxNameBytes);
    body.held.resize(in.count(kMaxLeases, kRefBytes + 1));
    for (Held& held : body.held) held = {.id = getRef(in), .stage = in.word(GuestStage::Ended)};
    const std::uint32_t offset = in.u32();
    if (offset > 2 * static_cast<std::uint32_t>(kMostUtcOffset)) return false;
    body.utcOffset = static_cast<std::int32_t>(offset) - kMostUtcOffset;
    body.takesWorkers = !in.isDone() && in.word(std::uint8_t{1}) == 1; // an earlier version ends here
    return in.isGood() && !body.runId.empty() && !body.name.empty();
}

std::string put(const Welcome& body) {
    BodyWriter out;
    out.u32(body.protocol);
    out.text(body.runId);
    out.text(body.name);
    out.u32(body.leaseSeconds);
    putRefs(out, body.held);
    return out.take();
}

bool get(std::string_view bytes, Welcome& body) {
    BodyReader in(bytes);
    body.protocol = in.u32();
    body.runId = in.plainText(kMaxNameBytes);
    body.name = in.plainText(kMaxNameBytes);
    body.leaseSeconds = in.u32();
    body.held = getRefs(in, kMaxLeases);
    return in.isGood() && body.leaseSeconds >= 5 && body.leaseSeconds <= 600;
}

std::string put(const Refused& body) {
    BodyWriter out;
    out.u8(static_cast<std::uint8_t>(body.cause));
    out.text(body.sentence);
    return out.take();
}

bool get(std::string_view bytes, Refused& body) {
    BodyReader in(bytes);
    body.cause = in.word(RefusalCause::Full);
    body.sentence = in.plainText(kMaxTextBytes);
    return in.isGood();
}

std::string put(const Lease& body) {
    BodyWriter out;
    putRef(out, body.id);
    out.text(body.spec);
    out.text(body.worker);
    out.u64(body.deadlineMs);
    out.u64(body.graceMs);
    putAmounts(out, body.needs);
    putHashes(out, body.inputs);
    out.u8(body.once ? 1 : 0);
    return out.take();
}

bool get(std::string_view bytes, Lease& body) {
    BodyReader in(bytes);
    body.id = getRef(in);
    body.spec = in.text(kMaxSpecBytes);
    body.worker = in.plainText(kMaxNameBytes);
    body.deadlineMs = in.u64();
    body.graceMs = in.u64();
    body.needs = getAmounts(in);
    body.inputs = getHashes(in, 4 * kMaxHashes);
    body.once = in.word(std::uint8_t{1}) == 1;
    return in.isGood();
}

std::string put(const Need& body) {
    BodyWriter out;
    putHashes(out, body.hashes);
    return out.take();
}

bool get(std::string_view bytes, Need& body) {
    BodyReader in(bytes);
    body.hashes = getHashes(in, kMaxHashes);
    return in.isGood();
}

std::string put(const Chunk& body) {
    BodyWriter out;
    out.hash(body.hash);
    out.u64(body.size);
    out.u64(body.offset);
    out.text(body.bytes);
    return out.take();
}

bool get(std::string_view bytes, Chunk& body) {
    BodyReader in(bytes);
    body.hash = in.hash();
    body.size = in.u64();
    body.offset = in.u64();
    body.bytes = in.text(kChunkPiece);
    return in.isGood() && body.offset <= body.size && body.bytes.size() <= body.size - body.offset;
}

std::string put(const Updates& body) {
    BodyWriter out;
    out.u32(static_cast<std::uint32_t>(body.size()));
    for (const Update& update : body) {
        putRef(out, update.id);
        out.u8(static_cast<std::uint8_t>(update.kind));
        out.u64(update.number);
        out.text(update.text);
    }
    return out.take();
}

bool get(std::string_view bytes, Updates& body) {
    BodyReader in(bytes);
    body.resize(in.count(kMaxUpdates, kRefBytes + 13));
    for (Update& update : body) {
        update.id = getRef(in);
        update.kind = in.word(UpdateKind::ErrorOutput);
        update.number = in.u64();
        update.text = update.kind == UpdateKind::Progress ? in.plainText(kMaxTextBytes) : in.text(kMaxUpdateBytes);
    }
    return in.isGood();
}

std::string put(const Finished& body) {
    BodyWriter out;
    putRef(out, body.id);
    out.u8(static_cast<std::uint8_t>(body.cause));
    out.i64(body.exitCode);
    out.u32(body.signal);
    out.u64(body.waitedUs);
    out.u64(body.ranUs);
    out.u64(body.cpuUs);
    out.u64(body.memoryBytes);
    out.text(body.result);
    out.text(body.message);
    putStream(out, body.out);
    putStream(out, body.err);
    out.u32(static_cast<std::uint32_t>(body.outputs.size()));
    for (const Output& output : body.outputs) {
        out.text(output.path);
        out.hash(output.hash);
        out.u64(output.size);
    }
    return out.take();
}

bool get(std::string_view bytes, Finished& body) {
    BodyReader in(bytes);
    body.id = getRef(in);
    body.cause = in.word(GuestEnd::Refused);
    body.exitCode = in.i64();
    body.signal = in.u32();
    body.waitedUs = in.u64();
    body.ranUs = in.u64();
    body.cpuUs = in.u64();
    body.memoryBytes = in.u64();
    body.result = in.text(bodyLimit(static_cast<std::uint8_t>(Kind::Finished)));
    body.message = in.plainText(kMaxTextBytes);
    body.out = getStream(in);
    body.err = getStream(in);
    body.outputs.resize(in.count(kMaxOutputs, 44));
    for (Output& output : body.outputs)
        output = {.path = in.plainText(kMaxPathBytes), .hash = in.hash(), .size = in.u64()};
    return in.isGood();
}

std::string put(const Cancel& body) {
    BodyWriter out;
    putRef(out, body.id);
    out.u8(body.onlyIfWaiting ? 1 : 0);
    out.u64(body.graceMs);
    return out.take();
}

bool get(std::string_view bytes, Cancel& body) {
    BodyReader in(bytes);
    body.id = getRef(in);
    body.onlyIfWaiting = in.word(std::uint8_t{1}) == 1;
    body.graceMs = in.u64();
    return in.isGood();
}

std::string put(const Follow& body) {
    BodyWriter out;
    putRef(out, body.id);
    out.u8(body.isErr ? 1 : 0);
    out.u64(body.from);
    return out.take();
}

bool get(std::string_view bytes, Follow& body) {
    BodyReader in(bytes);
    body.id = getRef(in);
    body.isErr = in.word(std::uint8_t{1}) == 1;
    body.from = in.u64();
    return in.isGood();
}

std::string put(const Leaving& body) {
    BodyWriter out;
    out.u8(static_cast<std::uint8_t>(body.cause));
    out.u64(body.inMs);
    out.text(body.sentence);
    return out.take();
}

bool get(std::string_view bytes, Leaving& body) {
    BodyReader in(bytes);
    body.cause = in.word(LeavingCause::Sent);
    body.inMs = in.u64();
    body.sentence = in.plainText(kMaxTextBytes);
    return in.isGood();
}

std::string put(const AttemptRefs& body) {
    BodyWriter out;
    putRefs(out, body);
    return out.take();
}

bool get(std::string_view bytes, AttemptRefs& body) {
    BodyReader in(bytes);
    body = getRefs(in, kMaxRefs);
    return in.isGood();
}

} // namespace yard::link
