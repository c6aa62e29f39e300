#include "core/http/audit.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/parsed_number.h"
#include "core/base/text.h"
#include "core/json/json_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

constexpr std::int64_t kAuditDay = 86'400'000'000; ///< microseconds
/// Days that one page looks at, so that it does not read a quarter of a year for one line.
constexpr int kDaysOfPage = 8;
/// Rows below these have no secrets in their bodies.
constexpr std::array<std::string_view, 10> kPlainBodies{"jobs",    "queues", "settings", "pool",     "hold",
                                                        "release", "cancel", "session",  "courtesy", "gc"};

std::string auditLine(const AuditEntry& entry) {
    std::string text;
    JsonWriter writer(text);
    writeAuditEntry(writer, entry);
    return text + "\n";
}

std::optional<AuditEntry> auditEntryOf(std::string_view line) {
    const auto tape = readJson(line);
    if (!tape || !tape->root().isObject()) return std::nullopt;
    AuditEntry entry;
    const auto word = [&](std::string_view name) {
        const auto value = memberOf(tape->root(), name);
        return value && value->kind() == JsonKind::String ? std::string(value->string()) : std::string();
    };
    const auto number = [&](std::string_view name) {
        const auto value = memberOf(tape->root(), name);
        return value && value->kind() == JsonKind::Integer ? value->node().integer : std::int64_t{0};
    };
    entry.t = number("t");
    entry.who = word("who");
    entry.from = word("from");
    entry.method = word("method");
    entry.path = word("path");
    entry.body = word("body");
    entry.result = static_cast<int>(std::clamp<std::int64_t>(number("result"), 0, 999));
    if (entry.t <= 0 || entry.method.empty()) return std::nullopt;
    return entry;
}

struct AuditPlace {
    std::int64_t day = 0;
    std::size_t end = 0; ///< lines that begin below this byte
};

Result<AuditPlace> auditPlaceOf(const std::string& cursor) {
    const auto dot = cursor.find('.');
    const auto day = parsedNumber<std::int64_t>(std::string_view(cursor).substr(0, dot));
    const auto end = dot == std::string::npos ? std::nullopt
                                              : parsedNumber<std::size_t>(std::string_view(cursor).substr(dot + 1));
    if (!day || !end) return invalid("cursor", "Give the cursor of the page before, or none.");
    return AuditPlace{*day, *end};
}

bool isMeant(const AuditQuery& query, const AuditEntry& entry) {
    if (query.from && entry.t < *query.from) return false;
    if (query.to && entry.t >= *query.to) return false;
    if (!query.who.empty() && entry.who != query.who) return false;
    return query.text.empty() || entry.path.contains(query.text) || entry.body.contains(query.text);
}

/// Lines of one day before `end`, the last first. True: the page is full, and goes on at `end`.
bool readAuditDay(std::string_view text, const AuditQuery& query, std::size_t& end, AuditPage& page) {
    end = std::min(end, text.size());
    while (end > 0) {
        if (std::cmp_greater_equal(page.entries.size(), query.limit)) return true;
        // What a crash cut off has no line end.
        const std::size_t stop = text[end - 1] == '\n' ? end - 1 : end;
        const std::size_t before = stop == 0 ? std::string_view::npos : text.rfind('\n', stop - 1);
        const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
        auto entry = auditEntryOf(text.substr(start, stop - start));
        if (entry && isMeant(query, *entry)) page.entries.push_back(std::move(*entry));
        end = start;
    }
    return false;
}

Result<AuditPage> readAudit(const std::string& directory, const AuditQuery& query,
                            std::optional<AuditPlace> place) {
    AuditPage page;
    int looked = 0;
    for (const std::int64_t day : auditDaysIn(directory)) {
        if (place && day > place->day) continue;
        if (query.to && day * kAuditDay >= *query.to) continue;
        if (query.from && (day + 1) * kAuditDay <= *query.from) break;
        std::size_t end = place && place->day == day ? place->end : kMostAuditDay;
        if (looked++ == kDaysOfPage) {
            page.cursor = fmt::format("{}.{}", day, end);
            break;
        }
        const auto text = readFile(auditPathOf(directory, day), 2 * kMostAuditDay);
        if (!text && text.error().kind == ErrorKind::NotFound) continue; // its time was over
        if (!text) return std::unexpected(text.error());
        if (!readAuditDay(*text, query, end, page)) continue;
        page.cursor = fmt::format("{}.{}", day, end);
        break;
    }
    return page;
}

} // namespace

bool isAudited(const RouteSpec& spec) {
    if (spec.method == Method::Get || spec.scope == Scope::Open) return false;
    // What somebody types into a program is no change of ours, nor is the size of a window.
    if (spec.pattern == "jobs/{lsn}/terminal") return false;
    return spec.needs == Needs::Steer || spec.needs == Needs::Operate || spec.needs == Needs::Admin;
}

std::string auditedBody(const RouteSpec& spec, std::string_view body) {
    const std::string_view first = spec.pattern.substr(0, spec.pattern.find('/'));
    if (spec.body == BodyKind::Keys || spec.body == BodyKind::Stream) return {};
    const bool isPlain = spec.scope == Scope::Queue || std::ranges::find(kPlainBodies, first) != kPlainBodies.end();
    if (!isPlain) return {};
    return std::string(shortened(body, kMostAuditText));
}

void writeAuditEntry(JsonWriter& writer, const AuditEntry& entry) {
    writer.openObject();
    writer.member("t", entry.t);
    writer.member("who", entry.who);
    if (!entry.from.empty()) writer.member("from", entry.from);
    writer.member("method", entry.method);
    writer.member("path", entry.path);
    if (!entry.body.empty()) writer.member("body", entry.body);
    writer.member("result", entry.result);
    writer.closeObject();
}

/// On a helper.
static std::vector<Result<void>> appendAll(AuditFile& file, const std::vector<AuditLine>& lines) {
    std::vector<Result<void>> written;
    written.reserve(lines.size());
    for (const AuditLine& line : lines) written.push_back(file.append(line));
    return written;
}

bool Audit::count(const Result<void>& written) {
    if (written) {
        isTold_ = false;
        return true;
    }
    ++dropped_;
    if (!std::exchange(isTold_, true))
        logWarning("http", "the audit has a gap, as a line cannot be written: {}", written.error().message);
    return false;
}

coro::Task<bool> Audit::note(AuditEntry entry, coro::HelperPool& helpers) {
    if (waiting_->lines.size() >= kMostAuditWaiting)
        co_return count(fail(ErrorKind::AtLimit, "too many lines wait for a slow disk"));
    const auto batch = waiting_;
    const std::size_t at = batch->lines.size();
    batch->lines.push_back({.day = entry.t / kAuditDay, .text = auditLine(entry)});
    const auto lock = co_await writing_.lock();
    if (batch == waiting_) { // else one of those who waited with it has written it
        waiting_ = std::make_shared<Batch>();
        auto job = [file = file_, lines = std::move(batch->lines)] { return appendAll(*file, lines); };
        batch->written = co_await helpers.run(std::move(job));
    }
    if (at < batch->written.size()) co_return count(batch->written[at]);
    co_return count(fail(ErrorKind::Io, "the engine ends"));
}

coro::Task<Result<AuditPage>> Audit::read(AuditQuery query, coro::HelperPool& helpers) {
    std::optional<AuditPlace> place;
    if (!query.cursor.empty()) {
        const auto given = auditPlaceOf(query.cursor);
        if (!given) co_return std::unexpected(given.error());
        place = *given;
    }
    auto job = [directory = directory_, query = std::move(query), place] {
        return readAudit(directory, query, place);
    };
    co_return co_await helpers.run(std::move(job));
}

} // namespace yard::http
