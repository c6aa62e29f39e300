#include "app/yardctl/log_lines.h"

#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/output_follower.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <utility>

namespace yard::ctl {

namespace {

/// Bytes that are no UTF-8 replaced; what may be the beginning of a character stays in `bytes` unless `all`.
std::string takeText(std::string& bytes, bool all) {
    std::string text;
    std::size_t i = 0;
    while (i < bytes.size()) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        const std::size_t want = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (i + want > bytes.size() && !all) break;
        const std::string_view piece = std::string_view(bytes).substr(i, want);
        const bool good = piece.size() == want && isUtf8(piece);
        text += good ? piece : std::string_view("\xef\xbf\xbd");
        i += good ? want : 1;
    }
    bytes.erase(0, i);
    return text;
}

} // namespace

Result<void> LockedOutput::write(std::string_view bytes) {
    const ThreadLock lock(mutex_);
    return writeOutput(fd_, bytes);
}

Result<void> JsonLines::take(std::int64_t attempt, std::string_view bytes) {
    if (attempt != attempt_)
        if (auto written = flush(true); !written) return written;
    attempt_ = attempt;
    rest_ += bytes;
    return flush(false);
}

Result<void> JsonLines::flush(bool all) {
    const std::string text = takeText(rest_, all);
    if (text.empty()) return {};
    const json::object line{{"lsn", lsn_}, {"attempt", attempt_}, {"stream", stream_}, {"text", text}};
    return out_.write(compactJson(line) + "\n");
}

Result<void> PrefixedLines::take(std::int64_t attempt, std::string_view bytes) {
    if (attempt != attempt_)
        if (auto written = finish(); !written) return written;
    attempt_ = attempt;
    std::string ready; // written at once: whole lines stay whole
    while (!bytes.empty()) {
        const std::size_t line = std::min(bytes.find('\n'), bytes.size());
        const std::size_t room = kMaxLine - rest_.size();
        const bool isWhole = line < bytes.size() && line <= room;
        rest_ += bytes.substr(0, std::min(line, room));
        bytes.remove_prefix(std::min(line, room) + static_cast<std::size_t>(isWhole));
        if (!isWhole && rest_.size() < kMaxLine) break;
        ready += prefix_ + rest_ + '\n';
        rest_.clear();
        if (ready.size() < kMaxLine) continue;
        if (auto written = out_.write(ready); !written) return written;
        ready.clear();
    }
    return ready.empty() ? Result<void>() : out_.write(ready);
}

Result<void> PrefixedLines::finish() {
    if (rest_.empty()) return {};
    const std::string line = prefix_ + rest_ + '\n';
    rest_.clear();
    return out_.write(line);
}

void TailLines::take(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, PrefixedLines::kMaxLine);
        bytes.remove_prefix(piece.size());
        kept_ += piece;
        if (kept_.size() >= trimAt_) trim();
    }
}

std::string TailLines::end() {
    trim();
    return std::exchange(kept_, {});
}

void TailLines::trim() {
    std::size_t begin = kept_.size();
    for (std::size_t n = 0; n < lines_ && begin > 0; ++n) {
        // The end of a line belongs to it.
        const std::size_t before = begin < 2 ? std::string::npos : kept_.rfind('\n', begin - 2);
        begin = before == std::string::npos ? 0 : before + 1;
    }
    if (begin > 0) isCut_ = false; // what was cut is not among the last lines any more
    if (kept_.size() - begin > kMost) {
        begin = kept_.size() - kMost;
        isCut_ = true;
    }
    kept_.erase(0, begin);
    // So that a byte is moved a few times at most, however many there are.
    trimAt_ = std::max(2 * kept_.size(), PrefixedLines::kMaxLine);
}

} // namespace yard::ctl
