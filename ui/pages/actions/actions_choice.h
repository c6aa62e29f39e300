// What the commands of the page Actions act on: what is selected in the list that is shown, all that match, or the action
// in the panel where that one is meant. Nothing is changed here. Owner: ui thread; lifetime: within that of the page, its
// lists and its panel.
//
// The panel is meant only while nothing is selected: where the hand is in it, or where a link opened an action that the
// list does not have (wanted()).
#pragma once

#include "ui/state/action_row.h"
#include "ui/state/many_change.h"

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace yard::ui {

class ActionsLists;
class DetailPanel;

class ActionsChoice {
public:
    ActionsChoice(const QWidget& page, const ActionsLists& lists, const DetailPanel& panel)
        : page_(page)
        , lists_(lists)
        , panel_(panel) {}

    Target target() const;
    /// Of that what rescheduling means.
    Target againTarget() const;
    /// The one action; 0: none, or several.
    qint64 single() const;
    bool isPanelMeant() const;
    /// As the list that is shown knows it, else the panel; null: neither does.
    const ActionRow* row(qint64 lsn) const;
    /// One for each state that some of the chosen arrays and lists are in; none: it is not known.
    std::vector<ActionRow> standing() const;
    /// More than those that are named one by one: all that match, or all of arrays and lists.
    bool isMany() const;
    /// Whether some of them are held by themselves.
    bool isHeld() const;
    /// Of what the list does not show nothing is ended or forgotten unasked.
    ManyChange asSeen(const ManyChange& change) const;

    /// Shown beside the list, of which its row is not known yet; 0: none.
    qint64 wanted() const { return wanted_; }
    void setWanted(qint64 lsn) { wanted_ = lsn; }
    /// The hand is in the panel, or in the list. True: that is new.
    bool setInPanel(bool inPanel);

private:
    const QWidget& page_;
    const ActionsLists& lists_;
    const DetailPanel& panel_;
    qint64 wanted_ = 0;
    bool inPanel_ = false;
};

} // namespace yard::ui
