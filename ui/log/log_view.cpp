#include "ui/log/log_view.h"

#include "ui/style/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <array>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kLogPadding = 12;
constexpr int kRefreshMs = 33;

/// The colours of terminals are those of our states: no second palette.
QColor logColourOf(const Theme& theme, const LogStyle& style, const QColor& plain) {
    switch (style.colour < 0 ? -1 : style.colour % 8) {
    case 0: return theme(Token::Text3);
    case 1: return theme.inkOf(DisplayState::Failed);
    case 2: return theme.inkOf(DisplayState::Completed);
    case 3: return theme.inkOf(DisplayState::Retry);
    case 4: return theme.inkOf(DisplayState::Running);
    case 5: return theme.inkOf(DisplayState::Abandoned);
    case 6: return theme.inkOf(DisplayState::Submitting);
    case 7: return theme(style.colour > 7 ? Token::Text1 : Token::Text2);
    default: return plain;
    }
}

} // namespace

LogView::LogView(QWidget* parent)
    : QAbstractScrollArea(parent) {
    installSpoken();
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    setAccessibleName(tr("Output"));
    later_.setSingleShot(true);
    later_.setInterval(kRefreshMs);
    connect(&later_, &QTimer::timeout, this, &LogView::layOut);
}

void LogView::clear() {
    text_.clear();
    kept_.clear();
    tops_.clear();
    indexed_ = 0;
    shownSize_ = 0;
    errorLine_ = foundLine_ = -1;
    error_.clear();
    from_ = to_ = {};
    follows_ = true;
    layOut();
}

void LogView::append(LogStream stream, const QByteArray& bytes) {
    const std::size_t before = text_.dropped();
    text_.append(stream, bytes);
    if (text_.dropped() != before) { // numbers of lines are others now
        kept_.clear();
        indexed_ = 0;
        from_ = to_ = {};
    }
    soon();
}

void LogView::finish(LogStream stream) {
    text_.finish(stream);
    soon();
}

void LogView::soon() {
    if (!later_.isActive()) later_.start();
}

void LogView::markError(const QString& text) {
    error_ = text.trimmed();
    const std::ptrdiff_t line = error_.isEmpty() ? -1 : text_.find(error_, 0);
    errorLine_ = line < 0 ? -1 : line + static_cast<std::ptrdiff_t>(text_.dropped());
    if (line >= 0) {
        layOut();
        follows_ = false;
        scrollToLine(static_cast<std::size_t>(line));
    }
    viewport()->update();
}

void LogView::setMessage(const QString& message) {
    message_ = message;
    viewport()->update();
}

void LogView::setWrap(bool wrap) {
    wrap_ = wrap;
    layOut();
}

void LogView::setFilter(const QString& filter) {
    filter_ = filter;
    kept_.clear();
    indexed_ = 0;
    from_ = to_ = {};
    layOut();
}

void LogView::setPaused(bool paused) {
    paused_ = paused;
    if (!paused) layOut();
}

void LogView::followEnd() {
    follows_ = true;
    emit followChanged(true);
    layOut();
}

void LogView::showBeginning() {
    follows_ = false;
    layOut();
    verticalScrollBar()->setValue(0);
}

std::size_t LogView::shownLines() const {
    return filter_.isEmpty() ? shownSize_ : kept_.size();
}

std::size_t LogView::lineAt(std::size_t row) const {
    return filter_.isEmpty() ? row : kept_[row];
}

int LogView::lineHeight() const {
    return scaled(18);
}

qreal LogView::charWidth() const {
    return QFontMetricsF(typeface(Type::Mono)).horizontalAdvance('0');
}

int LogView::gutter() const {
    const auto digits = QString::number(text_.dropped() + text_.size()).size();
    return kLogPadding + static_cast<int>(charWidth() * static_cast<double>(std::max<qsizetype>(3, digits))) + 12;
}

int LogView::columnsInView() const {
    return std::max(20, static_cast<int>((viewport()->width() - gutter() - kLogPadding) / charWidth()));
}

int LogView::rowsOf(std::size_t line) const {
    if (!wrap_) return 1;
    const auto length = static_cast<int>(text_.line(line).text.size());
    return std::max(1, (length + columnsInView() - 1) / columnsInView());
}

/// Lines that came since are looked at for the filter.
void LogView::index() {
    if (!paused_) shownSize_ = text_.size();
    shownSize_ = std::min(shownSize_, text_.size());
    if (filter_.isEmpty()) return;
    for (; indexed_ < shownSize_; ++indexed_)
        if (text_.holds(indexed_, filter_)) kept_.push_back(static_cast<std::uint32_t>(indexed_));
}

void LogView::layOut() {
    if (laying_) return;
    laying_ = true;
    later_.stop();
    index();
    const std::size_t rows = shownLines();
    std::size_t height = rows;
    if (wrap_) {
        tops_.resize(rows + 1);
        std::uint32_t top = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            tops_[row] = top;
            top += static_cast<std::uint32_t>(rowsOf(lineAt(row)));
        }
        tops_[rows] = top;
        height = top;
    }
    const int page = std::max(1, (viewport()->height() - 8) / lineHeight());
    QScrollBar* bar = verticalScrollBar();
    bar->setPageStep(page);
    bar->setRange(0, std::max(0, static_cast<int>(height) - page));
    if (follows_) bar->setValue(bar->maximum());
    horizontalScrollBar()->setRange(0, wrap_ ? 0 : scaled(2'400));
    horizontalScrollBar()->setSingleStep(scaled(24));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    laying_ = false;
    viewport()->update();
    emit changed();
}

void LogView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void LogView::scrollContentsBy(int, int) {
    if (!laying_) {
        const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
        if (atEnd != follows_) {
            follows_ = atEnd;
            emit followChanged(atEnd);
        }
    }
    viewport()->update();
}

void LogView::scrollToLine(std::size_t line) {
    std::size_t row = line;
    if (!filter_.isEmpty()) row = static_cast<std::size_t>(std::ranges::lower_bound(kept_, line) - kept_.begin());
    if (wrap_ && row < tops_.size()) row = tops_[row];
    const int page = verticalScrollBar()->pageStep();
    verticalScrollBar()->setValue(std::max(0, static_cast<int>(row) - page / 2));
}

bool LogView::find(const QString& text, bool backwards) {
    const bool next = text == found_ && foundLine_ >= 0;
    found_ = text;
    const std::size_t count = std::max<std::size_t>(1, text_.size());
    std::size_t from = foundLine_ < 0 ? 0 : static_cast<std::size_t>(foundLine_);
    if (next) from = backwards ? (from + count - 1) % count : (from + 1) % count;
    foundLine_ = text_.find(text, from, backwards);
    if (foundLine_ >= 0) scrollToLine(static_cast<std::size_t>(foundLine_));
    viewport()->update();
    return foundLine_ >= 0 || text.isEmpty();
}

bool LogView::showLine(LogStream stream, std::size_t number, const QString& text, bool orElse) {
    std::ptrdiff_t at = text_.lineOf(stream, number);
    if (at < 0 || !text_.holds(static_cast<std::size_t>(at), text)) at = orElse ? text_.find(text, 0) : -1;
    if (at < 0) return false;
    found_ = text;
    foundLine_ = at;
    layOut();
    follows_ = false;
    scrollToLine(static_cast<std::size_t>(at));
    viewport()->update();
    return true;
}

std::ptrdiff_t LogView::rowAtY(int y) const {
    const int visual = verticalScrollBar()->value() + std::max(0, y - 4) / lineHeight();
    if (!wrap_) return visual;
    const auto above = std::ranges::upper_bound(tops_, static_cast<std::uint32_t>(visual));
    return above - tops_.begin() - 1;
}

void LogView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme(Token::Lane));
    const std::size_t rows = shownLines();
    if (rows == 0) {
        const QString none = text_.size() > 0 ? tr("No line holds “%1”").arg(filter_) : message_;
        painter.setFont(typeface(Type::Body));
        painter.setPen(theme(Token::Text2));
        return painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                                none);
    }
    painter.setFont(typeface(Type::Mono));
    for (const auto& [row, y] : rowsInView()) paintRow(painter, row, y);
}

std::vector<std::pair<std::size_t, int>> LogView::rowsInView() const {
    std::vector<std::pair<std::size_t, int>> found;
    const std::size_t rows = shownLines();
    const std::ptrdiff_t first = rows == 0 ? -1 : rowAtY(0);
    int y = 4;
    if (wrap_ && first >= 0)
        y -= (verticalScrollBar()->value() - static_cast<int>(tops_[static_cast<std::size_t>(first)])) *
             lineHeight();
    for (auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first));
         row < rows && y < viewport()->height(); ++row) {
        found.emplace_back(row, y);
        y += rowsOf(lineAt(row)) * lineHeight();
    }
    return found;
}

bool LogView::isError(std::size_t line) const {
    return errorLine_ >= 0 && line + text_.dropped() == static_cast<std::size_t>(errorLine_);
}

QString LogView::spokenValue() const {
    const auto rows = rowsInView();
    if (rows.empty()) return text_.size() > 0 ? tr("No line holds “%1”").arg(filter_) : message_;
    return tr("Lines %1 to %2 of %3").arg(rows.front().first + 1).arg(rows.back().first + 1).arg(shownLines());
}

std::vector<SpokenPart> LogView::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (const auto& [row, y] : rowsInView()) {
        const std::size_t at = lineAt(row);
        const QString text = text_.line(at).text;
        const QString number = QString::number(at + text_.dropped() + 1);
        parts.push_back({QAccessible::ListItem,
                         text,
                         isError(at) ? tr("line %1, the first error").arg(number) : tr("line %1").arg(number),
                         {},
                         QRect(0, y, viewport()->width(), rowsOf(at) * lineHeight())});
    }
    return parts;
}

void LogView::paintRow(QPainter& painter, std::size_t row, int y) {
    const Theme& theme = Theme::current();
    const std::size_t at = lineAt(row);
    const LogLine line = text_.line(at);
    const int height = rowsOf(at) * lineHeight();
    const bool error = isError(at);
    const QRect all(0, y, viewport()->width(), height);
    if (error) {
        painter.fillRect(all, mixed(theme(Token::Lane), theme.fillOf(DisplayState::Failed), 0.2));
        painter.fillRect(QRect(0, y, 3, height), theme.inkOf(DisplayState::Failed));
    } else if (static_cast<std::ptrdiff_t>(at) == foundLine_ && !found_.isEmpty()) {
        painter.fillRect(all, theme(Token::SelectionDim));
    }
    const qreal advance = charWidth();
    const int left = gutter();
    paint::number(painter, QRectF(0, y, left - 12, lineHeight()), QString::number(text_.dropped() + at + 1),
                  typeface(Type::Mono), theme(Token::Text3));
    const QColor plain = error                                  ? theme.inkOf(DisplayState::Failed)
                         : text_.streamOf(at) == LogStream::Err ? theme(Token::Text1)
                                                                : theme(Token::Text2);
    painter.save();
    painter.setClipRect(QRect(left, y, viewport()->width() - left, height));
    const qreal shift = wrap_ ? 0 : horizontalScrollBar()->value();
    const auto columns = static_cast<qsizetype>(wrap_ ? columnsInView() : std::max<qsizetype>(1, line.text.size()));
    const auto place = [&](qsizetype column) {
        const qsizetype row = column / columns;
        return QPointF(left + static_cast<double>(column % columns) * advance - shift,
                       y + static_cast<double>(row) * lineHeight());
    };
    const auto cells = [&](qsizetype begin, qsizetype end, const QColor& colour) {
        for (qsizetype c = begin; c < end;) {
            const qsizetype stop = std::min(end, (c / columns + 1) * columns);
            painter.fillRect(QRectF(place(c), QSizeF(static_cast<double>(stop - c) * advance, lineHeight())),
                             colour);
            c = stop;
        }
    };
    const auto low = std::min(from_, to_);
    const auto high = std::max(from_, to_);
    const auto here = static_cast<std::ptrdiff_t>(row);
    if (low.row >= 0 && low != high && here >= low.row && here <= high.row)
        cells(here == low.row ? low.column : 0, here == high.row ? high.column : line.text.size() + 1,
              theme(Token::Selection));
    if (!found_.isEmpty())
        for (qsizetype c = line.text.indexOf(found_, 0, Qt::CaseInsensitive); c >= 0;
             c = line.text.indexOf(found_, c + 1, Qt::CaseInsensitive))
            cells(c, c + found_.size(), mixed(theme(Token::Lane), theme(Token::Accent), 0.35));
    const qreal ascent = QFontMetricsF(typeface(Type::Mono)).ascent();
    const qreal down = (lineHeight() - QFontMetricsF(typeface(Type::Mono)).height()) / 2 + ascent;
    const auto draw = [&](qsizetype begin, qsizetype length, const QColor& colour, const LogStyle& style) {
        painter.setPen(colour);
        QFont own = typeface(Type::Mono);
        if (style.bold) own.setWeight(QFont::DemiBold);
        own.setUnderline(style.underline);
        painter.setFont(own);
        for (qsizetype c = begin; c < begin + length;) {
            const qsizetype stop = std::min(begin + length, (c / columns + 1) * columns);
            painter.drawText(place(c) + QPointF(0, down), line.text.sliced(c, stop - c));
            c = stop;
        }
    };
    qsizetype drawn = 0;
    for (const LogRun& run : line.runs) {
        draw(drawn, run.begin - drawn, plain, {});
        draw(run.begin, run.length, error ? plain : logColourOf(theme, run.style, plain), run.style);
        drawn = run.begin + run.length;
    }
    draw(drawn, line.text.size() - drawn, plain, {});
    painter.restore();
}

LogView::Spot LogView::spotAt(const QPoint& at) const {
    const auto rows = static_cast<std::ptrdiff_t>(shownLines());
    const std::ptrdiff_t row = std::clamp<std::ptrdiff_t>(rowAtY(at.y()), 0, std::max<std::ptrdiff_t>(0, rows - 1));
    if (rows == 0) return {};
    const qreal x = at.x() - gutter() + (wrap_ ? 0 : horizontalScrollBar()->value());
    auto column = static_cast<qsizetype>(std::max(0.0, x / charWidth() + 0.5));
    if (wrap_) {
        const int visual = verticalScrollBar()->value() + std::max(0, at.y() - 4) / lineHeight();
        column += static_cast<qsizetype>(visual - static_cast<int>(tops_[static_cast<std::size_t>(row)])) *
                  columnsInView();
    }
    const auto length = text_.line(lineAt(static_cast<std::size_t>(row))).text.size();
    return {row, std::clamp<qsizetype>(column, 0, length)};
}

void LogView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    to_ = spotAt(event->pos());
    if ((event->modifiers() & Qt::ShiftModifier) == 0) from_ = to_;
    viewport()->update();
}

void LogView::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) == 0) return;
    to_ = spotAt(event->pos());
    viewport()->update();
}

QString LogView::selectedText() const {
    const auto low = std::min(from_, to_);
    const auto high = std::max(from_, to_);
    if (low.row < 0 || low == high) return {};
    QString all;
    for (std::ptrdiff_t row = low.row; row <= high.row && row < static_cast<std::ptrdiff_t>(shownLines()); ++row) {
        const QString text = text_.line(lineAt(static_cast<std::size_t>(row))).text;
        const qsizetype begin = row == low.row ? low.column : 0;
        const qsizetype end = row == high.row ? high.column : text.size();
        if (row != low.row) all += '\n';
        all += text.mid(begin, end - begin);
    }
    return all;
}

QByteArray LogView::bytes() const {
    QByteArray all;
    for (std::size_t line = 0; line < text_.size(); ++line) all += text_.bytesOf(line) + '\n';
    return all;
}

void LogView::keyPressEvent(QKeyEvent* event) {
    QScrollBar* bar = verticalScrollBar();
    if (event->matches(QKeySequence::Copy)) return QApplication::clipboard()->setText(selectedText());
    if (event->matches(QKeySequence::SelectAll)) {
        from_ = {0, 0};
        const auto last = static_cast<std::ptrdiff_t>(shownLines()) - 1;
        if (last >= 0) to_ = {last, text_.line(lineAt(static_cast<std::size_t>(last))).text.size()};
        return viewport()->update();
    }
    switch (event->key()) {
    case Qt::Key_Up: return bar->setValue(bar->value() - 1);
    case Qt::Key_Down: return bar->setValue(bar->value() + 1);
    case Qt::Key_PageUp: return bar->setValue(bar->value() - bar->pageStep());
    case Qt::Key_PageDown: return bar->setValue(bar->value() + bar->pageStep());
    case Qt::Key_Home: return bar->setValue(0);
    case Qt::Key_End: return followEnd();
    case Qt::Key_Left: return horizontalScrollBar()->setValue(horizontalScrollBar()->value() - scaled(24));
    case Qt::Key_Right: return horizontalScrollBar()->setValue(horizontalScrollBar()->value() + scaled(24));
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace yard::ui
