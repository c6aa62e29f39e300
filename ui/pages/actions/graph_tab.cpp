#include "ui/pages/actions/graph_tab.h"

#include "ui/state/poll.h"
#include "ui/style/format.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace yard::ui {

namespace {

constexpr int kGraphEveryMs = 2'000;
/// What can be looked at; of more, the nearest.
constexpr int kMostNodes = 300;

} // namespace

GraphTab::GraphTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , summary_(new Label({}, Type::Caption, Token::Text3))
    , scroll_(new QScrollArea)
    , view_(new GraphView)
    , poll_(new Poll(
          context.link, kGraphEveryMs,
          [this]() -> std::optional<Request> {
              if (lsn_ == 0 || isOver_ || !context_.state.isLive()) return std::nullopt;
              asked_ = lsn_;
              Request request{"GET", "graph", {}, {}, {}};
              request.query.addQueryItem("lsn", QString::number(lsn_));
              request.query.addQueryItem("fold", "1");
              request.query.addQueryItem("limit", QString::number(kMostNodes));
              return request;
          },
          [this](const Answer& answer) { take(answer.json); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    summary_->setElides(true);
    summary_->setContentsMargins(16, 6, 16, 4);
    scroll_->setWidget(view_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->viewport()->setBackgroundRole(QPalette::Base); // as the graph's own
    scroll_->setAccessibleName(tr("Graph"));
    column->addWidget(summary_);
    column->addWidget(scroll_, 1);
    setFocusProxy(view_);
    connect(view_, &GraphView::chosen, this, [this](qint64 lsn) {
        const auto isShown = [this, lsn](const GraphNode& node) { return node.id == lsn && node.has(lsn_); };
        if (std::ranges::none_of(view_->graph().nodes, isShown)) context_.navigator.showAction(lsn, "graph");
    });
    connect(view_, &GraphView::currentMoved, this, [this](const QRect& area) {
        scroll_->ensureVisible(area.center().x(), area.center().y(), area.width(), area.height());
    });
    connect(view_, &GraphView::fitWanted, this, &GraphTab::fit);
    connect(poll_, &Poll::failed, this, [this](int, const QString& message) { say(message); });
}

void GraphTab::show(qint64 lsn) {
    if (lsn == lsn_) return;
    lsn_ = lsn;
    isOver_ = false;
    say(lsn == 0 ? QString() : tr("Reading who waits for whom…"));
    if (isVisible()) poll_->now();
}

void GraphTab::refresh() {
    isOver_ = false;
    if (isVisible()) poll_->now();
}

/// Instead of a graph, until there is one.
void GraphTab::say(const QString& text) {
    summary_->setText(text);
}

QString GraphTab::summary() const {
    return summary_->text();
}

void GraphTab::take(const QJsonObject& answer) {
    if (asked_ != lsn_) return; // of the one before
    Graph graph = graphOf(answer);
    isOver_ = std::ranges::all_of(graph.nodes, &GraphNode::hasEnded);
    const auto unknown = std::ranges::count_if(
        graph.nodes, [](const GraphNode& node) { return !node.hasEnded() && !node.left.has_value(); });
    QStringList words;
    if (graph.edges.empty())
        words << tr("It waits for nothing, and nothing waits for it");
    else
        words << tr("%n node(s)", nullptr, static_cast<int>(graph.nodes.size()))
              << tr("%n edge(s)", nullptr, static_cast<int>(graph.edges.size()));
    if (graph.hasCritical && !graph.edges.empty()) {
        const auto left = std::chrono::duration<double>(graph.criticalSeconds);
        words << tr("critical path: %1 left").arg(Format().duration(std::chrono::duration_cast<Duration>(left)));
    }
    if (unknown > 0)
        words << tr("no critical path: %1 of %2 have no usual time").arg(unknown).arg(graph.nodes.size());
    if (graph.isTruncated) words << tr("there is more: these are the nearest");
    say(words.join(", "));
    view_->setGraph(std::move(graph), lsn_);
}

/// All of it, or as much as can be read.
void GraphTab::fit() {
    const QSizeF all = QSizeF(view_->sizeHint()) / view_->zoom();
    if (all.isEmpty()) return;
    const QSize room = scroll_->viewport()->size();
    view_->setZoom(std::min({room.width() / all.width(), room.height() / all.height(), 1.0}));
}

void GraphTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    poll_->setActive(true);
}

void GraphTab::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    poll_->setActive(false);
}

} // namespace yard::ui
