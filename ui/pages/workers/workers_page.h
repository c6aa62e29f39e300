// The workers page: table and detail; register, submit with one, remove. Owner: ui thread.
//
// Figures come from the engine's lists: at most the last 200 finished and 1,000 active actions of each worker,
// asked again every 5 s while the page is looked at and something changed. What is cut off says so.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/pages/workers/worker_figures.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QHash>
#include <QSplitter>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class WorkerPanel;

class WorkersPage final : public FilteredPage {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit WorkersPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }
    WorkerPanel* panel() const { return panel_; }
    bool isEmpty() const { return workers_.empty(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Worker {
        qint64 row = 0;
        QJsonObject json;
        WorkerFigures figures;
    };
    void connectParts();
    void makeCommands();
    void ask();
    void askFigures(const QString& id);
    void take(const QJsonArray& workers);
    void refill();
    const Worker* selected() const;
    void onSelection();
    void remove();
    void removeNow(const QString& id, const QString& name, bool force);
    void showMenu(const QPoint& global);
    void addCopyAs(QMenu& menu, const QJsonObject& worker);
    Row rowOf(const Worker& worker) const;

    PageHead* head_;
    Button* submit_;
    Button* remove_;
    UpdatesBadge* badge_;
    QSplitter* split_;
    Table* table_;
    RowsModel* rows_;
    WorkerPanel* panel_;
    QWidget* empty_;
    std::map<QString, Worker> workers_; ///< by id
    QHash<QString, qint64> numbers_;    ///< of rows, by id: stay for as long as the page
    QTimer again_;
    QAction* submitAction_ = nullptr;
    QAction* showActions_ = nullptr;
    QAction* showTimeline_ = nullptr;
    QAction* openPool_ = nullptr;
    QAction* copyId_ = nullptr;
    QAction* removeAction_ = nullptr;
    QString error_;
    bool active_ = false;
    bool stale_ = false;
    bool told_ = false;
};

} // namespace yard::ui
