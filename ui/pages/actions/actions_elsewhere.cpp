// What the Actions page opens beside itself: the search in outputs, windows of single actions.
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/detail_window.h"
#include "ui/pages/actions/output_search.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/resubmit.h"

#include <algorithm>

namespace yard::ui {

QList<DetailWindow*> ActionsPage::ownWindows() const {
    QList<DetailWindow*> open = findChildren<DetailWindow*>(QString(), Qt::FindDirectChildrenOnly);
    open.removeIf([](const DetailWindow* own) { return own->isHidden(); }); // closed, and about to go
    return open;
}

void ActionsPage::openOwnWindow(qint64 lsn) {
    if (lsn == 0) return;
    const QList<DetailWindow*> open = ownWindows();
    const auto known = std::ranges::find(open, lsn, &DetailWindow::lsn);
    if (known == open.end() && open.size() >= kMostOwnWindows)
        return context_.window.say(
            tr("%n window(s) of actions are open: close one first", nullptr, static_cast<int>(open.size())), true);
    DetailWindow* own = known != open.end() ? *known : new DetailWindow(context_, lsn, this);
    if (known == open.end())
        connect(own, &DetailWindow::editWanted, this, [this, own] {
            if (own->action().lsn != 0) editAndResubmit(context_, this, own->action());
        });
    own->show();
    own->raise();
    own->activateWindow();
    own->panel()->takeFocus();
}

/// Of several that are selected those, as of an array or a list; else all that the filter finds.
void ActionsPage::searchOutputs() {
    Target where = target();
    const bool isSeveral =
        where.lsns.size() >= 2 && where.lsns.size() <= static_cast<std::size_t>(kMostInOneRequest);
    if (!isSeveral && where.filter.isEmpty()) where = {{}, model_->filter().trimmed(), {}};
    if (search_ == nullptr) {
        search_ = new OutputSearch(context_, this);
        connect(search_, &OutputSearch::opened, this,
                [this](qint64 lsn, LogStream stream, qint64 line, const QString& text) {
                    open(lsn, "output");
                    detail_->output()->goTo(lsn, stream, static_cast<std::size_t>(line), text);
                });
    }
    search_->searchIn(where);
}

} // namespace yard::ui
