#include "core/console/interpreter.h"

#include "core/console/prelude.h"
#include "core/console/values.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <lua.hpp>

namespace yard::console {

namespace {

constexpr int kInstructions = 1'000; // between two looks at the clock
// A single instruction may copy megabytes: where the last look was this long ago the next comes sooner.
constexpr Duration kSlow = std::chrono::milliseconds(2);
constexpr const char* kProtect = "yard.pcall";
constexpr const char* kRun = "yard.run";
constexpr const char* kRunFile = "yard.run_file";
constexpr const char* kCommands = "yard.commands";

void openLibraries(lua_State* lua) {
    const std::array<luaL_Reg, 5> libraries{{{LUA_GNAME, luaopen_base},
                                             {LUA_TABLIBNAME, luaopen_table},
                                             {LUA_STRLIBNAME, luaopen_string},
                                             {LUA_MATHLIBNAME, luaopen_math},
                                             {LUA_UTF8LIBNAME, luaopen_utf8}}};
    for (const luaL_Reg& library : libraries) {
        luaL_requiref(lua, library.name, library.func, 1);
        lua_pop(lua, 1);
    }
}

void setNil(lua_State* lua, const char* table, const char* name) {
    lua_getglobal(lua, table);
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 1);
}

/// What reaches files, takes code as bytes, cannot be ended, or takes more than linear time.
void takeAway(lua_State* lua) {
    for (const char* name : {"dofile", "loadfile", "load", "collectgarbage", "warn", "require"})
        setNil(lua, LUA_GNAME, name);
    for (const char* name : {"match", "gmatch", "gsub", "dump"}) setNil(lua, LUA_STRLIBNAME, name);
    // Replaced by the prelude, as are concat, unpack, print and format: these count to whatever __len says, or call
    // back where nothing can be paused. A metamethod that is itself written in C runs without any hook.
    for (const char* name : {"insert", "remove", "move", "sort"}) setNil(lua, LUA_TABLIBNAME, name);
    setNil(lua, LUA_UTF8LIBNAME, "charpattern");
}

void set(lua_State* lua, const char* table, const char* name, lua_CFunction function) {
    lua_getglobal(lua, table);
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 1);
}

/// All strings of the state share one: a script must not change it for those that follow.
void protectStrings(lua_State* lua) {
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
}

/// What an error says; `otherwise` where it is no text.
std::string sentenceOnTop(lua_State* lua, std::string_view otherwise) {
    if (lua_type(lua, -1) != LUA_TSTRING) return std::string(otherwise);
    std::string sentence;
    appendPrintable(sentence, lua_tostring(lua, -1)); // raises nothing: it is a text already
    return sentence;
}

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

/// A line of one name that nothing has: as Lua it would be nil, and say nothing.
bool isUnknownWord(lua_State* lua, const std::string& line) {
    const auto isLetter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto isPart = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
    if (line.empty() || !isLetter(line.front()) || !std::ranges::all_of(line, isPart)) return false;
    if (line == "nil" || line == "true" || line == "false") return false;
    lua_pushglobaltable(lua);
    lua_pushlstring(lua, line.data(), line.size());
    const bool isUnknown = lua_rawget(lua, -2) == LUA_TNIL;
    lua_pop(lua, 2);
    return isUnknown;
}

} // namespace

std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while (at < line.size()) {
        if (isBlank(line[at])) {
            ++at;
            continue;
        }
        const char quote = line[at] == '"' || line[at] == '\'' ? line[at] : '\0';
        if (quote != '\0') ++at;
        std::string word;
        while (at < line.size() && (quote != '\0' ? line[at] != quote : !isBlank(line[at]))) word += line[at++];
        if (quote != '\0' && at++ >= line.size()) return {}; // it is not closed
        words.push_back(std::move(word));
    }
    return words;
}

Interpreter::Interpreter(LineLimits limits)
    : limits_(limits) {
    lua_ = lua_newstate(&Interpreter::allocate, this);
    if (!lua_) {
        spent_ = true;
        return;
    }
    *static_cast<Interpreter**>(lua_getextraspace(lua_)) = this;
    if (!isProtected(&Interpreter::setUp)) spent_ = true;
}

Interpreter::~Interpreter() {
    if (lua_) lua_close(lua_);
}

Interpreter& Interpreter::of(lua_State* lua) {
    return **static_cast<Interpreter**>(lua_getextraspace(lua));
}

void* Interpreter::allocate(void* self, void* block, std::size_t oldSize, std::size_t newSize) {
    auto& interpreter = *static_cast<Interpreter*>(self);
    const std::size_t before = block ? oldSize : 0; // else it says what kind of thing is made
    if (newSize == 0) {
        std::free(block);
        interpreter.used_ -= before;
        return nullptr;
    }
    if (newSize > before && interpreter.used_ + (newSize - before) > interpreter.limits_.memory) return nullptr;
    void* moved = std::realloc(block, newSize);
    if (moved) interpreter.used_ = interpreter.used_ - before + newSize;
    return moved;
}

void Interpreter::onCount(lua_State* lua, lua_Debug*) {
    Interpreter& self = of(lua);
    const MonoTime now = MonoClock::now();
    const Duration slice = now - self.sliceStart_;
    if (self.ran_ + slice >= self.limits_.time || self.tookTooLong_) {
        self.tookTooLong_ = true;
        // Again at the next instruction: no pcall swallows it.
        lua_sethook(lua, &Interpreter::onCount, LUA_MASKCOUNT, 1);
        luaL_error(lua, "took too long");
    }
    const bool slow = now - self.lastLook_ > kSlow;
    self.lastLook_ = now;
    const int count = slow ? std::max(1, lua_gethookcount(lua) / 10) : kInstructions;
    if (count != lua_gethookcount(lua)) lua_sethook(lua, &Interpreter::onCount, LUA_MASKCOUNT, count);
    if (self.mayPause_ && lua_isyieldable(lua)) {
        lua_yield(lua, 0);
        return;
    }
    if (slice >= self.limits_.unpaused) luaL_error(lua, "took too long in a place that cannot be paused");
}

int Interpreter::setUp(lua_State* lua) {
    openLibraries(lua);
    takeAway(lua);
    set(lua, LUA_GNAME, "setmetatable", &setMetatableFunction);
    set(lua, LUA_GNAME, "print", &Interpreter::print);
    set(lua, LUA_GNAME, "api", &Interpreter::api);
    set(lua, LUA_GNAME, "quote", &quoteFunction);
    set(lua, LUA_GNAME, "encode", &encodeFunction);
    set(lua, LUA_STRLIBNAME, "find", &findFunction);
    set(lua, LUA_STRLIBNAME, "rep", &repeatFunction);
    protectStrings(lua);
    lua_getglobal(lua, "pcall");
    lua_setfield(lua, LUA_REGISTRYINDEX, kProtect);
    const std::string_view code = preludeText();
    if (luaL_loadbufferx(lua, code.data(), code.size(), "=prelude", "t") != LUA_OK) return lua_error(lua);
    lua_call(lua, 0, 3);
    lua_setfield(lua, LUA_REGISTRYINDEX, kCommands);
    lua_setfield(lua, LUA_REGISTRYINDEX, kRunFile);
    lua_setfield(lua, LUA_REGISTRYINDEX, kRun);
    return 0;
}

bool Interpreter::isProtected(Function function) {
    lua_pushcfunction(lua_, function); // allocates nothing
    const int status = lua_pcall(lua_, 0, 0, 0);
    if (status == LUA_OK) return true;
    error_ = sentenceOnTop(lua_, "no sentence came with the error");
    lua_settop(lua_, 0);
    if (status == LUA_ERRMEM) spent_ = true;
    return false;
}

void Interpreter::prepare(Function compiler) {
    drop();
    error_.clear();
    printed_ = 0;
    ran_ = {};
    asks_ = tookTooLong_ = false;
    if (!lua_ || !isProtected(compiler)) drop();
}

void Interpreter::start(std::string_view line) {
    source_ = line;
    words_ = wordsOf(line);
    prepare(&Interpreter::compile);
}

void Interpreter::startFile(const std::string& name, std::string text, Helps helps) {
    source_ = std::move(text);
    chunkName_ = "=" + name;
    helps_ = std::move(helps);
    prepare(&Interpreter::compileFile);
}

/// The command that the first word names, and the other words; nothing is pushed where there is none.
bool Interpreter::pushCommand(lua_State* lua) const {
    if (words_.empty()) return false;
    lua_getfield(lua, LUA_REGISTRYINDEX, kCommands);
    const bool known = lua_getfield(lua, -1, words_.front().c_str()) != LUA_TNIL;
    lua_pop(lua, 2);
    if (!known) return false;
    luaL_checkstack(lua, static_cast<int>(words_.size()) + 1, "too many words");
    lua_getglobal(lua, words_.front().c_str());
    for (std::size_t n = 1; n < words_.size(); ++n) {
        // Numbers stay numbers, so that `thread 5` is thread(5).
        if (lua_stringtonumber(lua, words_[n].c_str()) == 0)
            lua_pushlstring(lua, words_[n].data(), words_[n].size());
    }
    return true;
}

/// A thread for what is to run; on the stack pcall and what runs it, a function of the prelude.
void Interpreter::begin(lua_State* lua, const char* runner) {
    line_ = lua_newthread(lua);
    lineRef_ = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_sethook(line_, &Interpreter::onCount, LUA_MASKCOUNT, kInstructions);
    lua_getfield(lua, LUA_REGISTRYINDEX, kProtect);
    lua_getfield(lua, LUA_REGISTRYINDEX, runner);
}

int Interpreter::compile(lua_State* lua) {
    Interpreter& self = of(lua);
    self.begin(lua, kRun);
    const std::string& line = self.source_;
    if (isUnknownWord(lua, line)) return luaL_error(lua, "there is nothing named \"%s\"; see help", line.c_str());
    lua_pushliteral(lua, "return ");
    lua_pushlstring(lua, line.data(), line.size());
    lua_concat(lua, 2);
    std::size_t size = 0;
    const char* expression = lua_tolstring(lua, -1, &size);
    int status = luaL_loadbufferx(lua, expression, size, "=line", "t");
    lua_remove(lua, -2); // the text, or what is wrong with it, is on top of it
    if (status != LUA_OK) {
        lua_pop(lua, 1);
        status = luaL_loadbufferx(lua, line.data(), line.size(), "=line", "t");
    }
    if (status != LUA_OK && self.pushCommand(lua)) {
        lua_remove(lua, 3); // the complaint about what is no Lua
        status = LUA_OK;
    }
    if (status != LUA_OK) return lua_error(lua);
    self.arguments_ = lua_gettop(lua) - 1;
    luaL_checkstack(self.line_, lua_gettop(lua) + 1, "too many words");
    lua_xmove(lua, self.line_, lua_gettop(lua));
    return 0;
}

int Interpreter::compileFile(lua_State* lua) {
    Interpreter& self = of(lua);
    self.begin(lua, kRunFile);
    const std::string& text = self.source_;
    if (luaL_loadbufferx(lua, text.data(), text.size(), self.chunkName_.c_str(), "t") != LUA_OK)
        return lua_error(lua);
    lua_createtable(lua, 0, static_cast<int>(self.helps_.size()));
    for (const auto& help : self.helps_) {
        lua_pushlstring(lua, help.second.data(), help.second.size());
        lua_setfield(lua, -2, help.first.c_str());
    }
    self.arguments_ = 3;
    lua_xmove(lua, self.line_, 4);
    return 0;
}

int Interpreter::takeAnswer(lua_State* lua) {
    Interpreter& self = of(lua);
    const ApiAnswer& answer = self.answer_;
    lua_pushboolean(lua, answer.isGood() ? 1 : 0);
    pushJson(lua, self.document_);
    lua_xmove(lua, self.line_, 2);
    self.arguments_ = 2;
    return 0;
}

void Interpreter::answer(ApiAnswer answer) {
    answer_ = std::move(answer);
    boost::system::error_code failed;
    document_ = boost::json::parse(answer_.body, failed);
    if (failed) document_ = boost::json::value(answer_.body);
    if (line_ && !isProtected(&Interpreter::takeAnswer)) drop();
    document_ = nullptr;
    answer_ = {};
}

Interpreter::Step Interpreter::resume() {
    if (!line_) return Step::Failed;
    sliceStart_ = lastLook_ = MonoClock::now();
    mayPause_ = true;
    int results = 0;
    const int status = lua_resume(line_, nullptr, std::exchange(arguments_, 0), &results);
    mayPause_ = false;
    ran_ += MonoClock::now() - sliceStart_;
    if (status != LUA_YIELD) return ended(status == LUA_OK && results > 0 && lua_toboolean(line_, -results) != 0);
    lua_pop(line_, results);
    return std::exchange(asks_, false) ? Step::Asks : Step::Paused;
}

/// The whole line runs in a pcall: after an error raised in the hook Lua calls no hook on that thread before a pcall
/// has caught it, and what has to be closed then must not run without one.
Interpreter::Step Interpreter::ended(bool isGood) {
    if (isGood) {
        drop();
        return Step::Done;
    }
    error_ = sentenceOnTop(line_, "an error that is no text");
    const bool tookTooMuch = error_ == "not enough memory";
    if (tookTooLong_) error_ = "took too long; its variables are gone";
    if (tookTooMuch) error_ = "took too much memory; its variables are gone";
    spent_ = spent_ || tookTooLong_ || tookTooMuch;
    drop();
    return Step::Failed;
}

void Interpreter::drop() {
    if (!line_) return;
    line_ = nullptr;
    arguments_ = 0;
    luaL_unref(lua_, LUA_REGISTRYINDEX, lineRef_);
    lua_settop(lua_, 0);
}

void Interpreter::append(std::string_view text) {
    if (printed_ > limits_.output) return;
    const std::size_t room = limits_.output - printed_;
    appendPrintable(output_, text.substr(0, room));
    printed_ += text.size();
    if (printed_ > limits_.output) output_ += "\n... the rest is left out: one line prints so much and no more\n";
}

int Interpreter::print(lua_State* lua) {
    const int count = lua_gettop(lua);
    for (int n = 1; n <= count; ++n) {
        std::size_t size = 0;
        const char* text = luaL_tolstring(lua, n, &size);
        if (n > 1) of(lua).append("\t");
        of(lua).append({text, size});
        lua_pop(lua, 1);
    }
    of(lua).append("\n");
    return 0;
}

/// api(method, path, body): whether it went well, and the answer.
int Interpreter::api(lua_State* lua) {
    const char* method = luaL_checkstring(lua, 1);
    const char* path = luaL_checkstring(lua, 2);
    const char* body = luaL_optstring(lua, 3, "");
    Interpreter& self = of(lua);
    if (!self.mayPause_ || !lua_isyieldable(lua)) return luaL_error(lua, "the engine cannot be asked from here");
    self.request_.method = method;
    self.request_.path = path;
    self.request_.body = body;
    self.asks_ = true;
    return lua_yield(lua, 0);
}

} // namespace yard::console
