#include "tests/ui/painted.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace yard::test {

namespace {

/// Narrower than a space in the smallest type.
constexpr qreal kGap = 3;
/// Baselines of one line differ by less.
constexpr qreal kSameLine = 4;
/// At most as wide and high, at 100 %.
constexpr qreal kIcon = 24;

class TextEngine final : public QPaintEngine {
public:
    TextEngine()
        : QPaintEngine(AllFeatures) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF& area, const QPixmap&, const QRectF&) override {
        const QRectF all = painter()->deviceTransform().mapRect(area);
        const QRectF seen = all & clip();
        if (all.width() <= kIcon && all.height() <= kIcon && seen.width() > 0 && seen.height() >= all.height() / 2)
            icons.push_back(all);
    }
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    void drawTiledPixmap(const QRectF&, const QPixmap&, const QPointF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPolygon(const QPoint*, int, PolygonDrawMode) override {}

    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        const QTransform transform = painter()->deviceTransform();
        const QRectF own(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        runs.push_back({item.text(), transform.mapRect(own), clip()});
    }

    std::vector<Piece> runs;
    std::vector<QRectF> icons;

private:
    QRectF clip() const {
        QRectF all = systemClip().isEmpty() ? QRectF(-1e6, -1e6, 2e6, 2e6) : systemClip().boundingRect();
        if (painter()->hasClipping()) all &= painter()->deviceTransform().mapRect(painter()->clipBoundingRect());
        return all;
    }
};

/// As large as the widget, and as fine.
class TextDevice final : public QPaintDevice {
public:
    explicit TextDevice(const QWidget& widget)
        : widget_(widget) {}
    QPaintEngine* paintEngine() const override { return &engine_; }
    std::vector<Piece> takeRuns() { return std::move(engine_.runs); }
    std::vector<QRectF> takeIcons() { return std::move(engine_.icons); }

protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
        case PdmWidth: return widget_.width();
        case PdmHeight: return widget_.height();
        case PdmWidthMM: return widget_.widthMM();
        case PdmHeightMM: return widget_.heightMM();
        case PdmNumColors: return 1 << 24;
        case PdmDepth: return 32;
        case PdmDpiX: return widget_.logicalDpiX();
        case PdmDpiY: return widget_.logicalDpiY();
        case PdmPhysicalDpiX: return widget_.physicalDpiX();
        case PdmPhysicalDpiY: return widget_.physicalDpiY();
        case PdmDevicePixelRatio: return 1;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        }
        return 0;
    }

private:
    const QWidget& widget_;
    mutable TextEngine engine_;
};

} // namespace

bool Piece::isInView() const {
    const QRectF seen = area & clip;
    return seen.width() > 0 && seen.height() >= area.height() / 2;
}

bool Piece::isCutNumber() const {
    if (!text.contains(u'…')) return false;
    return std::ranges::all_of(text, [](QChar c) { return c == u'…' || !c.isLetter(); }) &&
           std::ranges::any_of(text, [](QChar c) { return c.isDigit(); });
}

Painted::Painted(QWidget& widget) {
    TextDevice device(widget);
    widget.render(&device, {}, {}, QWidget::DrawChildren);
    icons_ = device.takeIcons();
    take(device.takeRuns());
}

Painted::Painted(QWidget& widget, const std::function<void(QPainter&)>& paint) {
    TextDevice device(widget);
    {
        QPainter painter(&device);
        paint(painter);
    }
    icons_ = device.takeIcons();
    take(device.takeRuns());
}

/// Pieces that touch were painted one after the other, so only neighbours in time are joined.
void Painted::take(std::vector<Piece> runs) {
    for (Piece& run : runs) {
        Piece* last = pieces_.empty() ? nullptr : &pieces_.back();
        const bool goesOn = last != nullptr && std::abs(last->area.bottom() - run.area.bottom()) < 1 &&
                            std::abs(run.area.left() - last->area.right()) < kGap;
        if (!goesOn) {
            pieces_.push_back(std::move(run));
            continue;
        }
        last->text += run.text;
        last->area |= run.area;
        last->clip &= run.clip;
    }
    std::erase_if(pieces_, [](const Piece& piece) { return piece.text.trimmed().isEmpty() || !piece.isInView(); });
    // By lines first: an order by "the same line, or above" is none.
    std::ranges::sort(pieces_, {}, [](const Piece& piece) { return piece.area.bottom(); });
    for (auto line = pieces_.begin(); line != pieces_.end();) {
        const auto next = std::find_if(line, pieces_.end(), [&](const Piece& piece) {
            return piece.area.bottom() - line->area.bottom() >= kSameLine;
        });
        std::sort(line, next, [](const Piece& a, const Piece& b) { return a.area.left() < b.area.left(); });
        line = next;
    }
}

QString Painted::text(const QRectF& within) const {
    QString all;
    const Piece* last = nullptr;
    for (const Piece& piece : pieces_) {
        if (!within.contains(piece.area.center())) continue;
        if (last != nullptr) all += piece.area.left() >= last->area.left() ? ' ' : '\n';
        all += piece.text;
        last = &piece;
    }
    return all;
}

} // namespace yard::test
