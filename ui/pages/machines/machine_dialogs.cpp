#include "ui/pages/machines/machine_dialogs.h"

#include "ui/bridge/machine_operations.h"
#include "ui/pages/machines/allocator_form.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace yard::ui {

namespace {

constexpr int kMostRules = 600; ///< as PATCH machines/ID takes them

QVBoxLayout* dialogColumn(QDialog* dialog, const QString& title) {
    dialog->setWindowTitle(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(title, Type::Title, Token::Text1));
    return column;
}

void addDialogFoot(QDialog* dialog, QVBoxLayout* column, Button* save, const QString& close) {
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* closes = new Button(Button::Kind::Plain, close, {});
    foot->addStretch(1);
    foot->addWidget(closes);
    foot->addWidget(save);
    column->addLayout(foot);
    QObject::connect(closes, &QAbstractButton::clicked, dialog, &QDialog::close);
}

} // namespace

AllocatorDialog::AllocatorDialog(Context context, const QJsonObject& allocator, QWidget* parent)
    : QDialog(parent)
    , form_(new AllocatorForm(context, allocator, this)) {
    setObjectName("allocator");
    resize(scaled(720), scaled(560));
    QVBoxLayout* column =
        dialogColumn(this, allocator.isEmpty() ? tr("Add an allocator")
                                               : tr("Change %1").arg(allocator.value("name").toString()));
    column->addWidget(form_, 1);
    addDialogFoot(this, column, form_->save(), tr("Close"));
    connect(form_, &AllocatorForm::saved, this, &QDialog::close);
}

MachineHours::MachineHours(Context context, const MachineInfo& machine, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , machine_(machine.id)
    , name_(machine.name)
    , rules_(new QLineEdit(machine.hours))
    , row_(
          new FormRow(tr("Hours"), rules_,
                      tr("Such as mon-fri 19:00-07:00, with commas between several, by the machine's clock. Empty: "
                         "always.")))
    , save_(new Button(Button::Kind::Primary, tr("Change"), {})) {
    setObjectName("machine-hours");
    rules_->setObjectName("hours");
    rules_->setMaxLength(kMostRules);
    resize(scaled(620), scaled(200));
    QVBoxLayout* column = dialogColumn(this, tr("Hours of %1").arg(name_));
    column->addWidget(row_);
    column->addStretch(1);
    addDialogFoot(this, column, save_, tr("Close"));
    connect(save_, &QAbstractButton::clicked, this, &MachineHours::ask);
    connect(rules_, &QLineEdit::textChanged, row_, [this] { row_->setProblem({}); });
    rules_->setFocus();
}

void MachineHours::ask() {
    save_->setBlocked(tr("The engine is asked"));
    context_.commands.run(operations::setMachineHours(machine_, name_, rules_->text().trimmed()), this,
                          [this](const Answer& answer) {
                              save_->setBlocked({});
                              if (!answer.ok()) return row_->setProblem(answer.message);
                              emit saved();
                              close();
                          });
}

} // namespace yard::ui
