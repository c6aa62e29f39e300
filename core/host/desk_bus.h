// What the system's bus says of session, lid, battery and sleep (logind, UPower, power profiles), and the wish that it
// stays awake. Spoken by sd-bus, which is loaded when it is wanted: where it, the bus or a service is missing, what it
// would say is not known.
//
// Owner: one thread. Each call waits half a second at most; after one that was not answered the bus counts as lost.
#pragma once

#include "core/base/unique_fd.h"
#include "core/courtesy/desk.h"

#include <memory>
#include <string>

namespace yard::host {

class DeskBus {
public:
    /// Null: no library, or no bus.
    static std::unique_ptr<DeskBus> open();
    ~DeskBus();
    DeskBus(const DeskBus&) = delete;
    DeskBus& operator=(const DeskBus&) = delete;

    int fd() const;
    /// Takes what came. True: something may have changed, read() says what.
    bool process();
    bool isLost() const;
    /// As was last heard or read: it comes, or the machine sleeps.
    bool isSleepComing() const { return sleeping_; }
    void read(courtesy::DeskReadings& into);
    /// Block: idling and sleep are kept off as long as the descriptor is open. Delay: sleep waits until it is closed.
    enum class Inhibit : unsigned char { Block, Delay };
    /// Empty: it is not had.
    UniqueFd inhibitSleep(Inhibit how, const std::string& why);

private:
    struct Library;
    struct Property;
    explicit DeskBus(std::unique_ptr<Library> library);
    /// Of what a call returns. False: there is no answer; where nobody is there to give one the bus is lost.
    bool isAnswered(int got);
    /// False: it is not known.
    bool get(const Property& property, void* value);
    bool flag(const Property& property, bool& value);
    void readInput(courtesy::DeskReadings& into);
    void readPower(courtesy::DeskReadings& into);
    void readProfile(courtesy::DeskReadings& into);
    void lose() { lost_ = true; }

    std::unique_ptr<Library> library_;
    bool lost_ = false;
    bool sleeping_ = false;
    bool changed_ = true;
};

} // namespace yard::host
