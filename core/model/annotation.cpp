#include "core/model/annotation.h"

#include "core/json/json_writer.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard {

namespace {

constexpr std::array<std::string_view, kMarks> kMarkNames{"none",  "red",  "orange", "yellow",
                                                          "green", "blue", "purple", "grey"};

/// Of well-formed UTF-8.
std::size_t charactersIn(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool isBlank(std::string_view text) {
    return text.find_first_not_of(" \t\n") == text.npos;
}

bool isShown(std::string_view text) {
    std::string plain(text);
    std::ranges::replace_if(plain, [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return isUtf8(text) && !hasControlCharacters(plain);
}

} // namespace

std::string_view name(Mark mark) {
    return kMarkNames[std::to_underlying(mark)];
}

std::optional<Mark> markFrom(std::string_view word) {
    const auto known = std::ranges::find(kMarkNames, word);
    if (known == kMarkNames.end()) return std::nullopt;
    return static_cast<Mark>(known - kMarkNames.begin());
}

std::string markNames() {
    std::string all;
    for (std::size_t i = 1; i < kMarks; ++i) {
        all += i == 1 ? "" : i + 1 == kMarks ? " and " : ", ";
        all += kMarkNames[i];
    }
    return all;
}

Result<void> checkComment(const Comment& comment) {
    if (isBlank(comment.text)) return invalid("text", "Give \"text\": what the comment says.");
    if (!isShown(comment.text) || charactersIn(comment.text) > kMostCommentCharacters)
        return invalid("text", fmt::format("Give \"text\" with at most {} characters, none of them a control "
                                           "character but tabs and newlines: put what is longer into a file, and "
                                           "say here where it is.",
                                           kMostCommentCharacters));
    if (!isUtf8(comment.by) || hasControlCharacters(comment.by) || charactersIn(comment.by) > kMostAuthorCharacters)
        return invalid("by", fmt::format("Give \"by\" as a name of at most {} characters, without control "
                                         "characters.",
                                         kMostAuthorCharacters));
    return {};
}

void writeComment(JsonWriter& writer, const Comment& comment) {
    writer.openObject();
    writer.member("t", comment.t);
    writer.member("by", comment.by);
    writer.member("text", comment.text);
    writer.closeObject();
}

void writeAnnotations(JsonWriter& writer, Mark mark, const std::optional<CommentSummary>& comments) {
    if (mark != Mark::None) writer.member("mark", name(mark));
    if (!comments) return;
    writer.key("comments");
    writer.openObject();
    writer.member("count", comments->count);
    writer.key("last");
    writeComment(writer, comments->last);
    writer.closeObject();
}

} // namespace yard
