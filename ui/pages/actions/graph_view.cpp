#include "ui/pages/actions/graph_view.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/widgets/text_view.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <QtMath>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace yard::ui {

namespace {

constexpr double kZoomStep = 1.25;
/// Below these, what cannot be read is left out.
constexpr double kNamesFrom = 0.6;
constexpr double kBarsFrom = 0.4;

QString secondsText(double seconds) {
    return Format().duration(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

bool isSameShape(const Graph& a, const Graph& b) {
    const auto isSameNode = [](const GraphNode& x, const GraphNode& y) {
        return x.id == y.id && x.layer == y.layer;
    };
    const auto isSameEdge = [](const GraphEdge& x, const GraphEdge& y) { return x.from == y.from && x.to == y.to; };
    return std::ranges::equal(a.nodes, b.nodes, isSameNode) && std::ranges::equal(a.edges, b.edges, isSameEdge);
}

} // namespace

GraphView::GraphView(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Who waits for whom"));
    installSpoken();
}

void GraphView::setGraph(Graph graph, qint64 asked) {
    const qint64 before = current();
    const bool isOther = asked != asked_;
    const bool isSame = isSameShape(graph, graph_);
    graph_ = std::move(graph);
    asked_ = asked;
    if (!isSame) layout_ = GraphLayout(graph_);
    current_.reset();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
        if (graph_.nodes[i].has(isOther || before == 0 ? asked : before)) current_ = i;
    setFixedSize(sizeHint());
    update();
    if (isOther && current_) emit currentMoved(areaOf(*current_));
}

qint64 GraphView::current() const {
    return current_ ? graph_.nodes[*current_].id : 0;
}

QSize GraphView::sizeHint() const {
    return {qCeil(layout_.size().width() * zoom_), qCeil(layout_.size().height() * zoom_)};
}

void GraphView::setZoom(double zoom) {
    zoom_ = std::clamp(zoom, kLeastZoom, kMostZoom);
    setFixedSize(sizeHint());
    update();
    if (current_) emit currentMoved(areaOf(*current_));
}

QRect GraphView::areaOf(std::size_t node) const {
    const QRectF& area = layout_.nodes()[node];
    return QRectF(area.topLeft() * zoom_, area.size() * zoom_).toAlignedRect();
}

QString GraphView::wordsOf(std::size_t node) const {
    const Format format;
    const GraphNode& of = graph_.nodes[node];
    QStringList states;
    for (std::size_t i = 0; i < kFaces; ++i)
        if (of.shares[i] > 0)
            states << (of.count > 1 ? QStringLiteral("%1 %2").arg(format.number(of.shares[i]),
                                                                  wordWithin(static_cast<DisplayState>(i)))
                                    : wordWithin(static_cast<DisplayState>(i)));
    QStringList words{of.label, format.number(of.id)};
    if (of.count > 1) words << tr("%n action(s)", nullptr, static_cast<int>(of.count));
    words << states;
    if (of.left && !of.hasEnded()) words << tr("%1 left").arg(secondsText(*of.left));
    if (of.isCritical) words << tr("critical path");
    if (of.slack && *of.slack > 0) words << tr("%1 to spare").arg(secondsText(*of.slack));
    QStringList waits;
    for (const GraphEdge& edge : graph_.edges)
        if (edge.to == node && !edge.isMet) waits << graph_.nodes[edge.from].label;
    if (!waits.isEmpty() && !of.hasEnded()) words << tr("waits for %1").arg(waits.join(", "));
    return words.join(", ");
}

QString GraphView::spokenValue() const {
    return current_ ? wordsOf(*current_) : QString();
}

std::vector<SpokenPart> GraphView::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (std::size_t i = 0; i < std::min(graph_.nodes.size(), kMostParts); ++i)
        parts.push_back({QAccessible::ListItem, wordsOf(i), {}, {}, areaOf(i)});
    return parts;
}

std::optional<std::size_t> GraphView::nodeAt(QPoint at) const {
    for (std::size_t i = 0; i < layout_.nodes().size(); ++i)
        if (areaOf(i).contains(at)) return i;
    return std::nullopt;
}

/// Left and right along an edge, up and down within the layer; of several the nearest.
std::optional<std::size_t> GraphView::nextBy(int key) const {
    if (!current_) return graph_.nodes.empty() ? std::nullopt : std::optional<std::size_t>(0);
    std::optional<std::size_t> best;
    qreal nearest = std::numeric_limits<qreal>::max();
    const QPointF here = layout_.nodes()[*current_].center();
    const auto offer = [&](std::size_t node) {
        const QPointF way = layout_.nodes()[node].center() - here;
        if ((key == Qt::Key_Up && way.y() >= 0) || (key == Qt::Key_Down && way.y() <= 0)) return;
        if (const qreal length = std::hypot(way.x(), way.y()); length < nearest) {
            nearest = length;
            best = node;
        }
    };
    for (const GraphEdge& edge : graph_.edges) {
        if (key == Qt::Key_Left && edge.to == *current_) offer(edge.from);
        if (key == Qt::Key_Right && edge.from == *current_) offer(edge.to);
    }
    if (key == Qt::Key_Up || key == Qt::Key_Down)
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
            if (i != *current_ && graph_.nodes[i].layer == graph_.nodes[*current_].layer) offer(i);
    return best;
}

void GraphView::setCurrent(std::size_t node) {
    current_ = node;
    update();
    emit currentMoved(areaOf(node));
    QAccessibleValueChangeEvent event(this, wordsOf(node));
    QAccessible::updateAccessibility(&event);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (const auto next = nextBy(event->key())) setCurrent(*next);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_) emit chosen(current());
        return;
    case Qt::Key_Plus: return setZoom(zoom_ * kZoomStep);
    case Qt::Key_Minus: return setZoom(zoom_ / kZoomStep);
    case Qt::Key_Home: emit fitWanted(); return;
    default: QWidget::keyPressEvent(event);
    }
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    const auto node = nodeAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !node) return QWidget::mousePressEvent(event);
    setCurrent(*node);
    emit chosen(current());
}

void GraphView::wheelEvent(QWheelEvent* event) {
    const int turned = event->angleDelta().y();
    if (!(event->modifiers() & Qt::ControlModifier) || turned == 0) return QWidget::wheelEvent(event);
    setZoom(turned > 0 ? zoom_ * kZoomStep : zoom_ / kZoomStep);
    event->accept();
}

bool GraphView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto node = nodeAt(help->pos()))
        QToolTip::showText(help->globalPos(), plainTip(wordsOf(*node)), this);
    return true;
}

// --- painting

void GraphView::paintEdges(QPainter& painter) const {
    const Theme& theme = Theme::current();
    constexpr qreal kMet = 1;
    constexpr qreal kWaitedFor = 1.5;
    constexpr qreal kCritical = 3;
    const auto draw = [&](bool critical) {
        for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
            const GraphEdge& edge = graph_.edges[i];
            if (edge.isCritical != critical) continue;
            QPen pen(theme(edge.isMet ? Token::Line2
                           : critical ? Token::Text1
                                      : Token::Text2),
                     critical     ? kCritical
                     : edge.isMet ? kMet
                                  : kWaitedFor);
            if (edge.isVain) pen = QPen(theme.inkOf(DisplayState::Failed), kWaitedFor, Qt::DashLine);
            painter.setPen(pen);
            const QPolygonF& line = layout_.edges()[i];
            painter.drawPolyline(line);
            if (edge.isMet) continue;
            constexpr qreal kHead = 5;
            const QPointF tip = line.back();
            painter.setBrush(pen.color());
            painter.setPen(Qt::NoPen);
            painter.drawPolygon(QPolygonF{tip, tip - QPointF(kHead + 3, kHead), tip - QPointF(kHead + 3, -kHead)});
        }
    };
    draw(false);
    draw(true); // on top
}

void GraphView::paintNode(QPainter& painter, std::size_t node) const {
    const Theme& theme = Theme::current();
    const GraphNode& of = graph_.nodes[node];
    const QRectF area = layout_.nodes()[node];
    const bool isAsked = of.has(asked_);
    const QColor under = theme(isAsked ? Token::Selection : Token::Bg2);
    const bool hasFailed = of.shares[std::to_underlying(DisplayState::Failed)] > 0;
    QPen frame(theme(Token::Line2), 1);
    if (hasFailed) frame = QPen(theme.inkOf(DisplayState::Failed), 1);
    if (of.isCritical) frame = QPen(theme(Token::Text1), 2);
    if (isAsked || (current_ == node && hasFocus())) frame = QPen(theme(Token::Accent), 2);
    if (current_ == node && hasFocus() && isAsked) frame.setStyle(Qt::DashLine);
    painter.setPen(frame);
    painter.setBrush(under);
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRectF inner = area.adjusted(10, 6, -10, -6);
    constexpr int kIcon = 12;
    icons::paintFace(painter, QRectF(inner.left(), inner.top(), kIcon, 18), theme.scheme(), of.face(), kIcon,
                     under);
    if (zoom_ >= kNamesFrom)
        paint::text(painter, QRectF(inner.left() + kIcon + 6, inner.top(), inner.width() - kIcon - 6, 18), of.label,
                    typeface(Type::Small), theme(of.hasEnded() && !hasFailed ? Token::Text2 : Token::Text1));
    if (of.count > 1 && zoom_ >= kBarsFrom)
        paint::progress(painter, QRectF(inner.left(), inner.top() + 22, inner.width(), 6), of.shares);
    if (zoom_ < kNamesFrom) return;
    const Format format;
    QString note = of.hasEnded() || !of.left ? wordOf(of.face()) : tr("%1 left").arg(secondsText(*of.left));
    if (of.count > 1)
        note = tr("%1 of %2")
                   .arg(format.number(of.shares[std::to_underlying(DisplayState::Completed)]),
                        format.number(of.count));
    paint::text(painter, QRectF(inner.left(), inner.bottom() - 15, inner.width(), 16), note,
                typeface(Type::Caption), theme(Token::Text3));
}

void GraphView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), Theme::current()(Token::Bg1));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(zoom_, zoom_);
    painter.setBrush(Qt::NoBrush);
    paintEdges(painter);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
        if (areaOf(i).intersects(event->rect())) paintNode(painter, i);
}

} // namespace yard::ui
