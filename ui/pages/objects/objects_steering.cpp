// What can be done with the objects that are selected: the page's commands, its menus, and why each cannot be given.
#include "ui/pages/objects/objects_page.h"

#include "ui/pages/objects/new_object_form.h"
#include "ui/pages/objects/object_panel.h"
#include "ui/pages/objects/state_view.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace yard::ui {

std::vector<CommandSpec> ObjectsPage::declared() {
    return {{"new-object", tr("New object…")},
            {"look-now", tr("Look now"), QKeySequence("Ctrl+L")},
            {"move-to", tr("Move to…"), QKeySequence("Ctrl+M")},
            {"retry", tr("Retry")},
            {"show-children", tr("Show children")},
            {"show-parent", tr("Show parent")},
            {"delete", tr("Delete…"), QKeySequence("Shift+Del")}};
}

void ObjectsPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    newAction_ = maker("new-object", [this] { openForm(); });
    lookAction_ = maker("look-now", [this] { run(operations::objectsDueNow(selected())); });
    moveAction_ = maker("move-to", [this] {
        moveMenu_->popup(panel_->isVisible() ? panel_->moveTo()->mapToGlobal(panel_->moveTo()->rect().bottomLeft())
                                             : table_->mapToGlobal(QPoint(20, 20)));
    });
    retryAction_ = maker("retry", [this] {
        if (const auto retry = retryOfSelected()) run(*retry);
    });
    childrenAction_ = maker("show-children", [this] {
        if (!selected().empty()) goTo(QStringLiteral("children:%1:").arg(selected().front()));
    });
    parentAction_ = maker("show-parent", [this] {
        if (detail_ && detail_->info.parent != 0) open(detail_->info.parent);
    });
    removeAction_ = maker("delete", [this] { remove(); });
    connect(moveMenu_, &QMenu::aboutToShow, this, &ObjectsPage::fillMoveMenu);
    connect(copyMenu_, &QMenu::aboutToShow, this, &ObjectsPage::fillCopyMenu);
    panel_->moveTo()->setMenu(moveMenu_);
    panel_->copyAs()->setMenu(copyMenu_);
    connect(fresh_, &QAbstractButton::clicked, newAction_, &QAction::trigger);
    connect(panel_->lookNow(), &QAbstractButton::clicked, lookAction_, &QAction::trigger);
    connect(panel_->retry(), &QAbstractButton::clicked, retryAction_, &QAction::trigger);
    connect(panel_->remove(), &QAbstractButton::clicked, removeAction_, &QAction::trigger);
}

std::vector<qint64> ObjectsPage::selected() const {
    auto ids = table_->selectedIds();
    if (ids.empty() && shown_ != 0) ids.push_back(shown_);
    return ids;
}

const ObjectType* ObjectsPage::typeOfSelected() const {
    QString name;
    for (const qint64 id : selected()) {
        const ObjectInfo* object = rows_->object(id);
        const bool isDetail = object == nullptr && detail_ && detail_->info.id == id;
        if (object == nullptr && !isDetail) return nullptr;
        const QString& type = isDetail ? detail_->info.type : object->type;
        if (!name.isEmpty() && name != type) return nullptr;
        name = type;
    }
    return typeNamed(types_, name);
}

void ObjectsPage::onSelection() {
    const auto ids = table_->selectedIds();
    const qint64 wanted = ids.empty() ? 0 : ids.front();
    if (wanted != shown_) {
        shown_ = wanted;
        detail_.reset();
        detailPoll_.forget();
        panel_->showNothing();
        if (shown_ != 0) detailPoll_.now();
    }
    panel_->setVisible(shown_ != 0);
    steer();
}

void ObjectsPage::steer() {
    const auto ids = selected();
    const QString lost = context_.state.whyBlocked();
    const QString unchosen = ids.empty() ? tr("Select an object first") : QString();
    const bool isTooMany = ids.size() > operations::kMostObjectsAtOnce;
    const QString many =
        isTooMany ? tr("At most %1 at once").arg(Format().number(operations::kMostObjectsAtOnce)) : QString();
    QString blocked;
    for (const QString& why : {lost, unchosen, many})
        if (blocked.isEmpty()) blocked = why;
    const auto hasEnded = [this](qint64 id) {
        const ObjectInfo* object = rows_->object(id);
        if (object != nullptr) return object->nextLook == 0;
        return detail_ && detail_->info.id == id && detail_->info.nextLook == 0;
    };
    const bool isOver = !ids.empty() && std::ranges::all_of(ids, hasEnded);
    QString mixed;
    if (typeOfSelected() == nullptr)
        mixed = ids.size() > 1 ? tr("They are of several types") : tr("It is not known yet");
    const auto orElse = [&](const QString& why) { return blocked.isEmpty() ? why : blocked; };
    setBlocked(lookAction_, orElse(isOver ? tr("It has ended: nobody looks at it again") : QString()));
    setBlocked(moveAction_, orElse(mixed));
    const bool canRetry = retryOfSelected().has_value();
    setBlocked(retryAction_, orElse(canRetry ? QString() : tr("It did not come to a bad end, and is not stuck")));
    setBlocked(removeAction_, blocked);
    setBlocked(childrenAction_, ids.size() > 1 ? tr("Select one object") : unchosen);
    setBlocked(parentAction_, detail_ && detail_->info.parent != 0 ? QString() : tr("It is nobody's child"));
    setBlocked(newAction_, !lost.isEmpty() ? lost : types_.empty() ? tr("Add a type of objects first") : QString());
    fresh_->setBlocked(blockedWhy(newAction_));
    panel_->lookNow()->setBlocked(blockedWhy(lookAction_));
    panel_->moveTo()->setBlocked(blockedWhy(moveAction_));
    panel_->retry()->setVisible(canRetry);
    panel_->retry()->setBlocked(blockedWhy(retryAction_));
    panel_->remove()->setBlocked(blockedWhy(removeAction_));
}

std::optional<Operation> ObjectsPage::retryOfSelected() const {
    const auto ids = selected();
    const ObjectType* type = typeOfSelected();
    if (type == nullptr || ids.empty()) return std::nullopt;
    const auto begin = std::ranges::find(type->states, true, &ObjectState::isInitial);
    if (begin == type->states.end()) return std::nullopt;
    std::size_t bad = 0;
    std::size_t stuck = 0;
    bool isForced = false;
    for (const qint64 id : ids) {
        const ObjectInfo* row = rows_->object(id);
        const ObjectInfo& object = row != nullptr ? *row : detail_->info; // typeOfSelected() knows one of them
        const ObjectState* state = type->state(object.status);
        if (state != nullptr && state->isFinal && state->kind == "bad") ++bad;
        if (object.isStuck) ++stuck;
        if (!type->movesFrom(object.status).contains(begin->name)) isForced = true;
    }
    if (bad == ids.size()) return operations::moveObjects(ids, begin->name, isForced);
    if (stuck == ids.size()) return operations::objectsDueNow(ids);
    return std::nullopt;
}

/// What the type allows from where they all are; the others behind Force.
void ObjectsPage::fillMoveMenu() {
    moveMenu_->clear();
    for (QMenu* before : moveMenu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly)) before->deleteLater();
    const ObjectType* type = typeOfSelected();
    if (type == nullptr) return;
    std::vector<QString> statuses;
    for (const qint64 id : selected()) {
        const ObjectInfo* object = rows_->object(id);
        const QString status = object != nullptr ? object->status : detail_ ? detail_->info.status : QString();
        if (std::ranges::find(statuses, status) == statuses.end()) statuses.push_back(status);
    }
    const auto isAllowed = [&](const QString& to) {
        return std::ranges::all_of(statuses,
                                   [&](const QString& from) { return type->movesFrom(from).contains(to); });
    };
    auto* force = new QMenu(tr("Force"), moveMenu_);
    for (const ObjectState& state : type->states) {
        const bool isHere = statuses.size() == 1 && statuses.front() == state.name;
        if (isAllowed(state.name))
            addMove(*moveMenu_, state.name, false);
        else if (!isHere)
            addMove(*force, state.name, true);
    }
    if (moveMenu_->isEmpty()) moveMenu_->addAction(tr("Its type allows no move from here"))->setEnabled(false);
    moveMenu_->addSeparator();
    moveMenu_->addMenu(force);
    force->setEnabled(!force->isEmpty());
}

void ObjectsPage::addMove(QMenu& menu, const QString& status, bool force) {
    const ObjectType* type = typeOfSelected();
    const ObjectState* state = type != nullptr ? type->state(status) : nullptr;
    QAction* action = menu.addAction(
        unturned(status), this, [this, status, force] { run(operations::moveObjects(selected(), status, force)); });
    action->setData(status);
    if (state != nullptr) action->setIcon(icons::faceIcon(faceOfKind(state->kind)));
}

void ObjectsPage::run(const Operation& operation) {
    context_.commands.run(operation, this, [this](const Answer& answer) {
        const QJsonArray refused = answer.json.value("refused").toArray();
        if (answer.ok() && !refused.isEmpty())
            context_.window.say(tr("%n were not moved: %1", nullptr, static_cast<int>(refused.size()))
                                    .arg(refused.first()["message"].toString()),
                                true);
        look();
    });
}

/// Whatever it is: nothing brings them back.
void ObjectsPage::remove() {
    const auto ids = selected();
    if (ids.empty()) return;
    const int count = static_cast<int>(ids.size());
    const QString lost = tr("Their history goes with them, and what they were about to do. Children stay.");
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Delete %Ln object(s)?", nullptr, count), lost,
                                   tr("Delete %Ln object(s)", nullptr, count), tr("Keep them"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::deleteObjects(ids), this, [this](const Answer& answer) {
        if (answer.ok()) {
            panel_->fields()->reset();
            closeInnermost(); // what was selected has gone
        }
        look();
    });
}

NewObjectForm* ObjectsPage::form() const {
    return findChild<NewObjectForm*>();
}

/// One at a time: what is written in it stays.
void ObjectsPage::openForm() {
    if (types_.empty()) return;
    if (NewObjectForm* before = form(); before != nullptr) {
        before->raise();
        return before->activateWindow();
    }
    auto* form = new NewObjectForm(
        context_, types_, states_->typeName(),
        [this](qint64 object) {
            open(object);
            look();
        },
        this);
    form->show();
}

void ObjectsPage::fillCopyMenu() {
    copyMenu_->clear();
    const auto add = [this](const QString& title, const QString& text) {
        copyMenu_->addAction(title, this, [this, text] { copyText(context_.window, text); });
    };
    const Operation shown = asOperation();
    add(tr("yardctl"), context_.link.yardctl(shown.yardctl));
    add(tr("curl"), context_.link.curl(shown.request));
    if (detail_) add(tr("JSON"), QString::fromUtf8(QJsonDocument(detail_->json).toJson(QJsonDocument::Indented)));
}

void ObjectsPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addAction(lookAction_);
    if (moveAction_->isEnabled())
        menu->addMenu(moveMenu_);
    else
        menu->addAction(moveAction_);
    menu->addAction(retryAction_);
    menu->addSeparator();
    menu->addActions({childrenAction_, parentAction_});
    menu->addSeparator();
    menu->addMenu(copyMenu_);
    menu->addSeparator();
    menu->addAction(removeAction_);
    (void)menu.run(global);
}

QList<QAction*> ObjectsPage::commands() const {
    return {newAction_, lookAction_, moveAction_, retryAction_, childrenAction_, parentAction_, removeAction_};
}

QString ObjectsPage::yardctlOf(const QAction* command) const {
    const auto ids = selected();
    if (ids.empty()) return {};
    if (command == lookAction_) return operations::objectsDueNow(ids).yardctl;
    if (command == retryAction_) {
        const auto retry = retryOfSelected();
        return retry ? retry->yardctl : QString();
    }
    if (command == removeAction_) return operations::deleteObjects(ids).yardctl;
    if (command == childrenAction_) return QStringLiteral("yardctl objects --parent %1").arg(ids.front());
    return {};
}

} // namespace yard::ui
