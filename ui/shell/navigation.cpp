#include "ui/shell/navigation.h"

#include "ui/forms/alert_form.h"
#include "ui/forms/register_form.h"
#include "ui/forms/submit_form.h"
#include "ui/shell/command_keys.h"
#include "ui/shell/engine_attachment.h"
#include "ui/state/preferences.h"
#include "ui/widgets/text_view.h"

#include <QAction>
#include <QPlainTextEdit>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr std::size_t kMostPlaces = 100;

} // namespace

Navigation::Navigation(EngineAttachment& engine, WindowServices& services, QWidget& window)
    : QObject(&window)
    , engine_(engine)
    , services_(services)
    , window_(window)
    , specs_(allPages()) {}

void Navigation::restore() {
    if (current_.isEmpty()) current_ = preference("start-page").toString();
    if (current_.isEmpty()) current_ = QSettings().value("window/page").toString();
    const QString first = std::exchange(current_, {});
    const QString filter = place_ < places_.size() ? places_[place_].filter : QString();
    show(std::ranges::find(specs_, first, &PageSpec::id) != specs_.end() ? first : specs_.front().id, filter);
}

void Navigation::dropPages() {
    for (auto& [id, page] : made_) {
        page->setActive(false);
        stack_->removeWidget(page);
        delete page;
    }
    made_.clear();
}

void Navigation::setSeen(bool seen) {
    seen_ = seen;
    if (Page* current = page()) current->setActive(seen);
}

Page* Navigation::page() const {
    const auto found = made_.find(current_);
    return found == made_.end() ? nullptr : found->second;
}

const PageSpec* Navigation::spec() const {
    const auto found = std::ranges::find(specs_, current_, &PageSpec::id);
    return found == specs_.end() || page() == nullptr ? nullptr : &*found;
}

Context Navigation::context() {
    return {*engine_.link(), *engine_.state(), *engine_.commands(), *this, services_};
}

Page* Navigation::pageOf(const QString& id) {
    if (const auto found = made_.find(id); found != made_.end()) return found->second;
    const auto spec = std::ranges::find(specs_, id, &PageSpec::id);
    if (spec == specs_.end() || engine_.state() == nullptr) return nullptr;
    Page* page = spec->make(context());
    made_[id] = page;
    stack_->addWidget(page);
    for (QAction* action : page->commands())
        action->setShortcut(chosenKeys(commandId(id, action->objectName()), action->shortcut()));
    connect(page, &Page::filterEdited, this, [this, id](const QString& filter) {
        if (id == current_ && place_ < places_.size()) places_[place_].filter = filter;
    });
    return page;
}

QAction* Navigation::commandOf(const QString& id) const {
    for (const auto& [pageId, made] : made_)
        for (QAction* action : made->commands())
            if (commandId(pageId, action->objectName()) == id) return action;
    return nullptr;
}

void Navigation::activate(const QString& id, Page* next) {
    if (Page* before = page(); before != nullptr && before != next) before->setActive(false);
    stack_->setCurrentWidget(next);
    next->setActive(seen_);
    next->setFocus();
    current_ = id;
    emit shown(id);
}

void Navigation::show(const QString& id, const QString& filter) {
    Page* next = pageOf(id);
    if (next == nullptr) return;
    activate(id, next);
    if (!filter.isEmpty()) next->setFilter(filter);
    const Place here{id, next->filter()};
    if (place_ < places_.size() && places_[place_].page == here.page && places_[place_].filter == here.filter)
        return;
    if (!places_.empty()) places_.resize(place_ + 1);
    places_.push_back(here);
    if (places_.size() > kMostPlaces) places_.erase(places_.begin());
    place_ = places_.size() - 1;
    QSettings().setValue("window/page", id);
}

void Navigation::goBy(int steps) {
    const auto to = static_cast<std::ptrdiff_t>(place_) + steps;
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(places_.size())) return;
    place_ = static_cast<std::size_t>(to);
    const Place place = places_[place_];
    Page* next = pageOf(place.page);
    if (next == nullptr) return;
    activate(place.page, next);
    next->setFilter(place.filter);
}

void Navigation::showAction(qint64 lsn, const QString& tab) {
    show(QStringLiteral("actions"));
    if (Page* actions = page()) actions->open(lsn, tab);
}

void Navigation::showThing(const QString& id, qint64 thing) {
    show(id);
    if (Page* shown = page(); shown != nullptr && current_ == id) shown->open(thing);
}

void Navigation::openSubmit(const QJsonObject& action, qint64 queue) {
    if (engine_.state() == nullptr) return;
    auto* form = new SubmitForm(context(), action, queue, &window_);
    connect(&engine_, &EngineAttachment::attached, form, &QWidget::close);
    form->open();
}

void Navigation::openAlerts() {
    if (engine_.state() == nullptr) return;
    if (auto* open = window_.findChild<AlertForm*>()) {
        open->raise();
        return open->activateWindow();
    }
    auto* form = new AlertForm(context(), &window_);
    // It asks again and again, by a link that goes with the engine.
    connect(&engine_, &EngineAttachment::detaching, form, [form] { delete form; });
    form->show();
}

void Navigation::openSubmitList(const QJsonArray& actions, qint64 queue) {
    if (engine_.state() == nullptr) return;
    auto* form = new SubmitForm(context(), {}, queue, &window_);
    form->json()->setPlainText(jsonText(actions));
    connect(&engine_, &EngineAttachment::attached, form, &QWidget::close);
    form->open();
}

void Navigation::openRegister(const QString& path) {
    if (engine_.state() == nullptr) return;
    auto* form = new RegisterForm(context(), path, &window_);
    connect(&engine_, &EngineAttachment::attached, form, &QWidget::close);
    form->open();
}

} // namespace yard::ui
