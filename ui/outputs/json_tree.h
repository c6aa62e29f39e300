// JSON as a tree to be looked at: built from bytes with bounds (values, any thread), shown by a model (ui thread).
// Beyond a bound there are no nodes, and it says so.
#pragma once

#include <QAbstractItemModel>
#include <QByteArray>
#include <QString>
#include <vector>

namespace yard::ui {

struct JsonNode {
    int parent = -1;
    int row = 0;   ///< among its siblings
    int first = 0; ///< of its children, which follow each other
    int count = 0; ///< of them
    QString key;   ///< a name, or a place in a list
    QString value; ///< of a list or an object how many it has: "[3]", "{2}"
};

struct JsonTree {
    static constexpr std::size_t kMostNodes = 100'000;
    static constexpr int kMostDepth = 64;
    static constexpr qsizetype kMostValue = 1'000; ///< characters

    std::vector<JsonNode> nodes; ///< the first is the root, which is not shown; empty: it is no JSON
    bool isCut = false;          ///< there is more than the bounds allow
    qsizetype problemAt = -1;    ///< the byte where it is no JSON; -1: it is
};

JsonTree jsonTreeOf(const QByteArray& bytes);

class JsonTreeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    using QAbstractItemModel::QAbstractItemModel;
    void setTree(JsonTree tree);
    const JsonTree& tree() const { return tree_; }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const JsonNode* nodeAt(const QModelIndex& index) const;
    JsonTree tree_;
};

} // namespace yard::ui
