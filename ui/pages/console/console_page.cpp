#include "ui/pages/console/console_page.h"

#include "ui/pages/console/console_prompt.h"
#include "ui/pages/console/inside_panels.h"
#include "ui/pages/console/profile_panel.h"
#include "ui/widgets/panel.h"

#include <QAction>
#include <QSplitter>
#include <QVBoxLayout>

namespace yard::ui {

ConsolePage::ConsolePage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Console")))
    , badge_(new UpdatesBadge)
    , changes_(new Button(Button::Kind::Plain, {}, "lock"))
    , prompt_(new ConsolePrompt(context.link.shell().dataDir))
    , panels_(new InsidePanels(context.link))
    , profile_(new ProfilePanel(context.link, context.window, prompt_->isHere())) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    auto* upright = new QSplitter(Qt::Vertical);
    auto* promptPanel = new Panel(tr("Prompt into the process"), false);
    promptPanel->setIcon("console");
    promptPanel->setNote(tr("help lists the commands"));
    promptPanel->setBody(prompt_);
    upright->addWidget(promptPanel);
    upright->addWidget(profile_);
    upright->setChildrenCollapsible(false);
    upright->setStretchFactor(0, 1);
    auto* level = new QSplitter(Qt::Horizontal);
    level->addWidget(upright);
    level->addWidget(panels_);
    level->setChildrenCollapsible(false);
    level->setStretchFactor(0, 1);
    level->setStretchFactor(1, 1);
    inside->addWidget(level, 1);
    prompt_->setObjectName("pane");
    setFocusProxy(prompt_);
    const CommandMaker maker(*this, declared());
    allow_ = maker("allow-changes", [this] { setMayChange(!prompt_->mayChange()); });
    clear_ = maker("clear", [this] { prompt_->clear(); });
    measure_ = maker("profile", [this] { profile_->toggle()->click(); });
    connect(&context_.state, &EngineState::connectionChanged, this, &ConsolePage::onConnection);
    setMayChange(false);
    onConnection();
}

void ConsolePage::makeHead(QVBoxLayout* column) {
    auto* clear = new Button(Button::Kind::Flat, tr("Clear"), "close");
    head_->addRight(badge_);
    head_->addRight(changes_);
    head_->addRight(clear);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &ConsolePage::takeUpdates);
    connect(panels_, &InsidePanels::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(changes_, &QAbstractButton::clicked, this, [this] { allow_->trigger(); });
    connect(clear, &QAbstractButton::clicked, this, [this] { clear_->trigger(); });
}

void ConsolePage::setMayChange(bool may) {
    prompt_->setMayChange(may);
    changes_->setText(may ? tr("Changes allowed") : tr("Allow changes"));
    changes_->setIconName(may ? "key" : "lock");
    changes_->setLit(may);
    changes_->setVisible(prompt_->isHere());
    head_->setNote(!prompt_->isHere() ? tr("of an engine elsewhere") : may ? QString() : tr("read-only"));
}

void ConsolePage::onConnection() {
    profile_->setBlocked(context_.state.whyBlocked());
}

void ConsolePage::setActive(bool active) {
    panels_->setActive(active);
    if (active) prompt_->open();
}

void ConsolePage::takeUpdates() {
    panels_->takeUpdates();
}

bool ConsolePage::closeInnermost() {
    return panels_->clearSelection();
}

std::vector<CommandSpec> ConsolePage::declared() {
    return {{"allow-changes", tr("Allow changes in the console, or no more")},
            {"clear", tr("Clear the console"), QKeySequence("Ctrl+Shift+L")},
            {"profile", tr("Profile the engine, or stop and show")}};
}

QList<QAction*> ConsolePage::commands() const {
    return {allow_, clear_, measure_};
}

QString ConsolePage::yardctlOf(const QAction* command) const {
    return command == measure_ ? QStringLiteral("yardctl profile record") : QString();
}

Operation ConsolePage::asOperation() const {
    return {.title = {},
            .request = {.path = QStringLiteral("inside/threads")},
            .yardctl = QStringLiteral("yardctl console -c threads")};
}

} // namespace yard::ui
