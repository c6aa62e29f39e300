#include "core/runners/runner_group.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace yard::runners {

std::vector<unsigned> splitByFree(unsigned count, std::span<const unsigned> free, std::size_t first) {
    const std::size_t n = free.size();
    std::vector<unsigned> share(n, 0);
    const std::uint64_t total = std::accumulate(free.begin(), free.end(), std::uint64_t{0});
    if (total == 0) return share;
    if (count >= total) return {free.begin(), free.end()};

    std::vector<std::uint64_t> remainder(n, 0);
    unsigned given = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t scaled = std::uint64_t{count} * free[i];
        share[i] = static_cast<unsigned>(scaled / total);
        remainder[i] = scaled % total;
        given += share[i];
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto turn = [&](std::size_t i) { return (i + n - first % n) % n; };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return remainder[a] != remainder[b] ? remainder[a] > remainder[b] : turn(a) < turn(b);
    });
    // count < total, so a rounded-down share with a remainder is below free[i]: one more always fits.
    for (std::size_t k = 0; given < count; ++k, ++given) ++share[order[k]];
    return share;
}

void RunnerGroup::add(Runner& runner) {
    runners_.push_back(&runner);
}

unsigned RunnerGroup::capacity() const {
    unsigned sum = 0;
    for (const Runner* r : runners_) sum += r->capacity();
    return sum;
}

unsigned RunnerGroup::free() const {
    unsigned sum = 0;
    for (const Runner* r : runners_) sum += r->free();
    return sum;
}

Runner* RunnerGroup::choose() {
    for (std::size_t k = 0; k < runners_.size(); ++k) {
        Runner* candidate = runners_[(next_ + k) % runners_.size()];
        if (candidate->free() == 0) continue;
        next_ = (next_ + k + 1) % runners_.size();
        return candidate;
    }
    return nullptr;
}

std::vector<Lease> RunnerGroup::submit(std::vector<Lease> batch) {
    if (runners_.empty()) return batch;
    std::vector<unsigned> free;
    free.reserve(runners_.size());
    for (const Runner* r : runners_) free.push_back(r->free());
    const std::vector<unsigned> share = splitByFree(static_cast<unsigned>(batch.size()), free, next_);
    next_ = (next_ + 1) % runners_.size();

    auto from = batch.begin();
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        if (share[i] == 0) continue;
        const auto to = from + share[i];
        runners_[i]->submit({std::make_move_iterator(from), std::make_move_iterator(to)});
        from = to;
    }
    batch.erase(batch.begin(), from);
    return batch;
}

} // namespace yard::runners
