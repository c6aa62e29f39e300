#include "ui/log/diff_view.h"

#include "ui/log/text_cells.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kDiffPadding = 8;
constexpr int kLeastDiffColumns = 10;

} // namespace

DiffView::DiffView(QWidget* parent)
    : QAbstractScrollArea(parent) {
    installSpoken();
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Both outputs"));
}

void DiffView::clear() {
    setParts({});
}

void DiffView::setMessage(const QString& message) {
    message_ = message;
    viewport()->update();
}

void DiffView::setParts(std::vector<DiffPart> parts) {
    parts_ = std::move(parts);
    choose();
    verticalScrollBar()->setValue(0);
}

void DiffView::setAll(bool all) {
    if (all == all_) return;
    all_ = all;
    choose();
}

/// Which rows are shown: all, or those that differ with some around them.
void DiffView::choose() {
    shown_.clear();
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
        const std::vector<DiffRow>& rows = parts_[part].diff.rows;
        shown_.push_back({Kind::Title, part});
        if (!all_ && parts_[part].diff.different == 0) continue;
        std::vector<bool> wanted(rows.size(), all_);
        for (std::size_t i = 0; !all_ && i < rows.size(); ++i)
            if (!rows[i].isSame)
                for (std::size_t near = i < kContext ? 0 : i - kContext; near < rows.size() && near <= i + kContext;
                     ++near)
                    wanted[near] = true;
        for (std::uint32_t i = 0; i < rows.size();) {
            std::uint32_t next = i;
            while (next < rows.size() && !wanted[next]) ++next;
            if (next > i) shown_.push_back({Kind::Fold, part, i, next - i});
            if (next < rows.size()) shown_.push_back({Kind::Lines, part, next});
            i = next + 1;
        }
    }
    layOut();
}

qreal DiffView::charWidth() const {
    return QFontMetricsF(typeface(Type::Mono)).horizontalAdvance('0');
}

int DiffView::lineHeight() const {
    return scaled(18);
}

/// Room for a sign and the largest number.
int DiffView::gutter() const {
    std::size_t most = 100;
    for (const DiffPart& part : parts_)
        most = std::max({most, part.leftFrom + part.left.size(), part.rightFrom + part.right.size()});
    return kDiffPadding + static_cast<int>(charWidth() * static_cast<double>(QString::number(most).size() + 2));
}

int DiffView::columns() const {
    const int room = viewport()->width() / 2 - gutter() - kDiffPadding;
    return std::max(kLeastDiffColumns, static_cast<int>(room / charWidth()));
}

std::pair<DiffView::Side, DiffView::Side> DiffView::sidesOf(const Shown& shown) const {
    const DiffPart& part = parts_[shown.part];
    const DiffRow& row = part.diff.rows[shown.row];
    Side left;
    Side right;
    right.isLeft = false;
    if (row.left >= 0) {
        left.text = &part.left[static_cast<std::size_t>(row.left)];
        left.number = part.leftFrom + static_cast<std::size_t>(row.left) + 1;
    }
    if (row.right >= 0) {
        right.text = &part.right[static_cast<std::size_t>(row.right)];
        right.number = part.rightFrom + static_cast<std::size_t>(row.right) + 1;
    }
    if (!row.isSame && left.text != nullptr && right.text != nullptr) {
        const Difference difference = differenceOf(*left.text, *right.text);
        left.from = right.from = difference.from;
        left.length = difference.left;
        right.length = difference.right;
    }
    return {left, right};
}

/// Of each row, again with every width: what differs within it is not looked for.
int DiffView::linesOf(const Shown& shown, int columns) const {
    if (shown.kind != Kind::Lines) return 1;
    const DiffPart& part = parts_[shown.part];
    const DiffRow& row = part.diff.rows[shown.row];
    const int left = row.left < 0 ? 1 : rowCountOf(part.left[static_cast<std::size_t>(row.left)], columns);
    const int right = row.right < 0 ? 1 : rowCountOf(part.right[static_cast<std::size_t>(row.right)], columns);
    return std::max(left, right);
}

void DiffView::layOut() {
    tops_.assign(1, 0);
    const int wide = columns();
    for (const Shown& shown : shown_) tops_.push_back(tops_.back() + linesOf(shown, wide));
    const int page = std::max(1, viewport()->height() / lineHeight());
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setRange(0, std::max(0, tops_.back() - page));
    viewport()->update();
}

void DiffView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void DiffView::scrollContentsBy(int, int) {
    viewport()->update();
}

std::vector<std::pair<std::size_t, int>> DiffView::inView() const {
    std::vector<std::pair<std::size_t, int>> found;
    const int top = verticalScrollBar()->value();
    const auto after = std::ranges::upper_bound(tops_, top);
    for (auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - tops_.begin() - 1));
         at < shown_.size(); ++at) {
        const int y = (tops_[at] - top) * lineHeight();
        if (y >= viewport()->height()) break;
        found.emplace_back(at, y);
    }
    return found;
}

QString DiffView::titleOf(const DiffPart& part) const {
    const Format format;
    if (part.left.empty() && part.right.empty()) return tr("%1: both wrote nothing").arg(part.title);
    if (part.diff.different == 0)
        return tr("%1: the same, %Ln line(s)", nullptr, static_cast<int>(part.diff.rows.size())).arg(part.title);
    QString title = tr("%1: %Ln line(s) differ", nullptr, static_cast<int>(part.diff.different)).arg(part.title);
    if (part.leftFrom > 0 || part.rightFrom > 0)
        title += tr("; only the last %1 of each are compared").arg(format.number(kMostDiffLines));
    if (!part.diff.isAligned)
        title += tr("; more than %1 came and went, so they are not aligned").arg(format.number(kMostDiffEdits));
    return title;
}

QString DiffView::foldText(const Shown& shown) const {
    return tr("%Ln equal line(s)", nullptr, static_cast<int>(shown.count));
}

void DiffView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme(Token::Lane));
    if (shown_.empty()) {
        painter.setFont(typeface(Type::Body));
        painter.setPen(theme(Token::Text2));
        return painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                                message_);
    }
    const int half = viewport()->width() / 2;
    for (const auto& [at, y] : inView()) {
        const Shown& shown = shown_[at];
        const QRect line(0, y, viewport()->width(), lineHeight() * (tops_[at + 1] - tops_[at]));
        if (shown.kind == Kind::Lines) {
            const bool isSame = parts_[shown.part].diff.rows[shown.row].isSame;
            const auto [left, right] = sidesOf(shown);
            paintSide(painter, left, {0, y, half, line.height()}, isSame);
            paintSide(painter, right, {half, y, line.width() - half, line.height()}, isSame);
            continue;
        }
        const bool isTitle = shown.kind == Kind::Title;
        painter.fillRect(line, theme(isTitle ? Token::Bg2 : Token::Bg1));
        paint::text(painter, line.adjusted(kDiffPadding, 0, -kDiffPadding, 0),
                    isTitle ? titleOf(parts_[shown.part]) : foldText(shown),
                    typeface(isTitle ? Type::Strong : Type::Caption), theme(isTitle ? Token::Text1 : Token::Text3));
    }
    paint::hairline(painter, QPointF(half, 0), QPointF(half, viewport()->height()), theme(Token::Line));
}

/// A sign stands beside what differs: no difference is told by colour alone.
void DiffView::paintSide(QPainter& painter, const Side& side, const QRect& area, bool isSame) const {
    const Theme& theme = Theme::current();
    const QColor lane = theme(Token::Lane);
    if (side.text == nullptr) return painter.fillRect(area, theme(Token::Bg2));
    if (!isSame) painter.fillRect(area, mixed(lane, theme(Token::Accent), 0.12));
    const qreal advance = charWidth();
    const int row = lineHeight();
    const int left = area.left() + gutter();
    const QFont font = typeface(Type::Mono);
    paint::number(painter, QRectF(area.left(), area.top(), gutter() - 2 * advance, row),
                  QString::number(side.number), font, theme(Token::Text3));
    if (!isSame)
        paint::text(painter, QRectF(left - 1.5 * advance, area.top(), advance, row),
                    side.isLeft ? QStringLiteral("-") : QStringLiteral("+"), font, theme(Token::Text1),
                    Qt::AlignLeft, Qt::ElideNone);
    const QFontMetricsF metrics(font);
    const qreal down = (row - metrics.height()) / 2 + metrics.ascent();
    painter.save();
    painter.setClipRect(area);
    painter.setFont(font);
    painter.setPen(theme(isSame ? Token::Text2 : Token::Text1));
    const std::vector<qsizetype> starts = rowStartsOf(*side.text, columns());
    double y = area.top();
    for (std::size_t i = 0; i < starts.size(); ++i, y += row) {
        const qsizetype begin = starts[i];
        const qsizetype end = i + 1 < starts.size() ? starts[i + 1] : side.text->size();
        const qsizetype from = std::clamp(side.from, begin, end);
        const qsizetype to = std::clamp(side.from + side.length, begin, end);
        // Measured, not counted: characters of other faces are not as wide as their cells.
        const auto xOf = [&](qsizetype at) { return metrics.horizontalAdvance(side.text->mid(begin, at - begin)); };
        if (to > from)
            painter.fillRect(QRectF(left + xOf(from), y, xOf(to) - xOf(from), row),
                             mixed(lane, theme(Token::Accent), 0.35));
        painter.drawText(QPointF(left, y + down), side.text->mid(begin, end - begin));
    }
    painter.restore();
}

QString DiffView::shownText() const {
    QString all;
    for (const Shown& shown : shown_) {
        if (shown.kind == Kind::Title) all += "@ " + titleOf(parts_[shown.part]) + '\n';
        if (shown.kind == Kind::Fold) all += "@ " + foldText(shown) + '\n';
        if (shown.kind != Kind::Lines) continue;
        const auto [left, right] = sidesOf(shown);
        if (parts_[shown.part].diff.rows[shown.row].isSame) {
            all += "  " + *left.text + '\n';
            continue;
        }
        if (left.text != nullptr) all += "- " + *left.text + '\n';
        if (right.text != nullptr) all += "+ " + *right.text + '\n';
    }
    return all;
}

void DiffView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return QApplication::clipboard()->setText(shownText());
    QScrollBar* bar = verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up: return bar->setValue(bar->value() - 1);
    case Qt::Key_Down: return bar->setValue(bar->value() + 1);
    case Qt::Key_PageUp: return bar->setValue(bar->value() - bar->pageStep());
    case Qt::Key_PageDown: return bar->setValue(bar->value() + bar->pageStep());
    case Qt::Key_Home: return bar->setValue(0);
    case Qt::Key_End: return bar->setValue(bar->maximum());
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

QString DiffView::spokenValue() const {
    QStringList titles;
    for (const DiffPart& part : parts_) titles << titleOf(part);
    return titles.isEmpty() ? message_ : titles.join(QStringLiteral("; "));
}

std::vector<SpokenPart> DiffView::spokenParts() const {
    std::vector<SpokenPart> spoken;
    for (const auto& [at, y] : inView()) {
        const Shown& shown = shown_[at];
        const QRect area(0, y, viewport()->width(), lineHeight() * (tops_[at + 1] - tops_[at]));
        if (shown.kind != Kind::Lines) {
            spoken.push_back({QAccessible::ListItem,
                              shown.kind == Kind::Title ? titleOf(parts_[shown.part]) : foldText(shown),
                              {},
                              {},
                              area});
            continue;
        }
        const auto [left, right] = sidesOf(shown);
        const QString mine = left.text == nullptr ? tr("no line") : *left.text;
        const QString theirs = right.text == nullptr ? tr("no line") : *right.text;
        const bool isSame = parts_[shown.part].diff.rows[shown.row].isSame;
        spoken.push_back(
            {QAccessible::ListItem, mine, isSame ? tr("the same") : tr("other: %1").arg(theirs), {}, area});
    }
    return spoken;
}

} // namespace yard::ui
