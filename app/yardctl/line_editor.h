// A line that is edited at a terminal, with a history and completion: by libedit, which is looked for when it is
// needed, so that no other command pays for loading it. Where there is none, or the terminal cannot move its cursor,
// nothing is edited.
//
// Owner: one thread; one at a time in a process (libedit has globals). Lifetime: the terminal is as before once it is
// stopped or gone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::ctl {

class LineEditor {
public:
    /// At most so many lines are kept in the file of the history.
    static constexpr int kKeptLines = 1'000;

    /// Null where nothing can be edited. `words` complete the first word of a line. `history`: read now, written
    /// with mode 0600 at the end; empty: none.
    static std::unique_ptr<LineEditor> open(std::string history, std::vector<std::string> words);
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;
    ~LineEditor();

    /// Shows a prompt and reads keys from now on. `done` is called by keysCame(), with the line, or nothing where the
    /// input has ended; the editor is stopped then.
    void begin(const std::string& prompt, std::function<void(std::optional<std::string>)> done);
    /// The terminal has keys. Only after begin().
    void keysCame();
    bool isActive() const { return isActive_; }
    /// Leaves the line that is being typed.
    void stop();

private:
    LineEditor() = default;

    std::string history_;
    std::function<void(std::optional<std::string>)> done_;
    bool isActive_ = false;
    bool isTaken_ = false; ///< Enter was pressed, or the input has ended
    std::optional<std::string> line_{};
};

} // namespace yard::ctl
