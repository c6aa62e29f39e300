// What the actions of a filter are counted by (`by` of GET jobs/facets). Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/model/filter.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

enum class FacetKey : unsigned char { State, Queue, Worker, Label, Reason, Machine };

struct FacetInfo {
    FacetKey key;
    std::string_view name; ///< as its terms are written in a filter, too
    FilterKey filter;
};
/// In the order of the enum.
inline constexpr std::array kFacets{
    FacetInfo{FacetKey::State, "state", FilterKey::State},
    FacetInfo{FacetKey::Queue, "queue", FilterKey::Queue},
    FacetInfo{FacetKey::Worker, "worker", FilterKey::Worker},
    FacetInfo{FacetKey::Label, "label", FilterKey::Label},
    FacetInfo{FacetKey::Reason, "reason", FilterKey::Reason},
    FacetInfo{FacetKey::Machine, "machine", FilterKey::Machine},
};
constexpr const FacetInfo& facetInfo(FacetKey key) {
    return kFacets[std::to_underlying(key)];
}
constexpr std::string_view name(FacetKey key) {
    return facetInfo(key).name;
}

/// A comma list of names; one that stands there twice counts once. Invalid, field `by`, with the names there are.
Result<std::vector<FacetKey>> parseFacets(std::string_view list);

} // namespace yard
