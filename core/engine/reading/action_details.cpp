#include "core/engine/reading/action_details.h"

#include "core/coro/timeout.h"
#include "core/model/array_element.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

coro::Task<Result<std::vector<UsageSample>>> ActionDetails::samples(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    Result<ActionResult> known = co_await parts_.rows.row(lsn);
    if (!known) co_return std::unexpected(known.error());
    // Looked up when the journal was read: what ended meanwhile is in one of both.
    const Attempt* attempt = parts_.attempt(lsn);
    if (!isEnded(known->state) && attempt && attempt->phase >= Attempt::Phase::Launched) {
        if (attempt->usage) co_return attempt->usage->series.all();
        co_return attempt->record.outcome.samples;
    }
    if (known->attempts.empty()) co_return std::vector<UsageSample>{};
    co_return std::move(known->attempts.back().outcome.samples);
}

coro::Task<Result<std::string>> ActionDetails::spec(Lsn lsn, bool element) {
    auto text = co_await parts_.journal.specText(lsn);
    if (!text) co_return std::unexpected(text.error());
    if (!*text)
        co_return fail(
            ErrorKind::NotFound,
            fmt::format(
                "Action {0} as it was posted is not kept (any more): GET jobs/{0} says what is known of it.",
                lsn.value));
    if (element && (*text)->arrayIndex) co_return elementOfArray((*text)->text, *(*text)->arrayIndex);
    co_return std::move((*text)->text);
}

// --- output

namespace {

/// A change of an output is waited for so long at once.
constexpr Duration kStreamWait{1'000'000};

/// An attempt that began has both streams, whatever it printed; there is none of what never did.
std::unexpected<Error> noOutput(const ActionResult& known, std::uint32_t attempt) {
    const std::int64_t lsn = known.lsn.value;
    if (isEnded(known.state) && known.attempts.empty())
        return fail(ErrorKind::NotFound,
                    fmt::format("Action {0} has no output: it ended before it ran; GET jobs/{0} says why.", lsn));
    if (attempt > 0)
        return fail(
            ErrorKind::NotFound,
            fmt::format("Action {0} has no attempt {1}: GET jobs/{0} lists those there are.", lsn, attempt));
    return fail(
        ErrorKind::NotFound,
        fmt::format("Action {0} has no output yet: it has not run; GET jobs/{0}/why says what it waits for, and "
                    "follow=1 waits for its output.",
                    lsn));
}

const AttemptRecord* endedAttempt(const ActionResult& result, std::uint32_t number) {
    if (number == 0) return result.attempts.empty() ? nullptr : &result.attempts.back();
    const auto at = std::ranges::find(result.attempts, number, &AttemptRecord::n);
    return at == result.attempts.end() ? nullptr : &*at;
}

} // namespace

coro::Task<Result<StreamSource>> ActionDetails::openStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                           bool follow) {
    const unsigned which = stream == Stream::Out ? 0 : 1;
    for (int look = 0; look < 3; ++look) {
        const Attempt* running = parts_.attempt(lsn);
        const bool launched = running && running->phase >= Attempt::Phase::Launched;
        // Of a terminal all is stdout: the file would never be there.
        if (launched && running->terminal && stream == Stream::Err && !follow) co_return StreamSource{};
        if (const auto live = launched ? parts_.follow(lsn, attempt, which) : nullptr) {
            const std::uint32_t number = attempt ? attempt : running->id.attempt;
            const MonoTime until = parts_.now() + kStreamWait;
            while (live->streams[which].path.empty() && !live->ended && parts_.now() < until)
                co_await coro::comesWithin(kStreamWait, live->changed);
            if (!live->ended && !live->streams[which].path.empty())
                co_return StreamSource{.attempt = number,
                                       .chunk = {},
                                       .livePath = live->streams[which].path,
                                       .willRetry = false,
                                       .limit = live->streams[which].limit,
                                       .isPart = live->isElsewhere};
            if (!live->ended) co_return StreamSource{};
        }
        const Result<ActionResult> known = co_await parts_.rows.row(lsn);
        if (!known) co_return std::unexpected(known.error());
        const bool newer = attempt == 0 && follow && !isEnded(known->state) && parts_.attempt(lsn);
        if (const AttemptRecord* record = endedAttempt(*known, attempt); record && !newer) {
            const auto& chunk = stream == Stream::Out ? record->outcome.out : record->outcome.err;
            const bool last = isEnded(known->state) && record == &known->attempts.back();
            co_return StreamSource{record->n, chunk.value_or(ChunkRef{Hash256::ofNothing(), 0}), {}, !last, 0,
                                   false};
        }
        if (isEnded(known->state) || !follow) co_return noOutput(*known, attempt);
        co_await coro::comesWithin(kStreamWait, parts_.progress());
    }
    co_return StreamSource{};
}

coro::Task<Result<StreamProgress>> ActionDetails::awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                              std::uint64_t known) {
    const unsigned which = stream == Stream::Out ? 0 : 1;
    const auto live = parts_.follow(lsn, attempt, which);
    if (!live || live->ended) co_return StreamProgress{known, true};
    if (live->streams[which].size <= known) co_await coro::comesWithin(kStreamWait, live->changed);
    co_return StreamProgress{live->streams[which].size, live->ended};
}

// --- terminals

coro::Task<Result<std::shared_ptr<Terminal>>> ActionDetails::terminalOf(Lsn lsn) {
    if (const Attempt* attempt = parts_.attempt(lsn); attempt && attempt->terminal) co_return attempt->terminal;
    const Result<ActionResult> known = co_await parts_.rows.row(lsn);
    if (!known) co_return std::unexpected(known.error());
    if (isEnded(known->state))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} has ended: nobody is at its terminal.", lsn.value));
    const Result<std::string> text = co_await spec(lsn, false);
    if (!text) co_return std::unexpected(text.error());
    const auto parsed = parseAction(*text);
    if (parsed && !parsed->spec->tty)
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} has no terminal: submit it with \"tty\" to get one.", lsn.value));
    co_return fail(ErrorKind::WrongState,
                   fmt::format("Action {} does not run: its terminal is there once it does.", lsn.value));
}

coro::Task<std::int64_t> ActionDetails::withTerminal(std::vector<Lsn> lsns) {
    const auto takesOne = [](const auto& amount) { return amount.first == kTerminals; };
    co_return std::ranges::count_if(lsns, [&](Lsn lsn) {
        const auto live = parts_.session.views().live(lsn);
        return live && !isEnded(live->state) &&
               std::ranges::any_of(parts_.dictionary.classKey(live->cls.value).resources.named, takesOne);
    });
}

coro::Task<Result<void>> ActionDetails::typeInto(Lsn lsn, std::string keys) {
    const auto terminal = co_await terminalOf(lsn);
    if (!terminal) co_return std::unexpected(terminal.error());
    co_return (*terminal)->type(keys);
}

coro::Task<Result<void>> ActionDetails::resizeTerminal(Lsn lsn, TerminalSize size) {
    const auto terminal = co_await terminalOf(lsn);
    if (!terminal) co_return std::unexpected(terminal.error());
    co_return (*terminal)->resize(size);
}

} // namespace yard::engine
