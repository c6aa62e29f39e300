// What an engine without any work shows in place of the dashboard: where it is, and three ways to begin. Run a command,
// drop or choose a program, look at an example. Owner: ui thread, the dashboard.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

QT_BEGIN_NAMESPACE
class QGridLayout;
class QMimeData;
QT_END_NAMESPACE

namespace yard::ui {

class FirstStart final : public QWidget {
    Q_OBJECT
public:
    explicit FirstStart(Context context);
    void setAddress(const QString& address) { address_->setText(address); }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    Button* addWay(QGridLayout& grid, Button* button, const QString& name, const QString& what);
    QWidget* makeWays();
    QWidget* makeLine();
    void chooseProgram();
    void openProgram(const QString& path);
    void loadExample();

    Context context_;
    Label* address_;
    Button* example_ = nullptr;
};

} // namespace yard::ui
