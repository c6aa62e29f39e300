// What pending actions without a label run, by the short names of their commands, for the estimates: these are asked at
// once, and the journal, which alone knows, answers later. So what is asked for and not known is read behind the back
// of who asks, and told then.
//
// Owner: engine thread; one cooperative thread while something is read. Lifetime: outlives that thread, as the loop's
// end does. Bounds: kMostKnown names, the oldest go first; kMostWanted are read for at a time, others when they are
// asked for again.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/coro/task.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::engine {

class PendingCommands {
public:
    static constexpr std::size_t kMostKnown = 8'192;
    static constexpr std::size_t kMostWanted = 2'048;
    /// In one question.
    static constexpr std::size_t kPortion = 256;

    struct Parts {
        /// As Reader::commands(): in the same order, and perhaps fewer.
        std::function<coro::Task<Result<std::vector<std::string>>>(std::vector<Lsn>)> read;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void()> found; ///< more are known now
    };
    explicit PendingCommands(Parts parts)
        : parts_(std::move(parts)) {}

    /// Empty: it has none, or it is not known yet.
    std::string of(Lsn lsn);
    std::size_t known() const { return known_.size(); }

private:
    coro::Task<void> ask();
    void keep(Lsn lsn, std::string command);

    Parts parts_;
    std::unordered_map<Lsn, std::string> known_;
    std::deque<Lsn> order_; ///< of known_, the oldest first
    std::unordered_set<Lsn> wanted_;
    std::size_t told_ = 0; ///< names so far
    bool asks_ = false;    ///< ask() is under way
    OwnerCheck owner_;
};

} // namespace yard::engine
