// Checkout and return of a warm process where 10,000 of them live in 1,000 groups (target: at most 300 ns each).
#include "core/pool/pool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

using namespace yard;
using namespace yard::pool;

namespace {

constexpr unsigned kGroups = 1'000;
constexpr unsigned kProcesses = 10'000;
constexpr int kRounds = 7;
constexpr std::size_t kOpen = 5'000;
constexpr std::size_t kSteps = 1'000'000;

double nanosecondsEach(std::chrono::steady_clock::time_point since, std::size_t count) {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - since).count() /
           static_cast<double>(count);
}

void fill(Pool& pool, std::vector<GroupId>& groups, MonoTime now) {
    Outbox out;
    GroupOptions options;
    options.minProcesses = kProcesses / kGroups;
    for (unsigned i = 0; i < kGroups; ++i) {
        const std::string key = "worker" + std::to_string(i);
        groups.push_back(pool.addGroup(key, key, options, now, out));
        pool.checkout(groups.back(), i, now, out);
        while (!out.spawn.empty()) {
            const ProcessId process = out.spawn.back().process;
            out.spawn.clear();
            pool.spawned(process, 1, 0, now, out);
        }
        pool.close(out.served.front().process, true, now, out);
        out.clear();
    }
}

} // namespace

int main() {
    Pool pool({.max = kProcesses});
    std::vector<GroupId> groups;
    MonoTime now{Duration(1'000'000)};
    fill(pool, groups, now);
    std::mt19937 random(1);
    std::vector<std::uint32_t> order(kSteps);
    for (auto& place : order) place = static_cast<std::uint32_t>(random());
    Outbox out;
    std::vector<double> outs;
    std::vector<double> backs;
    std::vector<ProcessId> open;
    for (int round = 0; round < kRounds; ++round) {
        double taking = 0;
        double giving = 0;
        std::size_t taken = 0;
        for (std::size_t at = 0; at + kOpen <= kSteps; at += kOpen) {
            now += Duration(1'000);
            auto begin = std::chrono::steady_clock::now();
            for (std::size_t i = 0; i < kOpen; ++i)
                if (const auto got = pool.checkout(groups[order[at + i] % kGroups], i, now, out); got.process)
                    open.push_back(*got.process);
            taking += nanosecondsEach(begin, 1);
            taken += kOpen;
            begin = std::chrono::steady_clock::now();
            for (const ProcessId process : open) pool.close(process, true, now, out);
            // Those who had to wait were served meanwhile; theirs are returned too.
            for (std::size_t i = 0; i < out.served.size(); ++i) pool.close(out.served[i].process, true, now, out);
            giving += nanosecondsEach(begin, 1);
            open.clear();
            out.clear();
        }
        outs.push_back(taking / static_cast<double>(taken));
        backs.push_back(giving / static_cast<double>(taken));
    }
    std::ranges::sort(outs);
    std::ranges::sort(backs);
    const std::string broken = pool.verify();
    if (!broken.empty() || pool.active() != 0 || pool.count() != kProcesses) {
        std::fprintf(stderr, "the pool is not as it should be: %s\n", broken.c_str());
        return 1;
    }
    std::printf("%u processes in %u groups: checkout %.0f ns, return %.0f ns (target: 300 each; medians of %d)\n",
                pool.count(), kGroups, outs[kRounds / 2], backs[kRounds / 2], kRounds);
    return 0;
}
