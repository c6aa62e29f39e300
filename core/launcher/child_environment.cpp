#include "core/launcher/child_environment.h"

#include "core/host/process_tree.h"
#include "core/launcher/status_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace yard::runners {
namespace {

/// What a program inside gets of the engine's environment in any case: how to speak and what time it is.
bool isOfTheUser(std::string_view entry) {
    return entry.starts_with("LANG=") || entry.starts_with("LC_") || entry.starts_with("TZ=");
}

bool names(std::string_view entry, std::string_view name) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

} // namespace

std::string_view ChildEnvironment::searchPath(const Lease& lease) const {
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& entry : engine_)
        if (lease.engineEnv && entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
    for (const auto& [name, value] : lease.env)
        if (name == "PATH") path = value;
    return path;
}

std::vector<std::string> ChildEnvironment::own(const Lease& lease) const {
    std::vector<std::string> all;
    all.reserve(lease.env.size() + 2);
    all.push_back(fmt::format("{}={}", host::kOwnerVariable, ownerToken_));
    all.push_back(fmt::format("{}={}", host::kLsnVariable, lease.id.lsn.value));
    for (const auto& [name, value] : lease.env)
        if (name != host::kOwnerVariable && name != host::kLsnVariable && name != kStatusVariable)
            all.push_back(fmt::format("{}={}", name, value));
    return all;
}

void ChildEnvironment::pointTo(const Lease& lease, const std::vector<std::string>& own,
                               std::vector<char*>& pointers) const {
    pointers.clear();
    const auto isReplaced = [&](const std::string& entry) {
        return std::ranges::any_of(lease.env, [&](const auto& variable) { return names(entry, variable.first); });
    };
    for (const std::string& entry : engine_)
        if (lease.engineEnv && (lease.env.empty() || !isReplaced(entry)))
            pointers.push_back(const_cast<char*>(entry.c_str()));
    for (const std::string& entry : own) pointers.push_back(const_cast<char*>(entry.c_str()));
    pointers.push_back(nullptr);
}

std::vector<std::string> ChildEnvironment::inside(const Lease& lease) const {
    constexpr std::array<std::string_view, 2> kInside = {"HOME=/tmp", "TMPDIR=/tmp"};
    std::vector<std::string> all;
    const auto add = [&](std::string_view entry) {
        const bool isGiven =
            std::ranges::any_of(lease.env, [&](const auto& one) { return names(entry, one.first); });
        if (!isGiven) all.emplace_back(entry);
    };
    const bool isClean = lease.sandbox->cleanEnvironment;
    for (const std::string& entry : engine_) {
        const bool isOurs = names(entry, "HOME") || names(entry, "TMPDIR") || (isClean && names(entry, "PATH"));
        if (!isOurs && (isClean ? isOfTheUser(entry) : lease.engineEnv)) add(entry);
    }
    if (isClean) add("PATH=/usr/local/bin:/usr/bin:/bin");
    for (const std::string_view entry : kInside) add(entry);
    std::ranges::move(own(lease), std::back_inserter(all));
    return all;
}

} // namespace yard::runners
