#include "ui/widgets/filter_popup.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/style/type.h"

#include <QEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kPopupRow = 24;
constexpr int kHint = 26;
constexpr int kLeastWidth = 320;
constexpr int kNoteRole = Qt::UserRole + 1;

/// The word at the left, what it is for or how many there are at the right.
class ChoiceDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {scaled(kLeastWidth), scaled(kPopupRow)};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const bool chosen = (option.state & QStyle::State_Selected) != 0;
        const bool under = (option.state & QStyle::State_MouseOver) != 0;
        painter->fillRect(option.rect, theme(chosen ? Token::Selection : under ? Token::Bg3 : Token::Bg1));
        const QRectF inside = QRectF(option.rect).adjusted(12, 0, -12, 0);
        const QString note = index.data(kNoteRole).toString();
        const qreal noteWidth =
            std::min(QFontMetricsF(typeface(Type::Caption)).horizontalAdvance(note) + 12, inside.width() / 2);
        paint::text(*painter, inside.adjusted(0, 0, -noteWidth, 0), index.data().toString(), typeface(Type::Mono),
                    theme(Token::Text1), Qt::AlignLeft, Qt::ElideMiddle);
        paint::text(*painter, QRectF(inside.right() - noteWidth, inside.top(), noteWidth, inside.height()), note,
                    typeface(Type::Caption), theme(Token::Text3), Qt::AlignRight);
    }
};

} // namespace

FilterPopup::FilterPopup(QWidget& window, QWidget& field)
    : Popover(window, "filter-popup")
    , field_(field)
    , list_(new QListWidget(this)) {
    setAccessibleName(tr("What fits the filter"));
    setFocusPolicy(Qt::NoFocus);
    list_->setAccessibleName(tr("What fits the filter"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setItemDelegate(new ChoiceDelegate(list_));
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        const auto row = static_cast<std::size_t>(list_->row(item));
        if (row < choices_.size()) emit taken(FilterChoice(choices_[row]));
    });
    field.installEventFilter(this);
}

/// It stays below the field, wherever that goes.
bool FilterPopup::eventFilter(QObject* object, QEvent* event) {
    if (isVisible() && object == &field_ && (event->type() == QEvent::Move || event->type() == QEvent::Resize))
        place();
    return Popover::eventFilter(object, event);
}

/// The same words with other counts: the one that is chosen stays.
void FilterPopup::setChoices(std::vector<FilterChoice> choices) {
    const bool same = std::ranges::equal(choices, choices_, {}, &FilterChoice::filter, &FilterChoice::filter);
    const int row = same ? list_->currentRow() : -1;
    choices_ = std::move(choices);
    list_->clear();
    for (const FilterChoice& choice : choices_) {
        auto* item = new QListWidgetItem(choice.text, list_);
        const QString note = choice.count >= 0 ? Format().number(choice.count) : choice.note;
        item->setData(kNoteRole, note);
        item->setData(Qt::AccessibleTextRole, note.isEmpty() ? choice.text : choice.text + ", " + note);
    }
    list_->setCurrentRow(row);
    showOrLeave();
}

void FilterPopup::setHint(const QString& hint) {
    hint_ = hint;
    setAccessibleDescription(hint);
    showOrLeave();
}

const FilterChoice* FilterPopup::chosen() const {
    const int row = list_->currentRow();
    return !isVisible() || row < 0 || row >= static_cast<int>(choices_.size())
               ? nullptr
               : &choices_[static_cast<std::size_t>(row)];
}

void FilterPopup::walk(int steps) {
    const int count = static_cast<int>(choices_.size());
    if (count == 0) return;
    const int row = list_->currentRow();
    list_->setCurrentRow(row < 0 ? (steps > 0 ? 0 : count - 1) : (row + steps + count) % count);
}

void FilterPopup::onLeft() {
    choices_.clear();
    list_->clear();
    hint_.clear();
}

void FilterPopup::showOrLeave() {
    if (choices_.empty() && hint_.isEmpty()) return leave();
    enter(nullptr);
    update();
}

QRect FilterPopup::placed() {
    const int rows = static_cast<int>(choices_.size()) * scaled(kPopupRow);
    const int hint = hint_.isEmpty() ? 0 : scaled(kHint);
    const QPoint below = field_.mapTo(&over(), QPoint(0, field_.height() + 1));
    const int words = hint_.isEmpty() ? 0 : QFontMetrics(typeface(Type::Body)).horizontalAdvance(hint_) + 26;
    const int room = std::max(scaled(kLeastWidth), over().width() - below.x() - 8);
    const int width = std::min(room, std::max({field_.width(), scaled(kLeastWidth), words}));
    list_->setVisible(rows > 0);
    list_->setGeometry(1, 1, width - 2, rows);
    return {below.x(), below.y(), width, rows + hint + 2};
}

void FilterPopup::paintInside(QPainter& painter) {
    if (hint_.isEmpty()) return;
    const QRectF line(13, height() - 1 - scaled(kHint), width() - 26, scaled(kHint));
    paint::text(painter, line, hint_, typeface(Type::Body), Theme::current().inkOf(DisplayState::Failed));
}

} // namespace yard::ui
