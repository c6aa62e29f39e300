#include "ui/style/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace yard::ui {

namespace {

constexpr auto kThemeService = "org.freedesktop.portal.Desktop";
constexpr auto kPath = "/org/freedesktop/portal/desktop";
constexpr auto kInterface = "org.freedesktop.portal.Settings";
constexpr auto kGroup = "org.freedesktop.appearance";
constexpr auto kThemeKey = "color-scheme";

Theme* the = nullptr;

Scheme schemeOf(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < 0.5F ? Scheme::Dark : Scheme::Light;
}

} // namespace

QPalette paletteOf(Scheme scheme) {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Token token) { palette.setColor(role, colour(scheme, token)); };
    set(QPalette::Window, Token::Bg0);
    set(QPalette::WindowText, Token::Text1);
    set(QPalette::Base, Token::Bg1);
    set(QPalette::AlternateBase, Token::Bg1);
    set(QPalette::Button, Token::Bg2);
    set(QPalette::ButtonText, Token::Text1);
    set(QPalette::Text, Token::Text1);
    set(QPalette::BrightText, Token::OnAccent);
    set(QPalette::PlaceholderText, Token::Text3);
    set(QPalette::Highlight, Token::Selection);
    set(QPalette::HighlightedText, Token::Text1);
    set(QPalette::Link, Token::Accent);
    set(QPalette::LinkVisited, Token::Accent);
    set(QPalette::ToolTipBase, Token::Bg2);
    set(QPalette::ToolTipText, Token::Text1);
    set(QPalette::Light, Token::Bg3);
    set(QPalette::Midlight, Token::Bg2);
    set(QPalette::Mid, Token::Line);
    set(QPalette::Dark, Token::Line2);
    set(QPalette::Shadow, Token::Line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, colour(scheme, Token::Disabled));
    palette.setColor(QPalette::Inactive, QPalette::Highlight, colour(scheme, Token::SelectionDim));
    return palette;
}

PortalSchemeSource::PortalSchemeSource(QObject* parent)
    : SchemeSource(parent) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(kThemeService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage ask = QDBusMessage::createMethodCall(kThemeService, kPath, kInterface, QStringLiteral("Read"));
    ask << QString::fromLatin1(kGroup) << QString::fromLatin1(kThemeKey);
    asking_ = true;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        const QDBusPendingReply<QDBusVariant> reply = *done;
        asking_ = false;
        if (!reply.isError()) take(reply.value().variant());
        done->deleteLater();
    });
}

void PortalSchemeSource::onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group == QLatin1String(kGroup) && key == QLatin1String(kThemeKey)) take(value.variant());
}

void PortalSchemeSource::take(const QVariant& value) {
    // Portals wrap the number once or twice.
    QVariant inner = value;
    while (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant();
    const uint number = inner.toUInt();
    const std::optional<Scheme> wish = number == 1   ? std::optional(Scheme::Dark)
                                       : number == 2 ? std::optional(Scheme::Light)
                                                     : std::nullopt;
    if (wish == wish_) return;
    wish_ = wish;
    emit changed();
}

Theme::Theme(SchemeSource* source, QObject* parent)
    : QObject(parent)
    , source_(source)
    , fallback_(schemeOf(QApplication::palette()))
    , scheme_(fallback_) {
    Q_ASSERT(!the);
    the = this;
    if (source_) connect(source_, &SchemeSource::changed, this, &Theme::update);
    if (source_) scheme_ = source_->wish().value_or(fallback_);
    QApplication::setPalette(paletteOf(scheme_));
}

Theme::~Theme() {
    the = nullptr;
}

const Theme& Theme::current() {
    Q_ASSERT(the);
    return *the;
}

Theme& Theme::changeable() {
    Q_ASSERT(the);
    return *the;
}

void Theme::choose(Choice choice) {
    choice_ = choice;
    update();
}

void Theme::update() {
    Scheme scheme = source_ ? source_->wish().value_or(fallback_) : fallback_;
    if (choice_ != Choice::System) scheme = choice_ == Choice::Dark ? Scheme::Dark : Scheme::Light;
    if (scheme == scheme_) return;
    scheme_ = scheme;
    QApplication::setPalette(paletteOf(scheme_));
    emit changed();
}

} // namespace yard::ui
