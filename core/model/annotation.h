// What people note on actions and queues: a mark, which is a colour, and comments (docs/api.md, "Marks and comments").
// Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

class JsonWriter;

/// Numbers are stored in the journal: append only.
enum class Mark : unsigned char { None, Red, Orange, Yellow, Green, Blue, Purple, Grey };
inline constexpr std::size_t kMarks = 8;
/// None is "none".
std::string_view name(Mark mark);
std::optional<Mark> markFrom(std::string_view word);
/// The colours, with commas and an "and": for messages and descriptions.
std::string markNames();

struct Comment {
    WallMicros t = 0;
    std::string by; ///< who wrote it
    std::string text;
    friend bool operator==(const Comment&, const Comment&) = default;
};
/// What an action or a queue shows of its comments; only where there are some.
struct CommentSummary {
    std::int64_t count = 0;
    Comment last;
    friend bool operator==(const CommentSummary&, const CommentSummary&) = default;
};

inline constexpr std::size_t kMostCommentCharacters = 1'000;
inline constexpr std::size_t kMostAuthorCharacters = 64;
/// Of one action or queue.
inline constexpr std::size_t kMostComments = 100;
/// Of all actions and queues together: the engine has them in memory.
inline constexpr std::size_t kMostCommentsInAll = 100'000;
inline constexpr std::size_t kMostCommentBytes = 32u << 20;
/// Actions with a mark.
inline constexpr std::int64_t kMostMarked = 1'000'000;

/// Invalid with "text" or "by": nothing in it, too long, or control characters other than tab and newline.
Result<void> checkComment(const Comment& comment);

/// {"t":…,"by":…,"text":…}
void writeComment(JsonWriter& writer, const Comment& comment);
/// The members "mark" and "comments" of an object; neither where there is nothing to say.
void writeAnnotations(JsonWriter& writer, Mark mark, const std::optional<CommentSummary>& comments);

} // namespace yard
