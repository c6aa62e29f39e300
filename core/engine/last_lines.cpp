#include "core/engine/last_lines.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/coro/timeout.h"
#include "core/engine/engine_core.h"
#include "core/model/result.h"

#include <algorithm>
#include <fcntl.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::uint64_t kTail = 4'096;
/// What runs for less gets no line.
constexpr WallMicros kWorthALine = 1'000'000;
/// Watchers hear of new lines as often.
constexpr Duration kLook{1'000'000};
/// Longest that an answer waits for lines.
constexpr Duration kReadFor{20'000};

bool hasGrown(const LiveStreams::One& stream, std::uint64_t read) {
    return !stream.path.empty() && stream.size != read;
}

} // namespace

std::vector<LineToRead> readLines(std::vector<LineToRead> lines) {
    for (LineToRead& wanted : lines) {
        const UniqueFd fd(::open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) continue; // it ended meanwhile
        const auto tail = readFileAt(fd.get(), wanted.size - std::min(wanted.size, kTail), kTail);
        if (tail) wanted.line = lastLine(*tail);
    }
    return lines;
}

void LastLines::ask(Lsn lsn, std::shared_ptr<LiveStreams> streams, MonoTime now, std::vector<LineToRead>& grown) {
    if (!streams || (shown_.size() >= kMost && !shown_.contains(lsn))) return;
    Shown& shown = shown_[lsn];
    if (shown.streams != streams) shown = {.streams = std::move(streams), .asked = {}, .read = {}, .line = {}};
    shown.asked = now;
    for (unsigned i = 0; i < shown.read.size(); ++i)
        if (const LiveStreams::One& stream = shown.streams->streams[i]; hasGrown(stream, shown.read[i]))
            grown.push_back({lsn, i, stream.path, stream.size, {}});
}

void LastLines::askLater(Lsn lsn, MonoTime at) {
    if (young_.size() < kMost) young_.try_emplace(lsn, at);
}

void LastLines::took(const std::vector<LineToRead>& read) {
    for (const LineToRead& one : read) {
        const auto at = shown_.find(one.lsn);
        if (at == shown_.end()) continue;
        at->second.read[one.stream] = one.size;
        if (!one.line.empty()) at->second.line = one.line;
    }
}

const std::string& LastLines::line(Lsn lsn) const {
    static const std::string none;
    const auto at = shown_.find(lsn);
    return at == shown_.end() ? none : at->second.line;
}

std::vector<Lsn> LastLines::grown(MonoTime now) {
    std::erase_if(shown_,
                  [now](const auto& one) { return one.second.streams->ended || now - one.second.asked > kKeep; });
    std::vector<Lsn> lsns;
    std::erase_if(young_, [&](const auto& one) {
        if (one.second > now) return false;
        lsns.push_back(one.first);
        return true;
    });
    for (const auto& [lsn, shown] : shown_)
        if (hasGrown(shown.streams->streams[0], shown.read[0]) ||
            hasGrown(shown.streams->streams[1], shown.read[1]))
            lsns.push_back(lsn);
    return lsns;
}

// --- for those who ask

coro::Task<void> EngineCore::addNotes(std::span<ActionResult> rows, Duration pendingFor) {
    describePending(rows, pendingFor);
    const MonoTime now = MonoClock::now();
    std::vector<LineToRead> grown;
    for (const ActionResult& row : rows) {
        const WallMicros began = row.times[ActionState::Running];
        if (row.state != ActionState::Running || began == 0) continue;
        if (const WallMicros ran = scale_.at(now) - began; ran < kWorthALine) {
            lastLines_.askLater(row.lsn, now + Duration(kWorthALine - ran));
            continue;
        }
        if (const Attempt* attempt = dispatcher_->find(row.lsn);
            !attempt || attempt->phase != Attempt::Phase::Launched)
            continue;
        dispatcher_->follow(row.lsn, 0, 0);
        lastLines_.ask(row.lsn, dispatcher_->follow(row.lsn, 0, 1), now, grown);
    }
    if (!lastLines_.empty() && !std::exchange(tellsLines_, true)) loop_.spawn("last lines", tellLines());
    if (!grown.empty()) {
        auto lines = co_await coro::within(
            kReadFor, helpers_->run([lines = std::move(grown)]() mutable { return readLines(std::move(lines)); }));
        // Else as they were known; the next who asks waits again.
        if (lines) lastLines_.took(*lines);
    }
    for (ActionResult& row : rows) {
        const Attempt* attempt = row.state == ActionState::Running ? dispatcher_->find(row.lsn) : nullptr;
        if (attempt == nullptr || attempt->hungSince != 0 || row.ending) continue;
        // Before how long it will take, which its estimate says as well.
        if (std::string line = lastLines_.line(row.lsn); !line.empty()) row.note = std::move(line);
    }
}

coro::Task<void> EngineCore::tellLines() {
    while (!lastLines_.empty()) {
        co_await coro::sleepFor(kLook);
        for (const Lsn lsn : lastLines_.grown(MonoClock::now()))
            if (dispatcher_->find(lsn)) noteRow(lsn); // else it has ended, and its row was told then
    }
    tellsLines_ = false;
}

} // namespace yard::engine
