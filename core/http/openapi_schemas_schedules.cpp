// Schemas of schedules: what runs at certain times.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// clang-format off
// NOLINTNEXTLINE(readability-function-size): a table
std::string_view openApiScheduleSchemas() {
    return R"json(
"ScheduleChange":{"type":"object","additionalProperties":false,"properties":{
  "name":{"$ref":"#/components/schemas/ScheduleName"},
  "action":{"$ref":"#/components/schemas/Action"},
  "list":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/components/schemas/Action"}},
  "cron":{"type":"string","maxLength":256,"description":"five fields, or @daily and its like"},
  "every_s":{"type":"number","minimum":1,"maximum":316224000,"description":"counted from when it was made"},
  "at":{"type":"integer","format":"int64","minimum":1,"maximum":#latest#,"description":"once; microseconds since the Unix epoch"},
  "timezone":{"type":"string","maxLength":64,"description":"of the system's database; empty: the engine's own"},
  "missed":{"$ref":"#/components/schemas/ScheduleMissed"},
  "overlap":{"$ref":"#/components/schemas/ScheduleOverlap"},
  "queue":{"anyOf":[{"type":"integer","format":"int64","minimum":0},{"type":"string"}]},
  "jitter_s":{"type":"number","minimum":0,"maximum":86400},"paused":{"type":"boolean"}}},
"NewSchedule":{"type":"object","additionalProperties":false,"required":["name"],"properties":{
  "name":{"$ref":"#/components/schemas/ScheduleName"},
  "action":{"$ref":"#/components/schemas/Action"},
  "list":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/components/schemas/Action"}},
  "cron":{"type":"string","maxLength":256,"description":"this, every_s or at"},
  "every_s":{"type":"number","minimum":1,"maximum":316224000},
  "at":{"type":"integer","format":"int64","minimum":1,"maximum":#latest#},
  "timezone":{"type":"string","maxLength":64},
  "missed":{"$ref":"#/components/schemas/ScheduleMissed"},
  "overlap":{"$ref":"#/components/schemas/ScheduleOverlap"},
  "queue":{"anyOf":[{"type":"integer","format":"int64","minimum":0},{"type":"string"}]},
  "jitter_s":{"type":"number","minimum":0,"maximum":86400},"paused":{"type":"boolean"}}},
"ScheduleName":{"type":"string","pattern":"^[A-Za-z][A-Za-z0-9._-]{0,63}$"},
"ScheduleMissed":{"type":"string","enum":["once","skip","all"],"description":"what becomes of times that nobody acted on"},
"ScheduleOverlap":{"type":"string","enum":["skip","queue","cancel_previous","allow"],
  "description":"what a run does while one before it has not ended"},
"ScheduleRun":{"type":"object","required":["t","outcome","late","actions"],"properties":{
  "due":{"type":"integer","format":"int64","description":"absent: it was asked for by hand"},
  "t":{"type":"integer","format":"int64","description":"when it was decided"},
  "outcome":{"type":"string","enum":["submitted","missed","overlap","refused"]},"late":{"type":"boolean"},
  "skipped":{"type":"integer","format":"int64","minimum":1,"description":"missed times that it stands for, at most 100 are counted"},
  "actions":{"type":"array","items":{"type":"object","required":["lsn"],"properties":{
  "lsn":{"type":"integer","format":"int64","minimum":1},"count":{"type":"integer","format":"int64","minimum":1,
  "description":"of an array"}}}},"error":{"type":"string","description":"why it was refused"}}},
"Schedule":{"type":"object","required":["name","missed","overlap","jitter_s","paused","anchor","unfinished"],"properties":{
  "name":{"$ref":"#/components/schemas/ScheduleName"},
  "action":{"$ref":"#/components/schemas/Action"},
  "list":{"type":"array","items":{"$ref":"#/components/schemas/Action"}},
  "cron":{"type":"string"},"every_s":{"type":"number"},"at":{"type":"integer","format":"int64"},
  "timezone":{"type":"string"},"missed":{"$ref":"#/components/schemas/ScheduleMissed"},
  "overlap":{"$ref":"#/components/schemas/ScheduleOverlap"},"queue":{"type":"string","description":"number or token"},
  "jitter_s":{"type":"number"},"paused":{"type":"boolean"},
  "anchor":{"type":"integer","format":"int64","description":"when it was made"},
  "next":{"type":"integer","format":"int64","description":"when it starts next; absent: never, or it is paused"},
  "unfinished":{"type":"integer","format":"int64","minimum":0,"description":"runs that have not ended"},
  "broken":{"type":"string","description":"why it is never due"},
  "last":{"$ref":"#/components/schemas/ScheduleRun"},
  "times":{"type":"array","items":{"type":"integer","format":"int64"},"description":"when it starts next, jitter included; of one schedule"},
  "runs":{"type":"array","items":{"$ref":"#/components/schemas/ScheduleRun"},"description":"the newest first; of one schedule"}}},
"Schedules":{"type":"object","required":["schedules"],"properties":{"schedules":{"type":"array",
  "items":{"$ref":"#/components/schemas/Schedule"}}}},
"ScheduleTimes":{"type":"object","required":["times"],"properties":{"times":{"type":"array",
  "items":{"type":"integer","format":"int64"}}}}
)json";
}
// clang-format on

} // namespace yard::http
