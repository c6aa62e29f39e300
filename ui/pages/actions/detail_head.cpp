#include "ui/pages/actions/detail_head.h"

#include "ui/state/reproduction.h"
#include "ui/style/icons.h"
#include "ui/widgets/text_view.h"

#include <QMenu>

namespace yard::ui {

DetailHead::DetailHead(Context context)
    : Surface(Token::Bg1)
    , context_(context)
    , icon_(new QLabel)
    , number_(new Label({}, Type::Strong, Token::Text1))
    , what_(new Label({}, Type::Body, Token::Text1))
    , where_(new Label({}, Type::Body, Token::Text3))
    , reschedule_(new Button(Button::Kind::Primary, tr("Reschedule"), "again")) {
    setFixedHeight(scaled(40));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(icon_);
    row->addWidget(number_);
    what_->setElides(true);
    where_->setElides(true);
    row->addWidget(what_);
    row->addWidget(where_, 1);
    row->addStretch(0);
    auto* edit = new Button(Button::Kind::Plain, tr("Edit and resubmit"), "edit");
    auto* compare = new Button(Button::Kind::Plain, tr("Compare"), "compare");
    auto* copy = new Button(Button::Kind::Plain, tr("Copy as"), "copy");
    auto* menu = new QMenu(this);
    addCopies(*menu);
    copy->setMenu(menu);
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close the panel"));
    close->setToolTip(tr("Esc"));
    for (QWidget* button :
         {static_cast<QWidget*>(reschedule_), static_cast<QWidget*>(edit), static_cast<QWidget*>(compare),
          static_cast<QWidget*>(copy), static_cast<QWidget*>(close)})
        row->addWidget(button);
    connect(reschedule_, &QAbstractButton::clicked, this, &DetailHead::rescheduleWanted);
    connect(edit, &QAbstractButton::clicked, this, &DetailHead::editWanted);
    connect(compare, &QAbstractButton::clicked, this, &DetailHead::compareWanted);
    connect(close, &QAbstractButton::clicked, this, &DetailHead::closeWanted);
}

void DetailHead::addCopies(QMenu& menu) {
    const auto copy = [this](const QString& text) { copyText(context_.window, text); };
    menu.addAction(tr("yardctl: show it"), this,
                   [=, this] { copy(context_.link.yardctl(QStringLiteral("yardctl show %1").arg(lsn_))); });
    menu.addAction(tr("yardctl: its output"), this,
                   [=, this] { copy(context_.link.yardctl(QStringLiteral("yardctl logs %1").arg(lsn_))); });
    menu.addAction(tr("yardctl: submit it again"), this,
                   [=, this] { copy(context_.link.yardctl(operations::submit(spec_, queue_, {}).yardctl)); });
    menu.addAction(tr("curl: show it"), this, [=, this] {
        copy(context_.link.curl({"GET", QStringLiteral("jobs/%1").arg(lsn_), {}, {}, {}}));
    });
    menu.addAction(tr("curl: submit it again"), this,
                   [=, this] { copy(context_.link.curl(operations::submit(spec_, queue_, {}).request)); });
    menu.addSeparator();
    menu.addAction(tr("JSON of the action"), this, [=, this] { copy(jsonText(spec_)); });
    menu.addAction(tr("JSON of the result"), this, [=, this] { copy(jsonText(action_)); });
    menu.addAction(tr("Number"), this, [=, this] { copy(QString::number(lsn_)); });
    menu.addSeparator();
    menu.addAction(tr("yardctl: run it again in a directory"), this,
                   [=, this] { copy(context_.link.yardctl(reproduceLine(lsn_))); });
    menu.addAction(tr("Open in a terminal, to run it again"), this, [this] {
        if (const QString problem = reproduceInTerminal(context_.link, lsn_); !problem.isEmpty())
            context_.window.say(problem, true);
    });
}

void DetailHead::begin(qint64 lsn) {
    lsn_ = lsn;
    action_ = spec_ = {};
    queue_ = 0;
    if (lsn == 0) return;
    number_->setText(Format().number(lsn));
    for (Label* each : {what_, where_}) each->setText({});
    icon_->clear();
    reschedule_->hide();
}

void DetailHead::setAction(const ActionRow& row, const QJsonObject& action) {
    action_ = action;
    queue_ = row.queue;
    icon_->setPixmap(icons::faceIcon(row.face).pixmap(14, 14));
    number_->setText(Format().number(row.lsn));
    what_->setText(row.what());
    QStringList where{row.worker};
    if (!row.function.isEmpty() && !row.label.isEmpty()) where << row.function;
    where_->setText(action.isEmpty() ? QString()
                                     : where.join(", ") + tr(", in %1").arg(context_.state.queueName(row.queue)));
    reschedule_->setVisible(row.canGoAgain());
}

} // namespace yard::ui
