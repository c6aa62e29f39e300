#include "ui/pages/queues/new_queue.h"

#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QDialog>
#include <QLineEdit>

namespace yard::ui {

void askNewQueue(QWidget* parent, Context context) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setModal(true);
    dialog->setObjectName("new-queue");
    dialog->setWindowTitle(QObject::tr("New queue"));
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(8);
    column->addWidget(new Label(QObject::tr("New queue"), Type::Title, Token::Text1));
    column->addWidget(new Label(QObject::tr("Tag, what people know it by"), Type::Body, Token::Text2));
    auto* tag = new QLineEdit;
    tag->setMinimumWidth(scaled(320));
    tag->setMaxLength(256);
    tag->setAccessibleName(QObject::tr("Tag"));
    column->addWidget(tag);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addStretch(1);
    auto* keep = new Button(Button::Kind::Plain, QObject::tr("Close"), {});
    auto* make = new Button(Button::Kind::Primary, QObject::tr("Create queue"), {});
    make->setBlocked(QObject::tr("Give it a tag first"));
    row->addWidget(keep);
    row->addWidget(make);
    column->addSpacing(6);
    column->addLayout(row);
    const auto create = [=] {
        if (tag->text().trimmed().isEmpty()) return;
        // The window's queues stay until they are deleted.
        context.commands.run(operations::createQueue(tag->text().trimmed(), {{"idle_expiry_s", 0}}));
        dialog->accept();
    };
    QObject::connect(tag, &QLineEdit::textChanged, make, [=](const QString& text) {
        make->setBlocked(text.trimmed().isEmpty() ? QObject::tr("Give it a tag first") : QString());
    });
    QObject::connect(keep, &QAbstractButton::clicked, dialog, &QDialog::reject);
    QObject::connect(make, &QAbstractButton::clicked, dialog, create);
    QObject::connect(tag, &QLineEdit::returnPressed, dialog, create);
    dialog->open();
    tag->setFocus();
}

} // namespace yard::ui
