// One Lua state that cannot harm the program it runs in. A line runs in slices: resume() returns when it has ended, when
// it asks something of the engine, or after about a thousand instructions, so that others have their turn. What it
// may use is bounded: time, memory, output; and what is absent is in docs/console.md.
//
// Owner: the console's thread. Lifetime: its connection; one whose isSpent() is thrown away and made again.
// Invariant: Lua is the C library, which leaves functions by longjmp: no function that Lua calls has an object with a
// destructor while it may raise an error.
#pragma once

#include "core/base/clock.h"
#include "core/console/request.h"

#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct lua_State;
struct lua_Debug;

namespace yard::console {

struct LineLimits {
    Duration time = std::chrono::seconds(2); ///< that a line runs, without the time it waits for answers
    /// That it runs where it cannot be paused (called by a function of Lua's libraries).
    Duration unpaused = std::chrono::milliseconds(100);
    std::size_t memory = 16u << 20;
    std::size_t output = 1u << 20; ///< printed by one line; the rest is dropped, and it is said
};

/// A function of a command file and the comment that is its help.
using Helps = std::vector<std::pair<std::string, std::string>>;

class Interpreter {
public:
    explicit Interpreter(LineLimits limits = {});
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    ~Interpreter();

    enum class Step : unsigned char {
        Paused, ///< has more to do
        Asks,   ///< request() says what; resume() after answer()
        Done,
        Failed ///< error() is the sentence
    };

    /// A line as it was typed: an expression, statements, or a command with words behind it. Then resume() until it is
    /// Done or Failed.
    void start(std::string_view line);
    /// A file of commands; `helps` as commandHelps() finds them.
    void startFile(const std::string& name, std::string text, Helps helps);
    Step resume();

    const ApiRequest& request() const { return request_; }
    void answer(ApiAnswer answer);

    const std::string& error() const { return error_; }
    /// What it printed since the last call. Control characters are replaced.
    std::string takeOutput() { return std::exchange(output_, {}); }
    std::size_t memoryUsed() const { return used_; }
    /// The last line was ended for its time or memory: what it left may be anything.
    bool isSpent() const { return spent_; }

private:
    using Function = int (*)(lua_State*);
    static Interpreter& of(lua_State* lua);
    static void* allocate(void* self, void* block, std::size_t oldSize, std::size_t newSize);
    static void onCount(lua_State* lua, lua_Debug* what);
    static int setUp(lua_State* lua);
    static int compile(lua_State* lua);
    static int compileFile(lua_State* lua);
    static int takeAnswer(lua_State* lua);
    static int print(lua_State* lua);
    static int api(lua_State* lua);

    bool isProtected(Function function);
    bool pushCommand(lua_State* lua) const;
    void begin(lua_State* lua, const char* runner);
    void prepare(Function compiler);
    void append(std::string_view text);
    Step ended(bool isGood);
    void drop();

    LineLimits limits_;
    lua_State* lua_ = nullptr;
    lua_State* line_ = nullptr; ///< the one that runs, kept by lineRef_
    int lineRef_ = 0;
    int arguments_ = 0; ///< on line_'s stack, for the next resume
    std::size_t used_ = 0;
    std::string output_{};
    std::size_t printed_ = 0; ///< by this line
    std::string error_{};
    std::string source_{};
    std::string chunkName_{};
    std::vector<std::string> words_{};
    Helps helps_{};
    ApiRequest request_{};
    ApiAnswer answer_{};
    boost::json::value document_{};
    Duration ran_{};
    MonoTime sliceStart_{};
    MonoTime lastLook_{};
    bool mayPause_ = false;
    bool asks_ = false;
    bool tookTooLong_ = false;
    bool spent_ = false;
};

/// The words of a line that is no Lua: `action 12`, `set "name" 3`. Quotes and apostrophes hold words together.
std::vector<std::string> wordsOf(std::string_view line);

} // namespace yard::console
