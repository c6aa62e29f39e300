// Below a filter field while it has the focus: what may come next, what was asked for before, or why the filter is
// wrong. Owner: ui thread.
#pragma once

#include "ui/state/filter_words.h"
#include "ui/widgets/popover.h"

#include <QListWidget>

namespace yard::ui {

class FilterPopup final : public Popover {
    Q_OBJECT
public:
    /// Over `window`, below `field`; both outlive it.
    FilterPopup(QWidget& window, QWidget& field);

    /// None: hides the list.
    void setChoices(std::vector<FilterChoice> choices);
    /// In failed ink below the choices; empty: none.
    void setHint(const QString& hint);
    const std::vector<FilterChoice>& choices() const { return choices_; }
    QString hint() const { return hint_; }
    /// The one under the cursor keys; null: none yet.
    const FilterChoice* chosen() const;
    bool hasChoices() const { return isVisible() && !choices_.empty(); }
    void walk(int steps);

signals:
    void taken(const FilterChoice& choice);

protected:
    QRect placed() override;
    void paintInside(QPainter& painter) override;
    void onLeft() override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void showOrLeave();
    QWidget& field_;
    QListWidget* list_;
    std::vector<FilterChoice> choices_;
    QString hint_;
};

} // namespace yard::ui
