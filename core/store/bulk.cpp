#include "core/store/bulk.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace yard::store {

std::int64_t costOf(const std::vector<LsnRun>& runs) {
    std::int64_t cost = 0;
    const LsnRun* before = nullptr;
    for (const LsnRun& run : runs) {
        const std::int64_t distance = before ? run.first.value - before->last().value : 0;
        cost += run.count + (distance > kSamePage || distance < 0 ? kPageCost : 0);
        before = &run;
    }
    return cost;
}

// "h1 c1 p5 q7;5+3,2,9+100": what changes, then each run as its distance from the end of the one before and, over
// 1, its count.
std::string toText(const BulkOp& op) {
    std::string text;
    const auto out = std::back_inserter(text);
    if (op.change.held) fmt::format_to(out, "h{} ", *op.change.held ? 1 : 0);
    if (op.change.cancelRequested) fmt::format_to(out, "c{} ", *op.change.cancelRequested ? 1 : 0);
    if (op.change.priority) fmt::format_to(out, "p{} ", *op.change.priority);
    if (op.change.queue) fmt::format_to(out, "q{} ", op.change.queue->value);
    if (!text.empty()) text.pop_back();
    text += ';';
    std::int64_t at = 0;
    for (const LsnRun& run : op.runs) {
        if (text.back() != ';') text += ',';
        fmt::format_to(out, "{}", run.first.value - at);
        if (run.count > 1) fmt::format_to(out, "+{}", run.count);
        at = run.last().value;
    }
    return text;
}

namespace {

class Parser {
public:
    explicit Parser(std::string_view text)
        : text_(text) {}
    bool atEnd() const { return text_.empty(); }
    bool skip(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::optional<std::int64_t> number(std::int64_t low, std::int64_t high) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc{} || value < low || value > high) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return value;
    }

private:
    std::string_view text_;
};

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

bool parseChange(Parser& parser, BulkChange& change) {
    std::optional<std::int64_t> value;
    if (parser.skip('h')) {
        if ((value = parser.number(0, 1))) change.held = *value == 1;
    } else if (parser.skip('c')) {
        if ((value = parser.number(0, 1))) change.cancelRequested = *value == 1;
    } else if (parser.skip('p')) {
        if ((value = parser.number(-100, 100))) change.priority = static_cast<int>(*value);
    } else if (parser.skip('q')) {
        if ((value = parser.number(0, kMost))) change.queue = QueueId{*value};
    }
    return value.has_value();
}

} // namespace

Result<BulkOp> parseBulkOp(std::string_view text) {
    const auto damaged = [] { return fail(ErrorKind::Journal, "an operation on many actions cannot be read"); };
    Parser parser(text);
    BulkOp op;
    while (!parser.skip(';')) {
        if (!parseChange(parser, op.change)) return damaged();
        (void)parser.skip(' ');
    }
    std::int64_t at = 0;
    while (!parser.atEnd()) {
        if (at > 0 && !parser.skip(',')) return damaged();
        const auto distance = parser.number(1, kMost - at);
        if (!distance) return damaged();
        at += *distance;
        LsnRun run{Lsn{at}, 1};
        if (parser.skip('+')) {
            const auto count = parser.number(2, kMost - at);
            if (!count) return damaged();
            run.count = *count;
        }
        at = run.last().value;
        op.runs.push_back(run);
    }
    return op;
}

} // namespace yard::store
