#include "ui/shell/question.h"

#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/transient.h"

#include <QDialog>
#include <QLabel>

namespace yard::ui {

bool askQuestion(QWidget* parent, const QString& question, const QString& lost, const QString& verb,
                 const QString& keep) {
    Transient<QDialog> dialog(parent);
    dialog->setObjectName("question");
    dialog->setWindowTitle(question);
    dialog->setAccessibleName(question);
    auto* column = new QVBoxLayout(&*dialog);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(question, Type::Title, Token::Text1));
    auto* text = new QLabel(lost);
    text->setWordWrap(true);
    text->setMinimumWidth(scaled(420));
    column->addWidget(text);
    column->addSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addStretch(1);
    auto* safe = new Button(Button::Kind::Plain, keep, {});
    safe->setObjectName("keep");
    auto* act = new Button(Button::Kind::Primary, verb, {});
    act->setObjectName("verb");
    row->addWidget(safe);
    row->addWidget(act);
    column->addLayout(row);
    QObject::connect(safe, &QAbstractButton::clicked, &*dialog, &QDialog::reject);
    QObject::connect(act, &QAbstractButton::clicked, &*dialog, &QDialog::accept);
    safe->setFocus();
    return dialog.run() && dialog->result() == QDialog::Accepted;
}

} // namespace yard::ui
