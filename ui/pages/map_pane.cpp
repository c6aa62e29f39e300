#include "ui/pages/map_pane.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/widgets/text_view.h"

#include <QToolTip>

#include <utility>

namespace yard::ui {

QString mapWordsOf(const ActionRow& row, qint64 now) {
    const Format format;
    QStringList words;
    if (row.index) words << MapPane::tr("index %1").arg(format.number(*row.index));
    words << format.number(row.lsn) << row.what() << row.stateWord();
    const qint64 at = row.finished != 0 ? row.finished : row.started != 0 ? row.started : row.created;
    if (at != 0) words << format.time(at, now);
    if (const auto ran = row.ran(now)) words << MapPane::tr("ran %1").arg(format.duration(*ran));
    if (!row.note.isEmpty()) words << row.note;
    return words.join(", ");
}

MapPane::MapPane(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , states_(new StateMap(context.state, this))
    , summary_(new Label({}, Type::Caption, Token::Text3))
    , map_(new CellMap)
    , told_(new Label({}, Type::Body, Token::Text2)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (Label* label : {summary_, told_}) {
        label->setElides(true);
        label->setContentsMargins(16, 6, 16, 4);
    }
    column->addWidget(summary_);
    column->addWidget(map_, 1);
    column->addWidget(told_);
    setFocusProxy(map_);
    connect(states_, &StateMap::changed, this, &MapPane::take);
    connect(&context_.state, &EngineState::queuesChanged, this, [this] {
        if (isQueueHeld() == isHeld_) return;
        asked_.reset(); // what waits in it waits for something else
        if (isVisible()) tell();
    });
    connect(map_, &CellMap::perCellChanged, this, &MapPane::summarize);
    connect(map_, &CellMap::chosen, this, &MapPane::tell);
    connect(map_, &CellMap::opened, this, [this](qint64 lsn) { context_.navigator.showAction(lsn); });
    connect(map_, &CellMap::tipShown, this, [this](qint64 lsn, const QPoint& at) {
        tip_ = lsn;
        describe(lsn, [this, lsn, at](const QString& words) {
            if (tip_ == lsn && QToolTip::isVisible()) QToolTip::showText(at, plainTip(words), map_);
        });
    });
}

void MapPane::show(const StateMap::Which& which, qint64 base, qint64 queue) {
    base_ = base;
    queue_ = queue;
    states_->show(which);
    take();
}

void MapPane::describe(qint64 lsn, std::function<void(const QString&)> then) {
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}, {}}, this,
                       [then = std::move(then)](const Answer& answer) {
                           if (!answer.ok()) return then(answer.message);
                           then(mapWordsOf(actionRowOf(answer.json), wallNow()));
                       });
}

bool MapPane::isQueueHeld() const {
    const QueueInfo* queue = context_.state.queue(queue_);
    return queue != nullptr && queue->held;
}

void MapPane::take() {
    map_->setCells(states_->cells(), base_);
    summarize();
    tell();
}

void MapPane::summarize() {
    const Format format;
    const auto count = static_cast<qint64>(states_->cells().size());
    const auto each = static_cast<qint64>(map_->perCell());
    QString words = tr("1 cell = 1 action");
    if (each > 1) words = tr("1 cell = %1 actions, in the worst of their states").arg(format.number(each));
    if (!states_->problem().isEmpty())
        words = states_->problem();
    else if (!states_->isRead())
        words = tr("Reading the states…");
    else if (count == 0)
        words = tr("There is no action");
    summary_->setText(words);
}

/// At once what the cell knows, then what the engine says; asked again when the state is another.
void MapPane::tell() {
    const auto cell = map_->cellOf(map_->current());
    if (!cell) {
        asked_.reset();
        return told_->setText({});
    }
    isHeld_ = isQueueHeld();
    const MapCell now{.id = map_->current(), .face = map_->worstOf(*cell)};
    if (asked_ == now) return;
    asked_ = now;
    told_->setText(map_->wordsOf(*cell));
    describe(now.id, [this, now](const QString& words) {
        if (asked_ == now) told_->setText(words);
    });
}

void MapPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    states_->setActive(true);
    tell();
}

void MapPane::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    states_->setActive(false);
}

} // namespace yard::ui
