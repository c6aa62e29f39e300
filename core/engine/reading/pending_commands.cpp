#include "core/engine/reading/pending_commands.h"

#include <algorithm>

namespace yard::engine {

std::string PendingCommands::of(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    if (const auto at = known_.find(lsn); at != known_.end()) return at->second;
    if (wanted_.size() >= kMostWanted) return {};
    wanted_.insert(lsn);
    if (!asks_) {
        asks_ = true;
        parts_.spawn("commands", ask());
    }
    return {};
}

coro::Task<void> PendingCommands::ask() {
    const std::size_t before = told_;
    while (!wanted_.empty()) {
        std::vector<Lsn> lsns(wanted_.begin(), wanted_.end());
        lsns.resize(std::min(lsns.size(), kPortion));
        auto names = co_await parts_.read(lsns);
        if (!names || names->empty()) {
            wanted_.clear(); // whoever still wants to know asks again
            break;
        }
        for (std::size_t i = 0; i < std::min(lsns.size(), names->size()); ++i)
            keep(lsns[i], std::move((*names)[i]));
    }
    asks_ = false;
    if (told_ != before) parts_.found();
}

void PendingCommands::keep(Lsn lsn, std::string command) {
    wanted_.erase(lsn);
    ++told_;
    if (known_.size() >= kMostKnown) {
        known_.erase(order_.front());
        order_.pop_front();
    }
    if (known_.emplace(lsn, std::move(command)).second) order_.push_back(lsn);
}

} // namespace yard::engine
