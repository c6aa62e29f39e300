// The recordings page: what was recorded here or brought here; the selected one with its replays and its actions below.
// Asks GET recordings and GET replays every two seconds while it is looked at. A file with the ending .yrec that is
// dropped here, or chosen, is brought to the engine. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/recordings/recording_values.h"
#include "ui/state/poll.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QHash>
#include <QSplitter>

namespace yard::ui {

class RecordForm;
class RecordingPanel;
class ReplayForm;

class RecordingsPage final : public Page {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit RecordingsPage(Context context);

    void setActive(bool active) override;
    /// The name of a recording: it is selected.
    void setFilter(const QString& filter) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    /// Brings a file to the engine, which looks at all of it.
    void bring(const QString& path);
    /// Saves the selected one there.
    void saveTo(const QString& path);

    Table* table() const { return table_; }
    RecordingPanel* panel() const { return panel_; }
    QString note() const { return head_->note(); }
    /// In place of the table while there is none.
    bool isEmpty() const;
    /// Null: it is not open.
    RecordForm* recording() const;
    ReplayForm* replaying() const;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeHead(QVBoxLayout* column);
    QWidget* makeEmpty();
    void makeCommands();
    void takeRecordings(const QJsonObject& json);
    void takeReplays(const QJsonObject& json);
    void refill();
    void onSelection();
    void showMenu(const QPoint& global);
    void record();
    void replay();
    void chooseFile();
    void chooseTarget();
    void writeNote();
    void remove();
    void look();
    const RecordingInfo* selected() const;
    bool isOwn(const RecordingInfo& recording) const;

    PageHead* head_;
    Button* stop_;
    Button* replay_;
    Button* export_;
    Button* delete_;
    UpdatesBadge* badge_;
    QSplitter* split_;
    Table* table_;
    RowsModel* rows_;
    RecordingPanel* panel_;
    QWidget* empty_;
    Poll poll_;
    Poll replayPoll_;
    std::vector<RecordingInfo> recordings_;
    std::vector<ReplayInfo> replays_;
    QHash<QString, qint64> rowIds_; ///< of all names that were told
    bool told_ = false;
    QString wanted_; ///< to be selected once it is told
    QAction* recordAction_ = nullptr;
    QAction* stopAction_ = nullptr;
    QAction* openAction_ = nullptr;
    QAction* replayAction_ = nullptr;
    QAction* cancelAction_ = nullptr;
    QAction* showActions_ = nullptr;
    QAction* timelinesAction_ = nullptr;
    QAction* noteAction_ = nullptr;
    QAction* exportAction_ = nullptr;
    QAction* deleteAction_ = nullptr;
};

} // namespace yard::ui
