#include "core/engine/dictionary.h"

namespace yard::engine {

Dictionary::Dictionary() {
    labels_.push_back({std::string(), true});
    labelIds_.emplace(labels_.back().value, 0);
}

Dictionary::Interned Dictionary::internClass(const ClassKey& key) {
    const auto next = static_cast<std::uint32_t>(classes_.size());
    const auto [at, isNew] = classIds_.try_emplace(key.text(), next);
    if (isNew) classes_.push_back({key, false});
    return {at->second, isNew, classes_[at->second].stored};
}

Dictionary::Interned Dictionary::internLabel(std::string_view label) {
    if (const auto at = labelIds_.find(label); at != labelIds_.end())
        return {at->second, false, labels_[at->second].stored};
    const auto next = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back({std::string(label), false});
    labelIds_.emplace(labels_.back().value, next);
    return {next, true, false};
}

bool Dictionary::restoreClass(std::uint32_t id, const ClassKey& key) {
    if (id < classes_.size()) return false;
    classes_.resize(id);
    classes_.push_back({key, true});
    classIds_.try_emplace(key.text(), id);
    return true;
}

bool Dictionary::restoreLabel(std::uint32_t id, std::string_view label) {
    if (id < labels_.size()) return id == 0 && label.empty();
    labels_.resize(id);
    labels_.push_back({std::string(label), true});
    labelIds_.try_emplace(labels_.back().value, id);
    return true;
}

} // namespace yard::engine
