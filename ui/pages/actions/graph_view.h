// Who waits for whom, drawn: one node is the current one, arrows follow the edges, Enter or a click chooses. States
// change in place; nodes move only when the graph itself is another one. Owner: ui thread.
#pragma once

#include "ui/pages/actions/graph_layout.h"
#include "ui/style/accessible_text.h"

#include <QWidget>

namespace yard::ui {

class GraphView final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    static constexpr double kLeastZoom = 0.25;
    static constexpr double kMostZoom = 2;

    explicit GraphView(QWidget* parent = nullptr);

    /// `asked`: the action that is shown elsewhere, it is marked.
    void setGraph(Graph graph, qint64 asked);
    const Graph& graph() const { return graph_; }
    /// Its LSN; 0: there is none.
    qint64 current() const;
    double zoom() const { return zoom_; }
    void setZoom(double zoom);
    /// Where it is painted.
    QRect areaOf(std::size_t node) const;
    /// What a screen reader says of it.
    QString wordsOf(std::size_t node) const;

    QSize sizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override;
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void chosen(qint64 lsn);
    void currentMoved(const QRect& area);
    void fitWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::optional<std::size_t> nodeAt(QPoint at) const;
    std::optional<std::size_t> nextBy(int key) const;
    void setCurrent(std::size_t node);
    void paintEdges(QPainter& painter) const;
    void paintNode(QPainter& painter, std::size_t node) const;

    Graph graph_;
    GraphLayout layout_;
    qint64 asked_ = 0;
    std::optional<std::size_t> current_;
    double zoom_ = 1;
};

} // namespace yard::ui
