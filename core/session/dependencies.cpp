// Actions that wait for others: edges from each predecessor to those that wait for it, resolved when its end is
// stored.
#include "core/session/impl.h"

#include <cassert>
#include <map>

namespace yard::session {

namespace {

/// Dependents of one action that are resolved in the call that ends it.
constexpr int kAtOnce = 64;
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

std::optional<Predecessor> Session::Impl::waitFor(std::uint32_t record, std::span<const Predecessor> after) {
    for (const Predecessor& p : after) {
        const std::uint32_t parent = records_.find(p.lsn);
        if (parent == kNone || records_[parent].has(Record::kStored)) {
            if (isEnded(p.state) && !isWanted(p.on, p.state)) return p;
            continue;
        }
        const std::uint32_t edge = edges_.allocate();
        assert(parent != record && edge < kLinkMask && records_[record].unmet < 65'535);
        edges_[edge] = {.child = record,
                        .nextAndOn = (records_[parent].firstEdge & kLinkMask) | static_cast<std::uint32_t>(p.on)
                                                                                    << kLinkBits};
        records_[parent].firstEdge = edge;
        ++records_[record].unmet;
    }
    return std::nullopt;
}

void Session::Impl::failDependent(std::uint32_t record, const Predecessor& because, Outbox& out) {
    finish(record, 0, ActionState::Failed, Reason::DependencyFailed, out);
    out.finish.back().because = because;
}

/// The end of `record` is stored: those that wait for it learn of it.
void Session::Impl::resolveDependents(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    if (r.firstEdge == kNone) return;
    resolving_.push_back({r.firstEdge, {.lsn = records_.lsnOf(r), .on = {}, .state = r.target()}});
    r.firstEdge = kNone;
    // Behind what others left over: order among dependents is that of their keys, not of this list.
    if (resolving_.size() == 1) stepResolve(kAtOnce, out);
}

int Session::Impl::stepResolve(int budget, Outbox& out) {
    while (budget > 0 && !resolving_.empty()) {
        Resolving& job = resolving_.back();
        const std::uint32_t at = job.edge;
        const Edge edge = edges_[at];
        Predecessor ended = job.ended;
        ended.on = static_cast<DependencyOn>(edge.nextAndOn >> kLinkBits);
        job.edge = linkOf(edge.nextAndOn);
        if (job.edge == kNone) resolving_.pop_back();
        edges_.release(at);
        resolve(edge.child, ended, out);
        --budget;
    }
    return budget;
}

void Session::Impl::resolve(std::uint32_t child, const Predecessor& ended, Outbox& out) {
    Record& r = records_[child];
    assert(r.unmet > 0);
    --r.unmet;
    if (r.phase == Phase::Dead) return entryDropped(child);
    // What ends anyway ends as it does.
    if (r.phase != Phase::Waiting || r.has(Record::kCancel) || abandoned_ ||
        queueOf(r).state == QueueState::Cancelled)
        return;
    r.revision = ++revision_;
    if (isWanted(ended.on, ended.state))
        wakeAction(child);
    else
        failDependent(child, ended, out);
}

#ifndef NDEBUG
void Session::Impl::checkEdges() const {
    std::map<std::uint32_t, std::uint32_t> edgesTo;
    std::uint32_t found = 0;
    const auto walk = [&](std::uint32_t edge) {
        for (; edge != kNone; edge = linkOf(edges_[edge].nextAndOn), ++found) ++edgesTo[edges_[edge].child];
    };
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
        if (records_.present(i)) walk(records_[i].firstEdge);
    for (const Resolving& job : resolving_) walk(job.edge);
    assert(found == edges_.used());
    for (const auto& [record, edges] : edgesTo) assert(records_.present(record) && records_[record].unmet == edges);
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
        if (records_.present(i) && records_[i].unmet > 0) assert(edgesTo.contains(i));
}
#else
void Session::Impl::checkEdges() const {}
#endif

} // namespace yard::session
