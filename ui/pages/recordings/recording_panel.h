// The selected recording: what its replays did otherwise, the newest replay first, and its actions. Owner: ui thread;
// lifetime: its parent's, within that of its context.
//
// Bounded: kMostPages pages of differences; the head says how many there are.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/recordings/recorded_list.h"
#include "ui/pages/recordings/recording_values.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tabs.h"

#include <QStackedWidget>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class DiffView;

class RecordingPanel final : public Panel {
    Q_OBJECT
public:
    static constexpr int kMostPages = 10; ///< of 1,000 differences
    enum Tab : int { Differences, Actions };

    explicit RecordingPanel(Context context, QWidget* parent = nullptr);

    /// `replays`: all that the engine tells of, the newest first. `isOwn`: it was made on this engine.
    void show(const RecordingInfo& recording, const std::vector<ReplayInfo>& replays, bool isOwn);
    using QWidget::show;
    /// None is shown: what is under way is not taken any more.
    void clear();
    /// Null: it was not replayed.
    const ReplayInfo* replay() const;
    /// Of the same recording, instead of the newest.
    void choose(qint64 replay);
    void setTab(int tab);

    Button* again() const { return again_; }
    Button* cancel() const { return cancel_; }
    Table* differences() const { return table_; }
    const DiffView* diff() const { return diff_; }
    RecordedList* actions() const { return actions_; }
    QString words() const { return words_; }

signals:
    void closed();

private:
    void build();
    void showHead();
    void showTab();
    void fillEarlier();
    void ask();
    void askPage(qint64 replay, const QString& cursor, int page, quint64 question);
    void take(const QJsonObject& json);
    void onDifference();

    Context context_;
    RecordingInfo recording_;
    std::vector<ReplayInfo> replays_; ///< of it
    qint64 chosen_ = 0;               ///< 0: the newest
    std::optional<ReplayInfo> asked_; ///< whose differences are shown, as it was then
    quint64 question_ = 0;            ///< answers to an earlier one are not taken
    bool isAsking_ = false;
    bool isOwn_ = false;
    QString words_;
    std::vector<DifferenceInfo> found_;
    Button* earlier_;
    QMenu* earlierMenu_;
    Button* again_;
    Button* cancel_;
    Button* close_;
    Tabs* tabs_;
    QStackedWidget* stack_;
    RowsModel* rows_;
    Table* table_;
    DiffView* diff_;
    RecordedList* actions_;
};

} // namespace yard::ui
