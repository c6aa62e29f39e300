// Directories that an attempt has of its warm worker's. A value.
#pragma once

#include "core/lease/request_directories.h"
#include "core/lease/scratch.h"
#include "core/model/action_spec.h"

#include <memory>
#include <vector>

namespace yard::engine {

struct LentRequest {
    std::shared_ptr<runners::RequestDirectories> directories;
    runners::RequestDirectories::Lent lent;
};

/// The inputs of an action as they lie in its directory.
inline std::vector<runners::PlacedFile> inputsOf(const ActionSpec& spec) {
    std::vector<runners::PlacedFile> inputs;
    for (const auto& [name, hash] : spec.inputs) inputs.push_back({name, hash, 0444});
    return inputs;
}

} // namespace yard::engine
