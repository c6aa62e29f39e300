// Keeps the machine from falling asleep by itself while work runs, through the first service of the desktop that
// takes the wish: its power management, its screen saver, else login1. Owner: ui thread. Never blocks: each is
// asked asynchronously, with a time limit.
#pragma once

#include <QDBusConnection>
#include <QDBusServiceWatcher>
#include <QDBusUnixFileDescriptor>
#include <QObject>
#include <QString>
#include <memory>

namespace yard::ui {

class SleepGuard final : public QObject {
    Q_OBJECT
public:
    enum class State : std::uint8_t {
        Free, ///< not wanted
        Asking,
        Kept,      ///< awake, by()
        Impossible ///< no service takes it; asked again when it is wanted again
    };

    explicit SleepGuard(QObject* parent = nullptr);
    ~SleepGuard() override;

    void setWanted(bool wanted);
    State state() const { return state_; }
    /// "org.freedesktop.ScreenSaver"; empty unless Kept.
    QString by() const { return state_ == State::Kept ? service_ : QString(); }

signals:
    void changed();

private:
    void ask(std::size_t way);
    void release();
    void setState(State state);
    void onGone();

    State state_ = State::Free;
    bool wanted_ = false;
    QString service_;
    std::size_t way_ = 0;
    uint cookie_ = 0;
    QDBusUnixFileDescriptor held_;
    QDBusServiceWatcher watcher_;
};

} // namespace yard::ui
