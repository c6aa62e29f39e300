#include "ui/pages/actions/actions_elsewhere.h"

#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/detail_window.h"
#include "ui/pages/actions/output_search.h"
#include "ui/pages/actions/resubmit.h"

#include <algorithm>

namespace yard::ui {

QList<DetailWindow*> ActionsElsewhere::windows() const {
    QList<DetailWindow*> open = page_.findChildren<DetailWindow*>(QString(), Qt::FindDirectChildrenOnly);
    open.removeIf([](const DetailWindow* own) { return own->isHidden(); }); // closed, and about to go
    return open;
}

void ActionsElsewhere::openWindow(qint64 lsn) {
    if (lsn == 0) return;
    const QList<DetailWindow*> open = windows();
    const auto known = std::ranges::find(open, lsn, &DetailWindow::lsn);
    if (known == open.end() && open.size() >= kMostWindows)
        return context_.window.say(
            tr("%n window(s) of actions are open: close one first", nullptr, static_cast<int>(open.size())), true);
    DetailWindow* own = known != open.end() ? *known : new DetailWindow(context_, lsn, &page_);
    if (known == open.end())
        connect(own, &DetailWindow::editWanted, this, [this, own] {
            if (own->action().lsn != 0) editAndResubmit(context_, &page_, own->action());
        });
    own->show();
    own->raise();
    own->activateWindow();
    own->panel()->takeFocus();
}

void ActionsElsewhere::searchIn(const Target& where) {
    if (search_ == nullptr) {
        search_ = new OutputSearch(context_, &page_);
        connect(search_, &OutputSearch::opened, this, &ActionsElsewhere::lineWanted);
    }
    search_->searchIn(where);
}

} // namespace yard::ui
