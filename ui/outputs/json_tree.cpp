#include "ui/outputs/json_tree.h"

#include "ui/style/type.h"
#include "ui/widgets/text_view.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// Level by level, so that the children of a node follow each other.
class JsonTreeBuilder {
public:
    JsonTree build(const QJsonValue& root) {
        add(-1, 0, {}, root, 0);
        for (std::size_t at = 0; at < pending_.size(); ++at) {
            const Pending next = std::exchange(pending_[at], {}); // not held longer than needed
            expand(next);
        }
        return std::move(tree_);
    }

private:
    struct Pending {
        int node = 0;
        int depth = 0;
        QJsonValue value;
    };

    void add(int parent, int row, QString key, const QJsonValue& value, int depth) {
        JsonNode node;
        node.parent = parent;
        node.row = row;
        node.key = key.size() > JsonTree::kMostValue ? key.first(JsonTree::kMostValue) + u'…' : std::move(key);
        if (value.isArray()) {
            node.value = QStringLiteral("[%1]").arg(value.toArray().size());
        } else if (value.isObject()) {
            node.value = QStringLiteral("{%1}").arg(value.toObject().size());
        } else {
            const QString text = jsonText(value);
            node.value = text.size() > JsonTree::kMostValue ? text.first(JsonTree::kMostValue) + u'…' : text;
        }
        tree_.nodes.push_back(std::move(node));
        if (value.isArray() || value.isObject())
            pending_.push_back({static_cast<int>(tree_.nodes.size()) - 1, depth, value});
    }

    void expand(const Pending& pending) {
        const QJsonArray list = pending.value.toArray();
        const QJsonObject object = pending.value.toObject();
        const qsizetype all = pending.value.isArray() ? list.size() : object.size();
        if (all == 0) return;
        const auto room = static_cast<qsizetype>(JsonTree::kMostNodes - tree_.nodes.size());
        const qsizetype count = pending.depth >= JsonTree::kMostDepth ? 0 : std::min(all, room);
        tree_.isCut = tree_.isCut || count < all;
        const auto node = static_cast<std::size_t>(pending.node);
        tree_.nodes[node].first = static_cast<int>(tree_.nodes.size());
        tree_.nodes[node].count = static_cast<int>(count);
        auto member = object.begin();
        for (int i = 0; i < count; ++i) {
            if (pending.value.isArray()) {
                add(pending.node, i, QString::number(i), list[i], pending.depth + 1);
            } else {
                add(pending.node, i, member.key(), member.value(), pending.depth + 1);
                ++member;
            }
        }
    }

    JsonTree tree_;
    std::vector<Pending> pending_;
};

} // namespace

JsonTree jsonTreeOf(const QByteArray& bytes) {
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
    if (error.error == QJsonParseError::NoError)
        return JsonTreeBuilder().build(document.isArray() ? QJsonValue(document.array())
                                                          : QJsonValue(document.object()));
    // A value alone is JSON, too.
    QJsonParseError alone{};
    const QJsonArray list = QJsonDocument::fromJson('[' + bytes + ']', &alone).array();
    if (alone.error == QJsonParseError::NoError && list.size() == 1) return JsonTreeBuilder().build(list);
    JsonTree none;
    none.problemAt = error.offset;
    return none;
}

void JsonTreeModel::setTree(JsonTree tree) {
    beginResetModel();
    tree_ = std::move(tree);
    endResetModel();
}

/// Of no index the root.
const JsonNode* JsonTreeModel::nodeAt(const QModelIndex& index) const {
    const std::size_t at = index.isValid() ? static_cast<std::size_t>(index.internalId()) : 0;
    return at < tree_.nodes.size() ? &tree_.nodes[at] : nullptr;
}

QModelIndex JsonTreeModel::index(int row, int column, const QModelIndex& parent) const {
    const JsonNode* node = nodeAt(parent);
    if (node == nullptr || row < 0 || row >= node->count || column < 0 || column > 1) return {};
    const int at = node->first + row;
    return createIndex(row, column, static_cast<quintptr>(at));
}

QModelIndex JsonTreeModel::parent(const QModelIndex& index) const {
    const JsonNode* node = index.isValid() ? nodeAt(index) : nullptr;
    if (node == nullptr || node->parent <= 0) return {}; // the root is not shown
    return createIndex(tree_.nodes[static_cast<std::size_t>(node->parent)].row, 0,
                       static_cast<quintptr>(node->parent));
}

int JsonTreeModel::rowCount(const QModelIndex& parent) const {
    const JsonNode* node = parent.column() > 0 ? nullptr : nodeAt(parent);
    return node == nullptr ? 0 : node->count;
}

int JsonTreeModel::columnCount(const QModelIndex&) const {
    return 2;
}

QVariant JsonTreeModel::data(const QModelIndex& index, int role) const {
    const JsonNode* node = index.isValid() ? nodeAt(index) : nullptr;
    if (node == nullptr) return {};
    const QString& text = index.column() == 0 ? node->key : node->value;
    if (role == Qt::DisplayRole) return text;
    if (role == Qt::ToolTipRole) return plainTip(text);
    if (role == Qt::FontRole) return typeface(Type::Mono);
    return {};
}

QVariant JsonTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == 0 ? tr("Name") : tr("Value");
}

} // namespace yard::ui
