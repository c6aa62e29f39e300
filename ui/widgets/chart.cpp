#include "ui/widgets/chart.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"

#include <QAreaSeries>
#include <QChart>
#include <QChartView>
#include <QDateTime>
#include <QLineSeries>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QValueAxis>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kChartTop = 8;
constexpr int kRight = 8;
constexpr double kChartLine = 1.5;
constexpr int kTick = 10;

QColor lineOf(Chart::Tone tone) {
    const Theme& theme = Theme::current();
    switch (tone) {
    case Chart::Tone::Accent: return theme(Token::Accent);
    case Chart::Tone::Others: return theme(Token::Text3);
    case Chart::Tone::Good: return theme.inkOf(DisplayState::Completed);
    }
    return {};
}

QColor areaOf(Chart::Tone tone) {
    const Theme& theme = Theme::current();
    switch (tone) {
    case Chart::Tone::Accent: return mixed(theme(Token::Bg1), theme(Token::Accent), 0.2);
    case Chart::Tone::Others: return mixed(theme(Token::Bg1), theme(Token::Text3), 0.35);
    case Chart::Tone::Good: return mixed(theme(Token::Bg1), theme.fillOf(DisplayState::Completed), 0.3);
    }
    return {};
}

double chartMicros(std::int64_t time) {
    return static_cast<double>(time);
}

} // namespace

/// Forecasts, limits and the pointer lie above the lines.
class ChartOver final : public QWidget {
public:
    explicit ChartOver(Chart* chart)
        : QWidget(chart)
        , chart_(chart) {
        setMouseTracking(true);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        chart_->paintOver(painter, pointer_);
    }
    void mouseMoveEvent(QMouseEvent* event) override {
        pointer_ = event->pos().x();
        update();
    }
    void leaveEvent(QEvent*) override {
        pointer_ = -1;
        update();
    }

private:
    Chart* chart_;
    int pointer_ = -1;
};

/// What is Qt Charts'. Each stretch between gaps is an area with its upper and lower line; they are kept and used
/// again, points only ever replaced.
struct Chart::Drawing {
    struct Piece {
        QAreaSeries* area;
        QLineSeries* upper;
        QLineSeries* lower;
    };
    struct Lane {
        std::vector<Piece> pieces;
        std::size_t used = 0;
    };
    QChartView* view = nullptr;
    QChart* chart = nullptr;
    QValueAxis* x = nullptr;
    QValueAxis* y = nullptr;
    std::vector<Lane> lanes;

    Piece& piece(std::size_t series, Tone tone) {
        Lane& lane = lanes[series];
        if (lane.used < lane.pieces.size()) {
            lane.pieces[lane.used].area->setVisible(true);
            return lane.pieces[lane.used++];
        }
        auto* upper = new QLineSeries;
        auto* lower = new QLineSeries;
        auto* area = new QAreaSeries(upper, lower);
        upper->setParent(area);
        lower->setParent(area);
        chart->addSeries(area);
        area->attachAxis(x);
        area->attachAxis(y);
        colour(area, tone);
        lane.pieces.push_back({area, upper, lower});
        ++lane.used;
        return lane.pieces.back();
    }
    static void colour(QAreaSeries* area, Tone tone) {
        QPen pen(lineOf(tone), kChartLine);
        pen.setCosmetic(true);
        pen.setJoinStyle(Qt::RoundJoin);
        area->setPen(pen);
        area->setBrush(areaOf(tone));
    }
};

Chart::Chart(const QString& name, QWidget* parent)
    : QWidget(parent)
    , drawing_(std::make_unique<Drawing>())
    , over_(nullptr) {
    installSpoken();
    setAccessibleName(name);
    drawing_->chart = new QChart;
    drawing_->chart->setBackgroundVisible(false);
    drawing_->chart->setPlotAreaBackgroundVisible(false);
    drawing_->chart->setAnimationOptions(QChart::NoAnimation);
    drawing_->chart->setMargins({});
    drawing_->chart->legend()->hide();
    drawing_->view = new QChartView(drawing_->chart, this); // owns the chart
    drawing_->view->setFrameShape(QFrame::NoFrame);
    drawing_->view->setBackgroundBrush(Qt::NoBrush);
    drawing_->view->viewport()->setAutoFillBackground(false);
    drawing_->view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    drawing_->view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    drawing_->view->setFocusPolicy(Qt::NoFocus);
    drawing_->view->setInteractive(false);
    drawing_->view->setRenderHint(QPainter::Antialiasing);
    drawing_->x = new QValueAxis(drawing_->chart);
    drawing_->y = new QValueAxis(drawing_->chart);
    for (QValueAxis* axis : {drawing_->x, drawing_->y}) {
        axis->setVisible(false); // painted here
        drawing_->chart->addAxis(axis, axis == drawing_->x ? Qt::AlignBottom : Qt::AlignLeft);
    }
    over_ = new ChartOver(this);
    words_ = [](double value) { return QLocale().toString(value, 'f', value < 10 ? 2 : 1); };
    due_.setSingleShot(true);
    connect(&due_, &QTimer::timeout, this, &Chart::show);
    connect(&Theme::current(), &Theme::changed, this, &Chart::recolour);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

Chart::~Chart() = default;

void Chart::setSeries(std::vector<Series> series, bool stacked) {
    series_ = std::move(series);
    if (series_.size() > kMostSeries) series_.resize(kMostSeries);
    stacked_ = stacked;
    drawing_->lanes.resize(series_.size());
}

void Chart::setAxis(double most, std::vector<Mark> marks) {
    if (most == most_ && std::ranges::equal(marks, marks_, {}, &Mark::text, &Mark::text)) return;
    most_ = std::max(most, 1e-9);
    marks_ = std::move(marks);
    drawing_->y->setRange(0, most_);
    layOut();
    update();
    over_->update();
}

void Chart::setLimits(std::vector<double> limits) {
    limits_ = std::move(limits);
    over_->update();
}

void Chart::setWords(std::function<QString(double)> words) {
    words_ = std::move(words);
}

void Chart::setMessage(const QString& message) {
    message_ = message;
    over_->update();
}

void Chart::setForecast(std::optional<Forecast> forecast) {
    forecast_ = std::move(forecast);
    over_->update();
}

void Chart::setTimes(int count) {
    if (std::exchange(times_, count) != count) update();
}

int Chart::timesThatFit() const {
    return std::clamp(plot().width() / scaled(88), 2, 5);
}

void Chart::replace(Data data) {
    next_ = std::move(data);
    if (due_.isActive()) return;
    const qint64 wait = since_.isValid() ? kLeastMs - since_.elapsed() : 0;
    if (wait > 0)
        due_.start(static_cast<int>(wait));
    else
        show();
}

/// Splits every series at its gaps and hands the stretches to Qt Charts.
void Chart::show() {
    if (!next_) return;
    since_.start();
    shown_ = thinned(*std::exchange(next_, std::nullopt));
    drawing_->x->setRange(0, std::max(1.0, chartMicros(shown_.to - shown_.from)));
    std::vector<double> base(shown_.t.size(), 0.0);
    for (std::size_t s = 0; s < series_.size(); ++s) {
        Drawing::Lane& lane = drawing_->lanes[s];
        lane.used = 0;
        QList<QPointF> upper;
        QList<QPointF> lower;
        const auto flush = [&] {
            if (!upper.isEmpty() && lane.used < kMostPieces) {
                const Drawing::Piece& piece = drawing_->piece(s, series_[s].tone);
                piece.upper->replace(upper);
                piece.lower->replace(lower);
            }
            upper.clear();
            lower.clear();
        };
        const std::vector<double> none;
        const auto& values = s < shown_.values.size() ? shown_.values[s] : none;
        // From the newest on: what does not fit is the oldest.
        for (std::size_t n = std::min(values.size(), shown_.t.size()); n-- > 0;) {
            const std::int64_t t = shown_.t[n];
            const bool apart = n + 1 < shown_.t.size() && shown_.t[n + 1] - t > 2 * shown_.step && shown_.step > 0;
            if (std::isnan(values[n]) || apart) flush();
            if (std::isnan(values[n])) continue;
            const double x = chartMicros(t - shown_.from);
            const double from = stacked_ ? base[n] : 0;
            upper.prepend({x, from + values[n]});
            lower.prepend({x, from});
            if (stacked_) base[n] += values[n];
        }
        flush();
        for (std::size_t i = lane.used; i < lane.pieces.size(); ++i) lane.pieces[i].area->setVisible(false);
    }
    QStringList now;
    for (std::size_t s = 0; s < series_.size() && s < shown_.values.size(); ++s)
        if (!shown_.values[s].empty() && !std::isnan(shown_.values[s].back()))
            now << series_[s].name + ' ' + words_(shown_.values[s].back());
    setAccessibleDescription(now.join(QStringLiteral(", ")));
    update();
    over_->update();
}

void Chart::recolour() {
    for (std::size_t s = 0; s < series_.size(); ++s)
        for (const Drawing::Piece& piece : drawing_->lanes[s].pieces) Drawing::colour(piece.area, series_[s].tone);
    update();
    over_->update();
}

QRect Chart::plot() const {
    int left = scaled(24);
    for (const Mark& mark : marks_)
        left = std::max(left, static_cast<int>(numberWidth(typeface(Type::Caption), mark.text)) + scaled(12));
    const int foot = scaled(20);
    return {left, kChartTop, std::max(1, width() - left - kRight), std::max(1, height() - kChartTop - foot)};
}

void Chart::layOut() {
    const QRect area = plot();
    // A line along the edge keeps its whole width.
    drawing_->view->setGeometry(area.adjusted(-2, -2, 2, 2));
    drawing_->chart->resize(area.width() + 4, area.height() + 4);
    drawing_->chart->setPlotArea(QRectF(2, 2, area.width(), area.height()));
    over_->setGeometry(rect());
    over_->raise();
}

void Chart::resizeEvent(QResizeEvent*) {
    layOut();
}

QSize Chart::sizeHint() const {
    return {scaled(320), scaled(144)};
}

QSize Chart::minimumSizeHint() const {
    return {scaled(160), scaled(88)};
}

double Chart::xOf(std::int64_t t) const {
    const QRect area = plot();
    const double span = std::max(1.0, chartMicros(shown_.to - shown_.from));
    return area.left() + area.width() * chartMicros(t - shown_.from) / span;
}

double Chart::yOf(double value) const {
    const QRect area = plot();
    return area.top() + area.height() * (1 - value / most_);
}

int Chart::pieces(std::size_t series) const {
    return series < drawing_->lanes.size() ? static_cast<int>(drawing_->lanes[series].used) : 0;
}

void Chart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QFont& caption = typeface(Type::Caption);
    const QRect area = plot();
    for (const Mark& mark : marks_) {
        const double y = std::min<double>(yOf(mark.value), area.bottom() + 1);
        paint::hairline(painter, {area.left() + 0.0, y}, {area.right() + 1.0, y},
                        theme(mark.value == 0 ? Token::Line : Token::Grid));
        paint::number(painter, QRectF(0, y - 8, area.left() - 8, 16), mark.text, caption, theme(Token::Text3));
    }
    if (shown_.to <= shown_.from) return;
    const int labels = times_ > 0 ? times_ : timesThatFit();
    const std::int64_t now = wallNow();
    const bool days = shown_.to - shown_.from > 20LL * 3'600'000'000;
    // Two labels that read alike say nothing.
    const bool seconds = shown_.to - shown_.from < labels * 60LL * 1'000'000;
    const QString clock = seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm");
    for (int i = 0; i < labels; ++i) {
        const std::int64_t t = shown_.from + (shown_.to - shown_.from) * i / (labels - 1);
        const QDateTime when = QDateTime::fromMSecsSinceEpoch(t / 1'000);
        QString text = QLocale().toString(when, days && i == 0 ? QStringLiteral("ddd HH:mm") : clock);
        if (i == labels - 1 && std::abs(now - shown_.to) < std::max<std::int64_t>(3 * shown_.step, 3'000'000))
            text = tr("now");
        const double x = xOf(t);
        const QRectF box(i == 0 ? x : i == labels - 1 ? x - 80 : x - 40, area.bottom() + scaled(3), 80, scaled(16));
        paint::number(painter, box, text, caption, theme(Token::Text3),
                      i == 0            ? Qt::AlignLeft
                      : i == labels - 1 ? Qt::AlignRight
                                        : Qt::AlignHCenter);
    }
}

void Chart::paintOver(QPainter& painter, int pointer) const {
    const Theme& theme = Theme::current();
    const QRect area = plot();
    const qreal px = 1 / painter.device()->devicePixelRatioF();
    for (const double limit : limits_) {
        if (limit <= 0 || limit > most_) continue;
        QPen pen(theme(Token::Line2), px);
        pen.setDashPattern({4 / px, 3 / px});
        painter.setPen(pen);
        const double y = std::floor(yOf(limit)) + 0.5 * px;
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right() + 1, y));
    }
    for (const std::int64_t tick : shown_.ticks)
        if (tick >= shown_.from && tick <= shown_.to)
            painter.fillRect(QRectF(std::round(xOf(tick)) - 1, area.bottom() + 1 - kTick, 2, kTick),
                             theme.fillOf(DisplayState::Failed));
    paintForecast(painter);
    if (!message_.isEmpty() && shown_.t.empty())
        paint::text(painter, area, message_, typeface(Type::Body), theme(Token::Text2), Qt::AlignHCenter);
    paintPointer(painter, pointer);
}

void Chart::paintForecast(QPainter& painter) const {
    if (!forecast_ || forecast_->at < shown_.from || forecast_->at > shown_.to) return;
    const Theme& theme = Theme::current();
    const QRect area = plot();
    const double x = xOf(forecast_->at);
    const double y = yOf(forecast_->value);
    const double foot = area.bottom() + 1;
    painter.save();
    painter.setClipRect(area.adjusted(0, 0, 1, 1));
    painter.setRenderHint(QPainter::Antialiasing);
    if (forecast_->latest > forecast_->at) {
        QColor band = theme(Token::Text3);
        band.setAlphaF(0.3F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(band);
        painter.drawPolygon(QPolygonF({{x, y}, {xOf(forecast_->earliest), foot}, {xOf(forecast_->latest), foot}}));
        QPen pen(theme(Token::Text1), 1);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        painter.drawLine(QPointF(x, y), QPointF(xOf(forecast_->likely), foot));
    }
    painter.restore();
    paint::hairline(painter, {x, static_cast<double>(area.top())}, {x, foot}, theme(Token::Line2));
    const bool fits = area.right() - x > scaled(220);
    const QRectF head = fits ? QRectF(x + 8, area.top(), area.right() - x - 8, scaled(16))
                             : QRectF(area.left(), area.top(), x - 8 - area.left(), scaled(16));
    const Qt::Alignment side = fits ? Qt::AlignLeft : Qt::AlignRight;
    paintWords(painter, head, forecast_->head, Token::Text1, side);
    // Where there is no room for a second line its words would lie over the curve and the times below it.
    if (area.height() >= scaled(40))
        paintWords(painter, head.translated(0, scaled(16)), forecast_->line, Token::Text2, side);
}

/// What does not fit ends early.
void Chart::paintWords(QPainter& painter, const QRectF& area, const QString& text, Token token,
                       Qt::Alignment side) {
    const QFont& caption = typeface(Type::Caption);
    const QColor colour = Theme::current()(token);
    if (numberWidth(caption, text) <= area.width())
        return paint::number(painter, area, text, caption, colour, side);
    paint::text(painter, area, text, caption, colour, Qt::AlignLeft);
}

std::optional<std::size_t> Chart::indexAt(int x) const {
    const QRect area = plot();
    if (x < area.left() || x > area.right() || shown_.t.empty()) return std::nullopt;
    const double share = static_cast<double>(x - area.left()) / std::max(1, area.width());
    const auto t = shown_.from + static_cast<std::int64_t>(share * chartMicros(shown_.to - shown_.from));
    const auto after = std::ranges::lower_bound(shown_.t, t);
    auto at = static_cast<std::size_t>(after - shown_.t.begin());
    if (at == shown_.t.size() || (at > 0 && t - shown_.t[at - 1] < shown_.t[at] - t)) --at;
    // In a gap there is nothing to tell.
    if (std::abs(shown_.t[at] - t) > std::max<std::int64_t>(2 * shown_.step, 1)) return std::nullopt;
    return at;
}

QString Chart::textAt(int x) const {
    const auto at = indexAt(x);
    if (!at) return {};
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(shown_.t[*at] / 1'000);
    QStringList words;
    for (std::size_t s = 0; s < series_.size() && s < shown_.values.size(); ++s)
        if (*at < shown_.values[s].size() && !std::isnan(shown_.values[s][*at]))
            words << words_(shown_.values[s][*at]) + ' ' + series_[s].name;
    if (words.isEmpty()) return {};
    return QLocale().toString(when, QStringLiteral("HH:mm:ss")) + QStringLiteral("  ") +
           words.join(QStringLiteral(", "));
}

QString Chart::spokenValue() const {
    QStringList words;
    for (std::size_t s = 0; s < series_.size() && s < shown_.values.size(); ++s) {
        std::optional<double> last;
        double least = 0;
        double most = 0;
        for (const double value : shown_.values[s]) {
            if (std::isnan(value)) continue;
            least = last ? std::min(least, value) : value;
            most = last ? std::max(most, value) : value;
            last = value;
        }
        if (last)
            words
                << tr("%1: %2, between %3 and %4").arg(series_[s].name, words_(*last), words_(least), words_(most));
    }
    if (words.isEmpty()) return message_;
    const auto time = [](std::int64_t at) {
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(at / 1'000), QStringLiteral("HH:mm:ss"));
    };
    words << tr("from %1 to %2").arg(time(shown_.from), time(shown_.to));
    if (!shown_.ticks.empty()) words << tr("%n failure(s)", nullptr, static_cast<int>(shown_.ticks.size()));
    if (forecast_) words << forecast_->head << forecast_->line;
    words.removeAll(QString());
    return words.join(QStringLiteral("; "));
}

void Chart::paintPointer(QPainter& painter, int pointer) const {
    const QString text = textAt(pointer);
    if (text.isEmpty()) return;
    const Theme& theme = Theme::current();
    const QRect area = plot();
    const QFont& caption = typeface(Type::Caption);
    paint::hairline(painter, {static_cast<double>(pointer), static_cast<double>(area.top())},
                    {static_cast<double>(pointer), area.bottom() + 1.0}, theme(Token::Line2));
    const double width = numberWidth(caption, text) + 16;
    const double left = pointer + 8 + width > area.right() ? pointer - 8 - width : pointer + 8;
    const QRectF box(std::max<double>(std::round(left), 0), area.top(), width, scaled(20));
    painter.fillRect(box, theme(Token::Bg2));
    painter.setPen(theme(Token::Line2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    paint::number(painter, box.adjusted(8, 0, -8, 0), text, caption, theme(Token::Text1), Qt::AlignLeft);
}

Chart::Data thinned(Chart::Data data) {
    const std::size_t count = data.t.size();
    if (count <= Chart::kMostPoints) return data;
    const std::size_t per = (count + Chart::kMostPoints - 1) / Chart::kMostPoints;
    Chart::Data fewer = data;
    fewer.t.clear();
    fewer.values.assign(data.values.size(), {});
    fewer.step = data.step * static_cast<std::int64_t>(per);
    for (std::size_t at = 0; at < count; at += per) {
        fewer.t.push_back(data.t[at]);
        for (std::size_t s = 0; s < data.values.size(); ++s) {
            double highest = Chart::kNone;
            for (std::size_t i = at; i < std::min(at + per, data.values[s].size()); ++i)
                highest = std::fmax(highest, data.values[s][i]); // of a number and none the number
            fewer.values[s].push_back(highest);
        }
    }
    return fewer;
}

double niceEnd(double value, double least) {
    const double wanted = std::max(value, least);
    if (!(wanted > 0)) return 1;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double step : {1.0, 2.0, 3.0, 4.0, 6.0, 10.0})
        if (step * power >= wanted * (1 - 1e-9)) return step * power;
    return 10 * power;
}

QString axisNumber(double value) {
    static constexpr std::array kUnits{"%1", "%1 k", "%1 M", "%1 G"};
    std::size_t unit = 0;
    while (value >= 1'000 && unit + 1 < kUnits.size()) {
        value /= 1'000;
        ++unit;
    }
    const bool whole = std::abs(value - std::round(value)) < 1e-9;
    return QString::fromLatin1(kUnits[unit]).arg(QLocale().toString(value, 'f', whole ? 0 : 1));
}

} // namespace yard::ui
