#include "ui/pages/actions/kept_actions.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

void KeptActions::keep(ActionRow row) {
    refreshFace(row);
    const qint64 lsn = row.lsn;
    rows_[lsn] = Kept{std::move(row), looks_};
}

const ActionRow* KeptActions::find(qint64 lsn) const {
    const auto found = rows_.find(lsn);
    return found == rows_.end() ? nullptr : &found->second.row;
}

bool KeptActions::look(qint64 lsn) {
    const auto found = rows_.find(lsn);
    if (found == rows_.end()) return false;
    found->second.seen = looks_;
    return true;
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

/// Returns whether it is another.
bool KeptActions::refreshFace(ActionRow& row) const {
    if (row.face != DisplayState::Pending && row.face != DisplayState::Held) return false;
    const DisplayState face =
        row.held || heldQueues_.contains(row.queue) ? DisplayState::Held : DisplayState::Pending;
    return std::exchange(row.face, face) != face;
}

std::vector<qint64> KeptActions::setHeldQueues(QSet<qint64> held) {
    std::vector<qint64> changed;
    if (held == heldQueues_) return changed;
    heldQueues_ = std::move(held);
    for (auto& [lsn, kept] : rows_)
        if (refreshFace(kept.row)) changed.push_back(lsn);
    return changed;
}

} // namespace yard::ui
