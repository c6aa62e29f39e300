// One action in a window of its own: the same panel as beside the list, with its output as it comes. It stays what it is
// when something else is selected, and on other pages. Owner: ui thread; lifetime: the page's at most, deleted when it
// is closed.
//
// Asks for the action once a second while it has not ended, else every ten.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"

#include <QTimer>

namespace yard::ui {

class DetailPanel;

class DetailWindow final : public QWidget {
    Q_OBJECT
public:
    /// `parent`: the page that it belongs to.
    DetailWindow(Context context, qint64 lsn, QWidget* parent);
    DetailPanel* panel() const { return panel_; }
    qint64 lsn() const;
    /// The action as it is known here.
    ActionRow action() const;

signals:
    void editWanted();

private:
    void look();
    void showTitle();

    Context context_;
    DetailPanel* panel_;
    QTimer every_;
    int ticks_ = 0;
};

} // namespace yard::ui
