// The page Objects: types at the left with how many objects are where, the state machine of the chosen one, rows, and one
// object in full. Asks once a second while it is looked at, and of the list only what is in view. Owner: ui thread.
#pragma once

#include "ui/bridge/object_operations.h"
#include "ui/pages/filtered_page.h"
#include "ui/pages/objects/object_values.h"
#include "ui/pages/objects/objects_model.h"
#include "ui/state/poll.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QSplitter>
#include <deque>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class ActorStrip;
class NewObjectForm;
class ObjectPanel;
class OrphanBanner;
class StateView;
class TypeList;

class ObjectsPage final : public FilteredPage {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit ObjectsPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    void open(qint64 object, const QString& part = {}) override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }
    ObjectsModel* model() const { return rows_; }
    TypeList* typeList() const { return typeList_; }
    StateView* states() const { return states_; }
    ActorStrip* strip() const { return strip_; }
    OrphanBanner* banner() const { return banner_; }
    ObjectPanel* panel() const { return panel_; }
    QString note() const { return head_->note(); }
    /// There is no type yet: how to begin is shown in place of all else.
    bool isFirst() const { return first_->isVisibleTo(this); }
    /// The menu of states, filled for what is selected.
    QMenu* moveMenu() const { return moveMenu_; }
    Button* fresh() const { return fresh_; }
    /// Null: no new object is written.
    NewObjectForm* form() const;

private:
    void makeHead(QVBoxLayout* column);
    QWidget* makeBody();
    QWidget* makeFirst();
    void makeCommands();
    void connectParts();

    /// Asks for all that is shown; once a second, and once something changed.
    void look();
    std::optional<Request> requestRows();
    std::optional<Request> requestDetail() const;
    void takeTypes(const QJsonObject& json);
    void takeStays(const QJsonObject& json);
    void takeOrchestrator(const QJsonObject& json);
    void takeRows(const QJsonObject& json);
    void takeDetail(const QJsonObject& json);
    void onRowsRefused(int status, const QString& message);
    void onDetailRefused(int status, const QString& message);

    void clearRows();
    void find();
    void filterBy(const QString& type, const QString& status);
    void showParts();
    void showNote();
    void onSelection();
    void steer();

    std::vector<qint64> selected() const;
    /// The type of all that is selected; null: of several, or none is.
    const ObjectType* typeOfSelected() const;
    /// Back to where their type begins, of what came to a bad end; a look now, of what is stuck. Nothing: some are neither.
    std::optional<Operation> retryOfSelected() const;
    void fillMoveMenu();
    void addMove(QMenu& menu, const QString& status, bool force);
    void run(const Operation& operation);
    void remove();
    void openForm();
    void showMenu(const QPoint& global);
    void fillCopyMenu();
    void goTo(const QString& target);

    PageHead* head_;
    Button* fresh_;
    UpdatesBadge* badge_;
    ActorStrip* strip_;
    OrphanBanner* banner_;
    QSplitter* across_; ///< types, the middle, the panel
    QSplitter* down_;   ///< states, rows
    TypeList* typeList_;
    StateView* states_;
    Table* table_;
    ObjectsModel* rows_;
    ObjectPanel* panel_;
    QWidget* body_;
    QWidget* first_;
    QMenu* moveMenu_;
    QMenu* copyMenu_;
    Poll typesPoll_;
    Poll orchestratorPoll_;
    Poll rowsPoll_;
    Poll detailPoll_;
    Poll staysPoll_;
    QTimer filterLater_;

    std::vector<ObjectType> types_;
    OrchestratorInfo orchestrator_;
    ObjectFilter asked_; ///< of the rows that are here
    ObjectsModel::Want want_;
    bool wantsMore_ = false;
    qint64 shown_ = 0; ///< in the panel; 0: none
    std::optional<ObjectDetail> detail_;
    bool typesKnown_ = false;
    QString staysOf_;    ///< the type that is shown
    QString staysAsked_; ///< the one that was asked about last

    QAction* newAction_ = nullptr;
    QAction* lookAction_ = nullptr;
    QAction* moveAction_ = nullptr;
    QAction* retryAction_ = nullptr;
    QAction* removeAction_ = nullptr;
    QAction* childrenAction_ = nullptr;
    QAction* parentAction_ = nullptr;
};

} // namespace yard::ui
