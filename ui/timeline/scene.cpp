#include "ui/timeline/scene.h"

#include "ui/style/icons.h"
#include "ui/timeline/lane_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {

struct SceneWords {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QColor sceneToken(Token which) {
    return Theme::current()(which);
}

} // namespace

TimeScale Scene::mapScale() const {
    const WallMicros from = data->wholeFrom() > 0 ? data->wholeFrom() : scale.range().from;
    return TimeScale({from, std::max(now, from + kMinute)}, scale.left(), scale.width());
}

QRectF Scene::rowRect(const LayoutRow& row) const {
    return {scale.left(), static_cast<double>(kLanesTop + row.top - scroll), scale.width(),
            static_cast<double>(row.height)};
}

ScenePainter::ScenePainter(QPainter& painter, const Scene& scene)
    : painter_(painter)
    , scene_(scene)
    , format_(QLocale(), scene.zone) {}

double ScenePainter::snap(double x) const {
    return std::round(x / scene_.pixel) * scene_.pixel;
}

void ScenePainter::label(const QRectF& area, const QString& text, Type type, Token which, Qt::Alignment alignment) {
    // Rows do not grow with the text: a larger one ends where its row does, and does not lie over the next.
    QFont font = typeface(type);
    if (const qreal tall = QFontMetricsF(font).height(); tall > area.height() + 2)
        font.setPixelSize(std::max(1, static_cast<int>(font.pixelSize() * (area.height() + 2) / tall)));
    paint::text(painter_, area, text, font, sceneToken(which), alignment);
}

void ScenePainter::paintContent() {
    painter_.fillRect(QRectF(0, 0, scene_.right(), scene_.height), sceneToken(Token::Bg1));
    paintLanes();
    paintMap();
    paintRuler();
    paintGraphs();
    paintNow();
    const double x = scene_.scale.left();
    paint::hairline(painter_, {x, kMapHeight}, {x, static_cast<double>(scene_.height)}, sceneToken(Token::Line));
    paintMessage();
}

void ScenePainter::paintMap() {
    const QRectF area(0, 0, scene_.right(), kMapHeight);
    painter_.fillRect(area, sceneToken(Token::Bg2));
    const Figures& whole = scene_.data->whole();
    const TimeScale map = scene_.mapScale();
    double ended = 0;
    QColor load = sceneToken(Token::Text3);
    load.setAlphaF(0.55F);
    const double most = std::max(1.0, scene_.machine.cores);
    const double foot = 37;
    for (std::size_t i = 0; i < whole.t.size(); ++i) {
        const double from = snap(map.xOf(whole.t[i]));
        const double to =
            std::max(from + 1, snap(map.xOf(whole.t[i] + whole.step)) - (map.width() > 500 ? 0.5 : 0));
        if (!std::isnan(whole.completed[i])) ended += whole.completed[i];
        if (!std::isnan(whole.failed[i])) ended += whole.failed[i];
        if (!std::isnan(whole.cores[i]) && from >= map.left()) {
            const double tall = std::clamp(whole.cores[i] / most, 0.0, 1.0) * 22;
            painter_.fillRect(QRectF(from, foot - std::max(1.0, tall), to - from, std::max(1.0, tall)), load);
        }
        if (whole.failed[i] > 0)
            painter_.fillRect(QRectF(from, foot + 1, std::max(2.0, to - from), 5),
                              Theme::current().fillOf(DisplayState::Failed));
    }
    const std::int64_t step = rulerStep(map.microsPerPixel(), 200);
    for (const WallMicros tick : ticks(map.range(), step, scene_.zone)) {
        const double x = snap(map.xOf(tick));
        paint::hairline(painter_, {x, 0}, {x, kMapHeight}, sceneToken(Token::Line));
        const QString words = tickLabel(tick, step, scene_.zone);
        // At the edge it would be cut: "15:0".
        if (x + 4 + QFontMetricsF(typeface(Type::Caption)).horizontalAdvance(words) + 1 <= scene_.right())
            label({x + 4, 0, 90, 16}, words, Type::Caption, Token::Text3);
    }
    const double from = std::clamp(map.xOf(scene_.scale.range().from), map.left(), map.right());
    const double to = std::clamp(map.xOf(scene_.scale.range().to), map.left(), map.right());
    QRectF brush(from - 0.5, 2.5, std::max(to - from, 9.0), 39);
    if (brush.right() > map.right()) brush.moveRight(map.right());
    QColor tint = sceneToken(Token::Accent);
    tint.setAlphaF(0.18F);
    painter_.fillRect(brush, tint);
    painter_.setPen(QPen(sceneToken(Token::Accent), 1.5));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(brush);
    const bool day = isMidnight(map.range().from, scene_.zone);
    label({16, 6, kLabels - 24, 18},
          day && map.range().length() <= kDay ? SceneWords::tr("Whole day") : SceneWords::tr("In all"),
          Type::Strong, Token::Text1);
    const QString since =
        day && map.range().length() <= kDay
            ? SceneWords::tr("%1 to now").arg(tickLabel(map.range().from + 1, kMinute, scene_.zone))
            : SceneWords::tr("%1 to now").arg(format_.time(map.range().from, scene_.now));
    label({16, 24, kLabels - 24, 16},
          whole.isEmpty() ? since
                          : SceneWords::tr("%1, %2").arg(since, format_.number(static_cast<std::int64_t>(ended))),
          Type::Caption, Token::Text3);
    paint::hairline(painter_, {0, kMapHeight}, {scene_.right(), kMapHeight}, sceneToken(Token::Line));
}

void ScenePainter::paintRuler() {
    const TimeScale& scale = scene_.scale;
    painter_.fillRect(QRectF(0, kMapHeight + 1, scene_.right(), kRulerHeight - 1), sceneToken(Token::Bg1));
    if (scene_.chosen) {
        const double from = scale.xOf(std::max(scene_.chosen->from, scale.range().from));
        const double to = scale.xOf(std::min(scene_.chosen->to, scale.range().to));
        painter_.fillRect(QRectF(from, kMapHeight + 1, std::max(1.0, to - from), kRulerHeight - 1),
                          sceneToken(Token::Selection));
    }
    const QDateTime begin = QDateTime::fromMSecsSinceEpoch(scale.range().from / 1'000, scene_.zone);
    const QString date = QLocale().toString(begin, QStringLiteral("ddd d MMM"));
    label({16, kMapHeight, kLabels - 24, kRulerHeight}, date + ", " + scene_.zone.abbreviation(begin),
          Type::Caption, Token::Text3);
    const std::int64_t step = rulerStep(scale.microsPerPixel());
    const double nowX = scale.xOf(scene_.now);
    for (const WallMicros tick : ticks(scale.range(), step, scene_.zone)) {
        const double x = snap(scale.xOf(tick));
        paint::hairline(painter_, {x, kMapHeight + 20.0}, {x, kGraphsTop}, sceneToken(Token::Line2));
        if (x < scale.left() + 20 || x > scale.right() - 24 || std::abs(x - nowX) < 48) continue;
        if (scene_.cursor >= 0 && std::abs(x - scene_.cursor) < 72) continue;
        label({x - 44, kMapHeight, 88, 22}, tickLabel(tick, step, scene_.zone), Type::Caption, Token::Text2,
              Qt::AlignHCenter);
    }
    if (scene_.chosen)
        label({scale.xOf(scene_.chosen->from), kMapHeight,
               scale.xOf(scene_.chosen->to) - scale.xOf(scene_.chosen->from), kRulerHeight},
              format_.duration(Duration(scene_.chosen->length())), Type::Caption, Token::Text1, Qt::AlignHCenter);
    paint::hairline(painter_, {0, kGraphsTop}, {scene_.right(), kGraphsTop}, sceneToken(Token::Line));
}

void ScenePainter::paintNow() {
    const double x = scene_.scale.xOf(scene_.now);
    if (x > scene_.scale.right() || x < scene_.scale.left()) return;
    QColor future = sceneToken(Token::Bg0);
    future.setAlphaF(0.7F);
    painter_.fillRect(QRectF(x, kGraphsTop + 1, scene_.scale.right() - x, scene_.height - kGraphsTop), future);
    painter_.fillRect(QRectF(snap(x), kMapHeight + 1, 1.5, scene_.height - kMapHeight), sceneToken(Token::Accent));
    const double half =
        std::max(15.0, QFontMetricsF(typeface(Type::Caption)).horizontalAdvance(SceneWords::tr("now")) / 2 + 4);
    QRectF tag(x - half, kMapHeight + 4, 2 * half, 16);
    if (tag.right() > scene_.right()) tag.moveRight(scene_.right());
    painter_.fillRect(tag, sceneToken(Token::AccentFill));
    label(tag, SceneWords::tr("now"), Type::Caption, Token::OnAccent, Qt::AlignHCenter);
}

QString ScenePainter::stateOf(const GroupSlots& group) const {
    const WallMicros at = scene_.cursor >= 0 ? scene_.scale.timeAt(scene_.cursor) : scene_.now;
    if (at > scene_.now || !scene_.scale.range().contains(std::min(at, scene_.scale.range().to - 1))) return {};
    if (at >= scene_.scale.range().to) return {};
    int busy = 0;
    for (const auto& [slot, any] : group.busy) {
        if (!any) continue;
        for (const LaneStore::Part& part :
             scene_.store->parts(group.worker, slot, scene_.scale.range(), scene_.scale.microsPerPixel()))
            if (part.range.contains(at) || at == part.range.to)
                if (part.lane->at(at, scene_.now + 1) < part.lane->size()) ++busy;
    }
    const QString text =
        scene_.cursor >= 0 ? SceneWords::tr("%1 of %2 busy at the cursor") : SceneWords::tr("%1 of %2 busy");
    return text.arg(format_.number(busy), format_.number(static_cast<std::int64_t>(group.busy.size())));
}

void ScenePainter::paintHead(const LayoutRow& row, const QRectF& area) {
    const GroupSlots& group = scene_.groups[row.group];
    painter_.fillRect(QRectF(0, area.top(), scene_.right(), area.height()), sceneToken(Token::Bg2));
    const bool folded = scene_.folded.contains(group.worker);
    icons::paint(painter_, QRectF(12, area.top(), 12, area.height()), folded ? "right" : "down", 12,
                 sceneToken(Token::Text2));
    label({30, area.top(), kLabels - 36, area.height()},
          group.name.isEmpty() ? SceneWords::tr("Slots") : group.name, Type::Strong, Token::Text1);
    label({area.left() + 6, area.top(), area.width() - 12, area.height()}, stateOf(group), Type::Caption,
          Token::Text2);
    paint::hairline(painter_, {0, area.bottom() - scene_.pixel}, {scene_.right(), area.bottom() - scene_.pixel},
                    sceneToken(Token::Line));
}

void ScenePainter::paintLane(const LayoutRow& row, const QRectF& area) {
    const TimeScale& scale = scene_.scale;
    const GroupSlots& group = scene_.groups[row.group];
    painter_.fillRect(area, sceneToken(row.isOdd ? Token::Lane2 : Token::Lane));
    if (row.height >= 14)
        label({30, area.top(), kLabels - 36, area.height()}, SceneWords::tr("slot %1").arg(row.slot), Type::Caption,
              Token::Text2);
    LanePainter bars(painter_, scale, row.height, scene_.now, scene_.pixel);
    painter_.save();
    painter_.setClipRect(area.adjusted(0, -1, 0, 1), Qt::IntersectClip);
    if (scene_.store->isIncomplete(group.worker, scale.range(), scale.microsPerPixel()))
        painter_.fillRect(area.adjusted(0, area.height() / 2 - 1, 0, -area.height() / 2 + 1),
                          sceneToken(Token::Bg3));
    for (const LaneStore::Part& part :
         scene_.store->parts(group.worker, row.slot, scale.range(), scale.microsPerPixel())) {
        painter_.fillRect(QRectF(scale.xOf(part.range.from), area.top(),
                                 scale.xOf(part.range.to) - scale.xOf(part.range.from), area.height()),
                          sceneToken(row.isOdd ? Token::Lane2 : Token::Lane));
        bars.paint(area, *part.lane, *part.picture->names, part.range, part.matches != nullptr ? 0.25 : 1);
        if (part.matches != nullptr) bars.paint(area, *part.matches, *part.picture->names, part.range);
    }
    painter_.restore();
}

void ScenePainter::paintLanes() {
    const TimeScale& scale = scene_.scale;
    painter_.save();
    painter_.setClipRect(QRectF(0, kLanesTop, scene_.right(), scene_.height - kLanesTop), Qt::IntersectClip);
    const auto [first, last] = scene_.layout.within(scene_.scroll, scene_.scroll + scene_.height - kLanesTop);
    for (std::size_t i = first; i < last; ++i) {
        const LayoutRow& row = scene_.layout.rows()[i];
        const QRectF area = scene_.rowRect(row);
        if (row.kind == LayoutRow::Kind::Head) {
            paintHead(row, area);
        } else if (row.kind == LayoutRow::Kind::Lane) {
            paintLane(row, area);
        } else {
            label({30, area.top(), kLabels - 36, area.height()},
                  row.count == 1 ? SceneWords::tr("1 idle slot")
                                 : SceneWords::tr("%1 idle slots").arg(format_.number(row.count)),
                  Type::Caption, Token::Text3);
        }
    }
    painter_.restore();
    const double foot = std::min<double>(kLanesTop + scene_.layout.height() - scene_.scroll, scene_.height);
    for (const WallMicros tick : ticks(scale.range(), rulerStep(scale.microsPerPixel()), scene_.zone)) {
        const double x = snap(scale.xOf(tick));
        if (foot < scene_.height)
            paint::hairline(painter_, {x, foot}, {x, static_cast<double>(scene_.height)}, sceneToken(Token::Grid));
    }
}

void ScenePainter::paintMessage() {
    QString message = scene_.data->problem();
    const bool empty = scene_.layout.rows().empty() ||
                       std::ranges::none_of(scene_.layout.rows(),
                                            [](const LayoutRow& row) { return row.kind == LayoutRow::Kind::Lane; });
    if (!empty) return;
    if (message.isEmpty() && !scene_.data->hasAnswered()) message = SceneWords::tr("Reading what has run…");
    if (message.isEmpty() && scene_.folded.empty()) message = SceneWords::tr("No action has run in this range");
    const double top = kLanesTop + scene_.layout.height();
    label({scene_.scale.left(), top, scene_.scale.width(), scene_.height - top - 60}, message, Type::Body,
          Token::Text2, Qt::AlignHCenter);
}

void ScenePainter::paintOverlay() {
    const TimeScale& scale = scene_.scale;
    if (scene_.selected) {
        const SelectedBar& bar = *scene_.selected;
        for (const LayoutRow& row : scene_.layout.rows()) {
            if (row.kind != LayoutRow::Kind::Lane || row.slot != bar.slot ||
                scene_.groups[row.group].worker != bar.worker)
                continue;
            const QRectF area = scene_.rowRect(row);
            if (area.top() < kLanesTop || !scale.range().touches({bar.item.begin, bar.item.until(scene_.now) + 1}))
                continue;
            LanePainter bars(painter_, scale, row.height, scene_.now, scene_.pixel);
            const QRectF at = bars.areaOf(area, bar.item);
            painter_.setPen(QPen(sceneToken(Token::Text1), 1.5));
            painter_.setBrush(Qt::NoBrush);
            painter_.drawRect(QRectF(at.left() - 1.5, area.top() - 0.5, at.width() + 3, area.height() + 1));
        }
    }
    if (scene_.cursor < scale.left() || scene_.cursor > scale.right()) return;
    const double x = snap(scene_.cursor);
    QColor line = sceneToken(Token::Text1);
    line.setAlphaF(0.75F);
    painter_.fillRect(QRectF(x, kMapHeight + 20, scene_.pixel, scene_.height - kMapHeight - 20), line);
    const QString time = cursorLabel(scale.timeAt(x), scale.microsPerPixel(), scene_.zone);
    const double width = numberWidth(typeface(Type::Caption), time) + 20;
    QRectF tag(x - width / 2, kMapHeight + 3, width, 18);
    tag.moveLeft(std::clamp(tag.left(), scale.left(), scene_.right() - width));
    painter_.fillRect(tag, sceneToken(Token::Text1));
    paint::number(painter_, tag, time, typeface(Type::Caption), sceneToken(Token::Bg1), Qt::AlignHCenter);
    const WallMicros at = scale.timeAt(x);
    const std::ptrdiff_t step = scene_.data->figures().stepAt(at);
    if (step < 0 || at > scene_.now) return;
    for (const Graph& graph : graphsOf(scene_)) {
        const double value = (*graph.values)[static_cast<std::size_t>(step)];
        if (std::isnan(value)) continue;
        painter_.setRenderHint(QPainter::Antialiasing);
        painter_.setPen(QPen(sceneToken(Token::Text1), 1.5));
        painter_.setBrush(sceneToken(Token::Bg1));
        painter_.drawEllipse(QPointF(x, yOf(graph, value)), 3, 3);
        painter_.setRenderHint(QPainter::Antialiasing, false);
        const QString text = graph.words(value);
        const double room = numberWidth(typeface(Type::Caption), text) + 12;
        const double left = x + 7 + room > scale.right() ? x - 7 - room : x + 7;
        const QRectF box(left, graph.top + graph.height - 24, room, 16);
        painter_.fillRect(box, sceneToken(Token::Bg3));
        paint::number(painter_, box, text, typeface(Type::Caption), sceneToken(Token::Text1), Qt::AlignHCenter);
    }
}

} // namespace yard::ui::timeline
