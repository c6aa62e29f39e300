#include "ui/pages/filtered_page.h"

namespace yard::ui {

void FilteredPage::setFilter(const QString& filter) {
    filter_->setText(filter);
}

QString FilteredPage::filter() const {
    return filter_->text();
}

void FilteredPage::focusFilter() {
    filter_->focusAll();
}

void FilteredPage::typeInFilter(const QString& text) {
    filter_->setFocus();
    filter_->insert(text);
}

} // namespace yard::ui
