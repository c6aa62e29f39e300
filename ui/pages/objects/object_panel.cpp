#include "ui/pages/objects/object_panel.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"

#include <QPainter>

#include <utility>

namespace yard::ui {

namespace {

constexpr int kLeastWidth = 320;

QString timeOf(WallMicros at, WallMicros now) {
    return at > 0 ? Format().time(at, now) : Format::unknown();
}

} // namespace

ObjectPanel::ObjectPanel(Context context, QWidget* parent)
    : QWidget(parent)
    , head_(new Panel({}, false))
    , lookNow_(new Button(Button::Kind::Primary, tr("Look now"), "search"))
    , moveTo_(new Button(Button::Kind::Plain, tr("Move to…"), {}))
    , retry_(new Button(Button::Kind::Plain, tr("Retry"), "again"))
    , remove_(new Button(Button::Kind::Plain, tr("Delete…"), "close"))
    , copyAs_(new Button(Button::Kind::Flat, tr("Copy as"), "copy"))
    , problem_(new Label({}, Type::Body, Token::Text2))
    , about_(new Facts)
    , fields_(new ObjectFields(context))
    , historyPanel_(new Panel(tr("History"), false))
    , history_(new Facts)
    , childrenPanel_(new Panel(tr("Children"), false))
    , children_(new Facts)
    , actionsPanel_(new Panel(tr("Actions"), false))
    , actions_(new Facts)
    , pokesPanel_(new Panel(tr("Pokes"), false))
    , pokes_(new Facts) {
    setMinimumWidth(scaled(kLeastWidth));
    setObjectName("pane");
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(1, 0, 0, 0);
    outer->setSpacing(0);
    auto* inside = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeHead(outer);
    column->addWidget(about_);
    auto* fields = new Panel(tr("Fields"), false);
    fields->addToHead(new Label(tr("change in place"), Type::Body, Token::Text3));
    fields->setBody(fields_);
    column->addWidget(fields);
    historyPanel_->setBody(history_);
    column->addWidget(historyPanel_);
    childrenPanel_->setBody(children_);
    column->addWidget(childrenPanel_);
    actionsPanel_->setBody(actions_);
    column->addWidget(actionsPanel_);
    pokesPanel_->setBody(pokes_);
    pokesPanel_->addToHead(new Label(tr("who moved its next look"), Type::Body, Token::Text3));
    column->addWidget(pokesPanel_);
    column->addStretch(1);
    outer->addWidget(scrolling(inside), 1);
    for (Facts* facts : {about_, history_, children_, actions_, pokes_})
        connect(facts, &Facts::linkClicked, this, &ObjectPanel::linkClicked);
}

void ObjectPanel::makeHead(QVBoxLayout* column) {
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close"));
    close->setToolTip(tr("Close"));
    head_->setTitleElides(true);
    head_->addToHead(copyAs_);
    head_->addToHead(close);
    connect(close, &QAbstractButton::clicked, this, &ObjectPanel::closed);
    auto* body = new Surface(Token::Bg1);
    auto* buttons = new QHBoxLayout(body);
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(lookNow_);
    buttons->addWidget(moveTo_);
    buttons->addWidget(retry_);
    buttons->addWidget(remove_);
    retry_->hide();
    buttons->addStretch(1);
    head_->setBody(body);
    column->addWidget(head_);
    problem_->setElides(true);
    problem_->setContentsMargins(12, 0, 12, 0);
    problem_->hide();
    column->addWidget(problem_);
}

void ObjectPanel::showNothing(const QString& why) {
    head_->setTitle({});
    head_->setNote({});
    about_->set({});
    history_->set({});
    children_->set({});
    actions_->set({});
    pokes_->set({});
    fields_->reset();
    historyPanel_->hide();
    childrenPanel_->hide();
    actionsPanel_->hide();
    pokesPanel_->hide();
    problem_->setText(why);
    problem_->setVisible(!why.isEmpty());
}

void ObjectPanel::show(const ObjectDetail& detail, const std::vector<ObjectType>& types,
                       const OrchestratorInfo& orchestrator) {
    problem_->hide();
    head_->setTitle(QStringLiteral("%1 %2").arg(unturned(detail.info.type), Format().number(detail.info.id)));
    head_->setFace(faceOfObject(types, detail.info));
    tellAbout(detail, types, orchestrator);
    fields_->show(detail, typeNamed(types, detail.info.type));
    tellHistory(detail);
    tellChildren(detail);
    tellActions(detail);
    tellPokes(detail);
}

void ObjectPanel::tellAbout(const ObjectDetail& detail, const std::vector<ObjectType>& types,
                            const OrchestratorInfo& orchestrator) {
    const Format format;
    const WallMicros now = wallNow();
    const ObjectInfo& object = detail.info;
    std::vector<Fact> facts{{tr("Status"), statusWords(types, object)}};
    if (object.nextLook > 0)
        facts.push_back({tr("Next look"), nextLookWords(object.nextLook, now)});
    else
        facts.push_back({tr("Ended"), timeOf(object.ended, now)});
    if (!object.key.isEmpty()) facts.push_back({tr("Key"), object.key});
    facts.push_back({tr("Tries"), format.number(object.retries)});
    if (object.parent != 0)
        facts.push_back({tr("Parent"),
                         format.number(object.parent),
                         Fact::Tone::Link,
                         {},
                         QStringLiteral("object:%1").arg(object.parent)});
    facts.push_back({tr("Made"), timeOf(object.created, now)});
    facts.push_back({tr("Changed"), timeOf(object.changed, now)});
    facts.push_back({tr("Revision"), format.number(object.revision)});
    const QString note = objectNote(object, types, orchestrator, now);
    if (!note.isEmpty() && note != object.lastError) facts.push_back({tr("Now"), note});
    if (!object.lastError.isEmpty()) facts.push_back({tr("Last error"), object.lastError, Fact::Tone::Alert});
    about_->set(std::move(facts));
}

void ObjectPanel::tellHistory(const ObjectDetail& detail) {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Fact> facts;
    for (const ObjectMove& move : detail.history) {
        QString words = move.from.isEmpty() ? tr("made, %1").arg(unturned(move.to))
                                            : QStringLiteral("%1 → %2").arg(unturned(move.from), unturned(move.to));
        if (!move.actor.isEmpty())
            words += QStringLiteral(", ") +
                     tr("%1 in %2").arg(move.actor, format.duration(Duration(move.tickMs * 1'000)));
        facts.push_back({timeOf(move.t, now), words});
    }
    historyPanel_->setNote(tr("%Ln move(s)", nullptr, pluralCount(static_cast<std::int64_t>(facts.size()))));
    historyPanel_->show();
    history_->set(std::move(facts));
}

void ObjectPanel::tellChildren(const ObjectDetail& detail) {
    const Format format;
    std::vector<Fact> facts;
    qint64 all = 0;
    for (const auto& [status, count] : detail.children) {
        facts.push_back({unturned(status),
                         format.number(count),
                         Fact::Tone::Link,
                         {},
                         QStringLiteral("children:%1:%2").arg(detail.info.id).arg(status)});
        all += count;
    }
    childrenPanel_->setVisible(!facts.empty());
    childrenPanel_->setNote(format.number(all));
    children_->set(std::move(facts));
}

/// Each leads to its action.
void ObjectPanel::tellActions(const ObjectDetail& detail) {
    const Format format;
    std::vector<Fact> facts;
    for (const ObjectAction& action : detail.actions) {
        QString words = format.number(action.lsn) + QStringLiteral(", ") + wordOf(action.face);
        for (const QString& more : {action.reason, action.note})
            if (!more.isEmpty()) words += QStringLiteral(", ") + more;
        facts.push_back({action.name, words, Fact::Tone::Link, {}, QStringLiteral("action:%1").arg(action.lsn)});
    }
    actionsPanel_->setVisible(!facts.empty());
    actionsPanel_->setNote(format.number(static_cast<qint64>(facts.size())));
    actions_->set(std::move(facts));
}

/// The newest first; those that have a number lead to whose it is.
void ObjectPanel::tellPokes(const ObjectDetail& detail) {
    const WallMicros now = wallNow();
    std::vector<Fact> facts;
    for (const ObjectPoke& poke : detail.pokes) {
        Fact fact{timeOf(poke.t, now), pokeWords(poke) + QStringLiteral(", ") + outcomeWords(poke)};
        if (poke.by > 0) {
            fact.tone = Fact::Tone::Link;
            fact.target = QStringLiteral("%1:%2").arg(poke.why == "action" ? "action" : "object").arg(poke.by);
        }
        facts.push_back(std::move(fact));
    }
    pokesPanel_->setVisible(!facts.empty());
    pokes_->set(std::move(facts));
}

void ObjectPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg1));
    paint::hairline(painter, QPointF(0, 0), QPointF(0, height()), Theme::current()(Token::Line));
}

} // namespace yard::ui
