// The machines page: what runs actions for this engine, its own machine first; the selected one in full below. Asks GET
// machines every two seconds while it is looked at. Owner: ui thread.
#pragma once

#include "ui/pages/machines/machine_rows.h"
#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QSplitter>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class AddMachine;
class AllocatorStrip;
class MachinePanel;

class MachinesPage final : public Page {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit MachinesPage(Context context);

    void setActive(bool active) override;
    /// The name of a machine: it is selected.
    void setFilter(const QString& filter) override;
    void takeUpdates() override;
    void open(qint64 machine, const QString& part = {}) override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }
    MachinePanel* panel() const { return panel_; }
    QString note() const { return head_->note(); }
    /// Below the table while there is this machine alone.
    bool isAlone() const;
    AllocatorStrip* allocators() const { return allocators_; }
    /// Null: it is not open.
    AddMachine* adding() const;

protected:
    /// The text of an address: its form opens.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeHead(QVBoxLayout* column);
    QWidget* makeAlone();
    void makeCommands();
    void take(const QJsonObject& json);
    void onSelection();
    void add();
    void addAllocator();
    void setHours(const MachineInfo& machine);
    void remove();
    void showMenu(const QPoint& global);
    void addCopyAs(QMenu& menu, const MachineInfo& machine);
    const MachineInfo* selected() const;

    PageHead* head_;
    Button* drain_;
    Button* resume_;
    Button* pause_;
    Button* remove_;
    UpdatesBadge* badge_;
    QSplitter* split_;
    Table* table_;
    RowsModel* rows_;
    MachinePanel* panel_;
    QWidget* alone_;
    AllocatorStrip* allocators_;
    Poll poll_;
    std::vector<MachineInfo> machines_;
    QString wanted_; ///< a name that came before the machines
    bool told_ = false;
    QAction* addAction_ = nullptr;
    QAction* addAllocator_ = nullptr;
    QAction* hoursAction_ = nullptr;
    QAction* drainAction_ = nullptr;
    QAction* resumeAction_ = nullptr;
    QAction* pauseAction_ = nullptr;
    QAction* removeAction_ = nullptr;
    QAction* showActions_ = nullptr;
    QAction* copyAddress_ = nullptr;
};

} // namespace yard::ui
