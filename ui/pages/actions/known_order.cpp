#include "ui/pages/actions/known_order.h"

#include "ui/pages/actions/lsn_sieve.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

qint64 KnownOrder::at(int row) const {
    return row < 0 || row >= static_cast<int>(lsns_.size()) ? 0 : lsns_[static_cast<std::size_t>(row)];
}

int KnownOrder::rowOf(qint64 lsn, bool newestFirst, int first, int last) const {
    if (lsn <= 0 || lsns_.empty()) return -1;
    const auto begin = lsns_.begin();
    if (newestFirst) {
        const auto found = std::ranges::lower_bound(lsns_, lsn, std::greater<>());
        return found != lsns_.end() && *found == lsn ? static_cast<int>(found - begin) : -1;
    }
    const auto size = static_cast<std::ptrdiff_t>(lsns_.size());
    const auto from = begin + std::min<std::ptrdiff_t>(first, size);
    const auto to = begin + std::min<std::ptrdiff_t>(last + 1, size);
    if (const auto found = std::find(from, to, lsn); found != to) return static_cast<int>(found - begin);
    const auto found = std::ranges::find(lsns_, lsn);
    return found == lsns_.end() ? -1 : static_cast<int>(found - begin);
}

std::vector<int> KnownOrder::rowsOf(std::vector<qint64> lsns) const {
    std::ranges::sort(lsns);
    const LsnSieve sieve(lsns);
    std::vector<int> rows;
    for (std::size_t i = 0; i < lsns_.size() && rows.size() < lsns.size(); ++i)
        if (sieve.mayHave(lsns_[i]) && std::ranges::binary_search(lsns, lsns_[i]))
            rows.push_back(static_cast<int>(i));
    return rows;
}

bool KnownOrder::isBeginningOf(const std::vector<qint64>& lsns) const {
    return lsns.size() >= lsns_.size() && std::equal(lsns_.begin(), lsns_.end(), lsns.begin());
}

std::vector<qint64> KnownOrder::withPage(const std::vector<qint64>& page, bool mayRepeat) const {
    std::vector<qint64> order = lsns_;
    if (!mayRepeat) {
        order.insert(order.end(), page.begin(), page.end());
        return order;
    }
    const std::set<qint64> known(lsns_.begin(), lsns_.end());
    std::ranges::copy_if(page, std::back_inserter(order), [&](qint64 lsn) { return !known.contains(lsn); });
    return order;
}

std::vector<qint64> KnownOrder::joinedAbove(std::vector<qint64> lsns) const {
    if (!lsns_.empty()) lsns.erase(std::ranges::lower_bound(lsns, lsns_.front(), std::greater<>()), lsns.end());
    lsns.insert(lsns.end(), lsns_.begin(), lsns_.end());
    return lsns;
}

std::vector<qint64> KnownOrder::joinedBelow(std::vector<qint64> lsns) const {
    if (!lsns_.empty()) lsns.erase(lsns.begin(), std::ranges::upper_bound(lsns, lsns_.back(), std::greater<>()));
    lsns.insert(lsns.begin(), lsns_.begin(), lsns_.end());
    return lsns;
}

std::vector<qint64> KnownOrder::withChanges() const {
    std::vector<qint64> order(fresh_.begin(), fresh_.end());
    const std::vector<qint64> gone(gone_.begin(), gone_.end());
    const LsnSieve sieve(gone);
    order.reserve(order.size() + lsns_.size());
    std::ranges::copy_if(lsns_, std::back_inserter(order),
                         [&](qint64 lsn) { return !sieve.mayHave(lsn) || !gone_.contains(lsn); });
    return order;
}

bool KnownOrder::come(qint64 lsn) {
    if (!lsns_.empty() && lsn <= lsns_.front()) return false;
    fresh_.insert(lsn);
    if (fresh_.size() > kMostFresh) fresh_.erase(std::prev(fresh_.end()));
    return true;
}

void KnownOrder::go(qint64 lsn, bool isHere) {
    fresh_.erase(lsn);
    if (isHere) gone_.insert(lsn);
}

void KnownOrder::dropFreshUpTo(qint64 lsn) {
    fresh_.erase(fresh_.lower_bound(lsn), fresh_.end());
}

void KnownOrder::forgetChanges() {
    fresh_.clear();
    gone_.clear();
}

qint64 KnownOrder::aboveOf(qint64 lsn, int row) const {
    const qint64 goneAbove = std::distance(gone_.upper_bound(lsn), gone_.end());
    return row + std::ssize(fresh_) - goneAbove;
}

} // namespace yard::ui
