// A log with its find bar: Ctrl+F opens it where the focus is in here, F3 and Shift+F3 go from match to match, Esc
// closes it. Owner: ui thread.
#pragma once

#include "ui/log/log_view.h"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class LogPane final : public QWidget {
    Q_OBJECT
public:
    explicit LogPane(QWidget* parent = nullptr);
    LogView* view() const { return view_; }
    QLineEdit* findField() const { return find_; }
    bool isFinding() const { return bar_->isVisibleTo(this); }
    void openFind();
    /// Shows all lines again, also those that came in a pause.
    void closeFind();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeBar();
    bool isOwnKey(const QKeyEvent& event) const;
    void findNext(bool backwards);

    LogView* view_;
    QWidget* bar_;
    QLineEdit* find_;
    QLineEdit* only_;
    QCheckBox* pause_;
};

} // namespace yard::ui
