// What the Actions page opens beside itself: the search in outputs.
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_search.h"
#include "ui/pages/actions/output_tab.h"

namespace yard::ui {

/// Of several that are selected those, else all that the filter finds.
void ActionsPage::searchOutputs() {
    Target where = target();
    if (where.lsns.size() < 2 || where.lsns.size() > static_cast<std::size_t>(kMostInOneRequest))
        where = {{}, model_->filter().trimmed(), model_->total()};
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
