// Between Lua and texts: JSON as Lua values, and the small functions that scripts are given. All functions run inside
// a protected call of Lua and hold nothing that has a destructor.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

struct lua_State;

namespace yard::console {

/// Pushes one value. `value` outlives the call.
void pushJson(lua_State* lua, const boost::json::value& value);

/// quote(text): as a JSON string. encode(text): for a URL. find(text, part, from): where it stands. rep(text, n, between).
/// setmetatable, which refuses __gc.
int quoteFunction(lua_State* lua);
int encodeFunction(lua_State* lua);
int findFunction(lua_State* lua);
int repeatFunction(lua_State* lua);
int setMetatableFunction(lua_State* lua);

/// Control characters but newline and tab become question marks: nothing that is shown steers a terminal, or looks like
/// the end of an answer.
void appendPrintable(std::string& to, std::string_view text);

} // namespace yard::console
