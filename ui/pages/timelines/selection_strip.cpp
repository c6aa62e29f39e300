#include "ui/pages/timelines/selection_strip.h"

#include "ui/style/icons.h"
#include "ui/timeline/lane_painter.h"

#include <QFontMetricsF>
#include <QPainter>

namespace yard::ui {

namespace {

constexpr int kHeight = 60;
constexpr int kSwatch = 22;
constexpr int kStripApart = 14;

QStringList legendWords() {
    return {TimelineLegend::tr("prepare, run, collect"), TimelineLegend::tr("running"),
            TimelineLegend::tr("failed"), TimelineLegend::tr("cancelled"), TimelineLegend::tr("waits to retry")};
}

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
    setAccessibleDescription(legendWords().join(QStringLiteral(", ")));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize TimelineLegend::sizeHint() const {
    const QFontMetricsF metrics(typeface(Type::Caption));
    double width = 0;
    for (const QString& word : legendWords()) width += kSwatch + 5 + metrics.horizontalAdvance(word) + kStripApart;
    return {static_cast<int>(width), scaled(24)};
}

void TimelineLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFontMetricsF metrics(typeface(Type::Caption));
    const QStringList words = legendWords();
    // From the right, so that what there is no room for is whole entries at the left.
    double right = width();
    for (qsizetype i = words.size(); i-- > 0;) {
        const double text = metrics.horizontalAdvance(words[i]);
        const double x = right - text - 5 - kSwatch;
        if (x < 0) return;
        paintSwatch(painter, i, x, (height() - 12) / 2.0);
        paint::text(painter, {x + kSwatch + 5, 0, text + 2, static_cast<double>(height())}, words[i],
                    typeface(Type::Caption), Theme::current()(Token::Text2));
        right = x - kStripApart;
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
