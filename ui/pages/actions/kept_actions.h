// Rows of actions that were in view lately, by number. Owner: ui thread, the model; lifetime: the model's. Those not
// looked at for longest are forgotten.
#pragma once

#include "ui/state/action_row.h"

#include <QSet>
#include <unordered_map>
#include <vector>

namespace yard::ui {

class KeptActions {
public:
    static constexpr std::size_t kMost = 4'000;

    void keep(ActionRow row);
    /// Null: its row is not here.
    const ActionRow* find(qint64 lsn) const;
    /// The view is looked through again: what look() finds from now on was seen last.
    void beginLook() { ++looks_; }
    /// Whether its row is here, and is not of before; it is seen now.
    bool look(qint64 lsn);
    /// Those that were not seen by the last look.
    void forgetUnseen();
    /// Half of them, when there are more than kMost; none that the last look saw.
    void forgetOldest();
    /// What waits in these queues waits for something else now: its rows are of before, until they are kept again.
    /// Returns which.
    std::vector<qint64> outdate(const QSet<qint64>& queues);

    template<typename Each>
    void forEach(Each each) const {
        for (const auto& [lsn, kept] : rows_) each(kept.row);
    }

private:
    struct Kept {
        ActionRow row;
        quint64 seen; ///< by `looks_`
        bool isOfBefore = false;
    };
    std::unordered_map<qint64, Kept> rows_;
    quint64 looks_ = 0;
};

} // namespace yard::ui
