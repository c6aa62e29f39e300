#include "ui/pages/machines/add_machine.h"

#include "core/base/clock.h"
#include "ui/bridge/machine_operations.h"
#include "ui/bridge/pinning.h"
#include "ui/pages/machines/machine_address.h"
#include "ui/style/format.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QStackedWidget>

#include <utility>

namespace yard::ui {

namespace {

constexpr int kMostUses = 1'000;
constexpr int kMostCores = 4'096; ///< as POST machines/tokens takes them
constexpr qint64 kHourSeconds = 3'600;

/// The engine has no such route: an earlier one, or one that is built without.
bool hasNoTokens(const Answer& answer) {
    return answer.status == 404 || answer.status == 405 || answer.status == 501;
}

} // namespace

AddMachine::AddMachine(Context context, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , ways_(new QComboBox)
    , forms_(new QStackedWidget)
    , address_(new MachineAddress(context, forms_))
    , uses_(new QSpinBox)
    , expires_(new QComboBox)
    , cores_(new QLineEdit)
    , make_(new Button(Button::Kind::Primary, tr("Make a join token"), "key"))
    , copy_(new Button(Button::Kind::Plain, tr("Copy"), "copy"))
    , shown_(new QLineEdit)
    , note_(new WrappedLabel(
          tr("A machine joins with a token. It needs yardmaster, and a way to this engine's address."), Type::Body,
          Token::Text2)) {
    setObjectName("add-machine");
    setWindowTitle(tr("Add a machine"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaled(720), scaled(400));
    ways_->setObjectName("way");
    ways_->addItem(tr("It joins with a token"), static_cast<int>(Way::Token));
    ways_->addItem(tr("This engine links to it"), static_cast<int>(Way::Address));
    ways_->addItem(tr("An allocator asks another system for it"), static_cast<int>(Way::Allocator));
    forms_->addWidget(tokenForm());
    forms_->addWidget(address_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(tr("Add a machine"), Type::Title, Token::Text1));
    column->addWidget(new FormRow(tr("How it comes"), ways_, {}));
    column->addWidget(forms_, 1);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    foot->addStretch(1);
    foot->addWidget(close);
    foot->addWidget(make_);
    foot->addWidget(address_->add());
    column->addLayout(foot);
    connect(close, &QAbstractButton::clicked, this, &QDialog::close);
    connect(make_, &QAbstractButton::clicked, this, &AddMachine::ask);
    connect(copy_, &QAbstractButton::clicked, this, [this] { QApplication::clipboard()->setText(command_); });
    connect(address_, &MachineAddress::added, this, &QDialog::close);
    connect(ways_, &QComboBox::currentIndexChanged, this,
            [this] { choose(static_cast<Way>(ways_->currentData().toInt())); });
    choose(Way::Token);
    make_->setFocus();
}

/// What a token is made with, and the command for the other machine.
QWidget* AddMachine::tokenForm() {
    uses_->setRange(1, kMostUses);
    for (const auto& [words, seconds] :
         {std::pair(tr("1 hour"), kHourSeconds), std::pair(tr("1 day"), 24 * kHourSeconds),
          std::pair(tr("7 days"), 7 * 24 * kHourSeconds)})
        expires_->addItem(words, seconds);
    cores_->setFixedWidth(scaled(108));
    cores_->setObjectName("cores");
    shown_->setReadOnly(true);
    shown_->setFont(typeface(Type::Mono));
    shown_->setObjectName("command");
    shown_->setAccessibleName(tr("Command for the other machine"));
    coresRow_ = new FormRow(tr("Cores, at most"), cores_, tr("Empty: all that the machine gives."));
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(new FormRow(tr("Machines"), uses_, tr("So many may join with the token.")));
    column->addWidget(new FormRow(tr("Ends after"), expires_, {}));
    column->addWidget(coresRow_);
    column->addWidget(note_);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(shown_, 1);
    line->addWidget(copy_);
    column->addLayout(line);
    column->addStretch(1);
    shown_->hide();
    copy_->hide();
    return form;
}

void AddMachine::choose(Way way) {
    if (way == Way::Allocator) {
        emit allocatorWanted();
        close();
        return;
    }
    const bool isAddress = way == Way::Address;
    ways_->setCurrentIndex(ways_->findData(static_cast<int>(way)));
    forms_->setCurrentIndex(isAddress ? 1 : 0);
    make_->setVisible(!isAddress);
    address_->add()->setVisible(isAddress);
}

void AddMachine::ask() {
    const QString given = cores_->text().trimmed();
    bool isWhole = true;
    const int cores = given.isEmpty() ? 0 : QLocale().toInt(given, &isWhole);
    const bool isWrong = !given.isEmpty() && (!isWhole || cores < 1 || cores > kMostCores);
    coresRow_->setProblem(isWrong ? tr("This wants a whole number from 1 to %L1").arg(kMostCores) : QString());
    if (isWrong) return;
    make_->setBlocked(tr("The engine is asked"));
    context_.link.send(operations::makeJoinToken(uses_->value(), expires_->currentData().toLongLong(), cores), this,
                       [this](const Answer& answer) {
                           make_->setBlocked({});
                           take(answer);
                       });
}

void AddMachine::take(const Answer& answer) {
    const QString url = whereFrom(answer.json.value("url").toString());
    const QString token = answer.json.value("token").toString();
    if (hasNoTokens(answer))
        return showCommand(QStringLiteral("YARD_JOIN_TOKEN=TOKEN yardmaster --headless --join ") + shellWord(url),
                           tr("This engine makes no join tokens. Make a token with the right admin (yardctl tokens "
                              "new NAME --right admin) and put it in place of TOKEN."));
    if (!answer.ok() || token.isEmpty())
        return showCommand({}, answer.ok() ? tr("The engine sent no token.") : answer.message);
    QString note = tr("Type this on the other machine. The token is shown once.");
    if (const qint64 expires = answer.json.value("expires").toInteger(); expires > 0)
        note = tr("Type this on the other machine by %1. The token is shown once.")
                   .arg(Format().coming(expires, wallNow()));
    if (isLoopback(QUrl(url)))
        note += ' ' + tr("The engine listens on this machine alone: start it with --listen and TLS for others.");
    showCommand(
        QStringLiteral("YARD_JOIN_TOKEN=%1 yardmaster --headless --join %2").arg(shellWord(token), shellWord(url)),
        note);
}

/// The engine's word, else the address that this window knows it by.
QString AddMachine::whereFrom(const QString& told) const {
    if (!told.isEmpty()) return told;
    QUrl url = context_.link.address();
    url.setPath({});
    return url.toString();
}

void AddMachine::showCommand(const QString& command, const QString& note) {
    command_ = command;
    note_->setText(note);
    shown_->setText(command);
    shown_->setCursorPosition(0);
    shown_->setVisible(!command.isEmpty());
    copy_->setVisible(!command.isEmpty());
}

} // namespace yard::ui
