#include "ui/log/log_view.h"

#include "ui/log/log_line_paint.h"
#include "ui/style/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kLogPadding = 12;
constexpr int kRefreshMs = 33;

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
    rows_.clear();
    search_.clear();
    selection_.clear();
    follows_ = true;
    layOut();
}

void LogView::append(LogStream stream, const QByteArray& bytes) {
    const std::size_t before = text_.dropped();
    text_.append(stream, bytes);
    if (text_.dropped() != before) renumber();
    soon();
}

void LogView::renumber() {
    rows_.renumber();
    selection_.clear();
}

void LogView::finish(LogStream stream) {
    text_.finish(stream);
    soon();
}

void LogView::soon() {
    if (!later_.isActive()) later_.start();
}

void LogView::markError(const QString& text) {
    const std::ptrdiff_t line = search_.pinError(text);
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
    rows_.setWrap(wrap);
    layOut();
}

void LogView::setFilter(const QString& filter) {
    rows_.setFilter(filter);
    selection_.clear();
    layOut();
}

void LogView::setPaused(bool paused) {
    rows_.setPaused(paused);
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

int LogView::gutter() const {
    const auto digits = QString::number(text_.dropped() + text_.size()).size();
    return kLogPadding + static_cast<int>(logCharWidth() * static_cast<double>(std::max<qsizetype>(3, digits))) +
           12;
}

int LogView::columnsInView() const {
    return std::max(20, static_cast<int>((viewport()->width() - gutter() - kLogPadding) / logCharWidth()));
}

void LogView::layOut() {
    if (laying_) return;
    laying_ = true;
    later_.stop();
    const std::size_t height = rows_.layOut(columnsInView());
    const int page = std::max(1, (viewport()->height() - 8) / logLineHeight());
    QScrollBar* bar = verticalScrollBar();
    bar->setPageStep(page);
    bar->setRange(0, std::max(0, static_cast<int>(height) - page));
    if (follows_) bar->setValue(bar->maximum());
    horizontalScrollBar()->setRange(0, rows_.wraps() ? 0 : scaled(2'400));
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
    const int page = verticalScrollBar()->pageStep();
    verticalScrollBar()->setValue(std::max(0, static_cast<int>(rows_.topOfLine(line)) - page / 2));
}

bool LogView::find(const QString& text, bool backwards) {
    const std::ptrdiff_t line = search_.find(text, backwards);
    if (line >= 0) scrollToLine(static_cast<std::size_t>(line));
    viewport()->update();
    return line >= 0 || text.isEmpty();
}

bool LogView::showLine(LogStream stream, std::size_t number, const QString& text, bool orElse) {
    const std::ptrdiff_t at = search_.findAt(stream, number, text, orElse);
    if (at < 0) return false;
    layOut();
    follows_ = false;
    scrollToLine(static_cast<std::size_t>(at));
    viewport()->update();
    return true;
}

/// In place of rows while there are none.
QString LogView::emptyText() const {
    return text_.size() > 0 ? tr("No line holds “%1”").arg(rows_.filter()) : message_;
}

void LogView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme(Token::Lane));
    if (rows_.size() == 0) {
        painter.setFont(typeface(Type::Body));
        painter.setPen(theme(Token::Text2));
        return painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                                emptyText());
    }
    painter.setFont(typeface(Type::Mono));
    for (const auto& [row, y] : rowsInView()) paintRow(painter, row, y);
}

std::vector<std::pair<std::size_t, int>> LogView::rowsInView() const {
    std::vector<std::pair<std::size_t, int>> found;
    const std::size_t rows = rows_.size();
    const int top = verticalScrollBar()->value();
    const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, rows == 0 ? 0 : rows_.rowAt(top)));
    int y = 4;
    // Of a line that begins above the view some screen rows are hidden.
    if (rows_.wraps() && first < rows) y -= (top - static_cast<int>(rows_.topOf(first))) * logLineHeight();
    for (std::size_t row = first; row < rows && y < viewport()->height(); ++row) {
        found.emplace_back(row, y);
        y += rows_.heightOf(row) * logLineHeight();
    }
    return found;
}

QString LogView::spokenValue() const {
    const auto rows = rowsInView();
    if (rows.empty()) return emptyText();
    return tr("Lines %1 to %2 of %3").arg(rows.front().first + 1).arg(rows.back().first + 1).arg(shownLines());
}

std::vector<SpokenPart> LogView::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (const auto& [row, y] : rowsInView()) {
        const std::size_t at = rows_.lineAt(row);
        const QString text = text_.line(at).text;
        const QString number = QString::number(at + text_.dropped() + 1);
        parts.push_back(
            {QAccessible::ListItem,
             text,
             search_.isError(at) ? tr("line %1, the first error").arg(number) : tr("line %1").arg(number),
             {},
             QRect(0, y, viewport()->width(), rows_.heightOf(row) * logLineHeight())});
    }
    return parts;
}

void LogView::paintRow(QPainter& painter, std::size_t row, int y) {
    const std::size_t at = rows_.lineAt(row);
    PaintedLine what{.line = text_.line(at),
                     .number = QString::number(text_.dropped() + at + 1),
                     .stream = text_.streamOf(at),
                     .isError = search_.isError(at),
                     .isFound = static_cast<std::ptrdiff_t>(at) == search_.line(),
                     .selected = {},
                     .found = search_.text()};
    what.selected = selection_.inRow(row, what.line.text.size());
    const bool wraps = rows_.wraps();
    paintLogLine(painter, what,
                 {.y = y,
                  .width = viewport()->width(),
                  .height = rows_.heightOf(row) * logLineHeight(),
                  .gutter = gutter(),
                  .shift = wraps ? 0 : horizontalScrollBar()->value(),
                  .columns = wraps ? rows_.columns() : 0});
}

LogSpot LogView::spotAt(const QPoint& at) const {
    const auto rows = static_cast<std::ptrdiff_t>(rows_.size());
    if (rows == 0) return {};
    const int visual = verticalScrollBar()->value() + std::max(0, at.y() - 4) / logLineHeight();
    const auto row = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(rows_.rowAt(visual), 0, rows - 1));
    const qreal x = at.x() - gutter() + (rows_.wraps() ? 0 : horizontalScrollBar()->value());
    auto column = static_cast<qsizetype>(std::max(0.0, x / logCharWidth() + 0.5));
    if (rows_.wraps())
        column += static_cast<qsizetype>(visual - static_cast<int>(rows_.topOf(row))) * rows_.columns();
    const auto length = text_.line(rows_.lineAt(row)).text.size();
    return {static_cast<std::ptrdiff_t>(row), std::clamp<qsizetype>(column, 0, length)};
}

void LogView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const LogSpot at = spotAt(event->pos());
    if ((event->modifiers() & Qt::ShiftModifier) == 0)
        selection_.begin(at);
    else
        selection_.extendTo(at);
    viewport()->update();
}

void LogView::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) == 0) return;
    selection_.extendTo(spotAt(event->pos()));
    viewport()->update();
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
        selection_.selectAll(rows_, text_);
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
