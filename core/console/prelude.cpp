#include "core/console/prelude.h"

namespace yard::console {

static constexpr std::string_view kPrelude = R"lua(
local api, print, quote, encode, type, tostring, pairs, ipairs, error, next, rawget =
      api, print, quote, encode, type, tostring, pairs, ipairs, error, next, rawget
local sub, rep, find, format = string.sub, string.rep, string.find, string.format
local concat, pack, unpack = table.concat, table.pack, table.unpack
local tonumber = tonumber
local tointeger, floor, mathtype = math.tointeger, math.floor, math.type

-- Of Lua's library, written again: these can be paused. A handler of Lua's xpcall would run where no hook is called.
-- Very many within each other would take long to end.
local protect, protected = pcall, 0
local function leave(...) protected = protected - 1 return ... end
function pcall(...)
  if protected >= 100 then error("pcall is nested too deeply", 2) end
  protected = protected + 1
  return leave(protect(...))
end
local pcall = pcall
function xpcall(body, handler, ...)
  local results = pack(pcall(body, ...))
  if results[1] then return unpack(results, 1, results.n) end
  return false, handler(results[2])
end
function table.insert(list, at, value)
  if value == nil then list[#list + 1] = at return end
  for n = #list, at, -1 do list[n + 1] = list[n] end
  list[at] = value
end
function table.remove(list, at)
  local size = #list
  at = at or size
  local gone = list[at]
  for n = at, size do list[n] = list[n + 1] end
  return gone
end
function table.move(from, first, last, at, to)
  to = to or from
  if at > first then for n = last - first, 0, -1 do to[at + n] = from[first + n] end
  else for n = 0, last - first do to[at + n] = from[first + n] end end
  return to
end
-- A list that asks its metatable is copied here: what is written in C then has a plain one.
function table.concat(list, between, first, last)
  local copy, size = {}, 0
  for n = first or 1, last or #list do
    local value = list[n]
    if type(value) ~= "string" and type(value) ~= "number" then
      error("invalid value (at index " .. n .. ") in table for 'concat'", 2)
    end
    size = size + 1
    copy[size] = value
  end
  return concat(copy, between, 1, size)
end
function table.unpack(list, first, last)
  local copy, size = {}, 0
  first, last = first or 1, last or #list
  if last - first >= 1000000 then error("too many results to unpack", 2) end
  for n = first, last do
    if size >= 1000000 then error("too many results to unpack", 2) end
    size = size + 1
    copy[size] = list[n]
  end
  return unpack(copy, 1, size)
end
-- So that each __tostring is a call from here.
local function texts(...)
  local values = pack(...)
  for n = 1, values.n do
    if type(values[n]) == "table" then values[n] = tostring(values[n]) end
  end
  return unpack(values, 1, values.n)
end
local write = print
_G.print = function(...) write(texts(...)) end
function string.format(form, ...) return format(form, texts(...)) end
local function sort(list, less)
  less = less or function(a, b) return a < b end
  local size, from, to, width = #list, {}, {}, 1
  for n = 1, size do from[n] = list[n] end
  while width < size do
    for low = 1, size, 2 * width do
      local middle = low + width <= size and low + width or size + 1
      local high = low + 2 * width <= size and low + 2 * width or size + 1
      local i, j = low, middle
      for k = low, high - 1 do
        if i < middle and (j >= high or not less(from[j], from[i])) then to[k] = from[i] i = i + 1
        else to[k] = from[j] j = j + 1 end
      end
    end
    from, to, width = to, from, width * 2
  end
  for n = 1, size do list[n] = from[n] end
end
table.sort = sort
-- Patterns of Lua may take forever; these take a text as it is.
local function split(text, between)
  if between == "" then error("split needs something to split at", 2) end
  local parts, from = {}, 1
  while true do
    local first, last = find(text, between, from)
    if not first then parts[#parts + 1] = sub(text, from) return parts end
    parts[#parts + 1] = sub(text, from, first - 1)
    from = last + 1
  end
end
string.split = split
local function replace(text, part, by)
  return concat(split(text, part), by)
end
string.replace = replace

local function number_text(value)
  value = tonumber(value)
  if not value then error("give a number", 0) end
  local whole = tointeger(value)
  if whole then return tostring(whole) end
  return format("%.6g", value)
end

-- Of what is named by its number in a path.
local function whole_text(value)
  local whole = tointeger(tonumber(value))
  if not whole then error("give a whole number", 0) end
  return tostring(whole)
end

-- The fewest digits that read back the same.
local function exact_text(value)
  local text = format("%.15g", value)
  if tonumber(text) == value then return text end
  text = format("%.16g", value)
  return tonumber(text) == value and text or format("%.17g", value)
end

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = tostring(key) end
  sort(keys)
  return keys
end

local function json_of(value, depth)
  local kind = type(value)
  if kind == "nil" then return "null" end
  if kind == "boolean" then return tostring(value) end
  if kind == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return "null" end
    return mathtype(value) == "integer" and tostring(value) or exact_text(value)
  end
  if kind ~= "table" then return quote(tostring(value)) end
  if depth > 32 then error("it is nested too deeply for JSON", 0) end
  local parts = {}
  if #value > 0 or next(value) == nil then
    for n = 1, #value do parts[n] = json_of(value[n], depth + 1) end
    return "[" .. concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in pairs(value) do
    if type(key) ~= "string" then error("JSON has names of text only", 0) end
    keys[#keys + 1] = key
  end
  sort(keys)
  for n, key in ipairs(keys) do parts[n] = quote(key) .. ":" .. json_of(value[key], depth + 1) end
  return "{" .. concat(parts, ",") .. "}"
end
local function to_json(value) return json_of(value, 1) end

local function cell(value)
  local text
  if value == nil then return "" end
  if type(value) == "number" then text = number_text(value)
  elseif type(value) == "table" then text = #value == 0 and next(value) == nil and "" or to_json(value)
  else text = tostring(value) end
  text = replace(text, "\n", " ")
  if #text > 60 then text = sub(text, 1, 57) .. "..." end
  return text
end

-- Columns that come first, in this order; the others follow by their names.
local first_columns = {}
for place, name in ipairs{"loop", "number", "lsn", "queue_id", "id", "tag", "name", "state", "pending", "running",
                           "function", "worker", "opener", "age_s", "since_s", "at", "waits_for", "runs", "used_s", "longest_turn_s", "ran_s"} do
  first_columns[name] = place
end
local function columns_of(rows)
  local seen, names = {}, {}
  for n = 1, #rows < 50 and #rows or 50 do
    for name, value in pairs(rows[n]) do
      if not seen[name] and type(value) ~= "table" then seen[name] = true names[#names + 1] = tostring(name) end
    end
  end
  sort(names, function(a, b)
    local x, y = first_columns[a] or 99, first_columns[b] or 99
    if x ~= y then return x < y end
    return a < b
  end)
  for n = #names, 11, -1 do names[n] = nil end
  return names
end
local function print_rows(rows)
  local names, widths, lines = columns_of(rows), {}, {}
  for c, name in ipairs(names) do widths[c] = #name end
  for r, row in ipairs(rows) do
    lines[r] = {}
    for c, name in ipairs(names) do
      lines[r][c] = cell(row[name])
      if #lines[r][c] > widths[c] then widths[c] = #lines[r][c] end
    end
  end
  local function line(cells)
    local out = {}
    for c = 1, #names do out[c] = c == #names and cells[c] or cells[c] .. rep(" ", widths[c] - #cells[c]) end
    print(concat(out, "  "))
  end
  line(names)
  for _, cells in ipairs(lines) do line(cells) end
end

local function is_rows(value)
  if #value == 0 then return false end
  for n = 1, #value do
    if type(value[n]) ~= "table" or #value[n] > 0 then return false end
  end
  return true
end
local function show(value)
  if value == nil then return end
  if type(value) ~= "table" then return print(type(value) == "number" and number_text(value) or tostring(value)) end
  if next(value) == nil then return print("(nothing)") end
  if is_rows(value) then return print_rows(value) end
  if #value > 0 then
    for _, element in ipairs(value) do print(cell(element)) end
    return
  end
  local keys, width = sorted_keys(value), 0
  for _, key in ipairs(keys) do if #key > width then width = #key end end
  for _, key in ipairs(keys) do print(key .. rep(" ", width - #key) .. "  " .. cell(rawget(value, key))) end
end

local function ask(method, path, body)
  local good, answer = api(method, path, body)
  if good then return answer end
  local problem = answer
  if type(answer) == "table" then problem = answer.message or to_json(answer) end
  error(tostring(problem), 0)
end

local commands, callable = {}, {}
local function define(name, usage, words, body)
  if type(body) == "table" then callable[body] = true end
  commands[name] = {usage = usage, words = words}
  _G[name] = body
end
)lua"
                                             R"lua(
define("help", "help [\"command\"]", "what there is, or about one command", function(name)
  local names = name and {name} or sorted_keys(commands)
  local width = 0
  for _, each in ipairs(names) do
    if not commands[each] then error("there is no command " .. tostring(each), 0) end
    if #commands[each].usage > width then width = #commands[each].usage end
  end
  for _, each in ipairs(names) do
    local one = commands[each]
    print(one.usage .. rep(" ", width - #one.usage) .. "  " .. one.words)
  end
  if name then return end
  print("Any line of Lua works too: for _, q in ipairs(queues()) do print(q.queue_id, q.tag) end")
end)
define("session", "session", "the state of the engine", function() return ask("GET", "session") end)
define("queues", "queues", "all queues", function() return ask("GET", "queues").queues end)
define("actions", "actions \"filter\"", "actions that fit a filter, the first 50: actions \"state:failed\"",
  function(...)
    local words = {}
    for n, word in ipairs{...} do
      if type(word) == "table" then error("give a filter as text: actions \"state:failed\"", 0) end
      words[n] = tostring(word)
    end
    local filter = concat(words, " ")
    return ask("GET", "jobs?limit=50" .. (filter == "" and "" or "&q=" .. encode(filter))).jobs
  end)
define("action", "action N", "everything about one action", function(lsn)
  return ask("GET", "jobs/" .. encode(whole_text(lsn)))
end)
define("pool", "pool", "the warm processes", function()
  local rows = {}
  for _, group in ipairs(ask("GET", "pool").groups) do
    for _, process in ipairs(group.processes) do process.name = group.name rows[#rows + 1] = process end
  end
  return rows
end)
define("machines", "machines", "the machines", function() return ask("GET", "machines").machines end)
define("settings", "settings", "all settings", function() return ask("GET", "settings") end)
define("set", "set \"name\" (value)", "changes a setting, with the checks of the API", function(name, value)
  if type(name) ~= "string" then error("set \"name\" (value) needs a name and a value", 0) end
  local function change(to)
    if to == nil then error("set \"name\" (value) needs a value", 0) end
    local waits = false
    for _, each in ipairs(ask("PATCH", "settings", to_json{[name] = to}).restart_needed or {}) do
      waits = waits or each == name
    end
    print(name .. " is " .. cell(to) .. (waits and " from the next start of the engine on" or ""))
  end
  if value == nil then return change end
  change(value)
end)
define("gc", "gc", "clears up what nothing needs any more", function() return ask("POST", "gc") end)
-- The first that is no part of waiting itself.
local function place_in(chain)
  local place
  for _, each in ipairs(chain or {}) do
    if not place or sub(place.file, 1, 10) == "core/coro/" then place = each end
  end
  return place and place.file .. ":" .. place.line
end
define("threads", "threads [\"text\"] [\"loop\"]",
  "cooperative threads, those whose name or wait has a text; loop: engine, http", function(filter, loop)
    if type(filter) == "table" then error("give a part of a name as text: threads \"journal\"", 0) end
    local rows, cursor = {}, nil
    repeat
      local page = ask("GET", "inside/threads?limit=100&loop=" .. encode(loop or "engine") ..
                       (filter and "&filter=" .. encode(tostring(filter)) or "") ..
                       (cursor and "&cursor=" .. encode(tostring(cursor)) or ""))
      for _, row in ipairs(page.threads) do
        row.at = place_in(row.chain)
        row.chain, row.timeouts_s = nil, nil -- those of all would not fit into the memory of a line
        rows[#rows + 1] = row
      end
      cursor = page.cursor
    until not cursor or #rows >= 1000
    if cursor then print("these are the first " .. #rows .. "; threads \"text\" has those with a text") end
    return rows
  end)
local function thread_path(number, loop)
  return "inside/threads/" .. encode(loop or "engine") .. "/" .. encode(whole_text(number))
end
define("thread", "thread N [\"loop\"]", "one thread: where it waits, since when, how often it ran", function(number, loop)
  local one = ask("GET", thread_path(number, loop))
  local chain = one.chain
  one.chain = nil
  show(one)
  for n, place in ipairs(chain or {}) do
    print((n == 1 and "at  " or "by  ") .. place.file .. ":" .. place.line .. "  " .. place["function"])
  end
end)
define("interrupt", "interrupt N [\"loop\"] [true]", "makes a thread unwind; a service of the engine by force (true) alone", function(number, loop, force)
  ask("POST", thread_path(number, loop) .. "/interrupt", force and to_json{force = true} or nil)
  print("interrupted")
end)
define("latency", "latency", "the longest turns of the loops, with the thread's name and where the turn ended", function()
  local turns = ask("GET", "inside/latency").turns
  for _, turn in ipairs(turns) do turn.at = place_in(turn.chain) end
  return turns
end)
-- An empty table is a list in JSON; a request wants an object.
local function body_of(members) return next(members) == nil and "{}" or to_json(members) end
define("profile", "profile SECONDS [\"loop\"]", "measures what the cooperative threads do for up to 20 s; profile_start, profile_stop: longer",
  function(seconds, loop)
    seconds = seconds or 10
    if type(seconds) ~= "number" or seconds > 20 then error("profile takes 1 to 20 seconds; profile_start and profile_stop take longer", 0) end
    print(ask("POST", "inside/profile", to_json{seconds = tointeger(seconds) or seconds, loop = loop}).file)
  end)
define("profile_start", "profile_start{thread=, function=, loop=}", "begins to measure, of some threads or functions or all", function(what)
  what = what == nil and {} or what
  if type(what) ~= "table" then error("give it what to measure: profile_start{thread=\"command\"}", 0) end
  for key in pairs(what) do
    if key ~= "thread" and key ~= "function" and key ~= "loop" then
      error("profile_start takes thread, function and loop, and no " .. tostring(key), 0)
    end
  end
  ask("POST", "inside/profile/start", body_of{filter = what.thread, ["function"] = what["function"], loop = what.loop})
  print("profile_stop ends it")
end)
define("profile_stop", "profile_stop [\"loop\"]", "ends it, and says where the profile is", function(loop)
  print(ask("POST", "inside/profile/stop", body_of{loop = loop}).file)
end)
local measure = profile
define("profile", commands.profile.usage, commands.profile.words .. "; also profile.start and profile.stop",
  setmetatable({start = profile_start, stop = profile_stop}, {__call = function(_, ...) return measure(...) end}))
define("memory", "memory", "the memory of the process, by subsystem", function()
  local all = ask("GET", "inside/memory")
  print(number_text(all.total_bytes) .. " bytes are resident")
  return all.subsystems
end)
define("dump", "dump [\"name\"]", "writes threads, turns, memory, caches, descriptors and the log into a file, and says where",
  function(name)
    print(ask("POST", "inside/dump", body_of{name = name ~= nil and tostring(name) or nil}).file)
  end)
-- A command with words of its own: `caches`, and `caches.empty "specs"`.
define("caches", "caches, caches.empty \"name\"", "what is kept to be quicker: size, hits and misses; throws one away",
  setmetatable({empty = function(name)
    if type(name) ~= "string" then error("give the name of a cache: caches.empty \"specs\"", 0) end
    ask("POST", "inside/caches/" .. encode(tostring(name)) .. "/empty")
    print("the cache of " .. tostring(name) .. " is empty")
  end}, {__call = function() return ask("GET", "inside/caches").caches end}))
define("objects", "objects [\"type\"]", "objects, those of a type, the newest first", function(kind)
  return ask("GET", "objects" .. (kind and "?type=" .. encode(tostring(kind)) or "")).objects
end)
define("descriptors", "descriptors [\"owner\"]", "open descriptors, by owner; those of one, the oldest first, with the line of code that opened each", function(...)
  local words = {}
  for n, word in ipairs{...} do words[n] = tostring(word) end
  local owner = concat(words, " ")
  local all = ask("GET", "inside/descriptors" .. (owner == "" and "" or "?owner=" .. encode(owner)))
  if owner ~= "" then return all.descriptors end
  print(number_text(all.used) .. " of " .. number_text(all.limit) .. " are open")
  return all.owners
end)
define("log", "log [\"level\"] [\"area\"]", "from which level on the log is written: debug, info, warning, error; of one area, such as http, or of all; default: an area follows the others again",
  function(level, area)
    if level ~= nil then
      ask("PATCH", "inside/log", to_json{level = tostring(level), area = area and tostring(area)})
      print("the log" .. (area and " of " .. tostring(area) or "") .. " begins at " .. tostring(level))
      return
    end
    local all = ask("GET", "inside/log?limit=1")
    print("the log begins at " .. tostring(all.level))
    for _, each in ipairs(all.areas) do each.level = each.level or "default" end
    return all.areas
  end)
define("lines", "lines [\"text\"] [N]", "the latest lines of the log, 20 or so many, those with a text", function(text, count)
  local many = tonumber(count or 20)
  for _, each in ipairs(ask("GET", "inside/log?limit=" .. encode(number_text(many)) ..
                            (text and "&filter=" .. encode(tostring(text)) or "")).lines) do
    print(each.level .. " " .. each.area .. ": " .. each.text)
  end
end)
define("watch", "watch SECONDS \"expression\"", "shows an expression again and again, until the next line", function()
  error("give it 0.2 to 3600 seconds and an expression, as a line of its own: watch 1 \"queues\"", 0)
end)
define("json", "json(value)", "a value as JSON", to_json)
define("api", "api(method, path, body)", "any request of the API: whether it went well, and the answer", api)

local function run(body, ...)
  protected = 0
  local results = pack(body(...))
  local one = results.n == 1 and results[1]
  if type(one) == "function" or (type(one) == "table" and callable[one]) then results = pack(one()) end
  for n = 1, results.n do show(results[n]) end
end

-- A function that a file adds is a command.
local function run_file(body, helps)
  local before = {}
  for name in pairs(_G) do before[name] = true end
  body()
  for name, value in pairs(_G) do
    if not before[name] and type(name) == "string" and type(value) == "function" then
      commands[name] = {usage = name, words = helps[name] or "of a file of commands"}
    end
  end
end
return run, run_file, commands
)lua";

std::string_view preludeText() {
    return kPrelude;
}

} // namespace yard::console
