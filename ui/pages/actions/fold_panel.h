// An array or a list as a whole, beside the list of the page Actions: a map of its actions, and who waits for whom. Owner:
// ui thread; lifetime: the page's, within that of its context.
#pragma once

#include "ui/pages/actions/folded_row.h"
#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class GraphTab;
class MapPane;
class Tabs;

class FoldPanel final : public QWidget {
    Q_OBJECT
public:
    enum Tab : int { kMap, kGraph, kTabs };

    explicit FoldPanel(Context context, QWidget* parent = nullptr);

    /// Not an array or a list: nothing is shown.
    void show(const FoldedRow& row);
    using QWidget::show;
    /// Its first LSN; 0: none.
    qint64 first() const { return first_; }
    void setTab(int tab);
    Tabs* tabs() const { return tabs_; }
    MapPane* map() const { return map_; }
    GraphTab* graph() const { return graph_; }
    void takeFocus();

signals:
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeTabRow();

    Label* number_;
    Label* what_;
    Tabs* tabs_;
    QStackedWidget* stack_;
    MapPane* map_;
    GraphTab* graph_;
    qint64 first_ = 0;
};

} // namespace yard::ui
