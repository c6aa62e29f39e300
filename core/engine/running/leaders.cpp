#include "core/engine/running/leaders.h"

#include "core/host/process_tree.h"
#include "core/lease/orphans.h"

namespace yard::engine {

std::unordered_map<int, std::vector<int>> orphansOf(const std::vector<Leader>& leaders, const Adopter& adopter) {
    constexpr std::size_t kMost = 1'000;
    std::unordered_map<int, std::vector<int>> found;
    if (adopter.pid == 0 || leaders.empty()) return found;
    const runners::OrphanOwners owners(adopter.token);
    std::vector<runners::FirstProcess> firsts;
    for (const Leader& leader : leaders) firsts.push_back({leader.pid, leader.lsn});
    std::vector<int> orphans = host::childrenOfThread(adopter.pid, adopter.pid);
    if (orphans.size() > kMost) orphans.resize(kMost);
    for (const int pid : orphans) {
        const auto process = host::readStat(pid);
        if (!process) continue;
        const runners::FirstProcess* first = owners.of(*process, firsts).first;
        if (first && first->pid != pid) found[first->pid].push_back(pid);
    }
    return found;
}

} // namespace yard::engine
