// At the right of the queues: failures of the selected one by kind, each kind to be rescheduled, and what happened
// lately. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/failure_kinds.h"
#include "ui/state/poll.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

namespace yard::ui {

class Table;

class QueueTroubles final : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMostKinds = 6;
    static constexpr std::size_t kMostEvents = 6;

    explicit QueueTroubles(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    void show(qint64 queue);
    using QWidget::show;
    /// The queue may have changed.
    void refresh();
    RowsModel* kinds() const { return kindRows_; }
    RowsModel* events() const { return eventRows_; }
    Table* kindTable() const { return kindTable_; }

private:
    void take(const Answer& answer);
    void showEvents();
    void reschedule(qint64 kind);

    Context context_;
    qint64 queue_ = -1;
    qint64 askedFor_ = -1; ///< how many had failed when it was asked
    Panel* kindPanel_;
    Button* showAll_;
    Table* kindTable_;
    RowsModel* kindRows_;
    Panel* eventPanel_;
    Table* eventTable_;
    RowsModel* eventRows_;
    std::vector<FailureKind> kinds_;
    QJsonArray failures_;
    Poll* poll_;
};

} // namespace yard::ui
