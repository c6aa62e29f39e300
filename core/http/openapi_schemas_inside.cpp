// Schemas of the answers of inside/...: threads, turns, memory, descriptors and profiles of the process.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// NOLINTNEXTLINE(readability-function-size): a table
std::string_view openApiInsideSchemas() {
    static constexpr std::string_view kSchemas = R"json(
"InsideThread":{"type":"object","required":["loop","number","name","state","since_s","age_s","runs","used_s","longest_turn_s"],
  "description":"one cooperative thread","properties":{"loop":{"type":"string","enum":["engine","http"]},
  "number":{"type":"integer","format":"int64","minimum":1,"description":"never given twice in its loop"},"name":{"type":"string"},
  "state":{"type":"string","enum":["running","ready","asleep","waiting","ended"]},
  "since_s":{"type":"number","description":"how long it has been in this state"},
  "waits_for":{"type":"string","description":"of one that waits: the kind of wait"},
  "chain":{"type":"array","description":"where it is suspended, or was resumed last: the innermost function first, at most 32",
  "items":{"type":"object","required":["file","line","function"],"properties":{"file":{"type":"string"},
  "line":{"type":"integer","format":"int64","minimum":1},"function":{"type":"string"}}}},
  "timeouts_s":{"type":"array","items":{"type":"number","minimum":0},
  "description":"what is left of the limits around it, the innermost first; 0: it has passed"},
  "wakes_in_s":{"type":"number","minimum":0,"description":"of one that sleeps"},
  "age_s":{"type":"number"},"runs":{"type":"integer","format":"int64","minimum":0},
  "used_s":{"type":"number","description":"time on the processor, as the loop's clock sees it"},
  "longest_turn_s":{"type":"number","description":"of those that have ended"}}},
"InsideThreads":{"type":"object","required":["threads"],"properties":{"threads":{"type":"array",
  "items":{"$ref":"#/components/schemas/InsideThread"},"description":"by number"},
  "cursor":{"type":"string","description":"there is another page"}}},
"ThreadInterruption":{"type":"object","properties":{"force":{"type":"boolean","description":"also a service of the engine"}},
  "additionalProperties":false},
"InsideLatency":{"type":"object","required":["turns"],"properties":{"turns":{"type":"array","description":"the longest first, at most 100, of 1 ms and more",
  "items":{"type":"object","required":["loop","name","ran_s","ended"],"properties":{"loop":{"type":"string","enum":["engine","http"]},
  "number":{"type":"integer","format":"int64","minimum":1,"description":"of the thread; absent: a function that was posted"},
  "name":{"type":"string"},"ran_s":{"type":"number"},
  "ended":{"type":"integer","format":"int64","description":"microseconds since the Unix epoch"},
  "chain":{"type":"array","description":"where the turn ended: the innermost function first, at most 32; empty where the thread ended",
  "items":{"type":"object","required":["file","line","function"],"properties":{"file":{"type":"string"},
  "line":{"type":"integer","format":"int64","minimum":1},"function":{"type":"string"}}}}}}}}},
"InsideMemory":{"type":"object","required":["total_bytes","subsystems"],"properties":{
  "total_bytes":{"type":"integer","format":"int64","minimum":0,"description":"of the process, resident"},
  "subsystems":{"type":"array","items":{"type":"object","required":["name","bytes"],"properties":{"name":{"type":"string"},
  "bytes":{"type":"integer","format":"int64","minimum":0},
  "items":{"type":"integer","format":"int64","minimum":0,"description":"things, or allocations"},
  "budget_bytes":{"type":"integer","format":"int64","minimum":1,"description":"absent: it has none of its own"}}}}}},
"InsideCaches":{"type":"object","required":["caches"],"properties":{"caches":{"type":"array","items":{"type":"object",
  "required":["name","bytes","items","budget_bytes","hits","misses"],"properties":{"name":{"type":"string"},
  "bytes":{"type":"integer","format":"int64","minimum":0},"items":{"type":"integer","format":"int64","minimum":0},
  "budget_bytes":{"type":"integer","format":"int64","minimum":1},
  "hits":{"type":"integer","format":"int64","minimum":0,"description":"how often what was looked for was there, since the start"},
  "misses":{"type":"integer","format":"int64","minimum":0}}}}}},
"InsideLogLevels":{"type":"object","required":["level","areas"],"properties":{
  "level":{"type":"string","enum":["debug","info","warning","error"],"description":"of areas without one of their own"},
  "areas":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
  "level":{"type":"string","enum":["debug","info","warning","error"],"description":"absent: that of all"}}}}}},
"InsideLog":{"type":"object","required":["level","areas","lines","next"],"properties":{
  "level":{"type":"string","enum":["debug","info","warning","error"]},
  "areas":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
  "level":{"type":"string","enum":["debug","info","warning","error"]}}}},
  "lines":{"type":"array","description":"the oldest first, of the latest 1,000 that were written","items":{"type":"object",
  "required":["number","time","level","area","text"],"properties":{"number":{"type":"integer","format":"int64","minimum":1},
  "time":{"type":"integer","format":"int64","description":"microseconds since the Unix epoch"},
  "level":{"type":"string","enum":["debug","info","warning","error"]},"area":{"type":"string"},"text":{"type":"string"}}}},
  "next":{"type":"integer","format":"int64","minimum":0,"description":"for after: the lines that come later"}}},
"SetLogLevel":{"type":"object","required":["level"],"properties":{
  "level":{"type":"string","enum":["debug","info","warning","error","default"],"description":"default: of an area, that of all again"},
  "area":{"type":"string","description":"absent: all areas without one of their own"}}},
"TakeProfile":{"type":"object","properties":{
  "seconds":{"type":"integer","format":"int64","minimum":1,"maximum":600,"default":10},
  "loop":{"type":"string","enum":["engine","http"],"default":"engine"},
  "filter":{"type":"string","description":"only threads with this in their name"},
  "function":{"type":"string","description":"only functions with this in their name, what they call, and the way to them"}}},
"StartProfile":{"type":"object","properties":{"loop":{"type":"string","enum":["engine","http"],"default":"engine"},
  "filter":{"type":"string"},"function":{"type":"string"}}},
"StopProfile":{"type":"object","properties":{"loop":{"type":"string","enum":["engine","http"],"default":"engine"}}},
"TakenProfile":{"type":"object","required":["file"],"properties":{
  "file":{"type":"string","description":"path of the profile on the engine's machine, in profiles/ of its data directory"}}},
"MakeDump":{"type":"object","properties":{
  "name":{"type":"string","pattern":"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$","description":"of the file, without .json; absent: the time"}}},
"MadeDump":{"type":"object","required":["file"],"properties":{
  "file":{"type":"string","description":"path of the dump on the engine's machine, in dumps/ of its data directory"}}},
"InsideDescriptors":{"type":"object","required":["limit","used","owners"],"properties":{
  "limit":{"type":"integer","format":"int64","minimum":0},"used":{"type":"integer","format":"int64","minimum":0},
  "owners":{"type":"array","description":"the largest first","items":{"type":"object","required":["name","count"],
  "properties":{"name":{"type":"string"},"count":{"type":"integer","format":"int64","minimum":1}}}},
  "descriptors":{"type":"array","description":"those of the owner that was asked for, the oldest first, at most 1,000",
  "items":{"type":"object","required":["number","target"],"properties":{"number":{"type":"integer","format":"int64","minimum":0},
  "target":{"type":"string","description":"what it is open on, as the system calls it"},
  "opener":{"type":"string","description":"the line of code that opened it; absent: a library did"},
  "age_s":{"type":"number","minimum":0}}}}}})json";
    return kSchemas;
}

} // namespace yard::http
