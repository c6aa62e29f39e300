#include "ui/widgets/form.h"

#include "ui/style/paint.h"

#include <QComboBox>
#include <QEvent>
#include <QFontMetrics>
#include <QLineEdit>
#include <QPainter>

#include <utility>

namespace yard::ui {

namespace {
constexpr int kLabelWidth = 200;
constexpr int kControlWidth = 320;
constexpr int kControlHeight = 28;
constexpr int kProseWidth = 640;
constexpr int kFormGap = 12;
constexpr int kLeastControl = 320; // whatever the size of the text: then less of a value is seen
} // namespace

WrappedLabel::WrappedLabel(const QString& text, Type type, Token token, QWidget* parent)
    : QWidget(parent)
    , text_(text)
    , type_(type)
    , token_(token) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(text);
}

void WrappedLabel::setText(const QString& text) {
    if (text_ == text) return;
    text_ = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

int WrappedLabel::heightForWidth(int width) const {
    const QFontMetrics metrics(typeface(type_));
    // A layout asks for the whole width that it has, and then gives no more than the most.
    const int wide = std::max(std::min(width, maximumWidth()), 80);
    return metrics.boundingRect(QRect(0, 0, wide, 10'000), Qt::TextWordWrap, text_).height();
}

QSize WrappedLabel::sizeHint() const {
    const QFontMetrics metrics(typeface(type_));
    const int wide = std::min(metrics.horizontalAdvance(text_) + 2, scaled(kProseWidth));
    return {wide, heightForWidth(wide)};
}

void WrappedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(typeface(type_));
    painter.setPen(Theme::current()(isEnabled() ? token_ : Token::Disabled));
    painter.drawText(rect(), Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, text_);
}

FormRow::FormRow(const QString& title, QWidget* control, const QString& help, QWidget* parent)
    : QWidget(parent)
    , title_(title)
    , row_(new QBoxLayout(QBoxLayout::LeftToRight, this))
    , labelBox_(new QWidget)
    , labelRow_(new QHBoxLayout(labelBox_))
    , control_(control)
    , line_(new QHBoxLayout)
    , note_(new Label({}, Type::Body, Token::Text3))
    , undoButton_(new Button(Button::Kind::Small, tr("Undo"), "undo"))
    , help_(new WrappedLabel(help, Type::Caption, Token::Text3))
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1)) {
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(kFormGap);
    auto* label = new Label(title, Type::Body, Token::Text2);
    labelBox_->setFixedWidth(scaled(kLabelWidth));
    labelRow_->setContentsMargins(0, scaled(6), 0, 0);
    labelRow_->addStretch(1);
    label->setElides(true);
    labelRow_->addWidget(label);
    row_->addWidget(labelBox_, 0, Qt::AlignTop);
    auto* right = new QVBoxLayout;
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(4);
    line_->setSpacing(8);
    if (control->accessibleName().isEmpty()) control->setAccessibleName(title);
    control->setAccessibleDescription(help);
    // A button is as wide as what stands on it.
    if (qobject_cast<QAbstractButton*>(control) == nullptr) control->setMaximumWidth(scaled(kControlWidth));
    // Fields of one form end on one line, and none is squeezed where the form is higher than its place.
    const bool isField = qobject_cast<QComboBox*>(control) || qobject_cast<QLineEdit*>(control);
    if (isField) {
        control->setMinimumWidth(std::min(scaled(kControlWidth), kLeastControl));
        control->setSizePolicy(QSizePolicy::Expanding, control->sizePolicy().verticalPolicy());
        control->setMinimumHeight(scaled(kControlHeight));
    }
    line_->addWidget(control, isField ? 100 : 0); // up to its most; what is behind it follows close
    line_->addWidget(note_);
    line_->addWidget(undoButton_);
    line_->addStretch(1);
    undoButton_->hide();
    note_->hide();
    right->addLayout(line_);
    right->addWidget(help_);
    right->addWidget(problem_);
    for (WrappedLabel* text : {help_, problem_}) text->setMaximumWidth(scaled(kProseWidth));
    problem_->hide();
    row_->addLayout(right, 1);
    // In the row by now: shown before that it would be a window for a moment, which takes the focus from this one.
    help_->setVisible(!help.isEmpty());
    connect(undoButton_, &QAbstractButton::clicked, this, [this] { undo(); });
}

void FormRow::setMayStack(bool mayStack) {
    mayStack_ = mayStack;
    updateGeometry();
}

/// Of the narrower of the two: else a form would never get as narrow as its place.
QSize FormRow::minimumSizeHint() const {
    if (!mayStack_) return QWidget::minimumSizeHint();
    return {line_->minimumSize().width(), QWidget::minimumSizeHint().height()};
}

bool FormRow::event(QEvent* event) {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) review();
    return done;
}

/// It goes back only with a scroll bar's width more: else it would take turns with the scroll bar.
void FormRow::review() {
    constexpr int kScrollBarRoom = 12;
    const bool isStacked = row_->direction() == QBoxLayout::TopToBottom;
    const int least = scaled(kLabelWidth) + kFormGap + line_->minimumSize().width();
    setStacked(mayStack_ && width() < least + (isStacked ? scaled(kScrollBarRoom) : 0));
}

void FormRow::setStacked(bool stacked) {
    const auto direction = stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (row_->direction() == direction) return;
    row_->setDirection(direction);
    row_->setSpacing(stacked ? 2 : kFormGap);
    labelBox_->setMinimumWidth(stacked ? 0 : scaled(kLabelWidth));
    labelBox_->setMaximumWidth(stacked ? QWIDGETSIZE_MAX : scaled(kLabelWidth));
    // Its stretch is then behind it.
    labelRow_->setDirection(stacked ? QBoxLayout::RightToLeft : QBoxLayout::LeftToRight);
    labelRow_->setContentsMargins(0, stacked ? 0 : scaled(6), 0, 0);
    updateGeometry();
}

void FormRow::setHelp(const QString& help) {
    help_->setText(help);
    help_->setVisible(!help.isEmpty());
    control_->setAccessibleDescription(help);
}

void FormRow::setProblem(const QString& problem) {
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
}

void FormRow::setNote(const QString& note) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
}

void FormRow::addBeside(QWidget* widget) {
    line_->insertWidget(line_->count() - 2, widget);
}

void FormRow::offerUndo(std::function<void()> undo) {
    undo_ = std::move(undo);
    undoButton_->setVisible(undo_ != nullptr);
    undoButton_->setAccessibleName(tr("Undo: %1").arg(title_));
}

bool FormRow::undo() {
    if (!undo_) return false;
    const auto act = std::exchange(undo_, nullptr);
    undoButton_->hide();
    act();
    return true;
}

bool FormRow::matches(const QString& text) const {
    const QString all = title_ + ' ' + help_->text() + ' ' + control_->objectName();
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

} // namespace yard::ui
