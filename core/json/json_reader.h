// JSON text to values, for everything that clients send. One pass of Boost.JSON's parser over the bytes onto a tape
// of nodes, without a tree of allocations. Refused wherever they stand: more than 64 levels, invalid UTF-8, a
// member given twice in one object, integers of more than 64 bits and numbers beyond a double (both would silently
// change). Values; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

/// Limits of one JSON document from a client (docs/api.md, 4).
inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonBody = 64u << 20;
/// Values on one tape at most: bounds the memory of a document to a small multiple of its bytes.
inline constexpr std::size_t kMaxJsonNodes = 4'000'000;
/// Elements of a list of actions at most; as many as an array may have.
inline constexpr std::size_t kMaxJsonElements = 1'000'000;

enum class JsonKind : unsigned char {
    Null,
    Bool,
    Integer,  ///< fits 64 bits with a sign
    Unsigned, ///< from 2^63 to 2^64-1
    Number,   ///< written with a point or an exponent
    String,
    Array,
    Object,
    Raw ///< kept as text, see readJsonElements
};

struct JsonNode {
    JsonKind kind = JsonKind::Null;
    bool boolean = false;
    std::uint32_t end = 0;   ///< index past the last node of this subtree
    std::uint32_t count = 0; ///< children of an array or object
    std::uint32_t keyOffset = 0;
    std::uint32_t keySize = 0;
    std::uint32_t offset = 0; ///< String: in the tape's characters; Raw: in the element's text
    std::uint32_t size = 0;
    union {
        std::int64_t integer = 0;
        std::uint64_t unsignedInteger;
        double number;
    };
};

class JsonView;

/// The tape: nodes in document order and the decoded characters of strings and keys.
struct JsonTape {
    std::vector<JsonNode> nodes;
    std::string chars;
    JsonView root() const;
};

/// One value of a tape. Borrowed: valid while the tape is neither changed nor moved.
class JsonView {
public:
    JsonView(const JsonTape& tape, std::uint32_t index)
        : tape_(&tape)
        , index_(index) {}

    JsonKind kind() const { return node().kind; }
    bool isObject() const { return kind() == JsonKind::Object; }
    const JsonNode& node() const { return tape_->nodes[index_]; }
    /// Name of the member that this is the value of; empty in arrays.
    std::string_view key() const { return chars(node().keyOffset, node().keySize); }
    /// Of a String.
    std::string_view string() const { return chars(node().offset, node().size); }
    /// Children of an array or object.
    std::uint32_t count() const { return node().count; }

    class Iterator {
    public:
        Iterator(const JsonTape& tape, std::uint32_t index)
            : tape_(&tape)
            , index_(index) {}
        JsonView operator*() const { return {*tape_, index_}; }
        Iterator& operator++() {
            index_ = tape_->nodes[index_].end;
            return *this;
        }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

    private:
        const JsonTape* tape_;
        std::uint32_t index_;
    };
    Iterator begin() const { return {*tape_, index_ + 1}; }
    Iterator end() const { return {*tape_, node().end}; }

private:
    std::string_view chars(std::uint32_t offset, std::uint32_t size) const {
        return std::string_view(tape_->chars).substr(offset, size);
    }
    const JsonTape* tape_;
    std::uint32_t index_;
};

inline JsonView JsonTape::root() const {
    return {*this, 0};
}

/// Nothing: `object` has no such member, or is no object.
std::optional<JsonView> memberOf(JsonView object, std::string_view name);

/// A whole document. Malformed, TooLarge, or Invalid for what is refused above.
Result<JsonTape> readJson(std::string_view json);

/// What happens with one element: its value, and its text without white space, members in their order, numbers as
/// they were written. Both are gone after the call. An error ends the reading; it gets the element's index when in
/// a list.
using JsonElementSink = std::function<Result<void>(JsonView value, std::string_view text)>;
/// One object, or a list of them, element by element: the memory needed is that of one. The value of the element's
/// member `rawMember` becomes a Raw node: checked, but on no tape. True when it was a list. A document that is not
/// JSON is Malformed even when an element before the mistake was refused. In `byteMembers` of an element strings and
/// names may hold bytes that are not UTF-8 (json_bytes.h): on the tape they are these bytes, in the text code units.
/// Anywhere else they are refused.
Result<bool> readJsonElements(std::string_view json, std::string_view rawMember, const JsonElementSink& sink,
                              std::span<const std::string_view> byteMembers = {});

/// The same document without white space. Checked as above.
Result<std::string> compactJson(std::string_view json);

} // namespace yard
