// A page with a field for its filter: what the window asks of that field is the same on each. Owner: ui thread. The
// page places the field in its head and says what becomes of what is written there.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/page_head.h"

namespace yard::ui {

class FilteredPage : public Page {
    Q_OBJECT
public:
    void setFilter(const QString& filter) override;
    QString filter() const override;
    void focusFilter() override;

protected:
    /// `filter` becomes the page's child with the head it is placed in.
    FilteredPage(Context context, FilterField* filter)
        : Page(context)
        , filter_(filter) {}

    /// Letters that were typed over the rows go on in the filter.
    void typeInFilter(const QString& text);

    FilterField* const filter_;
};

} // namespace yard::ui
