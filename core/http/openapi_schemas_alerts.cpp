// Schemas of alerts.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// clang-format off
// NOLINTNEXTLINE(readability-function-size): a table
std::string_view openApiAlertSchemas() {
    return R"json(
"AlertName":{"type":"string","pattern":"^[A-Za-z][A-Za-z0-9._-]{0,63}$"},
"AlertOn":{"type":"object","additionalProperties":false,"required":["kind"],"properties":{
  "kind":{"type":"string","enum":["queue_age","silence","failures","failure_rate","memory","disk","machine","queue_finished",
  "action_finished","stuck_objects","regression","orphan","schedule_missed","gpu_lost"]},
  "filter":{"type":"string","maxLength":4096,"description":"in the filter language"},
  "over":{"type":"number","minimum":0,"maximum":1000000000,"description":"seconds, per cent, or how many"},
  "for_s":{"type":"number","minimum":0,"maximum":31622400,"description":"it has to hold for so long; of failure_rate the time that is looked at"}}},
"AlertTarget":{"type":"object","additionalProperties":false,"properties":{
  "desktop":{"type":"boolean","enum":[true]},
  "command":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string"}},
  "webhook":{"type":"string","maxLength":2048},
  "template":{"type":"string","enum":["slack","json"]}}},
"AlertSeverity":{"type":"string","enum":["info","warning","critical"]},
"NewAlert":{"type":"object","additionalProperties":false,"required":["name","on"],"properties":{
  "name":{"$ref":"#/components/schemas/AlertName"},"on":{"$ref":"#/components/schemas/AlertOn"},
  "then":{"type":"array","maxItems":8,"items":{"$ref":"#/components/schemas/AlertTarget"}},
  "quiet_s":{"type":"number","minimum":0,"maximum":31622400},
  "repeat_s":{"type":"number","minimum":0,"maximum":31622400,"description":"0: it is told once; else a second or more"},
  "hours":{"type":"string","maxLength":11,"description":"as 08:00-20:00, local time"},
  "severity":{"$ref":"#/components/schemas/AlertSeverity"}}},
"AlertChange":{"type":"object","additionalProperties":false,"properties":{
  "name":{"$ref":"#/components/schemas/AlertName"},"on":{"$ref":"#/components/schemas/AlertOn"},
  "then":{"type":"array","maxItems":8,"items":{"$ref":"#/components/schemas/AlertTarget"}},
  "quiet_s":{"type":"number","minimum":0,"maximum":31622400},
  "repeat_s":{"type":"number","minimum":0,"maximum":31622400},
  "hours":{"type":"string","maxLength":11},"severity":{"$ref":"#/components/schemas/AlertSeverity"}}},
"AlertSilence":{"type":"object","additionalProperties":false,"required":["s"],"properties":{
  "s":{"type":"integer","format":"int64","minimum":0,"maximum":31622400,"description":"0 ends the silence"}}},
"AlertTest":{"type":"object","additionalProperties":false,"required":["rule"],"properties":{
  "rule":{"type":"object","description":"as NewAlert; it needs no name"},
  "from":{"type":"integer","format":"int64","description":"a week ago where it is not given"},
  "to":{"type":"integer","format":"int64"}}},
"AlertTested":{"type":"object","required":["fired","count","looked","whole"],"properties":{
  "fired":{"type":"array","items":{"type":"object","required":["t","text","resolved","count"],"properties":{
  "t":{"type":"integer","format":"int64"},"text":{"type":"string"},"resolved":{"type":"boolean"},
  "count":{"type":"integer","format":"int64","minimum":1},"lsn":{"type":"integer","format":"int64","minimum":1}}}},
  "count":{"type":"integer","format":"int64","minimum":0,"description":"also of those beyond the first 1,000"},
  "looked":{"type":"integer","format":"int64","minimum":0,"description":"actions"},
  "whole":{"type":"boolean","description":"all of the time was looked at"},"note":{"type":"string"}}},
"AlertMessage":{"type":"object","required":["rule","severity","state","t","count","text"],"properties":{
  "rule":{"type":"string"},"severity":{"$ref":"#/components/schemas/AlertSeverity"},
  "state":{"type":"string","enum":["firing","resolved"]},"t":{"type":"integer","format":"int64"},
  "count":{"type":"integer","format":"int64","minimum":1,"description":"things that it stands for"},
  "text":{"type":"string"},"key":{"type":"string"},"lsn":{"type":"integer","format":"int64","minimum":1},
  "queue_id":{"type":"integer","format":"int64","minimum":0}}},
"AlertDelivery":{"type":"object","required":["t","to","done","text"],"properties":{
  "t":{"type":"integer","format":"int64"},"to":{"type":"string"},"done":{"type":"boolean"},"text":{"type":"string"},
  "lsn":{"type":"integer","format":"int64","minimum":1,"description":"the action of a command"}}},
"Alert":{"type":"object","required":["name","on","then","quiet_s","repeat_s","severity","state","firing","waiting","messages"],"properties":{
  "name":{"$ref":"#/components/schemas/AlertName"},"on":{"$ref":"#/components/schemas/AlertOn"},
  "then":{"type":"array","items":{"$ref":"#/components/schemas/AlertTarget"}},
  "quiet_s":{"type":"number"},"repeat_s":{"type":"number"},"hours":{"type":"string"},
  "severity":{"$ref":"#/components/schemas/AlertSeverity"},
  "state":{"type":"string","enum":["quiet","firing","resolved","silenced"]},"since":{"type":"integer","format":"int64"},
  "silenced_until":{"type":"integer","format":"int64"},
  "firing":{"type":"integer","format":"int64","minimum":0,"description":"things for which it fires"},
  "waiting":{"type":"integer","format":"int64","minimum":0,"description":"messages that are not delivered yet"},
  "waiting_error":{"type":"string"},"last":{"$ref":"#/components/schemas/AlertDelivery"},
  "messages":{"type":"array","items":{"$ref":"#/components/schemas/AlertMessage"},"description":"the newest first; in a list the last one alone"}}},
"Alerts":{"type":"object","required":["alerts","fired"],"properties":{
  "alerts":{"type":"array","items":{"$ref":"#/components/schemas/Alert"}},
  "fired":{"type":"array","items":{"$ref":"#/components/schemas/AlertMessage"},"description":"of all of them, the newest first"}}}
)json";
}
// clang-format on

} // namespace yard::http
