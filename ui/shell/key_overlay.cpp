#include "ui/shell/key_overlay.h"

#include "ui/style/paint.h"

#include <QKeyEvent>

#include <algorithm>
#include <array>

namespace yard::ui {

namespace {

constexpr int kColumns = 3;
constexpr int kColumn = 330;
constexpr int kKeys = 100; // of a column
constexpr int kOverlayLine = 21;
constexpr int kOverlayPadding = 20;
constexpr int kOverlayHead = 36;

int linesOf(const KeyGroup& group) {
    return static_cast<int>(group.keys.size()) + 2;
}

/// The lowest height at which the groups fill no more than `columns`, by trying each.
std::vector<int> filledUpTo(const std::vector<KeyGroup>& groups, int height) {
    std::vector<int> columns;
    int column = 0;
    int used = 0;
    for (const KeyGroup& group : groups) {
        if (used > 0 && used + linesOf(group) > height) {
            ++column;
            used = 0;
        }
        used += linesOf(group);
        columns.push_back(column);
    }
    return columns;
}

} // namespace

std::vector<int> columnsOf(const std::vector<KeyGroup>& groups, int columns) {
    int height = 1;
    for (const KeyGroup& group : groups) height = std::max(height, linesOf(group));
    while (true) {
        std::vector<int> filled = filledUpTo(groups, height);
        if (filled.empty() || filled.back() < columns) return filled;
        ++height;
    }
}

KeyGroup tableKeys() {
    return {KeyOverlay::tr("In tables"),
            {{KeyOverlay::tr("Enter"), KeyOverlay::tr("Open and go there")},
             {KeyOverlay::tr("Space"), KeyOverlay::tr("Open and stay")},
             {KeyOverlay::tr("Ctrl+A"), KeyOverlay::tr("Select all that match")},
             {KeyOverlay::tr("Ctrl+C"), KeyOverlay::tr("Copy rows as text")},
             {KeyOverlay::tr("Home, End"), KeyOverlay::tr("First and last row")},
             {KeyOverlay::tr("Shift+F10"), KeyOverlay::tr("Menu of the row")},
             {KeyOverlay::tr("letters"), KeyOverlay::tr("Into the filter")}}};
}

KeyGroup outputKeys() {
    return {KeyOverlay::tr("In output"),
            {{KeyOverlay::tr("Ctrl+F"), KeyOverlay::tr("Find")},
             {KeyOverlay::tr("F3, Shift+F3"), KeyOverlay::tr("Next and previous match")}}};
}

KeyOverlay::KeyOverlay(QWidget& window)
    : Popover(window, "keys-overlay") {
    setAccessibleName(tr("Keys of this page"));
    setFocusPolicy(Qt::StrongFocus);
}

void KeyOverlay::open(std::vector<KeyGroup> groups) {
    groups_ = std::move(groups);
    columns_ = columnsOf(groups_, kColumns);
    QStringList spoken;
    for (const KeyGroup& group : groups_)
        for (const auto& [keys, what] : group.keys) spoken << what + ": " + keys;
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    enter(this);
}

QRect KeyOverlay::placed() {
    std::array<int, kColumns> lines{};
    for (std::size_t i = 0; i < groups_.size(); ++i)
        lines[static_cast<std::size_t>(columns_[i])] += linesOf(groups_[i]);
    const int height =
        *std::ranges::max_element(lines) * scaled(kOverlayLine) + scaled(kOverlayHead) + kOverlayPadding;
    const int width = std::min(kColumns * scaled(kColumn) + 2 * kOverlayPadding, over().width() - 32);
    return {(over().width() - width) / 2, std::max(8, (over().height() - height) / 2), width,
            std::min(height, over().height() - 16)};
}

bool KeyOverlay::event(QEvent* event) {
    // F1 is the window's as well; here it closes this, as every key does.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1) {
        event->accept();
        return true;
    }
    return Popover::event(event);
}

void KeyOverlay::keyPressEvent(QKeyEvent* event) {
    const bool modifier = event->key() == Qt::Key_Control || event->key() == Qt::Key_Shift ||
                          event->key() == Qt::Key_Alt || event->key() == Qt::Key_Meta;
    if (!modifier) leave();
}

void KeyOverlay::mousePressEvent(QMouseEvent*) {
    leave();
}

void KeyOverlay::paintInside(QPainter& painter) {
    const Theme& theme = Theme::current();
    const QRectF head(kOverlayPadding, 1, width() - 2 * kOverlayPadding, scaled(kOverlayHead));
    paint::text(painter, head, tr("Keys of this page"), typeface(Type::Title), theme(Token::Text1));
    paint::text(painter, head, tr("Esc closes    Settings, Keys changes them"), typeface(Type::Caption),
                theme(Token::Text3), Qt::AlignRight);
    const qreal column = (width() - 2.0 * kOverlayPadding) / kColumns;
    std::array<int, kColumns> lines{};
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        int& line = lines[static_cast<std::size_t>(columns_[i])];
        paintGroup(
            painter, groups_[i],
            {kOverlayPadding + columns_[i] * column, scaled(kOverlayHead) + 6.0 + line * scaled(kOverlayLine)},
            column - 16);
        line += linesOf(groups_[i]);
    }
}

void KeyOverlay::paintGroup(QPainter& painter, const KeyGroup& group, QPointF at, qreal width) const {
    const Theme& theme = Theme::current();
    const qreal line = scaled(kOverlayLine);
    paint::text(painter, {at.x(), at.y(), width, line}, group.title, typeface(Type::Strong), theme(Token::Text2));
    for (const auto& [keys, what] : group.keys) {
        at.ry() += line;
        paint::text(painter, {at.x(), at.y(), qreal(scaled(kKeys)) - 8, line}, keys, typeface(Type::Small),
                    theme(Token::Text2));
        paint::text(painter, {at.x() + scaled(kKeys), at.y(), width - scaled(kKeys), line}, what,
                    typeface(Type::Body), theme(Token::Text1));
    }
}

} // namespace yard::ui
