#include "ui/style/icons.h"

#include "ui/style/theme.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <cmath>

namespace yard::ui::icons {

namespace {

QString pathOf(const QString& name) {
    return QStringLiteral(":/icons/%1.svg").arg(name);
}

QByteArray svgOf(const QString& name) {
    static QHash<QString, QByteArray> read;
    auto at = read.constFind(name);
    if (at == read.constEnd()) {
        QFile file(pathOf(name));
        at = read.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }
    return *at;
}

QString faceName(DisplayState face) {
    const std::string_view word = name(face);
    return QStringLiteral("state-") + QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()));
}

/// Paints with the colours of the moment, so that a change of scheme needs no new icons.
class Engine final : public QIconEngine {
public:
    Engine(QString name, Token token)
        : name_(std::move(name))
        , token_(token) {}
    Engine(DisplayState face)
        : name_(faceName(face))
        , face_(face) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        icons::paint(*painter, rect, name_, std::min(rect.width(), rect.height()), colourFor(mode),
                     Theme::current()(Token::Bg1));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        // Already in device pixels.
        return icons::pixmap(name_, std::min(size.width(), size.height()), colourFor(mode), 1,
                             Theme::current()(Token::Bg1));
    }
    QIconEngine* clone() const override { return new Engine(*this); }

private:
    QColor colourFor(QIcon::Mode mode) const {
        const Theme& theme = Theme::current();
        if (mode == QIcon::Disabled) return theme(Token::Disabled);
        return face_ ? theme.inkOf(*face_) : theme(token_);
    }
    QString name_;
    Token token_ = Token::Text2;
    std::optional<DisplayState> face_;
};

} // namespace

bool exists(const QString& name) {
    return QFile::exists(pathOf(name));
}

QPixmap pixmap(const QString& name, int size, const QColor& colour, qreal ratio, const QColor& cutOut) {
    const QString key =
        QStringLiteral("yard/%1/%2/%3/%4/%5").arg(name).arg(size).arg(ratio).arg(colour.rgb()).arg(cutOut.rgb());
    QPixmap made;
    if (QPixmapCache::find(key, &made)) return made;
    const int pixels = static_cast<int>(std::ceil(size * ratio));
    made = QPixmap(pixels, pixels);
    made.fill(Qt::transparent);
    QByteArray svg = svgOf(name);
    svg.replace("currentColor", colour.name().toLatin1()).replace("cutout", cutOut.name().toLatin1());
    QSvgRenderer renderer(svg);
    QPainter painter(&made);
    renderer.render(&painter, QRectF(0, 0, pixels, pixels));
    painter.end();
    made.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, made);
    return made;
}

void paint(QPainter& painter, const QRectF& area, const QString& name, int size, const QColor& colour,
           const QColor& cutOut) {
    const qreal ratio = painter.device()->devicePixelRatioF();
    const auto snapped = [ratio](qreal at) { return std::round(at * ratio) / ratio; };
    const QPointF corner(snapped(area.center().x() - size / 2.0), snapped(area.center().y() - size / 2.0));
    painter.drawPixmap(corner, pixmap(name, size, colour, ratio, cutOut));
}

void paintFace(QPainter& painter, const QRectF& area, Scheme scheme, DisplayState face, int size,
               const QColor& under) {
    paint(painter, area, faceName(face), size, ink(scheme, face), under);
}

QIcon icon(const QString& name, Token token) {
    return QIcon(new Engine(name, token));
}
QIcon faceIcon(DisplayState face) {
    return QIcon(new Engine(face));
}

} // namespace yard::ui::icons
