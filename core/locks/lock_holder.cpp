#include "core/locks/lock_holder.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace yard::locks {

namespace {

template<class T>
bool parseNumber(std::string_view text, T& value) {
    const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
    return err == std::errc{} && end == text.data() + text.size() && value >= 0;
}

} // namespace

std::string toText(const LockHolder& holder) {
    return fmt::format("engine {}\nengine_id {}\ndata_dir {}\nlsn {}\nsince_us {}\ndeadline_us {}\nend\n",
                       holder.pid, holder.engineId, holder.dataDir, holder.lsn.value, holder.since,
                       holder.deadline.count());
}

std::optional<LockHolder> parseHolder(std::string_view text) {
    if (text.size() > kMaxHolderText) return {};
    LockHolder holder;
    bool good = true;
    bool whole = false;
    while (!text.empty() && good && !whole) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        const std::size_t blank = line.find(' ');
        const std::string_view key = line.substr(0, blank);
        const std::string_view value = blank == line.npos ? std::string_view() : line.substr(blank + 1);
        Duration::rep deadline = 0;
        if (key == "engine") {
            good = parseNumber(value, holder.pid);
        } else if (key == "engine_id") {
            holder.engineId = value;
        } else if (key == "data_dir") {
            holder.dataDir = value;
        } else if (key == "lsn") {
            good = parseNumber(value, holder.lsn.value);
        } else if (key == "since_us") {
            good = parseNumber(value, holder.since);
        } else if (key == "deadline_us") {
            good = parseNumber(value, deadline);
            holder.deadline = Duration(deadline);
        } else {
            whole = key == "end";
        }
    }
    // Control characters would end up in logs and terminals.
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (!good || !whole || holder.pid == 0 || std::ranges::any_of(holder.dataDir, isControl) ||
        std::ranges::any_of(holder.engineId, isControl))
        return {};
    return holder;
}

std::string describe(const LockHolder& holder) {
    const std::string engine = fmt::format("the engine with pid {} ({})", holder.pid, holder.dataDir);
    return holder.lsn.value == 0 ? engine : fmt::format("action {} of {}", holder.lsn.value, engine);
}

} // namespace yard::locks
