#include "core/engine/leaders.h"

#include "core/runners/process_mark.h"
#include "core/runners/process_tree.h"

#include <algorithm>

namespace yard::engine {

std::unordered_map<int, std::vector<int>> orphansOf(const std::vector<Leader>& leaders, const Adopter& adopter) {
    constexpr std::size_t kMost = 1'000;
    std::unordered_map<int, std::vector<int>> found;
    if (adopter.pid == 0 || leaders.empty()) return found;
    const runners::ProcessMarks marks(adopter.token);
    std::vector<int> orphans = runners::childrenOfThread(adopter.pid, adopter.pid);
    if (orphans.size() > kMost) orphans.resize(kMost);
    for (const int pid : orphans) {
        const auto process = runners::readStat(pid);
        if (!process) continue;
        const std::uint64_t inherited = runners::ProcessMarks::read(pid);
        const runners::OwnerMark mark = runners::readOwnerMark(pid, adopter.token);
        const auto leader = std::ranges::find_if(leaders, [&](const Leader& one) {
            if (marks.isOurs(inherited)) return marks.of(one.lsn) == inherited;
            if (mark.owned && mark.lsn > 0) return mark.lsn == one.lsn;
            return process->session == one.pid || process->group == one.pid;
        });
        if (leader != leaders.end() && leader->pid != pid) found[leader->pid].push_back(pid);
    }
    return found;
}

} // namespace yard::engine
