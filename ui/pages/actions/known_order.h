// Which actions the Actions table has and in which order, as far as known, by number alone; and what came and went
// since and is not shown yet. Values, no widgets. Owner: ui thread, the model; lifetime: the model's.
//
// Rows stay as they are until the model takes one of the orders that are made here. Bounds: as many rows as
// LsnIndex has, kMostFresh that came.
#pragma once

#include <QtGlobal>
#include <functional>
#include <set>
#include <vector>

namespace yard::ui {

class KnownOrder {
public:
    static constexpr std::size_t kMostFresh = 1'000;

    // --- the rows

    const std::vector<qint64>& lsns() const { return lsns_; }
    void set(std::vector<qint64> lsns) { lsns_ = std::move(lsns); }
    bool isEmpty() const { return lsns_.empty(); }
    qint64 size() const { return static_cast<qint64>(lsns_.size()); }
    /// 0: not known.
    qint64 at(int row) const;
    /// -1: not among the rows. By halving where the newest is first; else it is looked for between the rows `first`
    /// and `last`, where it most likely is, then everywhere.
    int rowOf(qint64 lsn, bool newestFirst, int first, int last) const;
    /// Of those among the rows, by row.
    std::vector<int> rowsOf(std::vector<qint64> lsns) const;
    /// `lsns` begins with all rows, in their order.
    bool isBeginningOf(const std::vector<qint64>& lsns) const;

    // --- other orders, made of the rows

    /// A page behind them. `mayRepeat`: what moved up between two pages comes twice, and is left out.
    std::vector<qint64> withPage(const std::vector<qint64>& page, bool mayRepeat) const;
    /// Newest first: those of `lsns` that are above the rows, and the rows.
    std::vector<qint64> joinedAbove(std::vector<qint64> lsns) const;
    /// Newest first: the rows, and those of `lsns` that are behind them.
    std::vector<qint64> joinedBelow(std::vector<qint64> lsns) const;
    /// With what came, without what went.
    std::vector<qint64> withChanges() const;

    // --- what came and went

    /// Newest first: it is to come above the rows. False: it is no newer one. Of more than kMostFresh the newest
    /// stay.
    bool come(qint64 lsn);
    /// It is no more; `isHere`: it is among the rows.
    void go(qint64 lsn, bool isHere);
    /// The engine lists the action again.
    void comeBack(qint64 lsn) { gone_.erase(lsn); }
    bool isGone(qint64 lsn) const { return gone_.contains(lsn); }
    /// The rows have those up to this one now.
    void dropFreshUpTo(qint64 lsn);
    void forgetGone() { gone_.clear(); }
    void forgetChanges();
    bool hasFresh() const { return !fresh_.empty(); }
    bool hasGone() const { return !gone_.empty(); }
    /// More came than are kept: what lies between them and the rows is not known.
    bool isOverfull() const { return fresh_.size() >= kMostFresh; }
    int freshCount() const { return static_cast<int>(fresh_.size()); }
    int changes() const { return static_cast<int>(fresh_.size() + gone_.size()); }
    /// How many there are above this one, which is in `row`, counted with what came and without what went.
    qint64 aboveOf(qint64 lsn, int row) const;

private:
    std::vector<qint64> lsns_; ///< by row
    std::set<qint64, std::greater<>> fresh_;
    std::set<qint64> gone_;
};

} // namespace yard::ui
