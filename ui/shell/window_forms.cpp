#include "ui/forms/register_form.h"
#include "ui/forms/submit_form.h"
#include "ui/shell/main_window.h"

namespace yard::ui {

void MainWindow::openSubmit(const QJsonObject& action, qint64 queue) {
    if (!state_) return;
    auto* form = new SubmitForm(Context{*link_, *state_, *commands_, *this}, action, queue, this);
    connect(this, &MainWindow::engineChanged, form, &QWidget::close);
    form->open();
}

void MainWindow::openRegister(const QString& path) {
    if (!state_) return;
    auto* form = new RegisterForm(Context{*link_, *state_, *commands_, *this}, path, this);
    connect(this, &MainWindow::engineChanged, form, &QWidget::close);
    form->open();
}

} // namespace yard::ui
