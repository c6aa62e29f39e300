// The graphs of the timeline: processor, memory and what waits, on the axis of the lanes.
#include "ui/timeline/scene.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui::timeline {

namespace {

struct GraphWords {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QColor graphToken(Token which) {
    return Theme::current()(which);
}

/// 1, 2 or 5 times a power of ten, at least `value`.
double roundedUp(double value) {
    double power = 1;
    while (power * 10 < value) power *= 10;
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= value) return power * factor;
    return power * 10;
}

double graphMostOf(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values)
        if (!std::isnan(value)) most = std::max(most, value);
    return most;
}

/// What is known of a graph in view.
struct Seen {
    double last = 0;
    double least = 0;
    double most = 0;
};

std::optional<Seen> seenOf(const Graph& graph, const Scene& scene) {
    const Figures& figures = scene.data->figures();
    const Range range = scene.scale.range();
    std::optional<Seen> seen;
    for (std::size_t i = 0; i < figures.t.size(); ++i) {
        const double value = (*graph.values)[i];
        if (std::isnan(value) || figures.t[i] + figures.step <= range.from) continue;
        if (figures.t[i] >= std::min(range.to, scene.now)) break;
        seen = seen ? Seen{value, std::min(seen->least, value), std::max(seen->most, value)}
                    : Seen{value, value, value};
    }
    return seen;
}

} // namespace

std::vector<Graph> graphsOf(const Scene& scene) {
    const Figures& figures = scene.data->figures();
    const Machine& machine = scene.machine;
    const double cores = machine.cores > 0 ? machine.cores : roundedUp(graphMostOf(figures.cores));
    const double memory = machine.memory > 0 ? machine.memory : roundedUp(graphMostOf(figures.memory));
    // What waits has no amount of its own: the most there was the whole day, so that a zoom does not rescale it.
    const double waiting =
        roundedUp(std::max({graphMostOf(figures.pending), graphMostOf(scene.data->whole().pending), 10.0}));
    const auto sizeOf = [](double bytes) { return Format().size(static_cast<std::int64_t>(bytes)); };
    int top = kGraphsTop;
    std::vector<Graph> graphs;
    const auto add = [&](const QString& title, const QString& unit, const std::vector<double>& values, double most,
                         std::function<QString(double)> words) {
        const int height = kGraphHeights[graphs.size()];
        graphs.push_back({title, unit, &values, std::max(most, 1.0), top, height, std::move(words)});
        top += height;
    };
    add(GraphWords::tr("Processor"),
        machine.cores > 0 ? GraphWords::tr("of %1 cores").arg(machine.cores) : GraphWords::tr("cores"),
        figures.cores, cores, [](double value) { return GraphWords::tr("%1 cores").arg(Format().cores(value)); });
    add(GraphWords::tr("Memory"),
        machine.memory > 0 ? GraphWords::tr("of %1").arg(sizeOf(machine.memory)) : GraphWords::tr("in use"),
        figures.memory, memory, sizeOf);
    add(GraphWords::tr("Waiting"), GraphWords::tr("actions"), figures.pending, waiting,
        [](double value) { return Format().number(static_cast<std::int64_t>(value)); });
    return graphs;
}

std::vector<SpokenPart> spokenGraphs(const Scene& scene) {
    std::vector<SpokenPart> parts;
    for (const Graph& graph : graphsOf(scene)) {
        const auto seen = seenOf(graph, scene);
        const QString value =
            seen ? GraphWords::tr("last %1, between %2 and %3")
                       .arg(graph.words(seen->last), graph.words(seen->least), graph.words(seen->most))
                 : GraphWords::tr("no data");
        parts.push_back({QAccessible::Chart,
                         graph.title + QStringLiteral(", ") + graph.unit,
                         value,
                         {},
                         QRect(0, graph.top, qRound(scene.right()), graph.height)});
    }
    return parts;
}

double ScenePainter::yOf(const Graph& graph, double value) const {
    const double share = std::clamp(value / graph.most, 0.0, 1.0);
    return graph.top + graph.height - 4 - (graph.height - 10) * share;
}

void ScenePainter::paintGraphs() {
    const double left = scene_.scale.left();
    const std::vector<Graph> all = graphsOf(scene_);
    const QRectF area(0, kGraphsTop + 1, scene_.right(), kLanesTop - kGraphsTop - 1);
    painter_.fillRect(area, graphToken(Token::Bg1));
    for (const WallMicros tick :
         ticks(scene_.scale.range(), rulerStep(scene_.scale.microsPerPixel()), scene_.zone)) {
        const double x = snap(scene_.scale.xOf(tick));
        paint::hairline(painter_, {x, kGraphsTop + 1.0}, {x, kLanesTop}, graphToken(Token::Grid));
    }
    for (const Graph& graph : all) {
        label({16, graph.top + 4.0, kLabels - 24, 18}, graph.title, Type::Strong, Token::Text1);
        label({16, graph.top + 21.0, kLabels - 24, 16}, graph.unit, Type::Caption, Token::Text3);
        paint::hairline(painter_, {left, snap(yOf(graph, graph.most))},
                        {scene_.scale.right(), snap(yOf(graph, graph.most))}, graphToken(Token::Grid));
        paintNoData(graph);
        paintGraph(graph);
        if (&graph == &all[1]) paintGuard(graph);
        const double foot = graph.top + graph.height;
        paint::hairline(painter_, {0, foot}, {scene_.right(), foot}, graphToken(Token::Line));
    }
}

void ScenePainter::paintGraph(const Graph& graph) {
    const Figures& figures = scene_.data->figures();
    const TimeScale& scale = scene_.scale;
    painter_.save();
    painter_.setClipRect(QRectF(scale.left(), graph.top, scale.width(), graph.height), Qt::IntersectClip);
    const double foot = graph.top + graph.height - 4;
    std::vector<QPointF> line;
    const auto flush = [&] {
        if (scene_.isVector)
            drawCurve(line, foot);
        else
            rasterCurve(line, foot);
        line.clear();
    };
    for (std::size_t i = 0; i < figures.t.size(); ++i) {
        const double value = (*graph.values)[i];
        const bool joins = i > 0 && figures.t[i] - figures.t[i - 1] <= figures.step + figures.step / 2;
        if (std::isnan(value) || !joins) flush();
        if (std::isnan(value) || figures.t[i] > scene_.now) continue;
        // A mean over the step stands at its middle, though never after now.
        const WallMicros middle = std::min(figures.t[i] + figures.step / 2, scene_.now);
        line.emplace_back(scale.xOf(middle), yOf(graph, value));
    }
    flush();
    painter_.restore();
}

void ScenePainter::drawCurve(const std::vector<QPointF>& points, double foot) {
    if (points.size() < 2) return;
    QColor area = graphToken(Token::Accent);
    area.setAlphaF(0.2F);
    QPolygonF line(QList<QPointF>(points.begin(), points.end()));
    QPolygonF filled = line;
    filled << QPointF(line.back().x(), foot) << QPointF(line.front().x(), foot);
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(area);
    painter_.drawPolygon(filled);
    painter_.setPen(QPen(graphToken(Token::Accent), 1.5));
    painter_.drawPolyline(line);
}

/// Column by column, the line's edges by coverage: Qt's stroker takes ten times as long for the same picture.
void ScenePainter::rasterCurve(const std::vector<QPointF>& points, double foot) {
    constexpr double kHalfLine = 0.75;
    if (points.size() < 2) return;
    const double pixel = scene_.pixel;
    QColor area = graphToken(Token::Accent);
    area.setAlphaF(0.2F);
    const QColor ink = graphToken(Token::Accent);
    const auto edge = [&](double x, double y, double share) {
        if (share <= 0.02) return;
        QColor faint = ink;
        faint.setAlphaF(static_cast<float>(share));
        painter_.fillRect(QRectF(x, y, pixel, pixel), faint);
    };
    const double first = std::floor(std::max(points.front().x(), scene_.scale.left()) / pixel) * pixel;
    const double last = std::min(points.back().x(), scene_.scale.right());
    std::size_t at = 0;
    const auto yAt = [&](double x) {
        while (at + 2 < points.size() && points[at + 1].x() <= x) ++at;
        const QPointF& a = points[at];
        const QPointF& b = points[at + 1];
        const double share = b.x() > a.x() ? std::clamp((x - a.x()) / (b.x() - a.x()), 0.0, 1.0) : 1;
        return a.y() + (b.y() - a.y()) * share;
    };
    double before = yAt(first);
    for (double x = first; x < last; x += pixel) {
        const std::size_t from = at;
        const double y = yAt(x + pixel);
        double top = std::min(before, y);
        double bottom = std::max(before, y);
        for (std::size_t i = from + 1; i <= at; ++i) { // spikes within the pixel
            top = std::min(top, points[i].y());
            bottom = std::max(bottom, points[i].y());
        }
        before = y;
        painter_.fillRect(QRectF(x, std::round(top / pixel) * pixel, pixel, foot - std::round(top / pixel) * pixel),
                          area);
        top = (top - kHalfLine) / pixel;
        bottom = (bottom + kHalfLine) / pixel;
        const double full = std::ceil(top);
        const double end = std::floor(bottom);
        if (end > full) painter_.fillRect(QRectF(x, full * pixel, pixel, (end - full) * pixel), ink);
        edge(x, (full - 1) * pixel, full - top);
        edge(x, end * pixel, bottom - end);
    }
}

void ScenePainter::paintGuard(const Graph& graph) {
    const Machine& machine = scene_.machine;
    if (machine.guardShare <= 0 || machine.memory <= 0) return;
    const double y = snap(yOf(graph, machine.memory * machine.guardShare)) + 0.5;
    QPen pen(graphToken(Token::Line2), 1);
    pen.setDashPattern({4, 3});
    painter_.setPen(pen);
    painter_.drawLine(QPointF(scene_.scale.left(), y), QPointF(scene_.scale.right(), y));
    label({scene_.scale.left() + 6, y + 1, 260, 14},
          GraphWords::tr("no new starts above %1")
              .arg(format_.size(static_cast<std::int64_t>(machine.memory * machine.guardShare))),
          Type::Caption, Token::Text3);
}

void ScenePainter::paintNoData(const Graph& graph) {
    constexpr double kLeast = 60; // room for the words
    const Figures& figures = scene_.data->figures();
    const TimeScale& scale = scene_.scale;
    const WallMicros end = std::min(scale.range().to, scene_.now);
    const auto say = [&](WallMicros from, WallMicros to) {
        const double left = scale.xOf(std::max(from, scale.range().from));
        const double right = scale.xOf(std::min(to, end));
        // In the lower half: in the upper one of memory the line has its words, above which nothing starts.
        const double half = graph.height / 2.0;
        if (right - left >= kLeast)
            label({left, graph.top + half, right - left, half}, GraphWords::tr("no data"), Type::Caption,
                  Token::Text3, Qt::AlignHCenter);
    };
    WallMicros since = scale.range().from;
    if (figures.isEmpty()) return;
    for (std::size_t i = 0; i < figures.t.size(); ++i) {
        if (std::isnan((*graph.values)[i]) || figures.t[i] + figures.step <= scale.range().from) continue;
        if (figures.t[i] >= end) break;
        if (figures.t[i] > since + figures.step) say(since, figures.t[i]);
        since = figures.t[i] + figures.step;
    }
    if (figures.range.to >= end) say(since, end);
}

} // namespace yard::ui::timeline
