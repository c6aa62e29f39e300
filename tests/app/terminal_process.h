// A program at a terminal of its own, as a person starts it: what is typed, what is seen. One thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/unique_fd.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace yard::test {

class TerminalProcess {
public:
    explicit TerminalProcess(std::vector<std::string> words, unsigned short rows = 24, unsigned short cols = 80);
    ~TerminalProcess();
    TerminalProcess(const TerminalProcess&) = delete;
    TerminalProcess& operator=(const TerminalProcess&) = delete;

    void type(std::string_view text) const;
    void resize(unsigned short rows, unsigned short cols) const;
    void signal(int number) const;
    /// Of the terminal, printed: two of the same modes are equal.
    std::string modes() const;
    /// The same, before the program ran: it may have changed them by the time that it is asked for.
    const std::string& modesBefore() const { return before_; }
    bool isRaw() const;
    /// Reads until it shows this; false when it ended before, or was silent for kWaitMs.
    bool shows(std::string_view text);
    /// Types a line and gives the whole line that the program answers, which starts so: without its end; empty where
    /// it did not answer.
    std::string answer(std::string_view line, std::string_view start);
    const std::string& shown() const { return shown_; }
    /// What was seen so far does not count any more.
    void forget() { shown_.clear(); }
    /// Reads to its end: the exit code, -1 when a signal ended it. One that is silent for kWaitMs is killed: -1.
    int end();
    /// Closes the terminal, as a window is closed, and waits for its end: as end().
    int hangUp();

private:
    bool readSome(MonoTime until);
    static MonoTime patience();
    int reap();

    pid_t pid_ = -1;
    UniqueFd terminal_;
    std::string before_;
    std::string shown_;
    bool isSilent_ = false; ///< it showed nothing for kWaitMs
};

} // namespace yard::test
