// Below a filter field while it has the focus: what may come next, what was asked for before, or why the filter is
// wrong. A child of the window without a frame, so that it works wherever windows cannot place others. Owner: ui
// thread.
#pragma once

#include "ui/models/filter_words.h"

#include <QListWidget>
#include <QWidget>

namespace yard::ui {

class FilterPopup final : public QWidget {
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
    void leave();

signals:
    void taken(const FilterChoice& choice);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();
    QWidget& window_;
    QWidget& field_;
    QListWidget* list_;
    std::vector<FilterChoice> choices_;
    QString hint_;
};

} // namespace yard::ui
