#include "core/engine/running/given_environment.h"

#include <string>
#include <utility>

namespace yard::engine {

namespace {

void set(runners::Lease& lease, std::string name, std::string value) {
    std::erase_if(lease.env, [&](const auto& variable) { return variable.first == name; });
    lease.env.emplace_back(std::move(name), std::move(value));
}

} // namespace

void addGiven(runners::Lease& lease, const GivenResources& given) {
    for (const GivenResource& one : given) set(lease, variableOf(one.resource), listed(one));
}

} // namespace yard::engine
