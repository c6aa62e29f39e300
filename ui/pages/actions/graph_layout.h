// Who waits for whom as an engine tells it (docs/graphs.md), and where it is drawn: layers from left to right, a row
// each, edges with right angles through rows that are kept free for them. Values; any thread.
#pragma once

#include "ui/style/paint.h"

#include <QJsonObject>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

struct GraphNode {
    qint64 id = 0; ///< the LSN of its first action
    qint64 count = 1;
    QString label;
    int layer = 0;
    paint::Shares shares{};
    std::optional<double> left; ///< seconds
    QString unknown;            ///< why that is not known
    std::optional<double> slack;
    bool isCritical = false;

    bool hasEnded() const;
    /// Of one action its state; of several the one that matters most.
    DisplayState face() const;
    bool has(qint64 lsn) const { return lsn >= id && lsn < id + count; }
};
struct GraphEdge {
    std::size_t from = 0; ///< places of nodes
    std::size_t to = 0;
    QString on;
    bool isMet = false;
    bool isCritical = false;
    bool isVain = false; ///< what it waits for ended otherwise
};
struct Graph {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    double criticalSeconds = 0;
    bool hasCritical = false;
    bool isTruncated = false;
};
/// What is missing or of the wrong kind is left out.
Graph graphOf(const QJsonObject& answer);

class GraphLayout {
public:
    static constexpr qreal kNodeWidth = 126;
    static constexpr qreal kNodeHeight = 56;
    static constexpr qreal kGap = 30;
    static constexpr qreal kRowStep = 76;
    static constexpr qreal kMargin = 16;

    GraphLayout() = default;
    explicit GraphLayout(const Graph& graph);

    const std::vector<QRectF>& nodes() const { return nodes_; }
    const std::vector<QPolygonF>& edges() const { return edges_; }
    QSizeF size() const { return size_; }

private:
    std::vector<QRectF> nodes_;
    std::vector<QPolygonF> edges_;
    QSizeF size_;
};

} // namespace yard::ui
