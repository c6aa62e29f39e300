#include "ui/pages/queues/queue_panel.h"

#include "core/base/clock.h"
#include "ui/pages/queues/queue_pictures.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queue_troubles.h"
#include "ui/state/estimate_words.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/button.h"

#include <QGridLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace yard::ui {

namespace {
constexpr std::size_t kFigures = 4;
constexpr int kFigureEdge = 12;
constexpr int kFigureGap = 16;
constexpr int kScrollRoom = 11; // what is below may scroll
} // namespace

QueuePanel::QueuePanel(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , name_(new Label({}, Type::Strong, Token::Text1))
    , number_(new Label({}, Type::Body, Token::Text3))
    , icon_(new QLabel)
    , pictures_(new QueuePictures(context))
    , troubles_(new QueueTroubles(context))
    , route_(new Label({}, Type::Mono, Token::Text2))
    , line_(new Label({}, Type::Mono, Token::Text2)) {
    setMinimumWidth(scaled(300));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(1, 0, 0, 0);
    outer->setSpacing(0);
    makeHead(outer);
    auto* inside = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(makeFigures());
    column->addWidget(pictures_);
    makeFields(column);
    column->addWidget(troubles_);
    makeAddress(column);
    column->addStretch(1);
    outer->addWidget(scrolling(inside), 1);
}

QLayout* QueuePanel::makeFigures() {
    places_ = new QGridLayout;
    places_->setContentsMargins(kFigureEdge, 10, kFigureEdge, 12);
    places_->setHorizontalSpacing(kFigureGap);
    places_->setVerticalSpacing(8);
    for (std::size_t i = 0; i < kFigures; ++i) {
        auto* box = new QWidget;
        auto* pair = new QVBoxLayout(box);
        pair->setContentsMargins(0, 0, 0, 0);
        pair->setSpacing(2);
        const Figure figure{new Label({}, Type::Title, Token::Text1), new Label({}, Type::Caption, Token::Text2),
                            box};
        pair->addWidget(figure.value);
        pair->addWidget(figure.note);
        figures_.push_back(figure);
    }
    placeFigures();
    return places_;
}

/// Side by side where there is room, else two and two: none is cut by the edge.
void QueuePanel::placeFigures() {
    int wide = 2 * kFigureEdge + static_cast<int>(kFigures - 1) * kFigureGap + kScrollRoom;
    for (const Figure& figure : figures_)
        wide += std::max(figure.value->sizeHint().width(), figure.note->sizeHint().width());
    const int perLine = wide <= width() ? static_cast<int>(kFigures) : 2;
    if (perLine == perLine_) return;
    perLine_ = perLine;
    for (int i = 0; i < static_cast<int>(kFigures); ++i) {
        QWidget* box = figures_[static_cast<std::size_t>(i)].box;
        places_->removeWidget(box);
        places_->addWidget(box, i / perLine, i % perLine);
    }
    for (int i = 0; i <= static_cast<int>(kFigures); ++i) places_->setColumnStretch(i, i == perLine ? 1 : 0);
}

void QueuePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeFigures();
}

void QueuePanel::makeHead(QVBoxLayout* column) {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 0, 4, 0);
    head->setSpacing(8);
    head->addWidget(icon_);
    name_->setElides(true);
    head->addWidget(name_);
    head->addWidget(number_);
    head->addStretch(1);
    auto* copyAs = new Button(Button::Kind::Flat, tr("Copy as"), "copy");
    auto* menu = new QMenu(this);
    menu->addAction(tr("Token"), this, [this] {
        if (const QueueInfo* queue = context_.state.queue(queue_)) copy(queue->token);
    });
    menu->addAction(tr("yardctl"), this, [this] { copy(line_->text()); });
    menu->addAction(tr("curl"), this,
                    [this] { copy(context_.link.curl({"GET", QStringLiteral("queues/%1").arg(queue_), {}, {}})); });
    menu->addAction(tr("JSON"), this, [this] {
        if (const QueueInfo* queue = context_.state.queue(queue_))
            copy(QString::fromUtf8(QJsonDocument(queue->json).toJson()));
    });
    copyAs->setMenu(menu);
    head->addWidget(copyAs);
    auto* headBox = new QWidget;
    headBox->setFixedHeight(scaled(48));
    headBox->setLayout(head);
    column->addWidget(headBox);
    column->addWidget(new Separator(Qt::Horizontal));
}

void QueuePanel::copy(const QString& text) {
    copyText(context_.window, text);
}

void QueuePanel::makeAddress(QVBoxLayout* column) {
    auto* address = new Panel(tr("Address"), false);
    auto* lines = new QWidget;
    auto* rows = new QVBoxLayout(lines);
    rows->setContentsMargins(12, 10, 12, 10);
    rows->setSpacing(6);
    route_->setElides(true);
    line_->setElides(true);
    rows->addWidget(route_);
    rows->addWidget(line_);
    address->setBody(lines);
    column->addWidget(address);
}

void QueuePanel::setActive(bool active) {
    troubles_->setActive(active);
    pictures_->setActive(active);
}

void QueuePanel::makeFields(QVBoxLayout* column) {
    const std::vector<ValueField::Words> settings = {
        {"weight", tr("Weight against other queues")},
        {"max_running", tr("Running at once, at most"), tr("no limit")},
        {"max_retries", tr("Retries"), tr("none")},
        {"deadline_s", tr("Deadline"), tr("the engine's"), tr("s")},
        {"stop_after_failures", tr("Stop after failures"), tr("never")},
        {"idle_expiry_s", tr("Forgotten when idle for"), tr("never"), tr("s")},
    };
    auto* panel = new Panel(tr("Settings"), false);
    panel->addToHead(new Label(tr("change in place"), Type::Body, Token::Text3));
    auto* body = new QWidget;
    auto* rows = new QVBoxLayout(body);
    rows->setContentsMargins(12, 8, 12, 8);
    rows->setSpacing(4);
    for (const ValueField::Words& words : settings) {
        fields_.push_back(
            new ValueField(words, [this, name = words.name](double value) { return apply(name, value); }));
        rows->addWidget(fields_.back());
    }
    panel->setBody(body);
    column->addWidget(panel);
}

QString QueuePanel::apply(const QString& name, double value) {
    const QueueInfo* queue = context_.state.queue(queue_);
    if (queue == nullptr) return tr("No queue");
    if (const QString why = context_.state.whyBlocked(); !why.isEmpty()) return why;
    const auto take = [this, name, id = queue->id](const Answer& answer) {
        if (queue_ != id) return; // another one is shown
        (*std::ranges::find(fields_, name, &ValueField::name))->setProblem(answer.message);
        refresh();
    };
    context_.commands.run(operations::configureQueue(queue->id, queue->name(), {{name, value}}), this, take);
    return {};
}

void QueuePanel::show(qint64 queue) {
    if (queue_ == queue) return;
    queue_ = queue;
    troubles_->show(queue);
    pictures_->show(queue);
    for (ValueField* field : fields_) field->reset();
    refresh();
}

void QueuePanel::refresh() {
    const QueueInfo* queue = context_.state.queue(queue_);
    if (queue == nullptr) {
        queue_ = -1;
        name_->setText(tr("No queue"));
        return;
    }
    const Format format;
    icon_->setPixmap(icons::faceIcon(faceOf(*queue)).pixmap(14, 14));
    name_->setText(queue->name());
    number_->setText(tr("queue %1").arg(queue->id));
    const qint64 now = wallNow();
    const std::optional<Duration> left = timeLeft(*queue, now);
    figures_[0].value->setText(format.percent(queue->done(), queue->total()));
    figures_[0].note->setText(tr("done"));
    figures_[1].value->setText(format.duration(left));
    const QString gap = queue->active > 0 ? shortWordOfGap(queue->gap) : QString();
    figures_[1].note->setText(left            ? tr("done %1").arg(format.time(queue->finish, now))
                              : gap.isEmpty() ? tr("left")
                                              : gap);
    figures_[2].value->setText(tr("%Ln running", nullptr, pluralCount(queue->running())));
    figures_[2].note->setText(tr("%Ln waiting", nullptr, pluralCount(queue->waiting())));
    figures_[3].value->setText(tr("%1 failed").arg(format.number(queue->of(DisplayState::Failed))));
    figures_[3].value->setInk(queue->of(DisplayState::Failed) > 0 ? std::optional(DisplayState::Failed)
                                                                  : std::nullopt);
    figures_[3].note->setText(format.percent(queue->of(DisplayState::Failed), queue->total()));
    placeFigures();
    for (ValueField* field : fields_) field->setValue(queue->config.value(field->name()));
    troubles_->refresh();
    pictures_->refresh();
    route_->setText(context_.link.address().path() + "/queues/" +
                    (queue->token.isEmpty() ? QString::number(queue->id) : queue->token));
    line_->setText(context_.link.yardctl(QStringLiteral("yardctl ls queue:%1").arg(queue->id)));
}

void QueuePanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg1));
    paint::hairline(painter, QPointF(0, 0), QPointF(0, height()), Theme::current()(Token::Line));
}

} // namespace yard::ui
