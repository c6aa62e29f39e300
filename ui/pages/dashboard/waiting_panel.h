// Why work is waiting: what pending actions wait for, counted; one row a reason. Owner: ui thread.
#pragma once

#include "ui/models/poll.h"
#include "ui/models/wait_reasons.h"
#include "ui/pages/page.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <optional>

namespace yard::ui {

class Table;

class WaitingPanel final : public Panel {
    Q_OBJECT
public:
    explicit WaitingPanel(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    /// The session's counts are others.
    void refresh();
    /// Actions that wait to be tried again; absent: not all that wait were looked at.
    std::optional<qint64> retrying() const;
    RowsModel* rows() const { return rows_; }
    Table* table() const { return table_; }

signals:
    void changed();

private:
    void take(const Answer& answer);
    Context context_;
    Table* table_;
    RowsModel* rows_;
    Label* count_;
    Poll* poll_;
    std::vector<WaitReason> reasons_;
    bool more_ = true;
    bool counts_ = true; ///< the engine counts by itself
};

} // namespace yard::ui
