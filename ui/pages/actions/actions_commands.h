// What the page Actions offers to do with what is chosen: its commands with their keys, why each of them cannot be given
// now, and the menu of the lists. What opens something is a signal for the page. Owner: ui thread; lifetime: the page's,
// within that of its context.
#pragma once

#include "ui/pages/page.h"

#include <map>

namespace yard::ui {

class ActionsChoice;
class ActionsLists;
class DetailPanel;
struct ActionRow;

class ActionsCommands final : public QObject {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();

    /// The commands belong to `page`, by their keys where the focus is in it.
    ActionsCommands(Context context, QWidget& page, const ActionsChoice& choice, const ActionsLists& lists,
                    const DetailPanel& panel);

    QList<QAction*> all() const;
    /// One of declared().
    QAction* action(const char* id) const;
    /// Those within the order of a queue.
    QList<QAction*> places() const;
    QString yardctlOf(const QAction* command) const;
    /// What can be done to none of those chosen says why; of rows that are not here it is not known.
    void review();
    /// Why nothing can be done now, whatever is chosen; empty: something can.
    const QString& whyNothing() const { return whyNothing_; }
    /// `title`: what it is for.
    void showMenu(const QPoint& global, const QString& title);
    void reschedule();
    void cancel();
    void edit(qint64 lsn);

signals:
    /// At `tab`, empty: as it was. `enters`: the focus goes there.
    void openWanted(qint64 lsn, const QString& tab, bool enters);
    void tabWanted(int tab);
    void foldWanted();
    void ownWindowWanted(qint64 lsn);
    void searchWanted();
    /// Others have moved along with those that were: nobody tells their rows.
    void placesChanged();

private:
    void make();
    void addMarks(QMenu& menu, bool isBlocked);
    void comment();
    void retire();
    void holdOrRelease();
    void moveToQueue();
    void setPriority();
    void place(const QString& where);

    Context context_;
    QWidget& page_;
    const ActionsChoice& choice_;
    const ActionsLists& lists_;
    const DetailPanel& panel_;
    std::map<QString, QAction*> actions_;
    QString whyNothing_;
};

} // namespace yard::ui
