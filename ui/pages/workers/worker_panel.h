// The detail of a worker: its descriptor, files, history of runs by function, recent failures. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/workers/runs_chart.h"
#include "ui/widgets/panel.h"

#include <array>

QT_BEGIN_NAMESPACE
class QComboBox;
QT_END_NAMESPACE

namespace yard::ui {

class RowsModel;
class Table;

class WorkerPanel final : public QWidget {
    Q_OBJECT
public:
    explicit WorkerPanel(Context context, QWidget* parent = nullptr);
    void show(const QJsonObject& worker, const WorkerFigures& figures);
    /// Beside the table rather than below it: parts stand upon each other. Below it they stand beside each other, in
    /// pairs where the four would be too narrow.
    void setUpright(bool upright);
    QString id() const { return worker_.value("id").toString(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    void showFacts();
    void showFiles();
    void showRuns();
    void showFailures();
    Context context_;
    QBoxLayout* parts_;
    std::array<QBoxLayout*, 2> pairs_;
    bool upright_ = false;
    Panel* about_;
    Table* factsTable_;
    RowsModel* facts_;
    Table* filesTable_;
    RowsModel* files_;
    Panel* filesPanel_;
    QComboBox* function_;
    RunsChart* chart_;
    Table* failuresTable_;
    RowsModel* failures_;
    QJsonObject worker_;
    WorkerFigures figures_;
};

} // namespace yard::ui
