// One action in full: its output, what went in and out, how it is called, what it used, why it waits or ended.
// Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/button.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/tabs.h"

#include <QJsonArray>
#include <QLabel>
#include <QStackedWidget>

QT_BEGIN_NAMESPACE
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class CompareTab;
class FittingSplitter;
class GraphTab;
class OutputTab;
class OutputsTab;
class Poll;
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
    Facts* why() const { return why_; }
    const QJsonObject& action() const { return action_; }
    /// The same as a row; null: the engine has not told it yet.
    const ActionRow* row() const { return action_.isEmpty() ? nullptr : &row_; }
    SamplesView* samples() const { return samples_; }
    CompareTab* compare() const { return compare_; }
    GraphTab* graph() const { return graph_; }
    SandboxTab* sandbox() const { return sandbox_; }
    /// Of what it claims: who holds it and who waits; no facts where it claims nothing, or has ended.
    Facts* locks() const { return locks_; }
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
    QWidget* makeHead();
    QWidget* makeTabRow();
    QWidget* makeBeside();
    QWidget* makeAnswer();
    void load();
    void loadWhy();
    void loadSpec();
    void refresh();
    void refreshAttempts();
    void refreshFiles();
    void refreshResult();
    void refreshWhy();
    void refreshLimits();
    void refreshLocks(const QJsonArray& all);
    bool claimsLocks() const;
    void followTarget(const QString& target);
    std::vector<Fact> whyFacts() const;
    /// Bytes of output of the last attempt, as far as they are kept.
    qint64 written() const;
    void copyAs(QMenu& menu);

    Context context_;
    qint64 lsn_ = 0;
    QJsonObject action_;
    QJsonObject spec_;
    QJsonObject whyJson_;
    ActionRow row_;
    int attempt_ = 0;
    bool active_ = false;
    bool loading_ = false;
    bool again_ = false;
    QLabel* icon_;
    Label* number_;
    Label* what_;
    Label* where_;
    Button* reschedule_;
    Tabs* tabs_;
    Label* summary_;
    QWidget* logTools_;
    FittingSplitter* area_;
    QStackedWidget* stack_;
    OutputTab* output_;
    ResultView* result_;
    Table* attempts_;
    RowsModel* attemptRows_;
    Panel* whyPanel_;
    Facts* why_;
    Panel* locksPanel_;
    Facts* locks_;
    Panel* limitsPanel_;
    Facts* limits_;
    Facts* split_;
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
    Poll* locksPoll_;
};

} // namespace yard::ui
