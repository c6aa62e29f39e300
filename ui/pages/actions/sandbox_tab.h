// The Sandbox tab of an action: what it was denied, the limits in force, and what the operator may allow before it
// runs again. Asks for the worker's descriptor and the engine's settings while it is looked at. Owner: ui thread.
#pragma once

#include "ui/pages/actions/sandbox_facts.h"
#include "ui/pages/page.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QSplitter>

namespace yard::ui {

class WrappedLabel;
class Table;

class SandboxTab final : public QWidget {
    Q_OBJECT
public:
    explicit SandboxTab(Context context, QWidget* parent = nullptr);

    /// Empty: none.
    void show(const QJsonObject& action, const QJsonObject& spec);
    using QWidget::show;
    Table* denied() const { return denied_; }
    Facts* limits() const { return limits_; }
    /// What may be allowed just now, and the buttons for it in the same order.
    const std::vector<Grant>& grants() const { return grants_; }
    const std::vector<Button*>& grantButtons() const { return buttons_; }
    /// Asks, changes what has to be changed, and has the action run again.
    void allow(Grant grant);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeRight();
    void load();
    void refresh();
    void refreshDenied();
    void refreshGrants();
    void changeSettings(const Grant& grant);
    void registerWorker(const Grant& grant);
    void runAgain(const Grant& grant, const QString& worker);
    /// Of an answer that is none: says why.
    bool isGood(const Answer& answer);

    Context context_;
    SandboxInput in_;
    QString worker_; ///< whose descriptor was asked for
    QSplitter* split_;
    Table* denied_;
    RowsModel* rows_;
    Facts* limits_;
    Panel* grantsPanel_;
    QVBoxLayout* grantLines_;
    std::vector<Grant> grants_;
    std::vector<Button*> buttons_;
};

} // namespace yard::ui
