#include "core/store/packing.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace yard::store {
namespace {

static_assert(std::endian::native == std::endian::little, "the columns are little-endian");

class Packer {
public:
    template<class T>
    void number(T value) {
        static_assert(std::is_integral_v<T>);
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view text) {
        number(static_cast<std::uint32_t>(text.size()));
        out_.append(text);
    }
    void hash(const Hash256& hash) {
        out_.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view in)
        : in_(in) {}
    template<class T>
    T number() {
        T value{};
        if (const auto bytes = next(sizeof value); bytes.size() == sizeof value)
            std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::string text() { return std::string(next(number<std::uint32_t>())); }
    Hash256 hash() {
        Hash256 hash;
        if (const auto bytes = next(hash.bytes.size()); bytes.size() == hash.bytes.size())
            std::memcpy(hash.bytes.data(), bytes.data(), bytes.size());
        return hash;
    }
    bool more() const { return good_ && !in_.empty(); }
    bool good() const { return good_; }

private:
    std::string_view next(std::size_t size) {
        if (size > in_.size()) good_ = false;
        if (!good_) return {};
        const auto bytes = in_.substr(0, size);
        in_.remove_prefix(size);
        return bytes;
    }
    std::string_view in_;
    bool good_ = true;
};

template<class T, class Read>
std::vector<T> unpackAll(std::string_view bytes, Read read) {
    std::vector<T> list;
    Unpacker in(bytes);
    while (in.more()) {
        T value = read(in);
        if (!in.good()) return {};
        list.push_back(std::move(value));
    }
    return list;
}

} // namespace

std::string packHashes(std::span<const Hash256> hashes) {
    Packer out;
    for (const auto& hash : hashes) out.hash(hash);
    return out.take();
}

std::vector<Hash256> unpackHashes(std::string_view bytes) {
    return unpackAll<Hash256>(bytes, [](Unpacker& in) { return in.hash(); });
}

std::string packChunk(const ChunkRef& chunk) {
    if (chunk.size == 0) return {};
    Packer out;
    out.hash(chunk.hash);
    out.number(chunk.size);
    return out.take();
}

std::optional<ChunkRef> unpackChunk(std::string_view bytes) {
    if (bytes.empty()) return ChunkRef{Hash256::ofNothing(), 0};
    Unpacker in(bytes);
    ChunkRef chunk{in.hash(), in.number<std::uint64_t>()};
    // The empty chunk is no bytes at all: one that says it is empty comes from a damaged row.
    if (!in.good() || chunk.size == 0) return std::nullopt;
    return chunk;
}

std::string packOutputs(std::span<const NamedChunk> outputs) {
    Packer out;
    for (const auto& output : outputs) {
        out.text(output.name);
        out.hash(output.chunk.hash);
        out.number(output.chunk.size);
    }
    return out.take();
}

std::vector<NamedChunk> unpackOutputs(std::string_view bytes) {
    return unpackAll<NamedChunk>(bytes, [](Unpacker& in) {
        NamedChunk output;
        output.name = in.text();
        output.chunk.hash = in.hash();
        output.chunk.size = in.number<std::uint64_t>();
        return output;
    });
}

std::string packDenied(std::span<const Denial> denied) {
    Packer out;
    for (const auto& denial : denied) {
        out.number(denial.t);
        out.text(denial.what);
        out.text(denial.path);
        out.number(static_cast<std::int32_t>(denial.err));
        out.number(static_cast<std::int32_t>(denial.pid));
    }
    return out.take();
}

std::vector<Denial> unpackDenied(std::string_view bytes) {
    return unpackAll<Denial>(bytes, [](Unpacker& in) {
        Denial denial;
        denial.t = in.number<WallMicros>();
        denial.what = in.text();
        denial.path = in.text();
        denial.err = in.number<std::int32_t>();
        denial.pid = in.number<std::int32_t>();
        return denial;
    });
}

/// Bit of the byte that says what end is waited for: the number of elements of an array follows.
static constexpr unsigned char kOfArray = 0x80;

std::string packEdges(std::span<const Edge> edges) {
    Packer out;
    for (const auto& edge : edges) {
        out.number(edge.lsn.value);
        const unsigned char on = std::to_underlying(edge.on);
        out.number(static_cast<unsigned char>(edge.count > 0 ? on | kOfArray : on));
        if (edge.count > 0) out.number(edge.count);
    }
    return out.take();
}

std::vector<Edge> unpackEdges(std::string_view bytes) {
    return unpackAll<Edge>(bytes, [](Unpacker& in) {
        Edge edge;
        edge.lsn = Lsn(in.number<std::int64_t>());
        const auto on = in.number<unsigned char>();
        edge.on = static_cast<DependencyOn>(on & ~kOfArray);
        if (on & kOfArray) edge.count = in.number<std::int64_t>();
        return edge;
    });
}

std::string packLsns(std::span<const Lsn> lsns) {
    Packer out;
    for (const Lsn lsn : lsns) out.number(lsn.value);
    return out.take();
}

std::vector<Lsn> unpackLsns(std::string_view bytes) {
    return unpackAll<Lsn>(bytes, [](Unpacker& in) { return Lsn(in.number<std::int64_t>()); });
}

/// As a whole it is found only as the name of a member: inside of a text its quotes would be escaped.
constexpr std::string_view kFrozenMember = "\"/frozen_us\":";

std::string packGiven(const GivenResources& given, std::int64_t frozen) {
    if (given.empty() && frozen <= 0) return {};
    std::string text = toJson(given);
    if (frozen <= 0) return text;
    text.pop_back();
    if (!given.empty()) text += ',';
    return text.append(kFrozenMember).append(std::to_string(frozen)).append("}");
}

GivenResources unpackGiven(std::string_view text, std::int64_t& frozen) {
    frozen = 0;
    const std::size_t at = text.rfind(kFrozenMember);
    if (at == text.npos || at == 0) return givenFrom(text);
    const std::string_view number = text.substr(at + kFrozenMember.size());
    std::int64_t value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc() || value < 0 || std::string_view(read.ptr, number.data() + number.size()) != "}")
        return {};
    frozen = value;
    std::string rest(text.substr(0, at));
    if (rest.back() == ',') rest.pop_back();
    return givenFrom(rest + "}");
}

std::int64_t keyOf(const Hash256& hash) {
    std::int64_t key = 0;
    std::memcpy(&key, hash.bytes.data(), sizeof key);
    return key;
}

} // namespace yard::store
