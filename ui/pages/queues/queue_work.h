// Below the queues: what bars mean, how many actions the selected queue has left with its finish as a band, and
// what its waiting ones wait for; or a map of all its actions. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class MapPane;
class Table;
class Tabs;

/// The finish of `left` actions: the engine's estimate, and a band from that to what rates per minute would make of
/// it (those that are not positive are not known). Without an estimate (0) nothing: some of them may have no end.
std::optional<Chart::Forecast> forecastOf(qint64 now, qint64 left, const std::vector<double>& perMinute,
                                          qint64 estimate);

class QueueWork final : public QWidget {
    Q_OBJECT
public:
    explicit QueueWork(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    void show(qint64 queue);
    using QWidget::show;
    /// The queue may have changed.
    void refresh();
    Chart* chart() const { return chart_; }
    RowsModel* waits() const { return waits_; }
    Tabs* tabs() const { return tabs_; }
    MapPane* map() const { return map_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeFoot();
    QWidget* makeLeft();
    void takeWaiting(const Answer& answer);
    void draw();

    Context context_;
    qint64 queue_ = -1;
    Tabs* tabs_;
    QStackedWidget* stack_;
    MapPane* map_;
    Panel* left_;
    Label* rate_;
    Chart* chart_;
    Panel* waiting_;
    RowsModel* waits_;
    Table* table_;
    Poll* poll_;
    QTimer tick_;
};

} // namespace yard::ui
