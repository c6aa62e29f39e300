// The list of the page Actions and what is chosen in it: below the list, or at its right where there is room. One panel
// at a time: that of an action, or that of an array or a list. Owner: ui thread; lifetime: the page's, within that of its
// context.
#pragma once

#include "ui/pages/page.h"

#include <QSplitter>

namespace yard::ui {

class DetailPanel;
class FoldPanel;
struct FoldedRow;

class ActionsSplit final : public QSplitter {
    Q_OBJECT
public:
    /// `list` becomes a child.
    ActionsSplit(Context context, QWidget* list);

    DetailPanel* detail() const { return detail_; }
    FoldPanel* foldPanel() const { return foldPanel_; }
    void showAction(qint64 lsn, const QString& tab);
    /// An array or a list as a whole.
    void showFold(const FoldedRow& row);
    void hideFold();
    /// Closes the panel that is open; false: there is none.
    bool closePanel();
    bool isPanelOpen() const;
    /// Of the panel that is shown.
    void setTab(int tab);
    /// The window may have another width.
    void fit();

private:
    void showBeside(QWidget* panel);
    void place();

    DetailPanel* detail_;
    FoldPanel* foldPanel_;
};

} // namespace yard::ui
