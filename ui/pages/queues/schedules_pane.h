// The tab of Queues with what runs at certain times: the next 24 hours as a strip, a row for each schedule, and the one that
// is chosen as a form. Asks the engine while it is shown only. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/queues/day_strip.h"
#include "ui/pages/queues/schedule_form.h"
#include "ui/state/poll.h"

#include <map>
#include <set>

namespace yard::ui {

class SchedulesPane final : public QWidget {
    Q_OBJECT
public:
    explicit SchedulesPane(Context context, QWidget* parent = nullptr);

    void setActive(bool active);
    void setFilter(const QString& text);
    void takeUpdates();
    /// What was last heard.
    const std::vector<ScheduleInfo>& schedules() const { return schedules_; }
    Table* table() const { return table_; }
    DayStrip* strip() const { return strip_; }
    ScheduleForm* form() const { return form_; }
    Button* fresh() const { return fresh_; }
    Button* run() const { return run_; }
    Button* pause() const { return pause_; }
    Button* remove() const { return remove_; }

signals:
    void counted(int schedules);

private:
    void connectAll();
    void take(const QJsonObject& json);
    void takeOne(const QJsonObject& json);
    void onSelection();
    void choose(const QString& name);
    void review();
    void showStrip();
    using Line = std::pair<QString, QString>; ///< of crontab, and its zone
    void askTimes();
    void askTimesOf(const Line& line, WallMicros begun, std::vector<qint64> before);
    void showTimesOf(const ScheduleInfo& schedule, std::vector<DayStrip::Times>& all) const;
    void removeChosen();
    const ScheduleInfo* chosen() const;

    Context context_;
    DayStrip* strip_;
    Table* table_;
    RowsModel* rows_;
    ScheduleForm* form_;
    Button* fresh_;
    Button* run_;
    Button* pause_;
    Button* remove_;
    Poll poll_;
    Poll one_; ///< the one that is shown: its runs
    std::vector<ScheduleInfo> schedules_;
    std::map<QString, qint64> ids_;
    struct LineTimes {
        std::vector<qint64> at;
        WallMicros asked = 0;
    };
    std::map<Line, LineTimes> lines_;
    std::set<Line> underWay_;
};

} // namespace yard::ui
