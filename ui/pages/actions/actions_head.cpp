#include "ui/pages/actions/actions_head.h"

#include "ui/pages/actions/views_button.h"
#include "ui/style/format.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace yard::ui {

namespace {

/// Of the page's width: with less the head has no room for the switch.
constexpr int kSwitchFrom = 1'240;

} // namespace

ActionsHead::ActionsHead(FilterField* filter)
    : PageHead(tr("Actions"))
    , view_(new ViewsButton)
    , badge_(new UpdatesBadge)
    , reschedule_(new Button(Button::Kind::Plain, tr("Reschedule"), "again"))
    , cancel_(new Button(Button::Kind::Plain, tr("Cancel"), "close"))
    , move_(new Button(Button::Kind::Plain, tr("Move"), {}))
    , folded_(new Button(Button::Kind::Plain, tr("Arrays folded"), "queues"))
    , more_(new Button(Button::Kind::Plain, tr("More"), {})) {
    filter->setMaximumWidth(scaled(620));
    addLeft(filter, 1);
    addLeft(view_);
    addLeft(folded_);
    folded_->setAccessibleName(tr("Arrays folded"));
    auto* columns = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    // It has a "More" of its own, and says beside it what the two others act on.
    addRight(badge_);
    addRight(columns);
    addSeparator();
    auto* menu = new QMenu(this);
    moreFor_ = menu->addAction(QString());
    moreFor_->setEnabled(false);
    more_->setMenu(menu);
    move_->setMenu(new QMenu(this));
    move_->setAccessibleDescription(tr("Within the order of its queue"));
    for (QWidget* button : {reschedule_, cancel_, move_}) addRight(button);
    addRight(more_, false);
    setMore(more_);
    connect(view_, &ViewsButton::chosen, this, &ActionsHead::viewChosen);
    connect(badge_, &QAbstractButton::clicked, this, &ActionsHead::updatesWanted);
    connect(folded_, &QAbstractButton::clicked, this, &ActionsHead::foldWanted);
    connect(columns, &QAbstractButton::clicked, this,
            [this, columns] { emit columnsWanted(columns->mapToGlobal(QPoint(0, columns->height()))); });
    connect(reschedule_, &QAbstractButton::clicked, this, &ActionsHead::rescheduleWanted);
    connect(cancel_, &QAbstractButton::clicked, this, &ActionsHead::cancelWanted);
}

void ActionsHead::addMoves(const QList<QAction*>& entries) {
    move_->menu()->addActions(entries);
}

void ActionsHead::addMore(const QList<QAction*>& entries) {
    more_->menu()->addActions(entries);
}

void ActionsHead::showFilter(const QString& filter) {
    view_->showFilter(filter);
}

void ActionsHead::showFolded(bool folded) {
    folded_->setLit(folded);
}

void ActionsHead::showWaiting(int count) {
    badge_->setCount(count);
}

/// Nothing is acted on that is not named.
void ActionsHead::showTarget(const Target& all, const Target& again) {
    QString rescheduleText = tr("Reschedule");
    QString cancelText = tr("Cancel");
    QString on;
    if (all.lsns.size() == 1) {
        on = Format().number(all.lsns.front());
        rescheduleText = tr("Reschedule %1").arg(on);
        cancelText = tr("Cancel %1").arg(on);
    } else if (!all.isEmpty() && all.count) {
        const int count = pluralCount(*all.count);
        on = tr("%Ln action(s)", nullptr, count);
        if (const int failed = pluralCount(again.count.value_or(*all.count)); failed > 0)
            rescheduleText = tr("Reschedule %Ln action(s)", nullptr, failed);
        cancelText = tr("Cancel %Ln action(s)", nullptr, count);
    } else if (!all.isEmpty()) {
        on = tr("All that match");
        rescheduleText = tr("Reschedule all that match");
        cancelText = tr("Cancel all that match");
    }
    reschedule_->setText(rescheduleText);
    cancel_->setText(cancelText);
    moreFor_->setText(on);
    moreFor_->setVisible(!on.isEmpty());
    for (Button* each : {reschedule_, cancel_}) each->updateGeometry();
}

QString ActionsHead::targetText() const {
    return moreFor_->text();
}

void ActionsHead::showBlocked(const QString& reschedule, const QString& cancel, const QString& move,
                              const QString& more) {
    reschedule_->setBlocked(reschedule);
    cancel_->setBlocked(cancel);
    move_->setBlocked(move);
    const QList<QAction*> entries = more_->menu()->actions();
    const bool isAny = std::ranges::any_of(
        entries, [this](const QAction* entry) { return entry != moreFor_ && entry->isEnabled(); });
    more_->setBlocked(isAny || hasFolded() ? QString() : more);
}

void ActionsHead::fitTo(int width) {
    folded_->setVisible(width >= scaled(kSwitchFrom));
}

} // namespace yard::ui
