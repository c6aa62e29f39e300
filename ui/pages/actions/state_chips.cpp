#include "ui/pages/actions/state_chips.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QPainter>
#include <QRegularExpression>

#include <utility>

namespace yard::ui {

namespace {

constexpr std::array kOrder{DisplayState::Pending,    DisplayState::Held,      DisplayState::Retry,
                            DisplayState::Submitting, DisplayState::Running,   DisplayState::Completed,
                            DisplayState::Failed,     DisplayState::Abandoned, DisplayState::Cancelled};

constexpr int kChipGap = 8;

const QRegularExpression& stateTerm() {
    static const QRegularExpression term("(?:^|\\s)state:(\\S+)");
    return term;
}

} // namespace

QString filterWordOf(DisplayState face) {
    return QString::fromLatin1(name(face).data(), static_cast<qsizetype>(name(face).size()));
}

QString withStates(const QString& filter, const QStringList& states) {
    QString rest = QString(filter).remove(stateTerm()).trimmed();
    if (states.isEmpty()) return rest;
    const QString term = "state:" + states.join(',');
    return rest.isEmpty() ? term : term + ' ' + rest;
}

StateChip::StateChip(DisplayState face, QWidget* parent)
    : QAbstractButton(parent)
    , face_(face) {
    setText(wordOf(face));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StateChip::setCount(const std::optional<StateCounts::Count>& count) {
    if (count) none_ = count->count == 0 && (count->isExact || none_); // not known: as it was
    const Format format;
    const QString text = !count           ? Format::unknown()
                         : count->isExact ? format.number(count->count)
                                          : format.number(count->count) + "+";
    if (text == count_) return;
    count_ = text;
    const bool isBound = count && !count->isExact;
    setAccessibleName(this->text() + ", " + (isBound ? tr("%1 and more").arg(format.number(count->count)) : text));
    updateGeometry();
    update();
}

void StateChip::setOn(bool on) {
    on_ = on;
    update();
}

QSize StateChip::sizeHint() const {
    const QFontMetricsF words(typeface(Type::Small));
    QFont bold = typeface(Type::Small);
    bold.setWeight(QFont::DemiBold);
    return {static_cast<int>(8 + 14 + 6 + words.horizontalAdvance(text()) + 6 + numberWidth(bold, count_) + 10),
            scaled(24)};
}

void StateChip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    const Token under = on_ ? Token::SelectionDim : underMouse() ? Token::Bg3 : Token::Bg1;
    painter.setPen(QPen(theme(on_ || hasFocus() ? Token::Accent : Token::Line), hasFocus() ? 2 : 1));
    painter.setBrush(theme(under));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    icons::paintFace(painter, QRectF(8, 0, 14, height()), theme.scheme(), face_, 14, theme(under));
    QFont bold = typeface(Type::Small);
    const qreal words = QFontMetricsF(bold).horizontalAdvance(text());
    paint::text(painter, QRectF(28, 0, words + 1, height()), text(), bold, theme(Token::Text2), Qt::AlignLeft,
                Qt::ElideNone);
    bold.setWeight(QFont::DemiBold);
    paint::number(painter, QRectF(28, 0, width() - 28 - 9, height()), count_, bold, theme(Token::Text1));
}

StateChips::StateChips(QWidget* parent)
    : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 16, 8);
    row->setSpacing(kChipGap);
    for (const DisplayState face : kOrder) {
        auto* chip = new StateChip(face);
        chips_[std::to_underlying(face)] = chip;
        connect(chip, &QAbstractButton::clicked, this, [this, face] { onClicked(face); });
        row->addWidget(chip);
    }
    row->addStretch(1);
}

void StateChips::count(const StateCounts& counts) {
    for (StateChip* chip : chips_) chip->setCount(counts.of(chip->face()));
    fit();
}

void StateChips::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

/// Where there is no room for all, states that nothing is in fall away, from the right.
void StateChips::fit() {
    int taken = 32 - kChipGap;
    for (const StateChip* chip : chips_) taken += chip->sizeHint().width() + kChipGap;
    for (auto face = kOrder.rbegin(); face != kOrder.rend(); ++face) {
        StateChip* chip = chips_[std::to_underlying(*face)];
        const bool falls = taken > width() && chip->isNone() && !chip->isOn();
        if (falls) taken -= chip->sizeHint().width() + kChipGap;
        chip->setVisible(!falls);
    }
}

void StateChips::showFilter(const QString& filter) {
    const QStringList states = stateTerm().match(filter).captured(1).split(',', Qt::SkipEmptyParts);
    for (StateChip* chip : chips_) chip->setOn(states.contains(filterWordOf(chip->face())));
    fit();
}

void StateChips::onClicked(DisplayState face) {
    const bool adds = (QApplication::keyboardModifiers() & Qt::ControlModifier) != 0;
    QStringList states;
    bool alone = true;
    for (const StateChip* chip : chips_) {
        const bool self = chip->face() == face;
        if (chip->isOn() && !self) alone = false;
        if (self ? !chip->isOn() : chip->isOn() && adds) states << filterWordOf(chip->face());
    }
    // A click on one of several that are on leaves that one.
    if (!adds && !alone && states.isEmpty()) states << filterWordOf(face);
    emit chosen(states);
}

} // namespace yard::ui
