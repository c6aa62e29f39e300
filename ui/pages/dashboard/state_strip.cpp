#include "ui/pages/dashboard/state_strip.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kCells = static_cast<int>(kFaces);
constexpr int kStripLine = 60;
constexpr int kLeastEdge = 8;
constexpr int kEdge = 14;
constexpr int kAfterWord = 4;
constexpr int kBeforeWord = 20; // the icon

/// What the longest of the words needs, beside the edge before it.
int widestWord() {
    const QFontMetrics metrics(typeface(Type::Small));
    int widest = 0;
    for (std::size_t i = 0; i < kFaces; ++i)
        widest = std::max(widest, metrics.horizontalAdvance(wordOf(static_cast<DisplayState>(i))) + 1);
    return kBeforeWord + widest + kAfterWord;
}

class StateCell final : public QAbstractButton {
public:
    StateCell(DisplayState face, QWidget* parent)
        : QAbstractButton(parent)
        , face_(face) {
        setText(wordOf(face));
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setCursor(Qt::PointingHandCursor);
    }
    void setCount(std::optional<qint64> count) {
        const QString text = count ? Format().number(*count) : Format::unknown();
        if (text == count_) return;
        count_ = text;
        any_ = count.value_or(0) > 0;
        setAccessibleName(text + ' ' + wordOf(face_));
        update();
    }
    QSize sizeHint() const override { return {scaled(104), scaled(58)}; }
    /// Nothing stands to its right.
    void setLast(bool last) { last_ = last; }
    void setEdge(int edge) { edge_ = edge; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        const Token under = isDown() ? Token::Bg4 : underMouse() ? Token::Bg3 : Token::Bg2;
        painter.fillRect(rect(), theme(under));
        if (!last_)
            paint::hairline(painter, {width() - 1.0, 0}, {width() - 1.0, height() + 0.0}, theme(Token::Line));
        const qreal left = edge_;
        const QRectF head(left, scaled(9), width() - left - kAfterWord, scaled(16));
        icons::paintFace(painter, QRectF(head.left(), head.top(), 14, head.height()), theme.scheme(), face_, 14,
                         theme(under));
        paint::text(painter, head.adjusted(kBeforeWord, 0, 0, 0), text(), typeface(Type::Small),
                    theme(Token::Text2));
        // A number is never elided: it gets smaller first.
        const QRectF figure(left, scaled(27), width() - left - kAfterWord, scaled(24));
        const Type type = numberWidth(typeface(Type::Figure), count_) <= figure.width()   ? Type::Figure
                          : numberWidth(typeface(Type::Strong), count_) <= figure.width() ? Type::Strong
                                                                                          : Type::Caption;
        paint::number(painter, figure, count_, typeface(type),
                      face_ == DisplayState::Failed && any_ ? theme.inkOf(face_)
                                                            : theme(any_ ? Token::Text1 : Token::Text3),
                      Qt::AlignLeft);
        if (!hasFocus()) return;
        painter.setPen(QPen(theme(Token::Accent), 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }

private:
    DisplayState face_;
    QString count_ = QStringLiteral(" ");
    bool any_ = false;
    bool last_ = false;
    int edge_ = kEdge;
};

} // namespace

std::array<std::optional<qint64>, kFaces> faceCounts(const EngineState& state) {
    std::array<std::optional<qint64>, kFaces> counts{};
    if (state.counts().isEmpty()) return counts;
    for (std::size_t i = 0; i < kFaces; ++i) counts[i] = state.count(static_cast<DisplayState>(i));
    // Held is what `state:held` finds, which a press shows: held by themselves. What waits in a held queue is pending.
    if (!state.counts().contains("retry")) counts[std::to_underlying(DisplayState::Retry)].reset();
    return counts;
}

StateStrip::StateStrip(QWidget* parent)
    : QWidget(parent) {
    setFixedHeight(scaled(kStripLine));
    setAccessibleName(tr("Actions by state"));
    for (std::size_t i = 0; i < kFaces; ++i) {
        const auto face = static_cast<DisplayState>(i);
        cells_[i] = new StateCell(face, this);
        connect(cells_[i], &QAbstractButton::clicked, this, [this, face] { emit chosen(face); });
    }
}

void StateStrip::show(const std::array<std::optional<qint64>, kFaces>& counts) {
    for (std::size_t i = 0; i < kFaces; ++i) static_cast<StateCell*>(cells_[i])->setCount(counts[i]);
}

QAbstractButton* StateStrip::cell(DisplayState face) const {
    return cells_[std::to_underlying(face)];
}

void StateStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

void StateStrip::layOut() {
    const int word = widestWord();
    const int inside = width() - 2;
    const int perLine = inside / kCells >= word + kLeastEdge ? kCells : (kCells + 1) / 2;
    const int lines = (kCells + perLine - 1) / perLine;
    const int edge = inside / perLine >= word + kEdge ? kEdge : kLeastEdge;
    setFixedHeight(scaled(kStripLine) * lines);
    for (int i = 0; i < kCells; ++i) {
        const int column = i % perLine;
        const int left = 1 + inside * column / perLine;
        const int line = i / perLine;
        const int top = 1 + scaled(kStripLine) * line;
        const int bottom = scaled(kStripLine) * (line + 1) - 1;
        auto* cell = static_cast<StateCell*>(cells_[static_cast<std::size_t>(i)]);
        cell->setGeometry(left, top, 1 + inside * (column + 1) / perLine - left, bottom - top);
        cell->setLast(column == perLine - 1);
        cell->setEdge(edge);
    }
}

void StateStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Theme::current()(Token::Line));
    painter.setBrush(Theme::current()(Token::Bg2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    for (int line = scaled(kStripLine); line < height(); line += scaled(kStripLine))
        paint::hairline(painter, {1, line - 0.0}, {width() - 1.0, line - 0.0}, Theme::current()(Token::Line));
}

} // namespace yard::ui
