#include "ui/pages/actions/place_drop.h"

#include "ui/pages/actions/actions_model.h"
#include "ui/state/action_file.h"
#include "ui/style/theme.h"

#include <QMimeData>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kLine = 2;

/// Between two rows; lets everything through.
class Line final : public QWidget {
public:
    explicit Line(QWidget* parent)
        : QWidget(parent) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setObjectName("place-line");
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), Theme::current()(Token::Accent)); }
};

} // namespace

PlaceDrop::PlaceDrop(Context context, Table* table, const ActionsModel* model)
    : TableDrop(table)
    , context_(context)
    , table_(table)
    , model_(model)
    , line_(new Line(table->viewport())) {}

bool PlaceDrop::isDragged(qint64 lsn) const {
    return std::ranges::find(lsns_, lsn) != lsns_.end();
}

/// As far as those are here.
bool PlaceDrop::hasPriorityOfDragged(const ActionRow& row) const {
    return std::ranges::all_of(lsns_, [&](qint64 lsn) {
        const ActionRow* const one = model_->action(lsn);
        return one == nullptr || one->priority == row.priority;
    });
}

PlaceDrop::Spot PlaceDrop::spotAt(const QPoint& at) const {
    if (!context_.state.isLive()) return {.why = context_.state.whyBlocked()};
    if (!model_->isByPlace())
        return {.why = tr("Choose one queue and sort by Place: then a drag moves actions in it.")};
    const int under = table_->rowAt(at.y());
    int row = under < 0 ? model_->rowCount() : under;
    if (under >= 0 && at.y() > table_->visualRect(model_->index(under, 0)).center().y()) ++row;
    while (row < model_->rowCount() && isDragged(model_->idAt(row))) ++row;
    const auto rowAt = [this](int number) -> const ActionRow* {
        return number < 0 || number >= model_->rowCount() ? nullptr : model_->action(model_->idAt(number));
    };
    const ActionRow* below = rowAt(row);
    const ActionRow* above = rowAt(row - 1);
    if (below == nullptr && row < model_->rowCount()) return {.why = tr("These rows are still being read.")};
    const auto waits = [](const ActionRow* one) { return one != nullptr && one->place > 0; };
    if (!waits(below) && !waits(above)) return {.why = tr("Only what waits has a place.")};
    const auto accepts = [&](const ActionRow* one) { return waits(one) && hasPriorityOfDragged(*one); };
    if (!accepts(below) && !accepts(above))
        return {.why = tr("A move stays within a priority: give them the same one first.")};
    const bool hasPlace = accepts(below); // else they go behind the last one of their priority
    const ActionRow* beside = hasPlace ? below : above;
    for (const qint64 lsn : lsns_)
        if (const ActionRow* one = model_->action(lsn); one != nullptr && one->queue != beside->queue)
            return {.why = tr("They are of another queue: choose one queue.")};
    const QRect area = table_->visualRect(model_->index(hasPlace ? row : row - 1, 0));
    return {.before = hasPlace ? below->lsn : 0, .y = hasPlace ? area.top() : area.bottom() + 1, .why = {}};
}

void PlaceDrop::enter(QDropEvent* event) {
    lsns_ = draggedActions(*event->mimeData(), context_.link.address().toString());
    if (lsns_.empty()) {
        event->ignore(); // the window may have use for it
        return;
    }
    move(event);
    event->acceptProposedAction(); // also where there is no place: else no move would be told
}

void PlaceDrop::move(QDropEvent* event) {
    const Spot spot = spotAt(event->position().toPoint());
    line_->setVisible(spot.why.isEmpty());
    if (!spot.why.isEmpty()) {
        context_.window.say(spot.why);
        return event->ignore();
    }
    line_->setGeometry(0, std::max(0, spot.y - kLine / 2), table_->viewport()->width(), kLine);
    line_->raise();
    context_.window.say(operations::place(Target::of(lsns_), spot.before == 0 ? "bottom" : "", spot.before).title);
    event->acceptProposedAction();
}

void PlaceDrop::leave() {
    line_->hide();
    lsns_.clear();
}

void PlaceDrop::drop(QDropEvent* event) {
    const Spot spot = spotAt(event->position().toPoint());
    const std::vector<qint64> lsns = lsns_;
    leave();
    if (!spot.why.isEmpty() || lsns.empty()) return event->ignore();
    event->acceptProposedAction();
    context_.commands.run(operations::place(Target::of(lsns), spot.before == 0 ? "bottom" : "", spot.before), this,
                          [this](const Answer& answer) {
                              if (answer.ok()) emit placesChanged();
                          });
}

} // namespace yard::ui
