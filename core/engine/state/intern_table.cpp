#include "core/engine/state/intern_table.h"

namespace yard::engine {

InternTable::InternTable() {
    labels_.push_back({std::string(), true});
    labelIds_.emplace(labels_.back().value, 0);
}

std::size_t InternTable::KeyHash::operator()(const ClassKey* key) const noexcept {
    std::size_t sum = 0;
    const auto add = [&sum](std::size_t hash) { sum = (sum ^ hash) * 0x9e3779b97f4a7c15ull; };
    add(std::hash<std::string_view>{}(key->workerId));
    add(std::hash<std::string_view>{}(key->function));
    add(static_cast<std::size_t>(key->resources.milliCores));
    add(static_cast<std::size_t>(key->resources.memoryMb));
    for (const auto& [name, amount] : key->resources.named) {
        add(std::hash<std::string_view>{}(name));
        add(static_cast<std::size_t>(amount));
    }
    for (const std::string& lock : key->locks) add(std::hash<std::string_view>{}(lock));
    for (const std::string& word : key->machines) add(std::hash<std::string_view>{}(word));
    add(std::hash<std::string_view>{}(key->platform));
    add(static_cast<std::size_t>(key->retryLimits.retries.value_or(-1)));
    add(static_cast<std::size_t>(key->retryLimits.interruptions.value_or(-1)));
    return sum;
}

InternTable::Interned InternTable::internClass(const ClassKey& key) {
    if (const auto at = classIds_.find(&key); at != classIds_.end())
        return {at->second, false, classes_[at->second].stored};
    const auto next = static_cast<std::uint32_t>(classes_.size());
    classes_.push_back({key, false});
    classIds_.emplace(&classes_.back().value, next);
    return {next, true, false};
}

std::uint32_t InternTable::internLock(std::string_view name) {
    const auto [at, made] = lockIds_.try_emplace(std::string(name), static_cast<std::uint32_t>(locks_.size()));
    if (made) locks_.push_back(&at->first);
    return at->second;
}

InternTable::Interned InternTable::internLabel(std::string_view label) {
    if (const auto at = labelIds_.find(label); at != labelIds_.end())
        return {at->second, false, labels_[at->second].stored};
    const auto next = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back({std::string(label), false});
    labelIds_.emplace(labels_.back().value, next);
    return {next, true, false};
}

std::uint32_t InternTable::labelNumber(std::string_view label) const {
    const auto at = labelIds_.find(label);
    return at == labelIds_.end() ? 0 : at->second;
}

bool InternTable::restoreClass(std::uint32_t id, const ClassKey& key) {
    if (id < classes_.size()) return false;
    classes_.resize(id);
    classes_.push_back({key, true});
    classIds_.try_emplace(&classes_.back().value, id);
    return true;
}

bool InternTable::restoreLabel(std::uint32_t id, std::string_view label) {
    if (id < labels_.size()) return id == 0 && label.empty();
    labels_.resize(id);
    labels_.push_back({std::string(label), true});
    labelIds_.try_emplace(labels_.back().value, id);
    return true;
}

} // namespace yard::engine
