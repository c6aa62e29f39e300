// One action in full: its output, what went in and out, how it is called, what it used, why it waits or ended.
// DetailHead and DetailSide are what stands around its tabs. Owner: ui thread; lifetime: that of its page or window, within
// that of its context.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/button.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/tabs.h"

#include <QStackedWidget>

QT_BEGIN_NAMESPACE
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class AttemptsTable;
class CompareTab;
class DetailHead;
class DetailSide;
class FittingSplitter;
class GraphTab;
class OutputTab;
class OutputsTab;
class ResultView;
class SamplesView;
class SandboxTab;
class Table;

class DetailPanel final : public QWidget {
    Q_OBJECT
public:
    enum Tab : int { kOutput, kInputs, kOutputs, kCommand, kProcessor, kSandbox, kHistory, kGraph, kJson, kTabs };

    explicit DetailPanel(Context context, QWidget* parent = nullptr);
    ~DetailPanel() override;

    /// 0: none.
    void showAction(qint64 lsn);
    qint64 lsn() const { return lsn_; }
    /// "output", "graph" and so on; "outputs/NAME": with this file of it selected.
    void setTab(const QString& tab);
    void setTab(int tab);
    void setActive(bool active);
    void takeFocus();
    /// Why it cannot be given now; empty: it can.
    void setRescheduleBlocked(const QString& why);
    OutputTab* output() const { return output_; }
    OutputsTab* outputs() const { return outputs_; }
    ResultView* result() const { return result_; }
    Facts* why() const;
    Facts* locks() const;
    const QJsonObject& action() const { return action_; }
    /// The same as a row; null: the engine has not told it yet.
    const ActionRow* row() const { return action_.isEmpty() ? nullptr : &row_; }
    SamplesView* samples() const { return samples_; }
    CompareTab* compare() const { return compare_; }
    GraphTab* graph() const { return graph_; }
    SandboxTab* sandbox() const { return sandbox_; }
    Tabs* tabs() const { return tabs_; }

public slots:
    /// The engine told of a change of this one; of others nothing happens.
    void onChanged(qint64 lsn);

signals:
    void closed();
    void told();                       ///< the engine told of the action that is shown
    void rescheduleWanted(qint64 lsn); ///< of what is shown here, whatever is selected elsewhere
    void editWanted(qint64 lsn);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeTabRow();
    QWidget* makeBeside();
    QWidget* makeAnswer();
    void connectParts();
    void connectHead();
    void load();
    void loadSpec();
    void refresh();
    void refreshFiles();
    void refreshResult();
    void refreshTimes();
    void followTarget(const QString& target);

    Context context_;
    qint64 lsn_ = 0;
    QJsonObject action_;
    QJsonObject spec_;
    ActionRow row_;
    int attempt_ = 0;
    bool active_ = false;
    bool loading_ = false;
    bool again_ = false;
    DetailHead* head_;
    Tabs* tabs_;
    Label* summary_;
    Button* earlier_ = nullptr; ///< of an output that is shown in pieces
    Button* later_ = nullptr;
    QWidget* logTools_;
    FittingSplitter* area_;
    QStackedWidget* stack_;
    OutputTab* output_;
    ResultView* result_;
    AttemptsTable* attempts_;
    DetailSide* side_;
    Table* inputs_;
    RowsModel* inputRows_;
    OutputsTab* outputs_;
    SandboxTab* sandbox_;
    QPlainTextEdit* command_;
    Facts* processor_;
    SamplesView* samples_;
    CompareTab* compare_;
    GraphTab* graph_;
    QPlainTextEdit* json_;
    QTimer tick_;
};

} // namespace yard::ui
