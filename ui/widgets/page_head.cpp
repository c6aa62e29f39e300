#include "ui/widgets/page_head.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/button.h"
#include "ui/widgets/filter_popup.h"

#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QSettings>

#include <utility>

namespace yard::ui {

namespace {
constexpr int kMostKept = 20;
constexpr int kLeastNote = 64; // 1,284,031
constexpr int kHeadGap = 8;
constexpr int kBeforeTheRest = 100; // times what the empty place behind has
} // namespace

FilterField::FilterField(const QString& placeholder, bool language, QWidget* parent)
    : QLineEdit(parent) {
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    if (language) setFont(typeface(Type::Mono));
    setTextMargins(24, 0, 24, 0);
    setMaxLength(4'096);
    setFixedHeight(scaled(28));
    setMinimumWidth(scaled(160));
}

void FilterField::setProblem(const QString& why) {
    wrong_ = why.isEmpty() ? std::vector<FilterSpan>() : wrongTerms(text());
    update();
    if (problem_ == why) return;
    problem_ = why;
    setToolTip(why);
    setAccessibleDescription(why);
    showHint();
}

void FilterField::setLanguage(std::function<FilterValues()> values, const QString& key) {
    values_ = std::move(values);
    historyKey_ = "filters/" + key;
    connect(this, &QLineEdit::textEdited, this, [this] {
        wrong_.clear(); // until it is known of what is written now
        offer();
    });
}

FilterPopup* FilterField::popup() const {
    return popup_;
}

/// Made with the first letter: by then the field is in its window.
FilterPopup* FilterField::makePopup() {
    if (popup_ != nullptr) return popup_;
    popup_ = new FilterPopup(*window(), *this);
    connect(this, &QObject::destroyed, popup_, &QObject::deleteLater);
    connect(popup_, &FilterPopup::taken, this, &FilterField::take);
    return popup_;
}

void FilterField::offer() {
    if (!values_ || !hasFocus()) return;
    writing_ = true;
    offerAgain();
    showHint();
}

/// Not while what was used before is offered, or nothing is.
void FilterField::offerAgain() {
    if (!values_ || !hasFocus() || !writing_) return;
    auto choices = choicesFor(text(), cursorPosition(), values_());
    const QString key = choices.empty() ? QString() : choices.front().key;
    QStringList values;
    for (const FilterChoice& choice : choices) values << choice.text;
    makePopup()->setChoices(std::move(choices));
    if (!key.isEmpty()) emit offered(key, values);
}

void FilterField::offerHistory() {
    writing_ = false;
    std::vector<FilterChoice> choices;
    for (const QString& filter : QSettings().value(historyKey_).toStringList())
        if (filter != text() && choices.size() < kMostChoices)
            choices.push_back({filter, {}, -1, filter, static_cast<int>(filter.size())});
    makePopup()->setChoices(std::move(choices));
    popup_->walk(1);
}

void FilterField::remember() {
    const QString filter = text().trimmed();
    if (historyKey_.isEmpty() || filter.isEmpty() || !problem_.isEmpty()) return;
    QStringList used = QSettings().value(historyKey_).toStringList();
    used.removeAll(filter);
    used.prepend(filter);
    QSettings().setValue(historyKey_, QStringList(used.mid(0, kMostKept)));
}

/// As if it had been typed; what may follow is offered next.
void FilterField::take(const FilterChoice& choice) {
    setText(choice.filter);
    setCursorPosition(choice.cursor);
    emit textEdited(choice.filter);
}

bool FilterField::goesOn() const {
    return popup_ != nullptr && writing_ && popup_->hasChoices();
}

void FilterField::showHint() {
    if (!values_ || (problem_.isEmpty() && popup_ == nullptr)) return;
    makePopup()->setHint(hasFocus() && !goesOn() ? problem_ : QString());
}

void FilterField::setCount(const QString& count) {
    if (count_ == count) return;
    count_ = count;
    const qreal width = count.isEmpty() ? 24 : numberWidth(typeface(Type::Caption), count) + 16;
    setTextMargins(24, 0, qRound(width), 0);
    update();
}

void FilterField::focusAll() {
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void FilterField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const Theme& theme = Theme::current();
    icons::paint(painter, QRectF(8, 0, 14, height()), "filter", 14, theme(Token::Text2));
    if (!problem_.isEmpty() && !goesOn()) {
        painter.setPen(QPen(theme.inkOf(DisplayState::Failed), 1.5));
        const qreal y = height() - 5;
        const auto xOf = [this](int at) {
            return 30 + std::min<qreal>(fontMetrics().horizontalAdvance(text().left(at)), width() - 60);
        };
        const std::vector<FilterSpan> all{{0, static_cast<int>(text().size())}};
        for (const FilterSpan& span : wrong_.empty() ? all : wrong_)
            painter.drawLine(QPointF(xOf(span.begin), y), QPointF(xOf(span.end), y));
    }
    if (!count_.isEmpty()) {
        paint::number(painter, QRectF(0, 0, width() - 10, height()), count_, typeface(Type::Caption),
                      theme(Token::Text3), Qt::AlignRight);
        return;
    }
    if (!text().isEmpty() || hasFocus()) return;
    const QRectF key(width() - 24, height() / 2.0 - 9, 16, 18);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme(Token::Line));
    painter.drawRoundedRect(key, 3, 3);
    paint::text(painter, key, QStringLiteral("/"), typeface(Type::Caption), theme(Token::Text3), Qt::AlignHCenter,
                Qt::ElideNone);
}

/// Keys of the list below, while there is one. Enter takes what was walked to, and else means the filter.
bool FilterField::onPopupKey(int key) {
    if (!values_) return false;
    const bool open = popup_ != nullptr && popup_->hasChoices();
    switch (key) {
    case Qt::Key_Down:
        if (open)
            popup_->walk(1);
        else
            offerHistory();
        return true;
    case Qt::Key_Up:
        if (open) popup_->walk(-1);
        return open;
    case Qt::Key_Tab:
        if (!open) return false;
        if (popup_->chosen() == nullptr) popup_->walk(1);
        take(FilterChoice(*popup_->chosen()));
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (open && popup_->chosen() != nullptr) {
            take(FilterChoice(*popup_->chosen()));
            return true;
        }
        writing_ = false;
        if (popup_ != nullptr) popup_->setChoices({});
        return false;
    case Qt::Key_Escape:
        if (!open) return false;
        writing_ = false;
        popup_->setChoices({});
        showHint();
        return true;
    default: return false;
    }
}

/// Tab leads to the next field before it is a key, and Esc belongs to the window where nobody claims it.
bool FilterField::event(QEvent* event) {
    const bool open = popup_ != nullptr && popup_->hasChoices();
    if (open && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Tab && onPopupKey(key)) return true;
    }
    if (open && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QLineEdit::event(event);
}

void FilterField::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    showHint();
}

void FilterField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    writing_ = false;
    if (popup_ != nullptr) popup_->leave();
    remember();
}

void FilterField::keyPressEvent(QKeyEvent* event) {
    if (onPopupKey(event->key())) return;
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) remember();
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) return clear();
    QLineEdit::keyPressEvent(event);
}

PageHead::PageHead(const QString& title, QWidget* parent)
    : QWidget(parent)
    , left_(new QHBoxLayout)
    , right_(new QHBoxLayout)
    , note_(new Label({}, Type::Body, Token::Text3))
    , more_(new Button(Button::Kind::Flat, tr("More"), {})) {
    setFixedHeight(scaled(48));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 16, 0);
    row->setSpacing(kHeadGap);
    row->addWidget(new Label(title, Type::Title, Token::Text1));
    row->addWidget(note_);
    left_->setSpacing(kHeadGap);
    right_->setSpacing(kHeadGap);
    row->addSpacing(4);
    row->addLayout(left_, 1);
    row->addLayout(right_);
    left_->addStretch(1);
    more_->hide();
    row->addWidget(more_);
    auto* menu = new QMenu(this);
    connect(menu, &QMenu::aboutToShow, this, &PageHead::fillMore);
    more_->setMenu(menu);
}

/// A count gets room for more than it needs: what is written in the filter behind it is not to move.
void PageHead::setNote(const QString& note, bool mayElide) {
    note_->setElides(mayElide);
    note_->setMinimumWidth(note.isEmpty() ? 0 : scaled(kLeastNote));
    note_->setText(note);
}

/// What stretches has all the room that there is, up to its most; the empty place behind has what is left.
void PageHead::addLeft(QWidget* widget, int stretch, bool mayFold) {
    left_->insertWidget(left_->count() - 1, widget, stretch * kBeforeTheRest);
    if (auto* button = qobject_cast<Button*>(widget); mayFold && button != nullptr)
        foldable_.insert(foldable_.begin(), button);
}

void PageHead::setMore(Button* more) {
    delete more_;
    more_ = more;
    hasPageMore_ = true;
    connect(more->menu(), &QMenu::aboutToShow, this, &PageHead::fillMore);
}

int PageHead::moreWidth() const {
    return hasPageMore_ ? 0 : more_->sizeHint().width() + kHeadGap;
}

void PageHead::addRight(QWidget* widget, bool mayFold) {
    const bool isHidden = widget->isHidden() && widget->testAttribute(Qt::WA_WState_ExplicitShowHide);
    auto* button = qobject_cast<Button*>(widget);
    if (mayFold && button != nullptr && !isHidden) foldable_.push_back(button);
    right_->addWidget(widget);
}

bool PageHead::event(QEvent* event) {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fold();
    return done;
}

/// By what all would need, so that folding does not change the answer.
void PageHead::fold() {
    const auto widthOf = [](const Button* button) { return button->sizeHint().width() + kHeadGap; };
    int need = layout()->minimumSize().width();
    if (folded_ > 0) need -= moreWidth();
    for (std::size_t i = foldable_.size() - folded_; i < foldable_.size(); ++i) need += widthOf(foldable_[i]);
    std::size_t count = 0;
    if (need > width()) need += moreWidth();
    while (need > width() && count < foldable_.size()) need -= widthOf(foldable_[foldable_.size() - ++count]);
    if (count == folded_) return;
    folded_ = count;
    for (std::size_t i = 0; i < foldable_.size(); ++i) foldable_[i]->setVisible(i + count < foldable_.size());
    if (!hasPageMore_) more_->setVisible(count > 0);
}

void PageHead::fillMore() {
    QMenu* menu = more_->menu();
    for (QAction* entry : entries_) delete entry; // a menu of the page keeps its own
    entries_.clear();
    if (hasPageMore_ && folded_ > 0) entries_.push_back(menu->addSeparator());
    for (std::size_t i = foldable_.size() - folded_; i < foldable_.size(); ++i) {
        Button* button = foldable_[i];
        QAction* action = menu->addAction(button->text());
        entries_.push_back(action);
        action->setEnabled(button->isEnabled());
        action->setToolTip(button->toolTip());
        if (button->menu() != nullptr)
            action->setMenu(button->menu());
        else
            connect(action, &QAction::triggered, button, &QAbstractButton::click);
    }
}

void PageHead::addSeparator() {
    right_->addWidget(new Separator(Qt::Vertical));
}

} // namespace yard::ui
