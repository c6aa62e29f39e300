// The Actions table with arrays and lists as one row each: pages of rows that the engine folds (GET jobs?fold=1),
// as far as they were scrolled to, and below an unfolded one some of its actions. Owner: ui thread; lifetime: its
// list's, within that of the engine's state.
//
// Asked for again while actions change, at most every kEveryMs: newest first as far as the view goes, rows below it
// when they come into view; in other orders, in which rows move, all of them. Of the unfolded ones those in view.
// Rows that would move wait while the table is frozen (RowsModel). Those of another filter or sort never wait: they
// were asked for by the hand. Until they come the rows before stay, and isCurrent() is false. Bounds: kMostRows rows, kMostOpen unfolded ones,
// kMembers actions below each.
#pragma once

#include "ui/pages/actions/folded_row.h"
#include "ui/state/engine_state.h"
#include "ui/widgets/rows_model.h"

#include <QTimer>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace yard::ui {

class FoldedModel final : public RowsModel {
    Q_OBJECT
public:
    static constexpr int kPage = 200;
    static constexpr std::size_t kMostRows = 5'000;
    static constexpr std::size_t kMostOpen = 20;
    static constexpr int kMembers = 5;
    static constexpr int kEveryMs = 2'000;

    explicit FoldedModel(EngineState& state, QObject* parent = nullptr);

    /// Not active: asks nothing.
    void setActive(bool active);
    void setFilter(const QString& filter);
    const QString& filter() const { return filter_; }
    bool isOtherList() const override { return otherList_; }
    /// The rows are those of this filter and this sort; until they come the rows before stay.
    bool isCurrent() const { return isCurrent_; }
    void reload();
    /// The rows that are in view: more are asked for where there are any, or where these are of before.
    void setVisible(int first, int last);
    /// Shows some of its actions below, or no longer. `first`: its first LSN.
    void unfold(qint64 first);
    void fold(qint64 first);
    bool isOpen(qint64 first) const;

    /// The row that stands for this array or list, or for this action alone; null: it is not here.
    const FoldedRow* rowFor(qint64 id) const;
    /// This action, as far as it has a row of its own here; null: it has none.
    const ActionRow* action(qint64 lsn) const;
    /// How many actions match; absent: not known.
    std::optional<qint64> total() const { return total_; }
    /// How many rows there are; absent: more than are here.
    std::optional<qint64> rows() const;
    const QString& problem() const { return problem_; }
    bool isLoading() const { return asking_; }

    void sortBy(int column, Qt::SortOrder order) override;

signals:
    /// Total, rows or the problem may be others.
    void told();

private:
    void refresh();
    void begin(std::size_t until);
    bool reachesRest() const;
    void keepRest();
    bool isSeen(qint64 fold) const;
    void ask();
    void take(const Answer& answer, quint64 generation);
    void askMembers(qint64 first);
    void show(bool isByHand = false);

    EngineState& state_;
    QString filter_;
    QString sort_; ///< as the engine takes it; empty: newest first
    QString cursor_;
    QString problem_;
    std::vector<FoldedRow> coming_; ///< of the pages that are being asked for
    std::vector<FoldedRow> folded_;
    std::deque<qint64> open_; ///< first LSNs, unfolded last at the end
    std::map<qint64, std::vector<ActionRow>> members_;
    std::optional<qint64> total_;
    std::optional<qint64> comingTotal_;
    std::size_t wanted_ = kPage;
    std::size_t until_ = kPage; ///< rows that are being asked for; of wanted_
    std::size_t fresh_ = 0;     ///< of folded_, as the engine told them last; those behind are of before
    std::set<qint64> unseen_;   ///< first LSNs of unfolded ones that were not asked for with them
    int first_ = 0;
    int last_ = kPage;
    QTimer again_;
    quint64 generation_ = 0; ///< answers to questions before are not taken
    bool active_ = false;
    bool asking_ = false;
    bool moved_ = false;
    bool isAll_ = false; ///< the engine has no more rows than are here
    bool isCurrent_ = false;
    bool newFilter_ = false; ///< since the rows came that are shown
    bool otherList_ = false; ///< the rows that come now are the first of a new filter
};

} // namespace yard::ui
