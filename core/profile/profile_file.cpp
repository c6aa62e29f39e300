#include "core/profile/profile_file.h"

#include "core/base/varint.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>

namespace yard::profile {

namespace {

constexpr std::string_view kMagic = "YPROF\r\n\x1a";
constexpr std::uint64_t kFirstVersionWithSamples = 3;

class Writer {
public:
    void number(std::uint64_t value) { appendVarint(out, value); }
    void text(std::string_view value) {
        value = utf8Prefix(value, kLongestText);
        number(value.size());
        out += value;
    }
    std::string out{kMagic};
};

/// Reads until something is wrong; then everything is 0 or empty, and `isGood` false.
class Reader {
public:
    explicit Reader(std::string_view bytes)
        : left_(bytes) {}

    std::uint64_t number(std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) {
        const auto value = isGood ? takeVarint(left_) : std::nullopt;
        if (value && *value <= largest) return *value;
        isGood = false;
        return 0;
    }
    std::uint32_t index(std::uint64_t largest = std::numeric_limits<std::uint32_t>::max()) {
        return static_cast<std::uint32_t>(number(largest));
    }
    /// Without characters that could steer a terminal.
    std::string text() {
        const std::uint64_t size = number(kLongestText);
        if (!isGood || size > left_.size()) {
            isGood = false;
            return {};
        }
        std::string value(left_.substr(0, size));
        left_.remove_prefix(size);
        std::ranges::replace_if(value, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
        return value;
    }
    /// Of a list: no longer than the bytes that are left, so that it cannot claim memory.
    std::size_t count(std::size_t most) { return number(std::min(left_.size(), most)); }
    bool isAtEnd() const { return left_.empty(); }

    bool isGood = true;

private:
    std::string_view left_;
};

void write(Writer& writer, const Cost& cost) {
    for (const auto part : kCostParts) writer.number(cost.*part);
}

Cost readCost(Reader& reader, std::size_t parts) {
    // Sums of all that a file can hold stay within 64 bits: it has less than 2^17 nodes.
    static_assert(kMostNodes < std::size_t(1) << 17);
    constexpr std::uint64_t kMost = std::uint64_t(1) << 40;
    Cost cost;
    for (const auto part : std::span(kCostParts).first(parts)) {
        const bool isLarge = part == &Cost::wallNanos || part == &Cost::allocatedBytes;
        cost.*part = reader.number(isLarge ? kMost << 7 : kMost);
    }
    return cost;
}

void readFunctions(Reader& reader, Profile& profile) {
    for (std::size_t left = reader.count(kMostFunctions); reader.isGood && left > 0; --left) {
        Function& function = profile.functions.emplace_back();
        function.name = reader.text();
        function.file = reader.text();
        function.line = reader.index();
    }
}

void readNodes(Reader& reader, Profile& profile, std::size_t costParts) {
    std::vector<std::uint32_t> depths;
    for (std::size_t left = reader.count(kMostNodes); reader.isGood && left > 0; --left) {
        if (profile.functions.empty()) {
            reader.isGood = false;
            return;
        }
        Node node;
        node.function = reader.index(profile.functions.size() - 1);
        const std::uint32_t above = reader.index(profile.nodes.size()); // 0: none, else the parent's place and one
        node.parent = above == 0 ? kNoParent : above - 1;
        node.self = readCost(reader, costParts);
        depths.push_back(above == 0 ? 1 : depths[node.parent] + 1);
        if (depths.back() > kDeepest) reader.isGood = false;
        profile.nodes.push_back(node);
    }
}

void readSlices(Reader& reader, Profile& profile) {
    for (std::size_t left = reader.count(kMostSlices); reader.isGood && left > 0; --left) {
        if (profile.nodes.empty()) {
            reader.isGood = false;
            return;
        }
        Slice slice;
        slice.node = reader.index(profile.nodes.size() - 1);
        slice.startMicros = reader.number(std::uint64_t(1) << 50);
        slice.ranMicros = reader.index();
        profile.slices.push_back(slice);
    }
}

std::unexpected<Error> noProfile(std::string message) {
    return fail(ErrorKind::Invalid, std::move(message));
}

} // namespace

std::string encode(const Profile& profile) {
    Writer writer;
    writer.number(kFileVersion);
    writer.number(static_cast<std::uint64_t>(std::max<WallMicros>(profile.began, 0)));
    writer.number(profile.lastedMicros);
    writer.text(profile.loop);
    writer.number(static_cast<std::uint64_t>(profile.counted));
    writer.number(profile.functions.size());
    for (const Function& function : profile.functions) {
        writer.text(function.name);
        writer.text(function.file);
        writer.number(function.line);
    }
    writer.number(profile.nodes.size());
    for (const Node& node : profile.nodes) {
        writer.number(node.function);
        writer.number(node.parent == kNoParent ? 0 : std::uint64_t(node.parent) + 1);
        write(writer, node.self);
    }
    writer.number(profile.slices.size());
    for (const Slice& slice : profile.slices) {
        writer.number(slice.node);
        writer.number(slice.startMicros);
        writer.number(slice.ranMicros);
    }
    writer.number(profile.slicesLeftOut);
    writer.number(profile.callsLeftOut);
    return std::move(writer.out);
}

bool isProfileFile(std::string_view bytes) {
    return bytes.starts_with(kMagic);
}

Result<Profile> decode(std::string_view bytes) {
    if (!isProfileFile(bytes)) return noProfile("this is no profile; `yardctl profile record` makes one");
    Reader reader(bytes.substr(kMagic.size()));
    const std::uint64_t version = reader.number();
    if (reader.isGood && (version < 1 || version > kFileVersion))
        return noProfile(fmt::format("this profile is of version {}, and versions 1 to {} are read here", version,
                                     kFileVersion));
    Profile profile;
    profile.began = static_cast<WallMicros>(reader.number(std::numeric_limits<std::int64_t>::max()));
    profile.lastedMicros = reader.number(std::uint64_t(1) << 50);
    profile.loop = reader.text();
    if (version >= kFirstVersionWithSamples)
        profile.counted = static_cast<Counted>(reader.number(static_cast<std::uint64_t>(Counted::Samples)));
    readFunctions(reader, profile);
    readNodes(reader, profile, version == 1 ? kCostPartsOfVersion1 : kCostParts.size());
    readSlices(reader, profile);
    profile.slicesLeftOut = reader.number();
    profile.callsLeftOut = reader.number();
    if (!reader.isGood || !reader.isAtEnd()) return noProfile("this profile is damaged or was cut off");
    return profile;
}

} // namespace yard::profile
