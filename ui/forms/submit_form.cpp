#include "ui/forms/submit_form.h"

#include "ui/style/type.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPlainTextEdit>

namespace yard::ui {

SubmitForm::SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , text_(new QPlainTextEdit)
    , queue_(new QComboBox)
    , problem_(new Label({}, Type::Body, Token::Text2))
    , submit_(new Button(Button::Kind::Primary, tr("Submit"), {})) {
    setObjectName("submit");
    setWindowTitle(tr("Submit"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(640, 480);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(8);
    column->addWidget(new Label(tr("Submit"), Type::Title, Token::Text1));
    auto* into = new QHBoxLayout;
    into->addWidget(new Label(tr("Into queue"), Type::Body, Token::Text2));
    for (const auto& [id, info] : context_.state.queues()) queue_->addItem(info.name(), id);
    queue_->setCurrentIndex(queue_->findData(queue));
    queue_->setAccessibleName(tr("Queue"));
    into->addWidget(queue_);
    into->addStretch(1);
    column->addLayout(into);
    const QJsonObject first =
        action.isEmpty() ? QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"echo", "hello"}}} : action;
    text_->setPlainText(QString::fromUtf8(QJsonDocument(first).toJson()));
    text_->setFont(typeface(Type::Mono));
    text_->setAccessibleName(tr("Action as JSON"));
    column->addWidget(text_, 1);
    problem_->setElides(true);
    column->addWidget(problem_);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    row->addWidget(close);
    row->addWidget(submit_);
    column->addLayout(row);
    connect(close, &QAbstractButton::clicked, this, &QDialog::reject);
    connect(submit_, &QAbstractButton::clicked, this, &SubmitForm::submit);
    connect(text_, &QPlainTextEdit::textChanged, this, &SubmitForm::check);
}

void SubmitForm::check() {
    QJsonParseError error;
    QJsonDocument::fromJson(text_->toPlainText().toUtf8(), &error);
    const bool good = error.error == QJsonParseError::NoError;
    problem_->setText(good ? QString() : tr("At character %1: %2").arg(error.offset).arg(error.errorString()));
    submit_->setBlocked(problem_->text());
}

void SubmitForm::submit() {
    const QJsonDocument document = QJsonDocument::fromJson(text_->toPlainText().toUtf8());
    const QJsonValue actions = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
    const qint64 queue = queue_->currentData().toLongLong();
    context_.commands.run(operations::submit(actions, queue, context_.state.queueName(queue)), this,
                          [this](const Answer& answer) {
                              if (answer.ok()) return accept();
                              problem_->setText(answer.message); // nothing that was written is lost
                          });
}

} // namespace yard::ui
