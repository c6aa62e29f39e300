#include "ui/pages/actions/kept_actions.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

void KeptActions::keep(ActionRow row) {
    const qint64 lsn = row.lsn;
    rows_[lsn] = Kept{.row = std::move(row), .seen = looks_};
}

const ActionRow* KeptActions::find(qint64 lsn) const {
    const auto found = rows_.find(lsn);
    return found == rows_.end() ? nullptr : &found->second.row;
}

bool KeptActions::look(qint64 lsn) {
    const auto found = rows_.find(lsn);
    if (found == rows_.end()) return false;
    found->second.seen = looks_;
    return !found->second.isOfBefore;
}

void KeptActions::forgetUnseen() {
    std::erase_if(rows_, [this](const auto& entry) { return entry.second.seen != looks_; });
}

void KeptActions::forgetOldest() {
    if (rows_.size() <= kMost) return;
    std::vector<quint64> seen;
    seen.reserve(rows_.size());
    for (const auto& [lsn, kept] : rows_) seen.push_back(kept.seen);
    const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
    std::ranges::nth_element(seen, middle);
    std::erase_if(rows_, [&, since = *middle](const auto& entry) {
        return entry.second.seen < since || (entry.second.seen == since && since != looks_);
    });
}

std::vector<qint64> KeptActions::outdate(const QSet<qint64>& queues) {
    std::vector<qint64> lsns;
    if (queues.isEmpty()) return lsns;
    for (auto& [lsn, kept] : rows_)
        if (kept.row.isPending() && queues.contains(kept.row.queue)) {
            kept.isOfBefore = true;
            lsns.push_back(lsn);
        }
    return lsns;
}

} // namespace yard::ui
