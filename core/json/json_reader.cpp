#include "core/json/json_reader.h"

#include "core/json/bad_bytes.h"
#include "core/json/json_bytes.h"
#include "core/json/json_writer.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace yard {

namespace {

using boost::json::error_code;
using Piece = boost::json::string_view;

constexpr std::size_t kNotRaw = ~std::size_t{0};

struct ReadMode {
    bool elements = false;        ///< a list at the root is taken element by element
    bool text = false;            ///< collect the text of each element
    bool rawRoot = false;         ///< the whole document is Raw
    std::string_view rawMember{}; ///< this member of an element is Raw
    std::span<const std::string_view> byteMembers{};
    const JsonElementSink* sink = nullptr;
};

/// Events of Boost's parser to a tape and a text. After the first refusal it only lets the parser check the syntax.
class TapeBuilder {
public:
    static constexpr std::size_t max_array_size = ~std::size_t{0};
    static constexpr std::size_t max_object_size = ~std::size_t{0};
    static constexpr std::size_t max_string_size = ~std::size_t{0};
    static constexpr std::size_t max_key_size = ~std::size_t{0};

    explicit TapeBuilder(const ReadMode& mode)
        : mode_(mode) {}

    JsonTape takeTape() { return std::move(tape_); }
    std::string takeText() { return std::move(text_); }
    bool isList() const { return elementDepth_ == 1; }
    const std::optional<Error>& refusal() const { return refusal_; }
    /// The text has bytes that are not UTF-8, which only some members may hold.
    void expectBytes() { hasBytes_ = true; }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_comment_part(Piece, error_code&) { return true; }
    bool on_comment(Piece, error_code&) { return true; }
    bool on_number_part(Piece, error_code&) { return true; } // the whole document is one buffer: never in parts

    bool on_object_begin(error_code&) { return open(JsonKind::Object); }
    bool on_object_end(std::size_t, error_code&) { return close('}'); }
    bool on_array_begin(error_code&) { return open(JsonKind::Array); }
    bool on_array_end(std::size_t, error_code&) { return close(']'); }

    bool on_key_part(Piece piece, std::size_t, error_code&) { return keep(piece); }
    bool on_key(Piece piece, std::size_t size, error_code&);
    bool on_string_part(Piece piece, std::size_t, error_code&) { return keep(piece); }
    bool on_string(Piece piece, std::size_t size, error_code&);
    bool on_int64(std::int64_t value, Piece written, error_code&);
    bool on_uint64(std::uint64_t value, Piece written, error_code&);
    bool on_double(double value, Piece written, error_code&);
    bool on_bool(bool value, error_code&);
    bool on_null(error_code&);

private:
    struct Span {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    struct Frame {
        std::uint32_t node = 0; ///< of the object or array, when on the tape
        std::size_t keys = 0;   ///< where its keys begin in keys_
        std::size_t chars = 0;  ///< Raw: characters of its keys begin here
        bool isObject = false;
    };

    /// Of the member that is being read; empty: there is none.
    std::string lastKey() const { return std::string(keys_.empty() ? "" : utf8Prefix(chars(keys_.back()), 128)); }
    bool refuse(Error error) {
        if (!refusal_) {
            refusal_ = std::move(error);
            if (isList()) refusal_->index = static_cast<int>(elements_);
        }
        return true; // go on: the rest must still be JSON
    }
    /// False for bytes where only characters are taken.
    bool mayHold(std::string_view text) {
        if (!hasBytes_ || takesBytes_ || isUtf8(text)) return true;
        refuse(bytesRefused());
        return false;
    }
    Error bytesRefused() const;
    bool isRaw() const { return rawDepth_ != kNotRaw; }
    bool keep(Piece piece) {
        if (!refusal_) tape_.chars.append(piece.data(), piece.size());
        return true;
    }
    std::string_view chars(Span span) const { return std::string_view(tape_.chars).substr(span.offset, span.size); }
    void write(std::string_view json) {
        if (mode_.text) text_ += json;
    }

    bool open(JsonKind kind);
    bool close(char bracket);
    void beginValue();
    JsonNode* addNode(JsonKind kind);
    void endValue();
    void endElement();
    bool scalar(JsonKind kind, std::string_view json, const JsonNode& content);
    std::optional<Span> repeatedKey(const Frame& frame);

    const ReadMode mode_;
    JsonTape tape_;
    std::string text_;
    std::vector<Span> keys_; ///< of the objects that are open
    std::array<Frame, kMaxJsonDepth> frames_{};
    std::size_t depth_ = 0;
    std::size_t elementDepth_ = 0;
    std::size_t rawDepth_ = kNotRaw; ///< depth at which the Raw value stands
    bool rawNext_ = false;
    bool hasBytes_ = false;
    bool takesBytes_ = false; ///< the member of the element that is being read
    std::string member_;      ///< its name, if there are bytes
    std::uint32_t rawNode_ = 0;
    Span key_; ///< of the member whose value comes next
    std::size_t elements_ = 0;
    std::optional<Error> refusal_;
};

bool TapeBuilder::open(JsonKind kind) {
    if (refusal_) return true;
    if (mode_.elements && depth_ == 0 && kind == JsonKind::Array) {
        elementDepth_ = 1;
        frames_[depth_++] = Frame{};
        return true;
    }
    beginValue();
    Frame frame{.node = 0, .keys = keys_.size(), .chars = tape_.chars.size(), .isObject = kind == JsonKind::Object};
    if (!isRaw()) {
        frame.node = static_cast<std::uint32_t>(tape_.nodes.size());
        if (!addNode(kind)) return true;
    }
    frames_[depth_++] = frame;
    key_ = {};
    write(frame.isObject ? "{" : "[");
    return true;
}

bool TapeBuilder::close(char bracket) {
    if (refusal_) return true;
    const Frame& frame = frames_[--depth_];
    if (depth_ < elementDepth_) return true; // the list itself
    if (frame.isObject) {
        if (const auto repeated = repeatedKey(frame)) {
            const std::string name(utf8Prefix(chars(*repeated), 128));
            std::string quoted;
            appendJsonString(quoted, name);
            return refuse(
                invalid(name, fmt::format("{} appears twice in one object; send it once.", quoted)).error());
        }
        keys_.resize(frame.keys);
    }
    if (mode_.text) {
        if (!text_.empty() && text_.back() == ',')
            text_.pop_back(); // no value ends with a comma: strings have quotes
        text_ += bracket;
    }
    if (isRaw())
        tape_.chars.resize(frame.chars);
    else
        tape_.nodes[frame.node].end = static_cast<std::uint32_t>(tape_.nodes.size());
    endValue();
    return true;
}

void TapeBuilder::beginValue() {
    if (depth_ == elementDepth_) rawNext_ = mode_.rawRoot;
    if (!rawNext_) return;
    rawNext_ = false;
    rawNode_ = static_cast<std::uint32_t>(tape_.nodes.size());
    if (JsonNode* node = addNode(JsonKind::Raw)) {
        node->offset = static_cast<std::uint32_t>(text_.size());
        rawDepth_ = depth_;
    }
}

Error TapeBuilder::bytesRefused() const {
    std::string name;
    appendJsonString(name, utf8Prefix(member_, 128));
    return invalid(
               std::string(utf8Prefix(member_, 128)),
               fmt::format("Give {} as text: \\udc80 to \\udcff stand for single bytes, which only {} may hold.",
                           name, fmt::join(mode_.byteMembers, ", ")))
        .error();
}

JsonNode* TapeBuilder::addNode(JsonKind kind) {
    if (tape_.nodes.size() >= kMaxJsonNodes) {
        refuse(fail(ErrorKind::TooLarge,
                    fmt::format("The JSON has more than {} values; send it in parts.", kMaxJsonNodes))
                   .error());
        return nullptr;
    }
    if (depth_ > elementDepth_) ++tape_.nodes[frames_[depth_ - 1].node].count;
    JsonNode& node = tape_.nodes.emplace_back();
    node.kind = kind;
    node.end = static_cast<std::uint32_t>(tape_.nodes.size());
    node.keyOffset = key_.offset;
    node.keySize = key_.size;
    key_ = {};
    return &node;
}

void TapeBuilder::endValue() {
    if (refusal_) return;
    if (depth_ == rawDepth_) {
        JsonNode& node = tape_.nodes[rawNode_];
        node.size = static_cast<std::uint32_t>(text_.size()) - node.offset;
        rawDepth_ = kNotRaw;
    }
    if (depth_ > elementDepth_)
        write(",");
    else
        endElement();
}

void TapeBuilder::endElement() {
    if (!mode_.sink) return;
    if (elements_ >= kMaxJsonElements) {
        refuse(fail(ErrorKind::TooLarge,
                    fmt::format("The list has more than {} elements; send it in parts.", kMaxJsonElements))
                   .error());
        return;
    }
    if (auto taken = (*mode_.sink)(tape_.root(), text_); !taken) refuse(std::move(taken.error()));
    ++elements_;
    tape_.nodes.clear();
    tape_.chars.clear();
    text_.clear();
}

bool TapeBuilder::on_key(Piece piece, std::size_t size, error_code&) {
    if (refusal_) return true;
    keep(piece);
    key_ = {static_cast<std::uint32_t>(tape_.chars.size() - size), static_cast<std::uint32_t>(size)};
    keys_.push_back(key_);
    if (hasBytes_ && depth_ == elementDepth_ + 1) {
        member_ = chars(key_);
        takesBytes_ = std::ranges::find(mode_.byteMembers, member_) != mode_.byteMembers.end();
    }
    if (!mayHold(chars(key_))) return true;
    if (mode_.text) {
        appendJsonBytes(text_, chars(key_));
        text_ += ':';
    }
    if (depth_ == elementDepth_ + 1 && !mode_.rawMember.empty() && !isRaw())
        rawNext_ = chars(key_) == mode_.rawMember;
    return true;
}

bool TapeBuilder::on_string(Piece piece, std::size_t size, error_code&) {
    if (refusal_) return true;
    beginValue();
    if (refusal_) return true;
    keep(piece);
    const Span span{static_cast<std::uint32_t>(tape_.chars.size() - size), static_cast<std::uint32_t>(size)};
    if (!mayHold(chars(span))) return true;
    if (mode_.text) appendJsonBytes(text_, chars(span));
    if (isRaw())
        tape_.chars.resize(span.offset);
    else if (JsonNode* node = addNode(JsonKind::String)) {
        node->offset = span.offset;
        node->size = span.size;
    }
    endValue();
    return true;
}

bool TapeBuilder::scalar(JsonKind kind, std::string_view json, const JsonNode& content) {
    if (refusal_) return true;
    beginValue();
    if (refusal_) return true;
    write(json);
    if (!isRaw()) {
        if (JsonNode* node = addNode(kind)) {
            node->boolean = content.boolean;
            node->integer = content.integer;
        }
    }
    endValue();
    return true;
}

bool TapeBuilder::on_int64(std::int64_t value, Piece written, error_code&) {
    JsonNode content;
    content.integer = value;
    return scalar(JsonKind::Integer, {written.data(), written.size()}, content);
}

bool TapeBuilder::on_uint64(std::uint64_t value, Piece written, error_code&) {
    JsonNode content;
    content.integer = static_cast<std::int64_t>(value); // unsignedInteger shares its bits
    return scalar(JsonKind::Unsigned, {written.data(), written.size()}, content);
}

bool TapeBuilder::on_double(double, Piece piece, error_code&) {
    if (refusal_) return true;
    const std::string_view written(piece.data(), piece.size());
    const std::string_view shown = written.substr(0, 40);
    if (written.find_first_of(".eE") == std::string_view::npos)
        return refuse(
            invalid(lastKey(), fmt::format("Give the integer {} as a string: it needs more than 64 bits.", shown))
                .error());
    // Boost's own conversion can be off by a bit in the last place.
    double value = 0;
    const auto end = std::from_chars(written.data(), written.data() + written.size(), value);
    if (end.ec != std::errc{} || !std::isfinite(value))
        return refuse(
            invalid(lastKey(),
                    fmt::format("Give the number {} as a string: it is beyond what a double holds.", shown))
                .error());
    JsonNode content;
    content.integer = std::bit_cast<std::int64_t>(value);
    return scalar(JsonKind::Number, written, content);
}

bool TapeBuilder::on_bool(bool value, error_code&) {
    JsonNode content;
    content.boolean = value;
    return scalar(JsonKind::Bool, value ? "true" : "false", content);
}

bool TapeBuilder::on_null(error_code&) {
    return scalar(JsonKind::Null, "null", {});
}

/// A key that stands twice in the object that ends. Short objects by comparing, long ones by sorting.
std::optional<TapeBuilder::Span> TapeBuilder::repeatedKey(const Frame& frame) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(frame.keys);
    const auto same = [this](Span a, Span b) { return a.size == b.size && chars(a) == chars(b); };
    if (keys_.end() - first <= 12) {
        for (auto a = first; a != keys_.end(); ++a)
            for (auto b = a + 1; b != keys_.end(); ++b)
                if (same(*a, *b)) return *b;
        return std::nullopt;
    }
    std::sort(first, keys_.end(), [this](Span a, Span b) { return chars(a) < chars(b); });
    const auto twice = std::adjacent_find(first, keys_.end(), same);
    return twice == keys_.end() ? std::nullopt : std::optional(*twice);
}

Error malformed(std::string_view json, std::size_t at, const error_code& ec) {
    using boost::json::error;
    std::string message;
    if (ec == error::too_deep)
        message = fmt::format("The JSON is nested deeper than {} levels; flatten it.", kMaxJsonDepth);
    else if (!isUtf8(json))
        message = notUtf8(json) + "; encode it as UTF-8 and send it again.";
    else if (ec == error::incomplete)
        message = "The JSON ends too early; send the whole document.";
    else if (ec == error::extra_data)
        message = fmt::format("The JSON goes on after its end at byte {}; send one document.", at);
    else
        message = fmt::format("The JSON is wrong at byte {} ({}); correct it and send it again.", at, ec.message());
    return fail(ErrorKind::Malformed, std::move(message)).error();
}

/// Runs the parser over the whole text.
Result<TapeBuilder> build(std::string_view json, const ReadMode& mode) {
    if (json.size() > kMaxJsonBody)
        return fail(ErrorKind::TooLarge,
                    fmt::format("The JSON is over {} MiB; send it in parts.", kMaxJsonBody >> 20));
    auto decoded = mode.byteMembers.empty() ? std::nullopt : decodeJsonBytes(json);
    if (decoded && !isUtf8(json)) decoded.reset(); // refused below
    const std::string_view text = decoded ? std::string_view(*decoded) : json;
    boost::json::parse_options options;
    options.max_depth = kMaxJsonDepth;
    options.allow_invalid_utf8 = decoded.has_value(); // the bytes that it asks for, and no others
    boost::json::basic_parser<TapeBuilder> parser(options, mode);
    if (decoded) parser.handler().expectBytes();
    error_code ec;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && used < text.size()) ec = boost::json::error::extra_data;
    if (ec) return std::unexpected(malformed(json, used, ec));
    if (parser.handler().refusal()) return std::unexpected(*parser.handler().refusal());
    return std::move(parser.handler());
}

} // namespace

Result<JsonTape> readJson(std::string_view json) {
    auto built = build(json, ReadMode{});
    if (!built) return std::unexpected(std::move(built.error()));
    return built->takeTape();
}

Result<bool> readJsonElements(std::string_view json, std::string_view rawMember, const JsonElementSink& sink,
                              std::span<const std::string_view> byteMembers) {
    const auto built = build(
        json, {.elements = true, .text = true, .rawMember = rawMember, .byteMembers = byteMembers, .sink = &sink});
    if (!built) return std::unexpected(built.error());
    return built->isList();
}

std::optional<JsonView> memberOf(JsonView object, std::string_view name) {
    if (!object.isObject()) return std::nullopt;
    for (const JsonView value : object)
        if (value.key() == name) return value;
    return std::nullopt;
}

Result<std::string> compactJson(std::string_view json) {
    auto built = build(json, {.text = true, .rawRoot = true});
    if (!built) return std::unexpected(std::move(built.error()));
    return built->takeText();
}

} // namespace yard
