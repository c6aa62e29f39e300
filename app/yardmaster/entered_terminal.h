// A terminal for a program in a sandbox, beside the one at which yardmaster was started: keys and output pass between them.
// One thread. Lifetime: as long as the program; the modes of the own terminal come back with its end.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <array>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <termios.h>

namespace yard::app {

class EnteredTerminal {
public:
    /// `rows`, `cols`: where the own stdin is no terminal.
    static Result<EnteredTerminal> open(unsigned short rows, unsigned short cols);
    ~EnteredTerminal();
    EnteredTerminal(EnteredTerminal&& other) noexcept;
    EnteredTerminal& operator=(EnteredTerminal&&) = delete;
    EnteredTerminal(const EnteredTerminal&) = delete;
    EnteredTerminal& operator=(const EnteredTerminal&) = delete;

    /// The program's end: its 0, 1 and 2.
    int inside() const { return inside_.get(); }
    /// The program has its end now; ours is closed, so that its last close is seen.
    void handedOver() { inside_.reset(); }
    /// The own terminal gives each key as it is typed.
    void enterRaw();
    /// The size of the own terminal has changed.
    void resize();
    /// What to wait for: keys, unless some are left to be passed on; output, and room for those.
    std::array<pollfd, 2> waits() const;
    /// Passes on what is there. False: the program has closed its end.
    bool pass(std::span<const pollfd, 2> ready);

private:
    void sendKeys();
    EnteredTerminal(UniqueFd master, UniqueFd inside)
        : master_(std::move(master))
        , inside_(std::move(inside)) {}
    UniqueFd master_;
    UniqueFd inside_;
    std::optional<termios> before_;
    std::string pending_; ///< keys that the program's end has no room for yet
    bool hasKeys_ = true;
};

} // namespace yard::app
