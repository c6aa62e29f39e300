// RFC 8785: members sorted by the UTF-16 code units of their names, no white space, ECMAScript's numbers.

#include "core/json/canonical_json.h"

#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace yard {

namespace {

constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;

/// Order of UTF-16 code units, seen on UTF-8: byte order, but that what lies past U+FFFF (lead bytes from F0, in
/// UTF-16 surrogates D800..DFFF) comes before U+E000..U+FFFF (lead bytes EE and EF). Where two texts first differ,
/// both bytes are leads or both are not.
bool isBefore(std::string_view a, std::string_view b) {
    const auto rank = [](char c) {
        const int byte = static_cast<unsigned char>(c);
        if (byte >= 0xF0) return byte - 2;
        return byte >= 0xEE ? byte + 6 : byte;
    };
    return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

bool isExactDouble(std::int64_t value) {
    if (value >= -kMaxExact && value <= kMaxExact) return true;
    const auto near = static_cast<double>(value);
    return near < 9.2e18 && near > -9.2e18 && static_cast<std::int64_t>(near) == value;
}

Result<void> write(std::string& out, JsonView value);

Result<void> writeObject(std::string& out, JsonView object) {
    std::vector<JsonView> members;
    members.reserve(object.count());
    for (const JsonView member : object) members.push_back(member);
    std::ranges::sort(members, [](JsonView a, JsonView b) { return isBefore(a.key(), b.key()); });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0) out += ',';
        appendJsonString(out, members[i].key());
        out += ':';
        if (auto written = write(out, members[i]); !written) return written;
    }
    out += '}';
    return {};
}

Result<void> writeArray(std::string& out, JsonView array) {
    out += '[';
    bool first = true;
    for (const JsonView element : array) {
        if (!std::exchange(first, false)) out += ',';
        if (auto written = write(out, element); !written) return written;
    }
    out += ']';
    return {};
}

/// Recursion ends at kMaxJsonDepth, which the reader has checked.
Result<void> write(std::string& out, JsonView value) {
    const JsonNode& node = value.node();
    switch (value.kind()) {
    case JsonKind::Null: out += "null"; break;
    case JsonKind::Bool: out += node.boolean ? "true" : "false"; break;
    case JsonKind::Integer:
        if (!isExactDouble(node.integer))
            return invalid(
                std::string(value.key()),
                fmt::format("Give the integer {} as a string: a double does not hold it.", node.integer));
        appendJsonNumber(out, static_cast<double>(node.integer));
        break;
    case JsonKind::Unsigned:
        return invalid(std::string(value.key()),
                       fmt::format("Give the integer {} as a string: it is too large.", node.unsignedInteger));
    case JsonKind::Number: appendJsonNumber(out, node.number); break;
    case JsonKind::String: appendJsonString(out, value.string()); break;
    case JsonKind::Array: return writeArray(out, value);
    case JsonKind::Object: return writeObject(out, value);
    case JsonKind::Raw: break; // readJson() makes none
    }
    return {};
}

} // namespace

Result<std::string> canonicalJson(JsonView value) {
    std::string out;
    if (auto written = write(out, value); !written) return std::unexpected(std::move(written.error()));
    return out;
}

Result<std::string> canonicalJson(std::string_view json) {
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    return canonicalJson(tape->root());
}

} // namespace yard
