#include "core/console/values.h"

#include "core/base/text.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

namespace yard::console {

namespace json = boost::json;

namespace {

void pushObject(lua_State* lua, const json::object& object) {
    lua_createtable(lua, 0, static_cast<int>(object.size()));
    for (const auto& member : object) {
        lua_pushlstring(lua, member.key().data(), member.key().size());
        pushJson(lua, member.value());
        lua_rawset(lua, -3);
    }
}

void pushArray(lua_State* lua, const json::array& array) {
    lua_createtable(lua, static_cast<int>(array.size()), 0);
    lua_Integer at = 0;
    for (const json::value& element : array) {
        pushJson(lua, element);
        lua_rawseti(lua, -2, ++at);
    }
}

bool isControl(std::string_view one) {
    return one != "\n" && one != "\t" && hasControlCharacters(one);
}

std::string_view textAt(lua_State* lua, int index) {
    std::size_t size = 0;
    const char* data = luaL_checklstring(lua, index, &size);
    return {data, size};
}

} // namespace

void pushJson(lua_State* lua, const json::value& value) {
    luaL_checkstack(lua, 4, "too deep");
    switch (value.kind()) {
    case json::kind::null: return lua_pushnil(lua);
    case json::kind::bool_: return lua_pushboolean(lua, value.get_bool() ? 1 : 0);
    case json::kind::int64: return lua_pushinteger(lua, value.get_int64());
    case json::kind::uint64: return lua_pushnumber(lua, static_cast<lua_Number>(value.get_uint64()));
    case json::kind::double_: return lua_pushnumber(lua, value.get_double());
    case json::kind::string: lua_pushlstring(lua, value.get_string().data(), value.get_string().size()); return;
    case json::kind::array: return pushArray(lua, value.get_array());
    case json::kind::object: return pushObject(lua, value.get_object());
    }
}

int quoteFunction(lua_State* lua) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::string_view text = textAt(lua, 1);
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    luaL_addchar(&buffer, '"');
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') luaL_addchar(&buffer, '\\');
        if (byte < 0x20) {
            luaL_addlstring(&buffer, "\\u00", 4);
            luaL_addchar(&buffer, kHex[byte >> 4]);
            luaL_addchar(&buffer, kHex[byte & 15]);
        } else {
            luaL_addchar(&buffer, c);
        }
    }
    luaL_addchar(&buffer, '"');
    luaL_pushresult(&buffer);
    return 1;
}

int encodeFunction(lua_State* lua) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const std::string_view text = textAt(lua, 1);
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '_' || c == '.';
        if (!plain) {
            luaL_addchar(&buffer, '%');
            luaL_addchar(&buffer, kHex[byte >> 4]);
            luaL_addchar(&buffer, kHex[byte & 15]);
        } else {
            luaL_addchar(&buffer, c);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

int findFunction(lua_State* lua) {
    const std::string_view text = textAt(lua, 1);
    const std::string_view part = textAt(lua, 2);
    lua_Integer from = luaL_optinteger(lua, 3, 1);
    const auto size = static_cast<lua_Integer>(text.size());
    if (from < 0) from = from < -size ? 1 : size + from + 1;
    if (from == 0) from = 1;
    if (from > size + 1) {
        lua_pushnil(lua);
        return 1;
    }
    // Linear, where std::string_view::find is not.
    const char* begin = text.data() + (from - 1);
    const void* found =
        part.empty() ? begin : ::memmem(begin, static_cast<std::size_t>(size - from + 1), part.data(), part.size());
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    const auto at = static_cast<lua_Integer>(static_cast<const char*>(found) - text.data());
    lua_pushinteger(lua, at + 1);
    lua_pushinteger(lua, at + static_cast<lua_Integer>(part.size()));
    return 2;
}

// Lua's own counts to n where there is nothing to repeat.
int repeatFunction(lua_State* lua) {
    constexpr std::size_t kMost = 16u << 20;
    const std::string_view text = textAt(lua, 1);
    const lua_Integer times = luaL_checkinteger(lua, 2);
    std::size_t betweenSize = 0;
    const char* between = luaL_optlstring(lua, 3, "", &betweenSize);
    const std::size_t each = text.size() + betweenSize;
    if (times <= 0 || each == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    if (static_cast<std::uint64_t>(times) > kMost / each) return luaL_error(lua, "the text would be too long");
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (lua_Integer n = 0; n < times; ++n) {
        if (n > 0) luaL_addlstring(&buffer, between, betweenSize);
        luaL_addlstring(&buffer, text.data(), text.size());
    }
    luaL_pushresult(&buffer);
    return 1;
}

/// What is set is a copy, so that what was refused cannot be put in afterwards: Lua follows a __call that is a table in
/// C, round and round, where no hook is called.
int setMetatableFunction(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (!lua_isnil(lua, 2)) luaL_checktype(lua, 2, LUA_TTABLE);
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL)
        return luaL_error(lua, "cannot change a protected metatable");
    if (lua_istable(lua, 2)) {
        lua_pushliteral(lua, "__gc");
        // The hook does not run in finalisers: one that never ends would never be ended.
        if (lua_rawget(lua, 2) != LUA_TNIL) return luaL_error(lua, "a metatable here has no __gc");
        lua_pushliteral(lua, "__call");
        if (const int kind = lua_rawget(lua, 2); kind != LUA_TNIL && kind != LUA_TFUNCTION)
            return luaL_error(lua, "__call of a metatable here is a function");
        lua_settop(lua, 2);
        lua_newtable(lua);
        for (lua_pushnil(lua); lua_next(lua, 2) != 0;) {
            lua_pushvalue(lua, -2);
            lua_insert(lua, -2); // table, name, name, value
            lua_rawset(lua, 3);
        }
        lua_replace(lua, 2);
    }
    lua_settop(lua, 2);
    lua_setmetatable(lua, 1);
    return 1;
}

void appendPrintable(std::string& to, std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text); // 0: it is none
        const std::string_view one = text.substr(0, std::max<std::size_t>(length, 1));
        const bool isShown = length > 0 && !isControl(one) && steeringLength(one) == 0;
        to += isShown ? one : "?";
        text.remove_prefix(one.size());
    }
}

} // namespace yard::console
