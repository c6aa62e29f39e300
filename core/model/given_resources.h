// Which ones of a resource an attempt was given, where they are told apart: ports, displays, GPUs (docs/resources.md).
// Values; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

struct GivenResource {
    std::string resource;           ///< "port"
    std::vector<std::string> names; ///< "5003", "5004": in the order of the setting
    friend bool operator==(const GivenResource&, const GivenResource&) = default;
};
/// The resource whose pieces are the machine's GPUs.
inline constexpr const char* kGpus = "gpus";
/// One entry for each resource that the attempt got some of, by name.
using GivenResources = std::vector<GivenResource>;

/// It has this piece of this resource.
bool wasGiven(const GivenResources& given, std::string_view resource, std::string_view name);
/// Both, by name; of a resource that is in both what `some` has.
GivenResources joined(GivenResources some, const GivenResources& more);
/// {"port":["5003","5004"]}; "{}" of nothing.
std::string toJson(const GivenResources& given);
/// What toJson() wrote. Nothing where it is anything else.
GivenResources givenFrom(std::string_view json);

/// "YARD_RESOURCE_PORT" of "port": letters in capitals, whatever is neither letter nor digit as "_".
std::string variableOf(std::string_view resource);
/// "5003,5004"
std::string listed(const GivenResource& given);
/// "port 5003,5004 display :1": for people.
std::string listed(const GivenResources& given);

/// How many names one resource may have.
inline constexpr std::size_t kMaxResourceNames = 4096;
/// Appends the names that a word of a setting stands for: "5000-5015" sixteen, anything else itself. False, with
/// `names` in any state, where a name is empty, longer than 128 bytes, has a comma or a control character, is there
/// already, a range runs backwards, or there would be more than kMaxResourceNames.
bool expandNames(std::string_view word, std::vector<std::string>& names);

} // namespace yard
