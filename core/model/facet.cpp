#include "core/model/facet.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard {

Result<std::vector<FacetKey>> parseFacets(std::string_view list) {
    std::vector<FacetKey> keys;
    for (bool more = true; more;) {
        const std::size_t comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        const auto known = std::ranges::find(kFacets, word, &FacetInfo::name);
        if (known == kFacets.end()) {
            std::string all;
            for (const FacetInfo& facet : kFacets) all += fmt::format("{}{}", all.empty() ? "" : ", ", facet.name);
            return invalid("by", fmt::format("Actions are not counted by \"{}\"; there are {}.", word, all));
        }
        if (std::ranges::find(keys, known->key) == keys.end()) keys.push_back(known->key);
        more = comma != list.npos;
        if (more) list.remove_prefix(comma + 1);
    }
    return keys;
}

} // namespace yard
