// Claims and writes that the journal has not answered yet, by object and by type. One owner, that of the orchestrator.
#pragma once

#include "core/lifecycle/object.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::lifecycle {

class PendingWrites {
public:
    void begin(const Object& object) {
        if (types_.size() <= object.type) types_.resize(std::size_t{object.type} + 1);
        ++types_[object.type];
        auto& [type, count] = objects_[object.id];
        type = object.type;
        ++count;
    }
    /// One of them is answered. Also of an object that was removed meanwhile.
    void end(ObjectId id) {
        const auto found = objects_.find(id);
        if (found == objects_.end()) return;
        auto& [type, count] = found->second;
        --types_[type];
        if (--count == 0) objects_.erase(found);
    }
    bool has(ObjectId id) const { return objects_.contains(id); }
    bool hasOf(TypeNumber type) const { return type < types_.size() && types_[type] > 0; }

private:
    std::unordered_map<ObjectId, std::pair<TypeNumber, unsigned>> objects_;
    std::vector<unsigned> types_; ///< how many of each
};

} // namespace yard::lifecycle
