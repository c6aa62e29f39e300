#include "ui/pages/workers/runs_chart.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QtMath>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {
constexpr qreal kRunsEdge = 12;
constexpr qreal kCaption = 18;

QString durationText(qint64 micros) {
    return micros < 0 ? Format::unknown() : Format().duration(Duration(std::chrono::microseconds(micros)));
}
} // namespace

RunsChart::RunsChart(QWidget* parent)
    : QWidget(parent) {
    setMinimumHeight(scaled(120));
    installSpoken();
    setAccessibleName(tr("Durations and memory of the last runs"));
}

void RunsChart::setRuns(std::vector<Run> runs) {
    runs_ = std::move(runs);
    update();
}

QString RunsChart::spokenValue() const {
    if (runs_.empty()) return tr("It has not run yet");
    const auto failed = std::ranges::count_if(runs_, &Run::failed);
    return tr("%n run(s)", nullptr, static_cast<int>(runs_.size())) + ", " + tr("%1 failed").arg(failed);
}

std::vector<SpokenPart> RunsChart::spokenParts() const {
    std::vector<SpokenPart> parts;
    const qreal step = runs_.empty() ? 0 : (width() - 2 * kRunsEdge) / static_cast<qreal>(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const int x = qRound(kRunsEdge + step * static_cast<qreal>(i));
        parts.push_back({QAccessible::ListItem, wordsOf(runs_[i]), {}, {}, QRect(x, 0, qCeil(step), height())});
    }
    return parts;
}

QString RunsChart::wordsOf(const Run& run) {
    const Format format;
    return tr("%1 %2, %3: %4, %5")
        .arg(format.number(run.lsn), run.name, run.failed ? tr("failed") : tr("completed"), durationText(run.ran),
             run.memory < 0 ? Format::unknown() : format.size(run.memory));
}

const Run* RunsChart::runAt(int x) const {
    if (runs_.empty()) return nullptr;
    const qreal step = (width() - 2 * kRunsEdge) / static_cast<qreal>(runs_.size());
    const auto at = static_cast<std::ptrdiff_t>((x - kRunsEdge) / step);
    return at >= 0 && at < std::ssize(runs_) ? &runs_[static_cast<std::size_t>(at)] : nullptr;
}

void RunsChart::paintPlot(QPainter& painter, const QRectF& area, bool memory) const {
    const Theme& theme = Theme::current();
    qint64 most = 0;
    for (const Run& run : runs_) most = std::max(most, memory ? run.memory : run.ran);
    const QRectF head(area.left(), area.top(), area.width(), kCaption);
    paint::text(painter, head, memory ? tr("Peak memory") : tr("Duration"), typeface(Type::Caption),
                theme(Token::Text3));
    const QString top = most <= 0 ? Format::unknown() : memory ? Format().size(most) : durationText(most);
    paint::number(painter, head, top, typeface(Type::Caption), theme(Token::Text3));
    const QRectF plot = area.adjusted(0, kCaption + 2, 0, 0);
    paint::hairline(painter, plot.bottomLeft(), plot.bottomRight(), theme(Token::Line));
    paint::hairline(painter, plot.topLeft(), plot.topRight(), theme(Token::Grid));
    if (most <= 0) return;
    const qreal step = plot.width() / static_cast<qreal>(runs_.size());
    const qreal wide = std::clamp(step - 1, 1.0, 10.0);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const qint64 value = memory ? runs_[i].memory : runs_[i].ran;
        if (value < 0) continue;
        const qreal height = std::max(1.0, plot.height() * static_cast<qreal>(value) / static_cast<qreal>(most));
        const qreal x = std::round(plot.left() + step * static_cast<qreal>(i));
        painter.fillRect(QRectF(x, plot.bottom() - height, wide, height),
                         theme.fillOf(runs_[i].failed ? DisplayState::Failed : DisplayState::Completed));
        if (runs_[i].failed)
            painter.fillRect(QRectF(x, plot.bottom() + 2, wide, 3), theme.fillOf(DisplayState::Failed));
    }
}

void RunsChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg1));
    if (runs_.empty())
        return void(paint::text(painter, QRectF(rect()), tr("It has not run yet"), typeface(Type::Body),
                                Theme::current()(Token::Text2), Qt::AlignHCenter));
    const QRectF all = QRectF(rect()).adjusted(kRunsEdge, 8, -kRunsEdge, -10);
    const qreal half = (all.height() - 12) / 2;
    paintPlot(painter, QRectF(all.left(), all.top(), all.width(), half), false);
    paintPlot(painter, QRectF(all.left(), all.bottom() - half, all.width(), half), true);
}

bool RunsChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Run* run = runAt(help->pos().x());
    if (run == nullptr) return true;
    QToolTip::showText(help->globalPos(), plainTip(wordsOf(*run)), this);
    return true;
}

} // namespace yard::ui
