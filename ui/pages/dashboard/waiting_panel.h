// Why work is waiting: what pending actions wait for, counted; one row a reason. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/state/wait_reasons.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QTimer>

#include <optional>

namespace yard::ui {

class Table;

class WaitingPanel final : public Panel {
    Q_OBJECT
public:
    explicit WaitingPanel(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    /// Between two looks, where nothing says that reasons have come or gone.
    void setEvery(int ms) { poll_->setEvery(ms); }
    /// The session's counts are others.
    void refresh();
    /// Actions that wait to be tried again; absent: not all that wait were looked at.
    std::optional<qint64> retrying() const;
    RowsModel* rows() const { return rows_; }
    Table* table() const { return table_; }

signals:
    void changed();

private:
    /// Of the counts what tells at once that a reason has come or gone. How many wait for their turn changes all the
    /// time, and can wait.
    struct Outline {
        qint64 held = 0;
        bool pending = false;
        bool retry = false;
        friend bool operator==(const Outline&, const Outline&) = default;
    };
    void take(const Answer& answer);
    Context context_;
    Table* table_;
    RowsModel* rows_;
    Label* count_;
    Poll* poll_;
    QTimer* soon_;
    QTimer* settled_; ///< asks once more when counts have stood still
    Outline outline_; ///< when it was asked last
    std::vector<WaitReason> reasons_;
    bool more_ = true;
    bool counts_ = true; ///< the engine counts by itself
};

} // namespace yard::ui
