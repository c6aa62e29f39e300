// The attempts of an action, newest first: one is chosen to see its output. Owner: ui thread; lifetime: the panel's.
#pragma once

#include "ui/state/action_row.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QJsonObject>

namespace yard::ui {

class AttemptsTable final : public Table {
    Q_OBJECT
public:
    explicit AttemptsTable(QWidget* parent = nullptr);
    /// `action`: GET jobs/{lsn}; empty: not known yet.
    void show(const ActionRow& row, const QJsonObject& action);
    using QWidget::show;
    /// 0: none, which is the last one.
    int chosen() const;

private:
    RowsModel* rows_;
};

} // namespace yard::ui
