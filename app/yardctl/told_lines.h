// What was last told of each action, so that a change of what is not shown makes no second line. Value; no owner.
//
// Bound: kMost actions, twice as many as an engine tells of a filter. Of more the lowest number is forgotten: its next
// line is news again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace yard::ctl {

class ToldLines {
public:
    static constexpr std::size_t kMost = 2'000;

    /// Remembers `line`. False: it is what was told last of this action.
    bool isNews(std::int64_t lsn, std::string line);
    /// The action is followed no more: its next line is news.
    void forget(std::int64_t lsn);

private:
    std::map<std::int64_t, std::string> lines_;
};

} // namespace yard::ctl
