// An action beside the last good one like it: what differs, and both outputs. "Like it" is the same worker,
// function and label. Owner: ui thread.
#pragma once

#include "ui/log/log_view.h"
#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

namespace yard::ui {

class Table;

class CompareTab final : public QWidget {
    Q_OBJECT
public:
    explicit CompareTab(Context context, QWidget* parent = nullptr);
    ~CompareTab() override;
    void show(const QJsonObject& action, const QJsonObject& spec);
    using QWidget::show;
    void clear();
    qint64 other() const { return other_.lsn; }

private:
    void findOther();
    void takeOther(const QJsonObject& other);
    void fill();
    void fetch(LogView* view, qint64 lsn, std::size_t slot);

    Context context_;
    ActionRow action_;
    ActionRow other_;
    QJsonObject spec_;
    QJsonObject otherSpec_;
    Table* table_;
    RowsModel* rows_;
    Panel* left_;
    Panel* right_;
    LogView* leftLog_;
    LogView* rightLog_;
    std::array<std::unique_ptr<QObject>, 4> streams_;
};

} // namespace yard::ui
