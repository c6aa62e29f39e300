#include "app/yardctl/told_lines.h"

#include <utility>

namespace yard::ctl {

bool ToldLines::isNews(std::int64_t lsn, std::string line) {
    std::string& told = lines_[lsn];
    if (told == line) return false;
    told = std::move(line);
    if (lines_.size() > kMost) lines_.erase(lines_.begin());
    return true;
}

void ToldLines::forget(std::int64_t lsn) {
    lines_.erase(lsn);
}

} // namespace yard::ctl
