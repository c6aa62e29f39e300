// The log of the process: the level of each area, changed while it runs, and the latest lines. For the owner alone: lines
// tell of everybody's work.
#include "core/http/route.h"

#include "core/base/log.h"
#include "core/base/parsed_number.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace yard::http {

namespace {

constexpr std::int64_t kUsualLines = 200;
constexpr std::size_t kLongestWord = 32;
constexpr std::string_view kCommonWord = "default"; // of an area: follows the level of all again

void writeLevels(JsonWriter& writer) {
    writer.member("level", name(logLevel()));
    writer.key("areas");
    writer.openArray();
    for (const std::string_view area : logAreas()) {
        writer.openObject();
        writer.member("name", area);
        if (const auto own = areaLogLevel(area)) writer.member("level", name(*own));
        writer.closeObject();
    }
    writer.closeArray();
}

std::string_view areaOf(const LogRecord& line) {
    return std::string_view(line.text).substr(0, line.text.find(": "));
}

struct LogWish {
    LogLevel level = LogLevel::Debug;
    std::string area{};
    std::string filter{};

    bool fits(const LogRecord& line) const {
        return line.level >= level && (area.empty() || areaOf(line) == area) && line.text.contains(filter);
    }
};

Error noSuchLevel() {
    return invalid("level", "Give \"level\" as debug, info, warning or error.").error();
}

Error noSuchArea(std::string_view area) {
    std::string known;
    for (const std::string_view each : logAreas()) {
        if (!known.empty()) known += ", ";
        known += each;
    }
    return invalid("area", fmt::format("There is no area \"{}\"; there are {}.", area, known)).error();
}

Result<LogWish> logWishOf(const Query& query) {
    LogWish wish;
    wish.filter = query.text("filter").value_or("");
    wish.area = query.text("area").value_or("");
    const auto areas = logAreas();
    if (!wish.area.empty() && std::ranges::find(areas, wish.area) == areas.end())
        return std::unexpected(noSuchArea(wish.area));
    if (const auto word = query.text("level"); word && !parseLogLevel(*word, wish.level))
        return std::unexpected(noSuchLevel());
    return wish;
}

coro::Task<Response> getLog(Call& call) {
    const auto wish = logWishOf(call.query);
    if (!wish) co_return errorResponse(wish.error());
    const auto limit = call.query.integer("limit", 1, std::int64_t(kRecentLines));
    if (!limit) co_return errorResponse(limit.error());
    const auto after = parsedNumber<std::uint64_t>(call.query.text("after").value_or("0"));
    if (!after) co_return errorResponse(invalid("after", "Give the \"next\" of the answer before.").error());
    std::vector<LogRecord> lines = recentLog(*after);
    const std::uint64_t next = lines.empty() ? *after : lines.back().number;
    std::erase_if(lines, [&](const LogRecord& line) { return !wish->fits(line); });
    const auto most = static_cast<std::size_t>(limit->value_or(kUsualLines));
    if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeLevels(writer);
    writer.key("lines");
    writer.openArray();
    for (const LogRecord& line : lines) {
        const std::string_view area = areaOf(line);
        writer.openObject();
        writer.member("number", line.number);
        writer.member("time", line.time);
        writer.member("level", name(line.level));
        writer.member("area", area);
        writer.member("text", std::string_view(line.text).substr(std::min(line.text.size(), area.size() + 2)));
        writer.closeObject();
    }
    writer.closeArray();
    writer.member("next", next);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> setLog(Call& call) {
    const auto word = call.body.word("level", kLongestWord);
    if (!word) co_return errorResponse(word.error());
    const auto area = call.body.word("area", kLongestWord);
    if (!area) co_return errorResponse(area.error());
    std::optional<LogLevel> level = LogLevel::Info;
    if (*word == kCommonWord && !area->empty())
        level.reset();
    else if (!parseLogLevel(*word, *level))
        co_return errorResponse(noSuchLevel());
    if (area->empty())
        setLogLevel(*level);
    else if (!setAreaLogLevel(*area, level))
        co_return errorResponse(noSuchArea(*area));
    logWarning("http", "the level of the log is {}{}{} on request", *word, area->empty() ? "" : " for ", *area);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeLevels(writer);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

} // namespace

std::span<const Route> logRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "inside/log", Global, None, Needs::Admin},
         &getLog,
         {.id = "getLog",
          .summary = "The levels of the log and its latest lines",
          .query = "level=log_level area=log_area filter=part_of_line limit=log_lines after=log_after",
          .answers = {{{200, "InsideLog"}}}}},
        {{Patch, "inside/log", Global, Json, Needs::Admin},
         &setLog,
         {.id = "setLogLevel",
          .summary = "From which level on lines are written, of one area or of all, until the engine ends",
          .members = "level area",
          .request = "SetLogLevel",
          .answers = {{{200, "InsideLogLevels"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
