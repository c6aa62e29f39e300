// One kind of work in full: its run time or memory by day, its versions and machines, the inputs on which it is flaky,
// and what its figures are used for. Owner: ui thread; lifetime: its parent's, within that of its context.
#pragma once

#include "ui/pages/history/kind_values.h"
#include "ui/pages/page.h"
#include "ui/widgets/button.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"

namespace yard::ui {

class KindPanel final : public Panel {
    Q_OBJECT
public:
    explicit KindPanel(Context context, QWidget* parent = nullptr);

    void show(const KindInfo& kind);
    using QWidget::show;
    /// None is shown: what is under way is not taken any more.
    void clear();
    /// In place of the run time.
    void setMemory(bool memory);

    Button* actions() const { return showActions_; }
    Chart* chart() const { return chart_; }
    Table* versions() const { return versionTable_; }
    Table* machines() const { return machineTable_; }
    Table* flaky() const { return flakyTable_; }
    Facts* facts() const { return facts_; }

signals:
    void closed();

private:
    void build();
    QWidget* makeCharts();
    QWidget* makeParts();
    QWidget* makeFlaky();
    void ask();
    void takeDetail(const QJsonObject& json);
    void takeFlakiness(const QJsonObject& json);
    void showChart();
    void showFacts();

    Context context_;
    KindInfo kind_;
    QJsonObject detail_;
    QJsonObject flakiness_;
    quint64 asked_ = 0;     ///< counts the questions: answers to an earlier one are not taken
    bool isBroken_ = false; ///< an answer did not come: asked again when it is shown again
    Button* showActions_;
    Button* close_;
    Tabs* what_;
    Chart* chart_;
    RowsModel* versions_;
    Table* versionTable_;
    RowsModel* machines_;
    Table* machineTable_;
    RowsModel* flaky_;
    Table* flakyTable_;
    Facts* facts_;
    QTimer later_; ///< who walks through the rows asks for the last one alone
};

} // namespace yard::ui
