// Schemas of objects, their types, and the orchestrator.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// clang-format off
// NOLINTNEXTLINE(readability-function-size): a table
std::string_view openApiObjectSchemas() {
    return R"json(
"ObjectCounts":{"type":"object","additionalProperties":{"type":"integer","format":"int64","minimum":0},"description":"by status"},
"ObjectType":{"type":"object","required":["name","type","counts"],"properties":{"name":{"type":"string"},
  "type":{"$ref":"#/components/schemas/AnyObject"},"counts":{"$ref":"#/components/schemas/ObjectCounts"}}},
"ObjectTypes":{"type":"object","required":["types"],"properties":{"types":{"type":"array",
  "items":{"$ref":"#/components/schemas/ObjectType"}}}},
"ObjectStays":{"type":"object","required":["stays"],"properties":{"stays":{"type":"array","items":{"type":"object",
  "required":["status","usual_s","of"],"properties":{"status":{"type":"string"},
  "usual_s":{"type":"number","minimum":0,"description":"the median"},
  "of":{"type":"integer","format":"int64","minimum":1,"description":"stays that it was taken from"}}}}}},
"NewObject":{"type":"object","additionalProperties":false,"required":["type"],"properties":{
  "type":{"type":"string","maxLength":64},"fields":{"$ref":"#/components/schemas/AnyObject"},
  "key":{"type":"string","nullable":true,"maxLength":256,"description":"unique in its type: made twice it is the first one"},
  "status":{"type":"string","maxLength":64,"description":"the initial one where it is absent"},
  "retry_at":{"type":"integer","format":"int64","minimum":0,"description":"when it is looked at first; absent: now"},
  "parent":{"type":"integer","format":"int64","minimum":0}}},
"ObjectOrList":{"anyOf":[{"$ref":"#/components/schemas/NewObject"},{"type":"array","minItems":1,"maxItems":5000,
  "items":{"$ref":"#/components/schemas/NewObject"}}]},
"ObjectIds":{"type":"object","properties":{"id":{"type":"integer","format":"int64","minimum":1},
  "ids":{"type":"array","items":{"type":"integer","format":"int64","minimum":1}}}},
"ObjectSelection":{"type":"object","additionalProperties":false,"properties":{
  "ids":{"type":"array","minItems":1,"maxItems":5000,"items":{"type":"integer","format":"int64","minimum":1}},
  "filter":{"type":"string","maxLength":4096,"description":"in place of ids: type:page status:queued parent:12 field:value"},
  "cursor":{"type":"integer","format":"int64","minimum":1,"description":"of the answer before, where more match than 5000"}}},
"ObjectsMove":{"type":"object","additionalProperties":false,"required":["to"],"properties":{
  "ids":{"type":"array","minItems":1,"maxItems":5000,"items":{"type":"integer","format":"int64","minimum":1}},
  "filter":{"type":"string","maxLength":4096,"description":"in place of ids: type:page status:queued parent:12 field:value"},
  "cursor":{"type":"integer","format":"int64","minimum":1,"description":"of the answer before, where more match than 5000"},
  "to":{"type":"string","maxLength":64},"force":{"type":"boolean"}}},
"ObjectMove":{"type":"object","additionalProperties":false,"required":["to"],"properties":{
  "to":{"type":"string","maxLength":64},"force":{"type":"boolean"}}},
"ObjectChange":{"type":"object","additionalProperties":false,"required":["fields"],"properties":{
  "fields":{"$ref":"#/components/schemas/AnyObject"}}},
"ObjectCount":{"type":"object","required":["count"],"properties":{"count":{"type":"integer","format":"int64","minimum":0},
  "cursor":{"type":"integer","format":"int64","minimum":1,"description":"more match: go on with it"},
  "refused":{"type":"array","items":{"type":"object","required":["id","message"],"properties":{
  "id":{"type":"integer","format":"int64"},"message":{"type":"string"}}}}}},
"ObjectMoves":{"type":"array","items":{"type":"object","required":["t","from","to","tick_ms"],"properties":{
  "t":{"type":"integer","format":"int64"},"from":{"type":"string"},"to":{"type":"string"},
  "actor":{"type":"string","description":"worker and number of the actor, or who it was"},
  "tick_ms":{"type":"integer","format":"int64","minimum":0}}}},
"ObjectHistory":{"type":"object","required":["history"],"properties":{"history":{"$ref":"#/components/schemas/ObjectMoves"}}},
"Object":{"type":"object","required":["id","type","status","fields","retries","created","modified","revision"],"properties":{
  "id":{"type":"integer","format":"int64","minimum":1},"type":{"type":"string"},"status":{"type":"string"},
  "retry_at":{"type":"integer","format":"int64","description":"when it is looked at next; absent: its status is final"},
  "fields":{"$ref":"#/components/schemas/AnyObject"},"key":{"type":"string"},
  "parent":{"type":"integer","format":"int64","minimum":1},"children":{"$ref":"#/components/schemas/ObjectCounts"},
  "retries":{"type":"integer","format":"int64","minimum":0,"description":"entries into this status in a row, and looks that failed"},
  "start_ts":{"type":"integer","format":"int64"},"end_ts":{"type":"integer","format":"int64"},
  "created":{"type":"integer","format":"int64"},"modified":{"type":"integer","format":"int64"},
  "revision":{"type":"integer","format":"int64","minimum":0},
  "stuck":{"type":"boolean","description":"retried too often, and its type has no end for that"},
  "hot":{"type":"boolean","description":"looked at as often as may be: once in 100 ms"},
  "last_error":{"type":"string"},"history":{"$ref":"#/components/schemas/ObjectMoves"},
  "pokes":{"type":"array","maxItems":20,"description":"of one object: who let it be due before its time, the oldest first; of this life of the engine",
  "items":{"type":"object","required":["t","why","outcome"],"properties":{"t":{"type":"integer","format":"int64"},
  "why":{"type":"string","enum":["person","object","child","action"]},"object":{"type":"integer","format":"int64","minimum":1},
  "lsn":{"type":"integer","format":"int64","minimum":1},
  "outcome":{"type":"string","enum":["waits","moved","stayed","failed","ended"],"description":"what came of it"},
  "to":{"type":"string","description":"the status that it moved to"}}}},
  "actions":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/ObjectAction"},
  "description":"of one object: the newest action of each name that its looks gave"}}},
"ObjectAction":{"type":"object","required":["lsn","state"],"properties":{
  "lsn":{"type":"integer","format":"int64","minimum":1},"state":{"$ref":"#/components/schemas/State"},
  "reason":{"$ref":"#/components/schemas/Reason"},"exit_code":{"type":"integer","format":"int64"},
  "signal":{"type":"integer","format":"int64"},"note":{"type":"string"},
  "outputs":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Chunk"}},
  "result":{"description":"any JSON, as in the action"}}},
"ObjectList":{"type":"object","required":["objects"],"properties":{"objects":{"type":"array",
  "items":{"$ref":"#/components/schemas/Object"}},"cursor":{"type":"string","description":"of the next page; absent: that was all"},
  "bounded":{"type":"boolean","description":"true: it ended for its time, and may be short, even empty; go on by its cursor"}}},
"Orchestrator":{"type":"object","required":["types","orphans","orphan_count","objects","stuck","outbox","hooks"],"properties":{
  "types":{"type":"array","items":{"type":"object","required":["name","queue","due","wanted","actors"],"properties":{
  "name":{"type":"string"},"queue":{"type":"integer","format":"int64","minimum":0,"description":"due, and for its actors to look at"},
  "due":{"type":"integer","format":"int64","minimum":0,"description":"the same"},
  "wanted":{"type":"integer","format":"int64","minimum":0,"description":"actors that its queues are worth"},
  "moves":{"type":"array","description":"those of the last ten minutes","items":{"type":"object","required":["to","per_min"],"properties":{
  "from":{"type":"string","description":"absent: they were made"},"to":{"type":"string"},"per_min":{"type":"number","minimum":0}}}},
  "actors":{"type":"array","items":{"type":"object","required":["process","ready","since"],"properties":{
  "key":{"type":"string"},"process":{"type":"string","description":"what its process is called in the pool"},"ready":{"type":"boolean","description":"its process has come up"},
  "object":{"type":"integer","format":"int64","minimum":1,"description":"what it looks at"},
  "since":{"type":"integer","format":"int64","description":"when it began with that, or was started"}}}},
  "why":{"type":"string","description":"the last actor of it could not be started: what went wrong"}}}},
  "orphans":{"type":"array","maxItems":1000,"items":{"type":"object","required":["id","type","status","reason"],"properties":{
  "id":{"type":"integer","format":"int64","minimum":1},"type":{"type":"string"},"status":{"type":"string"},
  "reason":{"type":"string","enum":["no_actor","status_not_claimed","worker_unknown","key_missing","create_pending"]}}},
  "description":"due, and nobody looks at them"},
  "orphan_count":{"type":"integer","format":"int64","minimum":0},"objects":{"type":"integer","format":"int64","minimum":0},
  "stuck":{"type":"integer","format":"int64","minimum":0},
  "outbox":{"type":"integer","format":"int64","minimum":0,"description":"effects that are not carried out yet"},
  "hooks":{"type":"array","items":{"type":"object","required":["name","kind","runs","failed","p95_ms","waiting","dropped"],"properties":{
  "name":{"type":"string","description":"of the file, or what the plugin calls itself"},"kind":{"type":"string","enum":["program","plugin"]},
  "runs":{"type":"integer","format":"int64","minimum":0},"failed":{"type":"integer","format":"int64","minimum":0},
  "p95_ms":{"type":"number","minimum":0,"description":"of the last 256 runs"},"waiting":{"type":"integer","format":"int64","minimum":0},
  "dropped":{"type":"integer","format":"int64","minimum":0,"description":"what it was not told, as too much waited"}}}},
  "next_look":{"type":"integer","format":"int64","description":"when something may be due"}}}
)json";
}
// clang-format on

} // namespace yard::http
