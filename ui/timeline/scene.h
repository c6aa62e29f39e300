// The picture of the timeline as values, and its painter: small map, ruler, graphs, heads of workers, lanes,
// cursor. The widget paints through this, and so do the exports. Owner: ui thread; for one paint.
#pragma once

#include "ui/style/accessible_text.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/timeline/lane_store.h"

#include <QPainter>
#include <functional>
#include <optional>

namespace yard::ui::timeline {

/// Heights and widths of the page, at 100 %.
inline constexpr int kLabels = 200;
inline constexpr int kRight = 12;
inline constexpr int kMapHeight = 44;
inline constexpr int kRulerHeight = 24;
inline constexpr std::array kGraphHeights{58, 58, 50};
inline constexpr int kGraphsTop = kMapHeight + kRulerHeight;
inline constexpr int kLanesTop = kGraphsTop + kGraphHeights[0] + kGraphHeights[1] + kGraphHeights[2];

/// What graphs are measured against; 0 where it is not known.
struct Machine {
    double cores = 0;
    double memory = 0;     ///< bytes
    double guardShare = 0; ///< of memory, above which nothing starts
};

struct SelectedBar {
    QString worker;
    QString workerName;
    std::uint32_t slot = 0;
    Item item;
    QString name;
};

struct Scene {
    TimelineData* data = nullptr;
    LaneStore* store = nullptr;
    TimeScale scale;
    LaneLayout layout;
    std::vector<GroupSlots> groups;
    std::set<QString> folded;
    Machine machine;
    QTimeZone zone = QTimeZone::systemTimeZone();
    WallMicros now = 0;
    int scroll = 0;        ///< of the lanes, pixels
    int height = 900;      ///< of all
    double pixel = 1;      ///< a device pixel in logical ones
    bool isVector = false; ///< for a drawing: lines, not pixels
    double cursor = -1;
    std::optional<SelectedBar> selected;
    std::optional<Range> chosen; ///< by a drag on the ruler

    double right() const { return scale.right() + kRight; }
    /// The whole of the small map.
    TimeScale mapScale() const;
    QRectF rowRect(const LayoutRow& row) const;
};

/// One of the graphs above the lanes, on their axis.
struct Graph {
    QString title;
    QString unit;
    const std::vector<double>* values; ///< of the scene's figures, as many as they have steps
    double most;                       ///< the end of the upright axis
    int top;
    int height;
    std::function<QString(double)> words; ///< how a value reads
};
/// Processor, memory and what waits, from above. Of `scene.data`, which has to outlive them.
std::vector<Graph> graphsOf(const Scene& scene);
/// Each of them in words: what it is last, its least and most, as far as they are in view.
std::vector<SpokenPart> spokenGraphs(const Scene& scene);

class ScenePainter {
public:
    ScenePainter(QPainter& painter, const Scene& scene);
    /// Everything that does not follow the pointer.
    void paintContent();
    /// Cursor, values at it, selection.
    void paintOverlay();

private:
    double yOf(const Graph& graph, double value) const;
    void paintMap();
    void paintRuler();
    void paintGraphs();
    void paintGraph(const Graph& graph);
    void drawCurve(const std::vector<QPointF>& points, double foot);
    void rasterCurve(const std::vector<QPointF>& points, double foot);
    void paintGuard(const Graph& graph);
    void paintNoData(const Graph& graph);
    void paintLanes();
    void paintHead(const LayoutRow& row, const QRectF& area);
    void paintLane(const LayoutRow& row, const QRectF& area);
    void paintNow();
    void paintMessage();
    QString stateOf(const GroupSlots& group) const;
    void label(const QRectF& area, const QString& text, Type type, Token token,
               Qt::Alignment alignment = Qt::AlignLeft);
    double snap(double x) const;

    QPainter& painter_;
    const Scene& scene_;
    const Format format_;
};

} // namespace yard::ui::timeline
