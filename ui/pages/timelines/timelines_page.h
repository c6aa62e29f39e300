// Timelines: what ran when, in which slot, with processor, memory and what waited above. Owner: ui thread.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/state/action_row.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QStackedWidget>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class SelectionStrip;

class TimelinesPage final : public FilteredPage {
    Q_OBJECT
public:
    enum class Export : std::uint8_t { Png, Svg, Trace };

    static std::vector<CommandSpec> declared();
    explicit TimelinesPage(Context context);

    void setActive(bool active) override;
    /// Also `at:HH:MM`: goes to that time of the last 24 hours; `lane:WORKER/SLOT`: to that lane, `lane:/SLOT` of
    /// the machine; `span:FROM..TO` (microseconds since the epoch): to that stretch of the past.
    void setFilter(const QString& filter) override;
    void takeUpdates() override;
    /// Goes to where this action ran, with its bar selected once that is here.
    void open(qint64 lsn, const QString& tab) override;
    QList<QAction*> commands() const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    timeline::TimelineView* view() const { return view_; }
    SelectionStrip* strip() const { return strip_; }
    Table* table() const { return table_; }
    bool showsTable() const { return stack_->currentWidget() == table_; }
    /// Of what is shown, or of the range; says in the status bar how it went.
    void exportTo(const QString& path, Export kind);

private:
    void makeHead();
    void makeRangeMenu();
    void fillDays(QMenu& days);
    /// The local day that begins so long before this one began, or less.
    void showDay(std::int64_t before);
    void makeCommands();
    void connectView();
    void updateRange();
    void updateFollow();
    void updateCount();
    void updateSelection();
    void updateEmpty();
    void toggleTable();
    void fillTable();
    void askExport(Export kind);
    void exportTrace(const QString& path);
    void goToLast();
    void readMachine();
    void seekLane();
    void goToBar(const ActionRow& row);
    void seekBar();
    void showMenu(const QPoint& global);
    qint64 selectedLsn() const;
    QString rangeText() const;

    PageHead* head_;
    Button* range_;
    Button* minus_;
    Button* plus_;
    Button* fit_;
    Button* follow_;
    Button* grouping_;
    Button* export_;
    QStackedWidget* stack_;
    timeline::TimelineSource* source_;
    timeline::TimelineView* view_;
    Table* table_;
    RowsModel* rows_;
    SelectionStrip* strip_;
    Button* last_;
    struct WantedLane {
        QString worker;
        std::uint32_t slot = 0;
        WallMicros at = 0;
        WallMicros until = 0; ///< something finer is waited for
        bool again = false;   ///< something coarse is shown
    };
    std::optional<WantedLane> wantedLane_; ///< until its bars are here
    struct WantedBar {
        qint64 lsn = 0;
        QString worker;       ///< id
        WallMicros until = 0; ///< it is waited for, or for something finer than the step it is in
    };
    std::optional<WantedBar> wantedBar_;
    quint64 opened_ = 0; ///< counts open(): answers to an earlier one are not taken
    double guardShare_ = 0;
    std::vector<qint64> rowLsns_;
    QAction* openAction_ = nullptr;
    QAction* logAction_ = nullptr;
    QAction* compareAction_ = nullptr;
    QAction* tableAction_ = nullptr;
    QAction* followAction_ = nullptr;
    QAction* fitAction_ = nullptr;
    QAction* byWorkerAction_ = nullptr;
    QAction* bySlotAction_ = nullptr;
};

} // namespace yard::ui
