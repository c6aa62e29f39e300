#include "ui/pages/timelines/selection_strip.h"

#include "ui/style/icons.h"
#include "ui/timeline/lane_painter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace yard::ui {

namespace {

constexpr int kHeight = 60;
constexpr int kSwatch = 22;
constexpr int kStripApart = 14;
constexpr int kLegendLine = 18;
constexpr std::size_t kMostLegendLines = 3;

void paintSwatch(QPainter& painter, qsizetype which, double x, double y) {
    const Theme& theme = Theme::current();
    const QColor done = theme.fillOf(DisplayState::Completed);
    switch (which) {
    case 0:
        painter.fillRect(QRectF(x, y + 3, 7, 6), done);
        painter.fillRect(QRectF(x + 7, y, 9, 12), done);
        painter.fillRect(QRectF(x + 16, y + 3, 6, 6), done);
        break;
    case 1:
        painter.fillRect(QRectF(x + 2, y, 16, 12), theme.fillOf(DisplayState::Running));
        painter.fillRect(QRectF(x + 18, y - 1, 2, 14), theme(Token::Text1));
        break;
    case 2: {
        const QColor fill = theme.fillOf(DisplayState::Failed);
        painter.fillRect(QRectF(x + 2, y - 1, 18, 14), fill);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(timeline::textOn(fill), 1.5));
        painter.drawLine(QPointF(x + 12, y + 3), QPointF(x + 17, y + 9));
        painter.drawLine(QPointF(x + 12, y + 9), QPointF(x + 17, y + 3));
        painter.setRenderHint(QPainter::Antialiasing, false);
        break;
    }
    case 3: {
        QPen pen(theme.fillOf(DisplayState::Cancelled), 1);
        pen.setDashPattern({3, 2});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(x + 2.5, y + 0.5, 17, 11));
        break;
    }
    default: {
        QPen pen(theme.inkOf(DisplayState::Retry), 2);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({1, 1.5});
        painter.setPen(pen);
        painter.drawLine(QPointF(x + 1, y + 6), QPointF(x + 21, y + 6));
    }
    }
}

class FaceIcon final : public QWidget {
public:
    explicit FaceIcon(const std::optional<DisplayState>& face)
        : face_(face) {
        setFixedSize(16, 16);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        if (!face_) return;
        QPainter painter(this);
        icons::paintFace(painter, rect(), Theme::current().scheme(), *face_, 16, Theme::current()(Token::Bg2));
    }

private:
    const std::optional<DisplayState>& face_;
};

} // namespace

TimelineLegend::TimelineLegend(QWidget* parent)
    : QWidget(parent) {
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(words().join(QStringLiteral(", ")));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QStringList TimelineLegend::words() {
    return {tr("prepare, run, collect"), tr("running"), tr("failed"), tr("cancelled"), tr("waits to retry")};
}

/// The least in which every entry has a place; more is taken.
QSize TimelineLegend::sizeHint() const {
    const qsizetype all = words().size();
    double least = widthOf(0, all);
    for (qsizetype begin = 0; begin < all; ++begin)
        for (qsizetype end = begin + 1; end <= all; ++end) {
            const double width = widthOf(begin, end);
            if (width < least && linesIn(width).back() == 0) least = width;
        }
    return {static_cast<int>(std::ceil(least)), static_cast<int>(kMostLegendLines) * scaled(kLegendLine)};
}

/// Of the entries from `begin` on, up to `end`, side by side.
double TimelineLegend::widthOf(qsizetype begin, qsizetype end) {
    const QFontMetricsF metrics(typeface(Type::Caption));
    const QStringList all = words();
    double width = 0;
    for (qsizetype i = begin; i < end; ++i)
        width += kSwatch + 5 + metrics.horizontalAdvance(all[i]) + 2 + (i > begin ? kStripApart : 0);
    return width;
}

/// With which entry each line begins, the lowest line first; where there is room for none its own number alone.
std::vector<qsizetype> TimelineLegend::linesIn(double width) {
    std::vector<qsizetype> begins;
    qsizetype end = words().size();
    while (end > 0 && begins.size() < kMostLegendLines) {
        qsizetype begin = end;
        while (begin > 0 && widthOf(begin - 1, end) <= width) --begin;
        if (begin == end) break;
        begins.push_back(begin);
        end = begin;
    }
    if (begins.empty()) begins.push_back(end);
    return begins;
}

/// What there is no room for in three lines is whole entries at the left.
void TimelineLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int line = scaled(kLegendLine);
    const std::vector<qsizetype> begins = linesIn(width());
    qsizetype end = words().size();
    int top = (height() + line * static_cast<int>(begins.size())) / 2;
    for (const qsizetype begin : begins) {
        top -= line;
        paintLine(painter, begin, end, top);
        end = begin;
    }
}

void TimelineLegend::paintLine(QPainter& painter, qsizetype begin, qsizetype end, int top) const {
    const QFontMetricsF metrics(typeface(Type::Caption));
    const QStringList all = words();
    const int line = scaled(kLegendLine);
    double x = width() - widthOf(begin, end);
    for (qsizetype i = begin; i < end; ++i) {
        const double text = metrics.horizontalAdvance(all[i]) + 2;
        paintSwatch(painter, i, x, top + (line - 12) / 2.0);
        paint::text(painter, QRectF(x + kSwatch + 5, top, text, line), all[i], typeface(Type::Caption),
                    Theme::current()(Token::Text2), Qt::AlignLeft, Qt::ElideNone);
        x += kSwatch + 5 + text + kStripApart;
    }
}

SelectionStrip::SelectionStrip(QWidget* parent)
    : Surface(Token::Bg2, parent)
    , icon_(new FaceIcon(face_))
    , number_(new Label({}, Type::Strong, Token::Text1))
    , what_(new Label({}, Type::Body, Token::Text1))
    , where_(new Label({}, Type::Caption, Token::Text2))
    , open_(new Button(Button::Kind::Plain, tr("Open"), "actions"))
    , log_(new Button(Button::Kind::Plain, tr("Log"), {}))
    , compare_(new Button(Button::Kind::Plain, tr("Compare"), "compare")) {
    setFixedHeight(scaled(kHeight));
    setAccessibleName(tr("The selected bar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 16, 0);
    row->setSpacing(8);
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    auto* first = new QHBoxLayout;
    first->setSpacing(8);
    what_->setElides(true);
    what_->setMaximumWidth(scaled(420));
    where_->setElides(true);
    first->addWidget(number_);
    first->addWidget(what_, 1);
    words->addStretch(1);
    words->addLayout(first);
    words->addWidget(where_);
    words->addStretch(1);
    row->addWidget(icon_);
    row->addLayout(words);
    row->addWidget(new Separator(Qt::Vertical));
    for (Button* button : {open_, log_, compare_}) row->addWidget(button);
    row->addSpacing(12);
    row->addWidget(new TimelineLegend, 1);
    present({}, 0);
}

void SelectionStrip::paintEvent(QPaintEvent* event) {
    Surface::paintEvent(event);
    QPainter painter(this);
    paint::hairline(painter, {0, 0}, {static_cast<double>(width()), 0}, Theme::current()(Token::Line));
}

void SelectionStrip::present(const std::optional<timeline::SelectedBar>& bar, WallMicros now) {
    face_ = bar ? std::optional(bar->item.face) : std::nullopt;
    icon_->setVisible(bar.has_value());
    number_->setVisible(bar.has_value());
    const QString none = tr("Select a bar first");
    for (Button* button : {open_, log_, compare_}) button->setBlocked(bar ? QString() : none);
    if (!bar) {
        number_->setText({});
        what_->setText(tr("No bar is selected"));
        where_->setText(tr("Click a bar, or press F3 with a filter"));
        return;
    }
    const Format format;
    number_->setText(format.number(bar->item.lsn));
    what_->setText(bar->item.isStep ? tr("and %1 more in one step; zoom in").arg(format.number(bar->item.count - 1))
                                    : bar->name);
    const QString slot = bar->workerName.isEmpty() ? tr("slot %1").arg(bar->slot)
                                                   : tr("%1 slot %2").arg(bar->workerName).arg(bar->slot);
    const QString when =
        bar->item.isOpen() ? tr("since %1").arg(format.time(bar->item.begin, now))
                           : tr("%1 to %2").arg(format.time(bar->item.begin, now), format.time(bar->item.end, now));
    where_->setText(tr("%1, %2, %3").arg(slot, when, wordWithin(bar->item.face)));
    icon_->update();
}

} // namespace yard::ui
