#include "ui/pages/console/icicle.h"

#include "core/profile/report.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kRow = 20;
constexpr int kMostRows = 24;
constexpr double kLeastWidth = 2;

QString milliseconds(std::uint64_t nanos) {
    return QLocale().toString(static_cast<double>(nanos) / 1e6, 'f', 1);
}

} // namespace

Icicle::Icicle(QWidget* parent)
    : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("What the engine's functions took"));
}

void Icicle::setProfile(profile::Profile profile) {
    profile_ = std::move(profile);
    totals_ = profile::totals(profile_);
    totals_.emplace_back().wallNanos = profile::ranNanos(profile_);
    kids_.assign(profile_.nodes.size() + 1, {});
    for (std::uint32_t node = 0; node < profile_.nodes.size(); ++node)
        kids_[placeOf(profile_.nodes[node].parent)].push_back(node);
    for (auto& kids : kids_)
        std::ranges::sort(kids, [this](std::uint32_t a, std::uint32_t b) {
            return totals_[a].wallNanos != totals_[b].wallNanos ? totals_[a].wallNanos > totals_[b].wallNanos
                                                                : a < b;
        });
    zoom_ = profile::kNoParent;
    lay();
    updateGeometry();
    update();
}

std::size_t Icicle::placeOf(std::uint32_t node) const {
    return node == profile::kNoParent ? profile_.nodes.size() : node;
}

std::uint64_t Icicle::totalOf(std::uint32_t node) const {
    return totals_[placeOf(node)].wallNanos;
}

QString Icicle::nameOf(std::uint32_t node) const {
    if (node == profile::kNoParent && profile_.counted == profile::Counted::Samples)
        return QString::fromStdString(profile_.loop);
    if (node == profile::kNoParent) return tr("loop %1").arg(QString::fromStdString(profile_.loop));
    return QString::fromStdString(profile_.functions[profile_.nodes[node].function].name);
}

QString Icicle::wordsOf(std::uint32_t node) const {
    const std::uint64_t whole = std::max<std::uint64_t>(totalOf(profile::kNoParent), 1);
    const QString share =
        QLocale().toString(100.0 * static_cast<double>(totalOf(node)) / static_cast<double>(whole), 'f', 1);
    QString words =
        tr("%1: %2 ms, %3 % of the time on the processor").arg(nameOf(node), milliseconds(totalOf(node)), share);
    if (node == profile::kNoParent) return words;
    const profile::Cost& self = profile_.nodes[node].self;
    const bool isSampled = profile_.counted == profile::Counted::Samples;
    words += (isSampled ? tr(", %1 ms by itself, %L2 samples") : tr(", %1 ms by itself, %L2 calls"))
                 .arg(milliseconds(self.wallNanos))
                 .arg(self.calls);
    const profile::Function& function = profile_.functions[profile_.nodes[node].function];
    if (!function.file.empty() && function.line == 0) words += ", " + QString::fromStdString(function.file);
    if (!function.file.empty() && function.line != 0)
        words += QStringLiteral(", %1:%2").arg(QString::fromStdString(function.file)).arg(function.line);
    return words;
}

void Icicle::lay() {
    boxes_.clear();
    if (profile_.nodes.empty()) return;
    std::vector<std::uint32_t> up;
    if (zoom_ != profile::kNoParent) {
        up = profile::pathOf(profile_, zoom_);
        up.insert(up.begin(), profile::kNoParent);
        up.pop_back();
    }
    int depth = 0;
    for (const std::uint32_t node : up) {
        boxes_.push_back({node, QRectF(0, depth * scaled(kRow), width(), scaled(kRow)), depth});
        ++depth;
    }
    layNode(zoom_, 0, width(), depth);
}

// NOLINTNEXTLINE(misc-no-recursion): kMostRows deep
void Icicle::layNode(std::uint32_t node, double left, double width, int depth) {
    if (width < kLeastWidth || depth >= kMostRows) return;
    boxes_.push_back({node, QRectF(left, depth * scaled(kRow), width, scaled(kRow)), depth});
    const std::uint64_t whole = std::max<std::uint64_t>(totalOf(node), 1);
    for (const std::uint32_t kid : kids_[placeOf(node)]) {
        const double part = width * static_cast<double>(totalOf(kid)) / static_cast<double>(whole);
        layNode(kid, left, part, depth + 1);
        left += part;
    }
}

const Icicle::Box* Icicle::boxAt(QPointF at) const {
    const auto found = std::ranges::find_if(boxes_, [at](const Box& box) { return box.area.contains(at); });
    return found == boxes_.end() ? nullptr : &*found;
}

QString Icicle::wordsAt(QPoint at) const {
    const Box* box = boxAt(at);
    return box == nullptr ? QString() : wordsOf(box->node);
}

QSize Icicle::sizeHint() const {
    return {scaled(400), scaled(kRow) * 8};
}

void Icicle::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setFont(typeface(Type::BarLabel));
    for (const Box& box : boxes_) {
        const double tint = box.node == profile::kNoParent ? 0.0 : std::max(0.25, 0.95 - 0.12 * box.depth);
        const QRectF area = box.area.adjusted(0.5, 0.5, -0.5, -0.5);
        painter.fillRect(area, mixed(theme(Token::Bg4), theme(Token::AccentFill), tint));
        if (area.width() < scaled(24)) continue;
        painter.setPen(tint > 0.5 ? theme(Token::OnAccent) : theme(Token::Text1));
        const QRectF inside = area.adjusted(4, 0, -4, 0);
        painter.drawText(
            inside, Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(nameOf(box.node), Qt::ElideLeft, static_cast<int>(inside.width())));
    }
}

void Icicle::mousePressEvent(QMouseEvent* event) {
    const Box* box = boxAt(event->position());
    if (box == nullptr || event->button() != Qt::LeftButton) return;
    zoom_ = box->node;
    lay();
    update();
}

void Icicle::mouseMoveEvent(QMouseEvent* event) {
    emit pointed(wordsAt(event->position().toPoint()));
}

void Icicle::leaveEvent(QEvent*) {
    emit pointed({});
}

void Icicle::resizeEvent(QResizeEvent*) {
    lay();
}

std::vector<SpokenPart> Icicle::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (const Box& box : boxes_) parts.push_back({.name = wordsOf(box.node), .area = box.area.toRect()});
    return parts;
}

} // namespace yard::ui
