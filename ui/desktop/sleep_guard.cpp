#include "ui/desktop/sleep_guard.h"

#include <QCoreApplication>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <array>

namespace yard::ui {

namespace {

constexpr int kSleepPatienceMs = 5'000;

struct Way {
    const char* service;
    const char* path;
    const char* interface;
    bool isSystem; ///< login1: gives a descriptor that holds as long as it is open, in place of a number
};

constexpr std::array kWays{
    Way{"org.freedesktop.PowerManagement.Inhibit", "/org/freedesktop/PowerManagement/Inhibit",
        "org.freedesktop.PowerManagement.Inhibit", false},
    Way{"org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver", false},
    Way{"org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", true},
};

QDBusConnection busOf(const Way& way) {
    return way.isSystem ? QDBusConnection::systemBus() : QDBusConnection::sessionBus();
}

QDBusMessage callOf(const Way& way, const char* method) {
    return QDBusMessage::createMethodCall(way.service, way.path, way.interface, method);
}

} // namespace

SleepGuard::SleepGuard(QObject* parent)
    : QObject(parent) {
    watcher_.setWatchMode(QDBusServiceWatcher::WatchForUnregistration);
    connect(&watcher_, &QDBusServiceWatcher::serviceUnregistered, this, &SleepGuard::onGone);
}

SleepGuard::~SleepGuard() {
    release();
}

void SleepGuard::setState(State state) {
    if (state_ == state) return;
    state_ = state;
    emit changed();
}

void SleepGuard::setWanted(bool wanted) {
    if (wanted_ == wanted) return;
    wanted_ = wanted;
    if (state_ == State::Asking) return; // the answer finds what is wanted then
    if (!wanted) {
        release();
        return setState(State::Free);
    }
    if (state_ == State::Free) ask(0);
}

void SleepGuard::ask(std::size_t way) {
    if (!wanted_) return setState(State::Free);
    if (way == kWays.size()) return setState(State::Impossible);
    setState(State::Asking);
    const Way& asked = kWays[way];
    const QDBusConnection bus = busOf(asked);
    if (!bus.isConnected()) return ask(way + 1);
    QDBusMessage call = callOf(asked, "Inhibit");
    const QString why = tr("Actions run");
    if (asked.isSystem)
        call.setArguments({QStringLiteral("idle"), QStringLiteral("Yardmaster"), why, QStringLiteral("block")});
    else
        call.setArguments({QStringLiteral("Yardmaster"), why});
    auto* reply = new QDBusPendingCallWatcher(bus.asyncCall(call, kSleepPatienceMs), this);
    connect(reply, &QDBusPendingCallWatcher::finished, this, [this, way, reply] {
        reply->deleteLater();
        const Way& asked = kWays[way];
        if (reply->isError() || reply->reply().arguments().isEmpty()) return ask(way + 1);
        way_ = way;
        service_ = asked.service;
        const QVariant given = reply->reply().arguments().constFirst();
        if (asked.isSystem)
            held_ = given.value<QDBusUnixFileDescriptor>();
        else
            cookie_ = given.toUInt();
        watcher_.setConnection(busOf(asked));
        watcher_.setWatchedServices({service_});
        state_ = State::Kept;
        if (!wanted_) { // it is not any more
            release();
            state_ = State::Free;
        }
        emit changed();
    });
}

void SleepGuard::release() {
    if (state_ != State::Kept) return;
    const Way& way = kWays[way_];
    watcher_.setWatchedServices({});
    held_ = {};
    if (way.isSystem) return;
    QDBusMessage call = callOf(way, "UnInhibit");
    call.setArguments({cookie_});
    busOf(way).send(call); // nobody waits for the answer
}

/// The service has gone, and with it what it kept.
void SleepGuard::onGone() {
    if (state_ != State::Kept) return;
    watcher_.setWatchedServices({});
    held_ = {};
    setState(State::Free);
    if (wanted_) ask(0);
}

} // namespace yard::ui
