#include "ui/pages/machines/machine_address.h"

#include "ui/bridge/machine_operations.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QVBoxLayout>

namespace yard::ui {

namespace {

constexpr int kMostAddress = 300; ///< as POST machines takes them
constexpr int kMostToken = 200;

} // namespace

MachineAddress::MachineAddress(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , address_(new QLineEdit)
    , token_(new QLineEdit)
    , name_(new QLineEdit)
    , installs_(new QCheckBox(tr("Copy the program there first")))
    , addressRow_(new FormRow(tr("Address"), address_, tr("ssh://USER@HOST, or https://HOST:PORT of its engine.")))
    , tokenRow_(new FormRow(tr("Its token"), token_,
                            tr("One of its engine, with the right admin; it has to run with --serve on.")))
    , installRow_(new FormRow(tr("Program"), installs_, tr("Where no yardmaster is installed there.")))
    , note_(new WrappedLabel(QString(), Type::Body, Token::Text2))
    , add_(new Button(Button::Kind::Primary, tr("Add"), "plus")) {
    address_->setObjectName("address");
    address_->setMaxLength(kMostAddress);
    address_->setPlaceholderText("ssh://");
    token_->setObjectName("token");
    token_->setMaxLength(kMostToken);
    token_->setEchoMode(QLineEdit::Password);
    name_->setObjectName("name");
    installs_->setObjectName("install");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(addressRow_);
    column->addWidget(tokenRow_);
    column->addWidget(installRow_);
    column->addWidget(new FormRow(tr("Name"), name_, tr("Empty: as it calls itself.")));
    column->addWidget(note_);
    column->addStretch(1);
    connect(address_, &QLineEdit::textChanged, this, &MachineAddress::review);
    connect(token_, &QLineEdit::textChanged, this, &MachineAddress::review);
    connect(add_, &QAbstractButton::clicked, this, &MachineAddress::ask);
    review();
}

void MachineAddress::setAddress(const QString& address) {
    address_->setText(address.trimmed());
    (isBySsh() ? name_ : token_)->setFocus();
}

bool MachineAddress::isBySsh() const {
    return address_->text().trimmed().startsWith("ssh://");
}

bool MachineAddress::isFilled() const {
    const QString address = address_->text().trimmed();
    if (isBySsh()) return address.size() > QStringLiteral("ssh://").size();
    return address.contains("://") && !token_->text().trimmed().isEmpty();
}

/// What was confirmed was of what stood there before.
void MachineAddress::review() {
    fingerprint_.clear();
    tokenRow_->setVisible(!isBySsh());
    installRow_->setVisible(isBySsh());
    add_->setText(tr("Add"));
    add_->setBlocked(isFilled()  ? QString()
                     : isBySsh() ? tr("Say which machine")
                                 : tr("Say which machine, and give a token of its engine"));
    note_->setText(isBySsh()
                       ? tr("Its key is compared with known_hosts of the engine's user, whose keys it has to take.")
                       : QString());
}

void MachineAddress::ask() {
    const QString token = isBySsh() ? QString() : token_->text().trimmed();
    const operations::MachineAddition wanted{.address = address_->text().trimmed(),
                                             .token = token,
                                             .fingerprint = fingerprint_,
                                             .name = name_->text().trimmed(),
                                             .installs = isBySsh() && installs_->isChecked()};
    add_->setBlocked(tr("The engine links to it"));
    for (QWidget* each :
         {static_cast<QWidget*>(address_), static_cast<QWidget*>(token_), static_cast<QWidget*>(name_)})
        each->setEnabled(false); // the answer is about what stands there now
    context_.link.send(operations::addMachine(wanted), this, [this](const Answer& answer) {
        for (QWidget* each :
             {static_cast<QWidget*>(address_), static_cast<QWidget*>(token_), static_cast<QWidget*>(name_)})
            each->setEnabled(true);
        add_->setBlocked({});
        take(answer);
    });
}

void MachineAddress::take(const Answer& answer) {
    if (answer.ok()) {
        token_->clear();
        emit added();
        return;
    }
    const QString shown = answer.json.value("fingerprint").toString();
    if (answer.status == 409 && answer.error == "fingerprint" && !shown.isEmpty()) {
        fingerprint_ = shown;
        add_->setText(tr("Trust it and add"));
        note_->setText(
            tr("It shows the key %1. Its engine prints that when it starts, and 'yardctl session' there: compare "
               "all of it.")
                .arg(shown));
        return;
    }
    note_->setText(answer.status == 0
                       ? tr("The engine did not answer; if it still links to it the list shows that.")
                       : answer.message);
}

} // namespace yard::ui
