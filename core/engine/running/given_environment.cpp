#include "core/engine/running/given_environment.h"

#include <utility>

namespace yard::engine {

void setVariable(runners::Lease& lease, std::string name, std::string value) {
    std::erase_if(lease.env, [&](const auto& variable) { return variable.first == name; });
    lease.env.emplace_back(std::move(name), std::move(value));
}

void addGiven(runners::Lease& lease, const GivenResources& given) {
    for (const GivenResource& one : given) setVariable(lease, variableOf(one.resource), listed(one));
}

} // namespace yard::engine
