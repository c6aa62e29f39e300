#include "core/engine/running/output_tails.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/model/result.h"

#include <algorithm>
#include <fcntl.h>
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

std::vector<LineToRead> readLines(std::vector<LineToRead> lines) {
    for (LineToRead& wanted : lines) {
        const UniqueFd fd(::open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) continue; // it ended meanwhile
        auto tail = tailOf(fd.get(), wanted.size, kShownTail);
        if (tail && wanted.size > kShownTail && tail->contains('\x1b'))
            tail = tailOf(fd.get(), wanted.size, kDrawnTail);
        if (tail) wanted.line = lastLine(*tail);
    }
    return lines;
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

void OutputTails::took(const std::vector<LineToRead>& read) {
    for (const LineToRead& one : read) {
        const auto at = shown_.find(one.lsn);
        if (at == shown_.end()) continue;
        at->second.read[one.stream] = one.size;
        if (!one.line.empty()) at->second.line = one.line;
    }
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
