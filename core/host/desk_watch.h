// The real desk: a thread that looks at input, battery, sleep, pressure and heat, and tells when something has changed. It
// rests while nobody wants to know. What is missing on this machine is not in what it tells.
//
// Owner: the thread that made it. The destructor waits 2 s for the thread at most: one that hangs in a library ends by
// itself, and tells nothing any more.
#pragma once

#include "core/courtesy/desk.h"

#include <memory>
#include <string>

namespace yard::host {

struct DeskPlaces {
    std::string thermal = "/sys/class/thermal";
    std::string pressure = "/proc/pressure";
    std::string processors = "/proc/stat";
};

class DeskWatch final : public courtesy::Desk {
public:
    explicit DeskWatch(courtesy::DeskSink sink, DeskPlaces places = {});
    ~DeskWatch() override;
    DeskWatch(const DeskWatch&) = delete;
    DeskWatch& operator=(const DeskWatch&) = delete;

    void setWatching(bool on) override;
    void keepAwake(const std::string& why) override;
    bool isKeptAwake() const override;
    void delaySleep(const std::string& why) override;
    void readyToSleep() override;
    bool isSleepDelayed() const override;

private:
    struct State;
    class Looker;
    std::shared_ptr<State> state_;
};

} // namespace yard::host
