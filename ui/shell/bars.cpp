#include "ui/shell/bars.h"

#include "ui/bridge/pinning.h"
#include "ui/state/courtesy_words.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QDateTime>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include <utility>
#include <vector>

namespace yard::ui {

namespace {

constexpr int kBarTop = 44;
constexpr int kStatus = 24;
constexpr int kUndo = 32;
constexpr int kSentenceMs = 6'000;
constexpr int kSearchText = 31; // behind the icon
constexpr int kSearchEnd = 8;

struct SessionLook {
    QString word;
    QString icon;
    DisplayState face;
};

SessionLook lookOf(const EngineState& state) {
    const QString session = state.session().value("state").toString();
    if (session.isEmpty()) return {QObject::tr("Starting"), "state-submitting", DisplayState::Submitting};
    if (session == "ready" && state.allHeld()) return {QObject::tr("Held"), "state-held", DisplayState::Held};
    if (session == "ready" && state.session().contains("why"))
        return {QObject::tr("Nothing starts"), "state-held", DisplayState::Held};
    if (session == "ready") return {QObject::tr("Ready"), "state-completed", DisplayState::Completed};
    if (session == "draining") return {QObject::tr("Draining"), "drain", DisplayState::Pending};
    if (session == "paused") return {QObject::tr("Paused"), "pause", DisplayState::Held};
    if (session == "abandoned") return {QObject::tr("Abandoned"), "state-abandoned", DisplayState::Abandoned};
    if (session == "sunset") return {QObject::tr("Sunset"), "state-cancelled", DisplayState::Cancelled};
    return {QObject::tr("Created"), "state-submitting", DisplayState::Submitting};
}

QPixmap pixmapOf(const QWidget& on, const QString& icon, const QColor& colour) {
    return icons::pixmap(icon, 14, colour, on.devicePixelRatioF(), Theme::current()(Token::Bg0));
}

/// Where there is no room for all, figures of a bar fall away, the first one first; none is cut.
class FallAway final : public QObject {
public:
    struct Part {
        Label* label;
        QWidget* line; ///< before it
    };
    FallAway(QWidget* bar, std::vector<Label*> stay, std::vector<Part> fall)
        : QObject(bar)
        , bar_(bar)
        , stay_(std::move(stay))
        , fall_(std::move(fall)) {}

    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fit();
        return false;
    }

private:
    static int widthOf(const Part& part) {
        return part.label->sizeHint().width() + part.line->sizeHint().width() + 16;
    }
    void fit() {
        int taken = scaled(150); // margins, plug and lines
        for (const Label* label : stay_) taken += label->sizeHint().width();
        for (const Part& part : fall_) taken += widthOf(part);
        for (const Part& part : fall_) {
            const bool fits = taken <= bar_->width();
            if (!fits) taken -= widthOf(part);
            part.label->setVisible(fits);
            part.line->setVisible(fits);
        }
    }

    QWidget* bar_;
    std::vector<Label*> stay_;
    std::vector<Part> fall_;
};

} // namespace

SearchButton::SearchButton(QWidget* parent)
    : QAbstractButton(parent) {
    setText(tr("Search actions, or run a command"));
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setCursor(Qt::IBeamCursor);
}

QSize SearchButton::sizeHint() const {
    return {scaled(400), scaled(28)};
}

QSize SearchButton::minimumSizeHint() const {
    const int words = QFontMetrics(typeface(Type::Body)).horizontalAdvance(tr("Search, command"));
    return {kSearchText + words + kSearchEnd, scaled(28)};
}

void SearchButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme(hasFocus() ? Token::Accent : Token::Line2), hasFocus() ? 2 : 1));
    painter.setBrush(theme(Token::Bg1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    icons::paint(painter, QRectF(9, 0, 14, height()), "search", 14, theme(Token::Text2));
    const QString key = tr("Ctrl K");
    const qreal keyWidth = QFontMetricsF(typeface(Type::Caption)).horizontalAdvance(key) + 8;
    const QRectF place(kSearchText, 0, width() - kSearchText - keyWidth - 16, height());
    const QFontMetricsF metrics(typeface(Type::Body));
    const bool fits = metrics.horizontalAdvance(text()) <= place.width();
    const QString words = fits ? text() : tr("Search, command");
    // The key gives way to what it is the key of.
    const bool hasKey = metrics.horizontalAdvance(words) <= place.width();
    paint::text(painter, hasKey ? place : QRectF(kSearchText, 0, width() - kSearchText - 4, height()), words,
                typeface(Type::Body), theme(Token::Text3));
    if (!hasKey) return;
    const QRectF box(width() - keyWidth - 8, height() / 2.0 - 9, keyWidth, 18);
    painter.setPen(theme(Token::Line));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, 3, 3);
    paint::text(painter, box, key, typeface(Type::Caption), theme(Token::Text3), Qt::AlignHCenter, Qt::ElideNone);
}

TopBar::TopBar(QWidget* parent)
    : QWidget(parent)
    , name_(new Label(QStringLiteral("Yardmaster"), Type::Strong, Token::Text1))
    , engine_(new Button(Button::Kind::Plain, tr("Engine"), "machines"))
    , sessionIcon_(new QLabel)
    , session_(new Label({}, Type::Body, Token::Text1))
    , pause_(new Button(Button::Kind::Flat, tr("Pause"), "pause"))
    , drain_(new Button(Button::Kind::Flat, tr("Drain"), "drain"))
    , search_(new SearchButton)
    , bell_(new Button(Button::Kind::Flat, {}, "bell"))
    , submit_(new Button(Button::Kind::Primary, tr("Submit…"), "plus")) {
    setFixedHeight(scaled(kBarTop));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 1);
    row->setSpacing(8);
    auto* mark = new QLabel;
    mark->setPixmap(icons::icon("yard", Token::Accent).pixmap(18, 18));
    row->addSpacing(2);
    row->addWidget(mark);
    name_->setContentsMargins(0, 0, scaled(36), 0);
    row->addWidget(name_);
    row->addWidget(engine_);
    row->addSpacing(2);
    row->addWidget(sessionIcon_);
    row->addWidget(session_);
    row->addSpacing(6);
    row->addWidget(pause_);
    row->addWidget(drain_);
    row->addStretch(1);
    search_->setMaximumWidth(scaled(400));
    row->addWidget(search_, 3);
    row->addStretch(1);
    row->addWidget(bell_);
    row->addWidget(submit_);
    bell_->setAccessibleName(tr("Notices"));
    bell_->setToolTip(tr("Notices"));
    submit_->setToolTip(tr("New work (Ctrl+N)"));
    connect(pause_, &QAbstractButton::clicked, this, [this] { emit pauseWanted(!held_); });
    connect(search_, &QAbstractButton::clicked, this, &TopBar::searchWanted);
    connect(submit_, &QAbstractButton::clicked, this, &TopBar::submitWanted);
}

void TopBar::setEngine(const QString& name, const QString& kind) {
    engine_->setText(name);
    engine_->setHint(kind);
    engine_->updateGeometry();
}

void TopBar::show(const EngineState& state) {
    const SessionLook look = lookOf(state);
    sessionIcon_->setPixmap(pixmapOf(*this, look.icon, Theme::current().inkOf(look.face)));
    session_->setText(look.word);
    session_->setToolTip(state.session().value("why").toString());
    held_ = state.allHeld();
    pause_->setText(held_ ? tr("Resume") : tr("Pause"));
    pause_->setIconName(held_ ? "release" : "pause");
    pause_->setToolTip(held_ ? tr("Release every queue")
                             : tr("Hold every queue: running actions go on, none starts"));
    const QString why = state.whyBlocked();
    for (Button* button : {pause_, drain_, submit_}) button->setBlocked(why);
}

void TopBar::setNotices(int count) {
    bell_->setHint(count > 0 ? QLocale().toString(count) : QString());
}

bool TopBar::event(QEvent* event) {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fit();
    return done;
}

/// The title of the window has the program's name, too: here it gives way.
void TopBar::fit() {
    int need = layout()->minimumSize().width();
    if (name_->isHidden()) need += name_->sizeHint().width() + layout()->spacing();
    name_->setVisible(need <= width());
}

void TopBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg0));
    paint::hairline(painter, QPointF(0, height() - 1), QPointF(width(), height() - 1),
                    Theme::current()(Token::Line));
}

StatusBar::StatusBar(QWidget* parent)
    : QWidget(parent)
    , plug_(new QLabel)
    , connection_(new Label({}, Type::Caption, Token::Text2))
    , address_(new Label({}, Type::Caption, Token::Text2))
    , lag_(new Label({}, Type::Caption, Token::Text2))
    , events_(new Label({}, Type::Caption, Token::Text2))
    , engineCost_(new Label({}, Type::Caption, Token::Text2))
    , journal_(new Label({}, Type::Caption, Token::Text2))
    , courtesy_(new Label({}, Type::Caption, Token::Text1))
    , sentence_(new Label({}, Type::Caption, Token::Text1))
    , cores_(new Label({}, Type::Caption, Token::Text2))
    , clock_(new Label({}, Type::Caption, Token::Text2)) {
    setFixedHeight(scaled(kStatus));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 1, 12, 0);
    row->setSpacing(0);
    row->addWidget(plug_);
    row->addSpacing(6);
    row->addWidget(connection_);
    std::vector<FallAway::Part> fall;
    for (Label* label : {address_, lag_, events_, engineCost_, journal_}) {
        auto* line = new Separator(Qt::Vertical);
        row->addSpacing(8);
        row->addWidget(line);
        row->addSpacing(8);
        row->addWidget(label);
        if (label != address_) fall.insert(fall.begin(), {label, line});
    }
    row->addSpacing(16);
    sentence_->setElides(true);
    row->addWidget(sentence_, 1);
    row->addSpacing(16);
    courtesy_->setObjectName("courtesy");
    row->addWidget(courtesy_);
    row->addSpacing(16);
    row->addWidget(cores_);
    row->addSpacing(8);
    row->addWidget(new Separator(Qt::Vertical));
    row->addSpacing(8);
    row->addWidget(clock_);
    installEventFilter(new FallAway(this, {connection_, address_, courtesy_, cores_, clock_}, std::move(fall)));
    quiet_.setSingleShot(true);
    connect(&quiet_, &QTimer::timeout, this, [this] { sentence_->setText({}); });
    connect(&second_, &QTimer::timeout, this, &StatusBar::tick);
    second_.start(1'000);
    tick();
}

void StatusBar::tick() {
    clock_->setText(QLocale().toString(QTime::currentTime(), QStringLiteral("HH:mm:ss")));
    if (state_ != nullptr && !state_->isLive()) show(*state_);
}

void StatusBar::show(const EngineState& state) {
    state_ = &state;
    const LinkState link = state.link().state();
    DisplayState face = DisplayState::Completed;
    QString icon = "state-completed";
    switch (link) {
    case LinkState::Connected:
        connection_->setText(isPrivate(state.link().address()) ? tr("Connected") : tr("Connected, not encrypted"));
        break;
    case LinkState::Refused:
        face = DisplayState::Failed;
        icon = "key";
        connection_->setText(tr("Refused: token"));
        break;
    case LinkState::Untrusted:
        face = DisplayState::Failed;
        icon = "key";
        connection_->setText(tr("Not trusted"));
        break;
    case LinkState::Connecting:
    case LinkState::Waiting: {
        face = DisplayState::Retry;
        icon = "unplug";
        const qint64 seconds = state.link().downSince().secsTo(QDateTime::currentDateTimeUtc());
        connection_->setText(
            tr("Reconnecting, %1")
                .arg(Format().duration(Duration(std::chrono::seconds(std::max<qint64>(0, seconds))))));
        break;
    }
    }
    connection_->setToken(link == LinkState::Connected ? Token::Text2 : Token::Text1);
    plug_->setPixmap(pixmapOf(*this, icon, Theme::current().inkOf(face)));
    const QUrl address = state.link().address();
    address_->setText(address.adjusted(QUrl::RemovePath).toString());
    lag_->setText(tr("lag %1").arg(state.lag() < 0 ? Format::unknown() : tr("%1 ms").arg(state.lag())));
    events_->setText(tr("%1 events/s").arg(QLocale().toString(state.eventsPerSecond())));
    const QJsonObject engine = state.session().value("engine").toObject();
    const bool knows = engine.contains("rss_bytes");
    engineCost_->setText(knows ? tr("engine %1 cores, %2")
                                     .arg(Format().cores(engine.value("cpu_percent").toDouble() / 100),
                                          Format().size(engine.value("rss_bytes").toInteger()))
                               : tr("engine %1").arg(Format::unknown()));
    journal_->setText(tr("journal %1")
                          .arg(engine.contains("journal_bytes")
                                   ? Format().size(engine.value("journal_bytes").toInteger())
                                   : Format::unknown()));
    courtesy_->setText(courtesyWords(state.session().value("courtesy").toObject()));
    const QJsonObject machine = state.session().value("machine").toObject();
    const QJsonValue all = machine.value("resources")["cores"];
    const QJsonValue taken = machine.value("taken")["cores"];
    const auto coresText = [](double cores) {
        return QLocale().toString(cores, 'f', cores == std::floor(cores) ? 0 : 1);
    };
    cores_->setText(all.isUndefined() || taken.isUndefined()
                        ? QString()
                        : tr("%1 of %2 cores taken").arg(coresText(taken.toDouble()), coresText(all.toDouble())));
}

void StatusBar::say(const QString& sentence, bool bad) {
    sentence_->setText(sentence);
    sentence_->setToken(bad ? Token::Text1 : Token::Text2);
    quiet_.start(bad ? 3 * kSentenceMs : kSentenceMs);
}

void StatusBar::mouseReleaseEvent(QMouseEvent* event) {
    if (state_ == nullptr || !connection_->geometry().contains(event->pos())) return;
    if (state_->link().state() == LinkState::Refused) emit refusedClicked();
    if (state_->link().state() == LinkState::Untrusted) emit untrustedClicked();
}

void StatusBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg0));
    paint::hairline(painter, QPointF(0, 0), QPointF(width(), 0), Theme::current()(Token::Line));
}

UndoBar::UndoBar(Commands& commands, QWidget& pages)
    : QWidget(pages.parentWidget())
    , commands_(commands)
    , pages_(pages)
    , text_(new Label({}, Type::Body, Token::Text1)) {
    setFixedHeight(scaled(kUndo));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 1, 16, 0);
    row->setSpacing(8);
    row->addWidget(text_);
    auto* undo = new Button(Button::Kind::Small, tr("Undo"), "undo");
    undo->setHint(tr("Ctrl Z"));
    auto* now = new Button(Button::Kind::Small, tr("Now"), {});
    connect(undo, &QAbstractButton::clicked, &commands_, &Commands::undo);
    connect(now, &QAbstractButton::clicked, &commands_, &Commands::sendNow);
    row->addWidget(undo);
    row->addWidget(now);
    row->addStretch(1);
    connect(&commands_, &Commands::waitingChanged, this, &UndoBar::update);
    connect(&tick_, &QTimer::timeout, this, &UndoBar::update);
    pages_.installEventFilter(this);
    update(); // the window may be made again while something waits
}

void UndoBar::update() {
    const Operation* waiting = commands_.waiting();
    if (waiting == nullptr) {
        hide();
        return tick_.stop();
    }
    if (!tick_.isActive()) tick_.start(250);
    text_->setText(tr("%1, in %2 s").arg(waiting->title).arg((commands_.waitingMs() + 999) / 1'000));
    place();
    show();
}

/// Over what was shown last: a page that comes is put on top of its likes, not of this.
void UndoBar::place() {
    const QRect pages = pages_.geometry();
    setGeometry(pages.left(), pages.bottom() + 1 - height(), pages.width(), height());
    raise();
}

bool UndoBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &pages_ && (event->type() == QEvent::Resize || event->type() == QEvent::Move)) place();
    return QWidget::eventFilter(watched, event);
}

void UndoBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg2));
    paint::hairline(painter, QPointF(0, 0), QPointF(width(), 0), Theme::current()(Token::Line));
}

} // namespace yard::ui
