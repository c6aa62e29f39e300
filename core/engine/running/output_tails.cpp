#include "core/engine/running/output_tails.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/model/result.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::uint64_t kShownTail = 4'096;
/// Where there are escape sequences: whether a program has the screen to itself was said before.
constexpr std::uint64_t kDrawnTail = 64u << 10;

Result<std::string> tailOf(int fd, std::uint64_t size, std::uint64_t most) {
    return readFileAt(fd, size - std::min(size, most), static_cast<std::size_t>(most));
}

bool hasGrown(const LiveStreams::One& stream, std::uint64_t read) {
    return !stream.path.empty() && stream.size != read;
}

} // namespace

std::vector<LineToRead> readLines(std::vector<LineToRead> lines, bool progress) {
    for (LineToRead& wanted : lines) {
        const UniqueFd fd(::open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) continue; // it ended meanwhile
        auto tail = tailOf(fd.get(), wanted.size, kShownTail);
        if (tail && wanted.size > kShownTail && tail->contains('\x1b'))
            tail = tailOf(fd.get(), wanted.size, kDrawnTail);
        if (!tail) continue;
        wanted.line = lastLine(*tail);
        wanted.marks = progressInOutput(*tail, progress);
    }
    return lines;
}

std::vector<StatusToRead> readStatuses(std::vector<StatusToRead> statuses) {
    for (StatusToRead& status : statuses) {
        // The action may have put anything there: nothing that is opened may keep this waiting.
        const UniqueFd fd(::open(status.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat found{};
        if (!fd || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0) continue;
        if (const auto tail = tailOf(fd.get(), static_cast<std::uint64_t>(found.st_size), kShownTail))
            status.said = progressInStatus(*tail);
    }
    return statuses;
}

void OutputTails::ask(Lsn lsn, std::shared_ptr<LiveStreams> streams, MonoTime now, std::vector<LineToRead>& grown) {
    if (!streams || (shown_.size() >= kMost && !shown_.contains(lsn))) return;
    Shown& shown = shown_[lsn];
    if (shown.streams != streams) shown = {.streams = std::move(streams), .asked = {}, .read = {}, .line = {}};
    shown.asked = now;
    for (unsigned i = 0; i < shown.read.size(); ++i)
        if (const LiveStreams::One& stream = shown.streams->streams[i]; hasGrown(stream, shown.read[i]))
            grown.push_back({lsn, i, stream.path, stream.size, {}});
}

void OutputTails::askLater(Lsn lsn, MonoTime at) {
    if (young_.size() < kMost) young_.try_emplace(lsn, at);
}

void OutputTails::took(const std::vector<LineToRead>& read, MonoTime now) {
    for (const LineToRead& one : read) {
        const auto at = shown_.find(one.lsn);
        if (at == shown_.end()) continue;
        at->second.read[one.stream] = one.size;
        if (!one.line.empty()) at->second.line = one.line;
        at->second.ofStreams[one.stream].take(one.marks);
        (void)settle(at->second, now);
    }
}

void OutputTails::askStatus(Lsn lsn, const std::string& path, MonoTime now, std::vector<StatusToRead>& due) {
    const auto at = shown_.find(lsn);
    if (at == shown_.end()) return;
    Shown& shown = at->second;
    shown.statusPath = path;
    if (path.empty() || now - shown.statusAt < kStatusEvery) return;
    shown.statusAt = now;
    due.push_back({.lsn = lsn, .path = path});
}

std::vector<StatusToRead> OutputTails::dueStatuses(MonoTime now) {
    std::vector<StatusToRead> due;
    for (const auto& [lsn, shown] : shown_) askStatus(lsn, std::string(shown.statusPath), now, due);
    return due;
}

std::vector<Lsn> OutputTails::took(const std::vector<StatusToRead>& read, MonoTime now) {
    std::vector<Lsn> changed;
    for (const StatusToRead& one : read) {
        const auto at = shown_.find(one.lsn);
        if (at == shown_.end()) continue;
        // What has left the end of the file still holds.
        if (one.said.fraction) at->second.status.fraction = one.said.fraction;
        if (!one.said.message.empty()) at->second.status.message = one.said.message;
        if (settle(at->second, now)) changed.push_back(one.lsn);
    }
    return changed;
}

bool OutputTails::took(Lsn lsn, const ReportedProgress& said, MonoTime now) {
    const auto at = shown_.find(lsn);
    if (at == shown_.end()) return false;
    at->second.status = said;
    return settle(at->second, now);
}

std::vector<Lsn> OutputTails::shown() const {
    std::vector<Lsn> lsns;
    lsns.reserve(shown_.size());
    for (const auto& [lsn, shown] : shown_) lsns.push_back(lsn);
    return lsns;
}

/// What it says by itself goes before what is read from its output. True: that is something else than before.
bool OutputTails::settle(Shown& shown, MonoTime now) {
    ReportedProgress all = shown.status;
    for (const OutputProgress& stream : shown.ofStreams)
        if (!all.fraction) all.fraction = stream.fraction();
    if (all == shown.progress.said) return false;
    if (all.fraction != shown.progress.said.fraction) shown.progress.at = now;
    shown.progress.said = std::move(all);
    return true;
}

const OutputTails::Progress* OutputTails::progress(Lsn lsn) const {
    const auto at = shown_.find(lsn);
    return at == shown_.end() || at->second.progress.said.isEmpty() ? nullptr : &at->second.progress;
}

const std::string& OutputTails::line(Lsn lsn) const {
    static const std::string none;
    const auto at = shown_.find(lsn);
    return at == shown_.end() ? none : at->second.line;
}

std::vector<Lsn> OutputTails::grown(MonoTime now) {
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

} // namespace yard::engine
