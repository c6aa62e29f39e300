// What failed last, with its first error line, each to be rescheduled, or all of tonight at once. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QJsonArray>
#include <optional>

namespace yard::ui {

class Table;

class FailuresPanel final : public Panel {
    Q_OBJECT
public:
    static constexpr std::size_t kMostShown = 100;

    explicit FailuresPanel(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    /// Why nothing can be rescheduled now; empty: it can.
    void setBlocked(const QString& why);
    /// The session's counts are others.
    void refresh();
    RowsModel* rows() const { return rows_; }
    Table* table() const { return table_; }
    Button* rescheduleAll() const { return all_; }

private:
    std::optional<Request> askLatest();
    std::optional<Request> askTonight();
    void fill();
    void updateHead();
    void rescheduleSelected();
    void rescheduleTonight();
    void showMenu(const QPoint& global);
    const QJsonObject* job(qint64 lsn) const;

    Context context_;
    Table* table_;
    RowsModel* rows_;
    Button* all_;
    QString blocked_;
    Poll* latest_;
    Poll* tonight_;
    std::vector<QJsonObject> jobs_;
    qint64 latestFor_ = -1; ///< how many had failed when it was asked
    qint64 tonightFor_ = -1;
    qint64 tonightCount_ = 0;
    bool tonightMore_ = false; ///< than were counted
    int sinceTonight_ = 0;     ///< looks since tonight's were counted
};

} // namespace yard::ui
