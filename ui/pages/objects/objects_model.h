// The rows of the page Objects: a list of an engine that may have a million of them, from one end, as far as somebody
// scrolled. More comes when the last row is near; what is in view is asked for again and laid over what is there.
// Owner: ui thread; lifetime: its parent's.
//
// Rows are in the order of their numbers, none twice. At most kMostRows are kept: more is found by a filter.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/widgets/table_model.h"

namespace yard::ui {

class ObjectsModel final : public TableModel {
    Q_OBJECT
public:
    static constexpr std::size_t kMostRows = 50'000;
    static constexpr int kPage = 200;

    using Rows = std::vector<ObjectInfo>;

    explicit ObjectsModel(QObject* parent = nullptr);

    /// What the words of the rows need besides.
    void setContext(std::vector<ObjectType> types, OrchestratorInfo orchestrator);
    /// Another list: nothing of it is here yet.
    void clear();
    bool isOldestFirst() const { return oldestFirst_; }

    /// What is to be asked for: `limit` rows behind the object `after` (0: from the top).
    struct Want {
        qint64 after = 0;
        int limit = kPage;
        bool operator==(const Want&) const = default;
    };
    /// Rows `first` to `last` are in view. Nothing is here yet: the first page.
    Want wantFor(int first, int last) const;
    /// The page behind the last row; only where there is more().
    Want wantMore() const;
    /// There is more behind the last row, and room for it.
    bool more() const;
    /// The list is longer than what is kept of it.
    bool isCut() const { return hasMore_ && rows_.size() >= kMostRows; }
    /// The answer to `want`; `hasMore`: it goes on behind the last of `rows`.
    void take(const Want& want, Rows rows, bool hasMore);

    const ObjectInfo* object(qint64 id) const;
    /// False: not even the first page is here.
    bool isKnown() const { return known_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    Cell cell(int row, int column) const override;
    qint64 idAt(int row) const override;
    int rowOf(qint64 id) const override;
    void sortBy(int column, Qt::SortOrder order) override;
    void takeWaiting() override;
    bool isWhole() const override { return !hasMore_; }
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

signals:
    /// wantMore() is to be asked for.
    void moreWanted();
    /// The order is another: all is to be asked for from the top.
    void orderChanged();
    /// takeWaiting() was called: what is in view is to be asked for again.
    void refreshWanted();

private:
    bool comesBefore(qint64 a, qint64 b) const { return oldestFirst_ ? a < b : a > b; }
    Cell identityCell(const ObjectInfo& object, int column) const;
    Cell lifeCell(const ObjectInfo& object, int column) const;

    int changeCells(Rows::iterator from, Rows::iterator to, const Rows& now);
    void append(const Rows& rows, bool hasMore);
    Rows::iterator lastTold(Rows::iterator from, const Rows& rows, bool hasMore);

    Rows rows_;
    std::vector<ObjectType> types_;
    OrchestratorInfo orchestrator_;
    bool oldestFirst_ = false;
    bool hasMore_ = false;
    bool known_ = false;
    bool takesWaiting_ = false; ///< the next answer is laid over the rows whatever the hand does
};

/// Columns, in the order of this.
enum class ObjectColumn : std::uint8_t { Object, Key, Type, Status, NextLook, Tries, Actor, Parent, Changed, Note };
std::vector<Column> objectColumns();

} // namespace yard::ui
