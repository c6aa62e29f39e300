// What the engine refused of many actions, by its reasons: a million of them must not be a million lines. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

struct Refusal {
    std::string word; ///< of the engine's closed list of errors
    std::string sentence;
};

class Refusals {
public:
    /// `word` and `why`: the engine's, "wrong_state" and its sentence.
    void add(std::int64_t lsn, std::string_view word, const std::string& why);
    bool empty() const { return reasons_.empty(); }
    /// A sentence for each reason, in the order they came, at most ten, and one of the rest. Those that differ only in
    /// the number of the action are one, with the first of the actions.
    std::vector<Refusal> refusals() const;

private:
    struct Reason {
        std::string word;
        std::string pattern; ///< the sentence without the action's number
        std::string first;   ///< as it was said of the first
        std::vector<std::int64_t> lsns;
    };
    std::vector<Reason> reasons_; ///< no more than are told
    std::size_t others_ = 0;      ///< actions that were refused for further reasons
};

} // namespace yard::ctl
