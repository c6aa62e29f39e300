// Actions that wait for others: edges from each predecessor to those that wait for it, resolved when its end is
// stored.
#include "core/session/dependencies.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace yard::session {

namespace {

/// At edges of arrays, to count what one action waits for.
constexpr int kLooks = 200;
constexpr unsigned kLinkBits = 30;
constexpr std::uint32_t kLinkMask = (1u << kLinkBits) - 1;

std::uint32_t linkOf(std::uint32_t nextAndOn) {
    const std::uint32_t link = nextAndOn & kLinkMask;
    return link == kLinkMask ? kNone : link;
}

} // namespace

bool isWanted(DependencyOn on, ActionState end) {
    switch (on) {
    case DependencyOn::Any: return true;
    case DependencyOn::Completed: return end == ActionState::Completed;
    case DependencyOn::Failed: return end == ActionState::Failed;
    }
    return false;
}

std::uint32_t Dependencies::makeEdge(std::uint32_t first, std::uint32_t child, DependencyOn on) {
    const std::uint32_t edge = edges_.allocate();
    assert(edge < kLinkMask && records_[child].unmet < 65'535);
    edges_[edge] = {.child = child, .nextAndOn = (first & kLinkMask) | static_cast<std::uint32_t>(on) << kLinkBits};
    ++records_[child].unmet;
    return edge;
}

std::optional<Predecessor> Dependencies::waitFor(std::uint32_t record, std::span<const Predecessor> after) {
    YARD_ASSERT_OWNER(owner_);
    for (const Predecessor& p : after) {
        if (p.count > 0) {
            if (auto otherwise = waitForArray(record, p)) return otherwise;
            continue;
        }
        const std::uint32_t parent = records_.find(p.lsn);
        if (parent == kNone || records_[parent].has(Record::kStored)) {
            if (isEnded(p.state) && !isWanted(p.on, p.state)) return p;
            continue;
        }
        assert(parent != record);
        records_[parent].firstEdge = makeEdge(records_[parent].firstEdge, record, p.on);
    }
    return std::nullopt;
}

// --- arrays as a whole

std::int64_t Dependencies::liveIn(Lsn first, std::int64_t count) const {
    std::int64_t live = 0;
    for (std::uint32_t at = records_.next(first); at != kNone;) {
        const Lsn lsn = records_.lsnOf(records_[at]);
        if (lsn.value >= first.value + count) break;
        if (!records_[at].has(Record::kStored)) ++live;
        at = records_.next(Lsn{lsn.value + 1});
    }
    return live;
}

Dependencies::Fans::iterator Dependencies::fanOf(Lsn element) {
    auto at = fans_.upper_bound(element.value);
    if (at == fans_.begin()) return fans_.end();
    --at;
    return element.value < at->first + at->second.count ? at : fans_.end();
}

Predecessor Dependencies::asPredecessor(std::int64_t first, const Fan& fan) {
    Predecessor p{.lsn = Lsn{first}};
    p.state = fan.failed > 0  ? ActionState::Failed
              : fan.other > 0 ? ActionState::Cancelled
                              : ActionState::Completed;
    p.count = fan.count;
    p.failed = fan.failed;
    p.other = fan.other;
    p.otherwise = fan.otherwise;
    return p;
}

std::optional<Predecessor> Dependencies::waitForArray(std::uint32_t record, const Predecessor& array) {
    const auto [at, isNew] = fans_.try_emplace(array.lsn.value);
    Fan& fan = at->second;
    if (isNew)
        fan = {.count = array.count,
               .remaining = liveIn(array.lsn, array.count),
               .failed = array.failed,
               .other = array.other,
               .otherwise = array.otherwise};
    Predecessor ended = asPredecessor(at->first, fan);
    ended.on = array.on;
    const bool isOver = fan.remaining == 0;
    const bool isLost = (array.on == DependencyOn::Completed || isOver) && !isWanted(array.on, ended.state);
    if (!isLost && !isOver) {
        std::uint32_t& first = array.on == DependencyOn::Completed ? fan.allOf : fan.rest;
        first = makeEdge(first, record, array.on);
    }
    if (fan.allOf == kNone && fan.rest == kNone) fans_.erase(at);
    return isLost ? std::optional(ended) : std::nullopt;
}

/// The end of an element is stored.
void Dependencies::elementEnded(Lsn element, ActionState state) {
    const auto at = fanOf(element);
    if (at == fans_.end()) return;
    Fan& fan = at->second;
    --fan.remaining;
    if (state != ActionState::Completed) {
        if (state == ActionState::Failed || fan.failed == 0) fan.otherwise = element;
        ++(state == ActionState::Failed ? fan.failed : fan.other);
    }
    const Predecessor ended = asPredecessor(at->first, fan);
    const auto endList = [&](std::uint32_t& first) {
        if (first != kNone) resolving_.push_back({std::exchange(first, kNone), ended});
    };
    if (ended.state != ActionState::Completed || fan.remaining == 0) endList(fan.allOf);
    if (fan.remaining == 0) endList(fan.rest);
    if (fan.allOf == kNone && fan.rest == kNone) fans_.erase(at);
}

void Dependencies::elementBegins(Lsn element) {
    if (fans_.empty()) return;
    if (const auto at = fanOf(element); at != fans_.end()) ++at->second.remaining;
}

void Dependencies::elementRunsAgain(Lsn element, ActionState was) {
    if (fans_.empty()) return;
    const auto at = fanOf(element);
    if (at == fans_.end()) return;
    std::int64_t& ended = was == ActionState::Failed ? at->second.failed : at->second.other;
    ended = std::max<std::int64_t>(ended - 1, 0);
}

std::optional<std::int64_t> Dependencies::unfinishedOf(Lsn array) const {
    const auto at = fans_.find(array.value);
    return at == fans_.end() ? std::nullopt : std::optional(at->second.remaining);
}

Unmet Dependencies::unmetOf(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return {};
    Unmet unmet{.count = records_[record].unmet};
    int arrays = records_[record].unmet; // so many of what it waits for may be some
    int looks = kLooks;
    for (const auto& [first, fan] : fans_)
        for (std::uint32_t edge : {fan.allOf, fan.rest})
            for (; edge != kNone && arrays > 0; edge = linkOf(edges_[edge].nextAndOn)) {
                if (--looks < 0) return {.count = unmet.count, .isExact = false};
                if (edges_[edge].child != record) continue;
                unmet.count += fan.remaining - 1;
                --arrays;
            }
    return unmet;
}

std::size_t Dependencies::memoryBytes() const {
    constexpr std::size_t kNode = 48; // of the tree, beside what it holds
    return edges_.memoryBytes() + fans_.size() * (sizeof(Fans::value_type) + kNode);
}

// --- ends

bool Dependencies::ended(std::uint32_t record) {
    Record& r = records_[record];
    const bool isFirst = resolving_.empty();
    if (r.firstEdge != kNone) {
        Predecessor ended{.lsn = records_.lsnOf(r)};
        ended.state = r.target();
        resolving_.push_back({std::exchange(r.firstEdge, kNone), ended});
    }
    if (!fans_.empty()) elementEnded(records_.lsnOf(r), r.target());
    return isFirst;
}

Dependencies::Resolved Dependencies::takeNext() {
    Resolving& job = resolving_.back();
    const std::uint32_t at = job.edge;
    const Edge edge = edges_[at];
    Resolved next{.child = edge.child, .ended = job.ended};
    next.ended.on = static_cast<DependencyOn>(edge.nextAndOn >> kLinkBits);
    job.edge = linkOf(edge.nextAndOn);
    if (job.edge == kNone) resolving_.pop_back();
    edges_.release(at);
    assert(records_[next.child].unmet > 0);
    --records_[next.child].unmet;
    return next;
}

#ifndef NDEBUG
void Dependencies::check() const {
    std::map<std::uint32_t, std::uint32_t> edgesTo;
    std::uint32_t found = 0;
    const auto walk = [&](std::uint32_t edge) {
        for (; edge != kNone; edge = linkOf(edges_[edge].nextAndOn), ++found) ++edgesTo[edges_[edge].child];
    };
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
        if (records_.present(i)) walk(records_[i].firstEdge);
    for (const Resolving& job : resolving_) walk(job.edge);
    for (const auto& [first, fan] : fans_) {
        walk(fan.allOf);
        walk(fan.rest);
        assert(fan.remaining > 0 && fan.remaining == liveIn(Lsn{first}, fan.count));
    }
    assert(found == edges_.used());
    for (const auto& [record, edges] : edgesTo) assert(records_.present(record) && records_[record].unmet == edges);
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
        if (records_.present(i) && records_[i].unmet > 0) assert(edgesTo.contains(i));
}
#else
void Dependencies::check() const {}
#endif

} // namespace yard::session
