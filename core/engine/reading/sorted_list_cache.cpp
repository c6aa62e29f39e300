#include "core/engine/reading/sorted_list_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::engine {

using store::SortKey;

namespace {

bool isSameList(const ListQuery& a, const ListQuery& b) {
    ListQuery other = b;
    other.limit = a.limit;
    other.cursor = a.cursor;
    return a == other;
}

/// Numbers of names by the place of their text.
std::vector<std::int64_t> ranksOf(const std::vector<SortName>& names) {
    std::vector<std::size_t> order(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto compare = [&](std::size_t a, std::size_t b) {
        const int first = names[a][0]->compare(*names[b][0]);
        return first != 0 ? first : names[a][1]->compare(*names[b][1]);
    };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::vector<std::int64_t> ranks(names.size(), SortKey::kUnknown);
    std::int64_t rank = 0;
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (at > 0 && compare(order[at - 1], order[at]) != 0) ++rank;
        const bool isKnown = !names[order[at]][0]->empty() || !names[order[at]][1]->empty();
        if (isKnown) ranks[order[at]] = rank;
    }
    return ranks;
}

/// Adds those of `more` whose LSNs are not there yet; both by LSN.
void join(std::vector<SortKey>& keys, std::vector<SortKey> more) {
    if (more.empty()) return;
    std::vector<SortKey> all;
    all.reserve(keys.size() + more.size());
    std::ranges::merge(keys, more, std::back_inserter(all), {}, &SortKey::lsn, &SortKey::lsn);
    const auto same = std::ranges::unique(all, {}, &SortKey::lsn); // the first one stays: that of `keys`
    all.erase(same.begin(), same.end());
    keys = std::move(all);
}

} // namespace

std::vector<SortKey> KeyPieces::take() {
    std::vector<SortKey> keys;
    keys.reserve(std::exchange(size_, 0));
    for (const std::vector<SortKey>& piece : pieces_) keys.insert(keys.end(), piece.begin(), piece.end());
    pieces_.clear();
    return keys;
}

std::vector<Lsn> arrange(OrderParts parts) {
    std::ranges::sort(parts.putBack, {}, &SortKey::lsn);
    std::vector<SortKey> keys = parts.ended.take();
    join(keys, parts.live.take());
    join(keys, std::move(parts.putBack));
    if (!parts.names.empty()) {
        const std::vector<std::int64_t> ranks = ranksOf(parts.names);
        for (SortKey& key : keys) {
            const auto number = static_cast<std::size_t>(key.key);
            key.key = key.key != SortKey::kUnknown && number < ranks.size() ? ranks[number] : SortKey::kUnknown;
        }
    }
    // Descending is ascending of what is turned round, but for what is unknown.
    const bool descending = parts.descending;
    if (descending)
        for (SortKey& key : keys) {
            if (key.key != SortKey::kUnknown) key.key = -key.key;
            key.lsn.value = -key.lsn.value;
        }
    std::ranges::sort(keys, [](const SortKey& a, const SortKey& b) {
        return a.key != b.key ? a.key < b.key : a.lsn.value < b.lsn.value;
    });
    std::vector<Lsn> lsns;
    lsns.reserve(keys.size());
    for (const SortKey& key : keys) lsns.emplace_back(descending ? -key.lsn.value : key.lsn.value);
    return lsns;
}

std::shared_ptr<KeptOrder> SortedListCache::find(std::uint64_t id, MonoTime now) {
    const auto at = std::ranges::find(orders_, id, &KeptOrder::id);
    if (at == orders_.end()) return nullptr;
    (*at)->used = now;
    (*at)->isReadToEnd = false;
    ++hits_;
    return *at;
}

std::shared_ptr<KeptOrder> SortedListCache::find(const ListQuery& query, std::uint64_t revision, MonoTime now) {
    for (const auto& order : orders_) {
        if (order->revision != revision || order->failed || !isSameList(order->query, query)) continue;
        order->used = now;
        order->isReadToEnd = false;
        ++hits_;
        return order;
    }
    return nullptr;
}

/// One that is made: who asks for many short lists again and again takes no order from who pages through a long one.
/// False: there is none.
bool SortedListCache::dropOldest(const KeptOrder* but) {
    const auto goesBefore = [](const KeptOrder& a, const KeptOrder& b) {
        return a.isReadToEnd != b.isReadToEnd ? a.isReadToEnd : a.used < b.used;
    };
    auto oldest = orders_.end();
    for (auto at = orders_.begin(); at != orders_.end(); ++at)
        if (at->get() != but && (*at)->made.isSet() && (oldest == orders_.end() || goesBefore(**at, **oldest)))
            oldest = at;
    if (oldest == orders_.end()) return false;
    orders_.erase(oldest);
    return true;
}

Result<std::shared_ptr<KeptOrder>> SortedListCache::begin(const ListQuery& query, std::uint64_t revision,
                                                          MonoTime now) {
    dropUnused(now);
    if (orders_.size() >= kMost && !dropOldest(nullptr))
        return fail(ErrorKind::Busy, "Too many lists are being sorted: try again in a second.");
    auto order = std::make_shared<KeptOrder>();
    order->id = ++lastId_;
    order->query = query;
    order->revision = revision;
    order->used = now;
    orders_.push_back(order);
    return order;
}

void SortedListCache::finish(KeptOrder& order, Result<std::vector<Lsn>> lsns) {
    if (lsns)
        order.lsns = std::move(*lsns);
    else
        order.failed = std::move(lsns.error());
    std::vector<Lsn>().swap(order.putBack);
    order.made.set();
    while (this->lsns() > kMostLsns && dropOldest(&order)) {
    }
}

std::size_t SortedListCache::lsns() const {
    std::size_t count = 0;
    for (const auto& each : orders_) count += each->lsns.size();
    return count;
}

void SortedListCache::clear() {
    std::erase_if(orders_, [](const auto& order) { return order->made.isSet(); });
}

void SortedListCache::notePutBack(Lsn lsn) {
    for (const auto& order : orders_)
        if (!order->made.isSet()) order->putBack.push_back(lsn);
}

void SortedListCache::dropUnused(MonoTime now) {
    std::erase_if(orders_, [now](const auto& order) { return order->made.isSet() && now - order->used >= kKeep; });
}

std::vector<Lsn> firstOfEach(std::vector<Lsn> lsns, const std::vector<store::LsnRun>& folds) {
    std::vector<bool> isSeen(folds.size());
    std::erase_if(lsns, [&, at = std::size_t{0}](Lsn lsn) mutable {
        const auto has = [&](std::size_t i) {
            return i < folds.size() && folds[i].first <= lsn && lsn <= folds[i].last();
        };
        if (!has(at)) { // else the same one as before, as most are
            const auto behind = std::ranges::upper_bound(folds, lsn, {}, &store::LsnRun::first);
            if (behind == folds.begin()) return false;
            at = static_cast<std::size_t>(std::prev(behind) - folds.begin());
            if (!has(at)) return false;
        }
        const bool wasSeen = isSeen[at];
        isSeen[at] = true;
        return wasSeen;
    });
    return lsns;
}

} // namespace yard::engine
