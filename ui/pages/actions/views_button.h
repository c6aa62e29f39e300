// The button with the views of the page of actions: filters with a name, those that are always there and those of the
// operator. It is called as the view that is shown. Owner: ui thread.
#pragma once

#include "ui/widgets/button.h"

namespace yard::ui {

class ViewsButton final : public Button {
    Q_OBJECT
public:
    explicit ViewsButton(QWidget* parent = nullptr);
    /// This filter is in force now.
    void showFilter(const QString& filter);

signals:
    void chosen(const QString& filter);

private:
    void fill(QMenu& menu);
    QString filter_;
};

} // namespace yard::ui
