// Numbers for what repeats: classes (kinds of action) and labels. The numbers are dense, are never given to
// something else, and are the ones session and journal use (the journal counts classes from 1): a new entry travels
// with the submission that made it. Label 0 is the empty label. Owner: engine thread.
#pragma once

#include "core/model/class_key.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class InternTable {
public:
    InternTable();

    struct Interned {
        std::uint32_t id;
        bool isNew;    ///< made by this call
        bool isStored; ///< the journal has it: setStored() was called, or it was restored
    };
    Interned internClass(const ClassKey& key);
    /// Names of locks live in memory only: classes name them.
    std::uint32_t internLock(std::string_view name);
    const std::string& lockName(std::uint32_t id) const { return *locks_[id]; }
    Interned internLabel(std::string_view label);
    void setClassStored(std::uint32_t id) { classes_[id].stored = true; }
    void setLabelStored(std::uint32_t id) { labels_[id].stored = true; }
    const ClassKey& classKey(std::uint32_t id) const { return classes_[id].value; }
    const std::string& label(std::uint32_t id) const { return labels_[id].value; }
    /// 0 for one that is not known, too.
    std::uint32_t labelNumber(std::string_view label) const;
    std::size_t classCount() const { return classes_.size(); }
    std::size_t labelCount() const { return labels_.size(); }
    /// As it was numbered before; entries come in the order of their numbers. Numbers that a refused submission
    /// left out stay unused. False when the number was given already.
    bool restoreClass(std::uint32_t id, const ClassKey& key);
    bool restoreLabel(std::uint32_t id, std::string_view label);

private:
    template<class T>
    struct Entry {
        T value;
        bool stored = false;
    };
    std::deque<Entry<ClassKey>> classes_; ///< deques: references stay valid, growth moves nothing
    std::deque<Entry<std::string>> labels_;
    struct KeyHash {
        std::size_t operator()(const ClassKey* key) const noexcept;
    };
    struct KeyEqual {
        bool operator()(const ClassKey* a, const ClassKey* b) const noexcept { return *a == *b; }
    };
    std::unordered_map<const ClassKey*, std::uint32_t, KeyHash, KeyEqual> classIds_; ///< keys are in classes_
    std::unordered_map<std::string, std::uint32_t> lockIds_;
    std::vector<const std::string*> locks_;                        ///< keys of lockIds_, by number
    std::unordered_map<std::string_view, std::uint32_t> labelIds_; ///< views into labels_
};

} // namespace yard::engine
