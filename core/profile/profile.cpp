#include "core/profile/profile.h"

#include <algorithm>

namespace yard::profile {

Cost& Cost::operator+=(const Cost& other) {
    for (const auto part : kCostParts) this->*part += other.*part;
    return *this;
}

std::vector<Cost> totals(const Profile& profile) {
    std::vector<Cost> costs;
    costs.reserve(profile.nodes.size());
    for (const Node& node : profile.nodes) costs.push_back(node.self);
    for (std::size_t at = profile.nodes.size(); at-- > 0;) {
        const std::uint32_t parent = profile.nodes[at].parent;
        if (parent == kNoParent) continue;
        const std::uint64_t calls = costs[parent].calls;
        costs[parent] += costs[at];
        costs[parent].calls = calls; // how often it was called itself
    }
    return costs;
}

std::vector<std::uint32_t> pathOf(const Profile& profile, std::uint32_t node) {
    std::vector<std::uint32_t> path;
    for (; node != kNoParent; node = profile.nodes[node].parent) path.push_back(node);
    std::ranges::reverse(path);
    return path;
}

Profile within(const Profile& profile, std::string_view text) {
    if (text.empty()) return profile;
    const std::size_t size = profile.nodes.size();
    std::vector<bool> isInside(size, false);
    std::vector<bool> isKept(size, false);
    for (std::size_t at = 0; at < size; ++at) {
        const Node& node = profile.nodes[at];
        isInside[at] = profile.functions[node.function].name.contains(text) ||
                       (node.parent != kNoParent && isInside[node.parent]);
    }
    for (std::size_t at = size; at-- > 0;) {
        isKept[at] = isKept[at] || isInside[at];
        if (isKept[at] && profile.nodes[at].parent != kNoParent) isKept[profile.nodes[at].parent] = true;
    }
    Profile part = profile;
    part.nodes.clear();
    std::vector<std::uint32_t> place(size, kNoParent);
    for (std::size_t at = 0; at < size; ++at) {
        if (!isKept[at]) continue;
        place[at] = static_cast<std::uint32_t>(part.nodes.size());
        Node node = profile.nodes[at];
        if (!isInside[at]) node.self = {};
        if (node.parent != kNoParent) node.parent = place[node.parent];
        part.nodes.push_back(node);
    }
    std::erase_if(part.slices, [&](const Slice& slice) { return place[slice.node] == kNoParent; });
    for (Slice& slice : part.slices) slice.node = place[slice.node];
    return part;
}

} // namespace yard::profile
