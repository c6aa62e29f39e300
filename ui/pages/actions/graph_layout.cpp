#include "ui/pages/actions/graph_layout.h"

#include <QHash>
#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace yard::ui {

namespace {

/// What several actions are shown by: whatever somebody should look at comes first.
constexpr DisplayState kMostTelling[] = {DisplayState::Failed,   DisplayState::Running,   DisplayState::Submitting,
                                         DisplayState::Pending,  DisplayState::Abandoned, DisplayState::Cancelled,
                                         DisplayState::Completed};
constexpr DisplayState kUnfinished[] = {DisplayState::Pending, DisplayState::Submitting, DisplayState::Running};

GraphNode graphNodeOf(const QJsonObject& json) {
    GraphNode node;
    node.id = json.value("id").toInteger();
    node.count = std::max<qint64>(json.value("count").toInteger(1), 1);
    node.label = json.value("label").toString();
    node.layer = std::max(json.value("layer").toInt(), 0);
    const QJsonObject states = json.value("states").toObject();
    for (auto it = states.begin(); it != states.end(); ++it)
        node.shares[std::to_underlying(faceOf(it.key().toStdString(), false, false))] += it.value().toInteger();
    const QJsonObject estimate = json.value("estimate").toObject();
    if (estimate.contains("left_s")) node.left = estimate.value("left_s").toDouble();
    node.unknown = estimate.value("unknown").toString();
    if (json.contains("slack_s")) node.slack = json.value("slack_s").toDouble();
    return node;
}

/// Rows of nodes, and of edges that go past layers: those of one node share theirs.
class GraphRows {
public:
    explicit GraphRows(const Graph& graph)
        : graph_(graph)
        , rows_(graph.nodes.size())
        , ends_(graph.nodes.size()) {
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            ends_[i] = graph.nodes[i].layer;
            layers_[graph.nodes[i].layer].push_back({i, false});
        }
        for (const GraphEdge& edge : graph.edges)
            ends_[edge.from] = std::max(ends_[edge.from], graph.nodes[edge.to].layer - 1);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            for (int layer = graph.nodes[i].layer + 1; layer <= ends_[i]; ++layer)
                layers_[layer].push_back({i, true});
        for (auto& [layer, items] : layers_) place(layer, items);
    }
    int of(std::size_t node) const { return rows_[node]; }
    /// Where what leaves `node` passes a layer.
    int at(std::size_t node, int layer) const {
        const auto lane = lanes_.find({node, layer});
        return lane == lanes_.end() ? rows_[node] : lane->second;
    }
    int last() const { return last_; }

private:
    struct Item {
        std::size_t node = 0;
        bool isLane = false;
        double wanted = 0;
    };
    /// As near to what it waits for as there is room.
    double wantedOf(const Item& item, int layer, double otherwise) const {
        if (item.isLane) return at(item.node, layer - 1);
        double sum = 0;
        int count = 0;
        for (const GraphEdge& edge : graph_.edges) {
            if (edge.to != item.node) continue;
            sum += at(edge.from, layer - 1);
            ++count;
        }
        return count > 0 ? sum / count : otherwise;
    }
    void place(int layer, std::vector<Item>& items) {
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i].wanted = wantedOf(items[i], layer, static_cast<double>(i));
        std::ranges::sort(items, {},
                          [](const Item& item) { return std::tuple(item.wanted, item.isLane, item.node); });
        int row = -1;
        for (const Item& item : items) {
            row = std::max(row + 1, static_cast<int>(std::lround(item.wanted)));
            if (item.isLane)
                lanes_[{item.node, layer}] = row;
            else
                rows_[item.node] = row;
        }
        last_ = std::max(last_, row);
    }

    const Graph& graph_;
    std::vector<int> rows_;
    std::vector<int> ends_; ///< the last layer that edges of a node pass
    std::map<int, std::vector<Item>> layers_;
    std::map<std::pair<std::size_t, int>, int> lanes_;
    int last_ = 0;
};

qreal leftOfLayer(int layer) {
    return GraphLayout::kMargin + layer * (GraphLayout::kNodeWidth + GraphLayout::kGap);
}
qreal middleOfRow(int row) {
    return GraphLayout::kMargin + row * GraphLayout::kRowStep + GraphLayout::kNodeHeight / 2;
}

} // namespace

bool GraphNode::hasEnded() const {
    return std::ranges::none_of(kUnfinished,
                                [this](DisplayState face) { return shares[std::to_underlying(face)] > 0; });
}

DisplayState GraphNode::face() const {
    for (const DisplayState face : kMostTelling)
        if (shares[std::to_underlying(face)] > 0) return face;
    return DisplayState::Pending;
}

Graph graphOf(const QJsonObject& answer) {
    Graph graph;
    QHash<qint64, std::size_t> places;
    for (const QJsonValue value : answer.value("nodes").toArray()) {
        GraphNode node = graphNodeOf(value.toObject());
        if (node.id <= 0 || places.contains(node.id)) continue;
        places.insert(node.id, graph.nodes.size());
        graph.nodes.push_back(std::move(node));
    }
    qint64 before = 0;
    QHash<qint64, qint64> steps; // of the critical path
    for (const QJsonValue value : answer.value("critical").toArray()) {
        const auto place = places.constFind(value.toInteger());
        if (place == places.constEnd()) continue;
        GraphNode& node = graph.nodes[*place];
        node.isCritical = graph.hasCritical = true;
        graph.criticalSeconds += node.left.value_or(0);
        if (before != 0) steps.insert(before, node.id);
        before = node.id;
    }
    for (const QJsonValue value : answer.value("edges").toArray()) {
        const QJsonObject json = value.toObject();
        const auto from = places.constFind(json.value("from").toInteger());
        const auto to = places.constFind(json.value("to").toInteger());
        if (from == places.constEnd() || to == places.constEnd()) continue;
        if (graph.nodes[*from].layer >= graph.nodes[*to].layer) continue;
        GraphEdge edge{
            .from = *from, .to = *to, .on = json.value("on").toString(), .isMet = json.value("met").toBool()};
        edge.isCritical = steps.value(graph.nodes[*from].id) == graph.nodes[*to].id;
        edge.isVain = !edge.isMet && graph.nodes[*from].hasEnded();
        graph.edges.push_back(std::move(edge));
    }
    graph.isTruncated = answer.value("truncated").toBool();
    return graph;
}

GraphLayout::GraphLayout(const Graph& graph) {
    if (graph.nodes.empty()) return;
    const GraphRows rows(graph);
    int layers = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const int layer = graph.nodes[i].layer;
        layers = std::max(layers, layer);
        nodes_.emplace_back(leftOfLayer(layer), middleOfRow(rows.of(i)) - kNodeHeight / 2, kNodeWidth, kNodeHeight);
    }
    constexpr int kTracks = 5; // of upright lines between two layers
    constexpr int kMiddleTrack = kTracks / 2;
    constexpr qreal kTrackStep = 4;
    for (const GraphEdge& edge : graph.edges) {
        const qreal aside = (static_cast<int>(edge.from % kTracks) - kMiddleTrack) * kTrackStep;
        QPolygonF line;
        qreal y = middleOfRow(rows.of(edge.from));
        line << QPointF(nodes_[edge.from].right(), y);
        const int last = graph.nodes[edge.to].layer;
        for (int layer = graph.nodes[edge.from].layer + 1; layer <= last; ++layer) {
            const qreal next = middleOfRow(layer == last ? rows.of(edge.to) : rows.at(edge.from, layer));
            const qreal x = leftOfLayer(layer) - kGap / 2 + aside;
            if (next != y) line << QPointF(x, y) << QPointF(x, next);
            y = next;
        }
        line << QPointF(nodes_[edge.to].left(), y);
        edges_.push_back(std::move(line));
    }
    size_ = {leftOfLayer(layers) + kNodeWidth + kMargin, middleOfRow(rows.last()) + kNodeHeight / 2 + kMargin};
}

} // namespace yard::ui
