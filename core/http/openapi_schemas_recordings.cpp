// Schemas of recordings. One line each, so that a change is seen as one.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// clang-format off
std::string_view openApiRecordingSchemas() {
    return R"json(
"StartRecording":{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","maxLength":#recording_name#,"pattern":"^[A-Za-z0-9][A-Za-z0-9._-]*$"},
  "note":{"type":"string","maxLength":#recording_note#},"filter":{"type":"string","maxLength":#filter#,"description":"of what ends from now on; absent: all of it"},
  "attachments":{"type":"string","enum":["all","inputs","none"],"default":"all","description":"which chunks are taken along"},
  "max_bytes":{"type":"integer","format":"int64","minimum":1048576,"maximum":#recording_bytes#,"default":#recording_bytes_usual#,"description":"of the file; then it ends by itself"},
  "from":{"type":"object","additionalProperties":false,"description":"of the past: what has ended and is kept","properties":{"filter":{"type":"string","maxLength":#filter#}}}}},
"RecordedAction":{"type":"object","required":["n","result"],"properties":{"n":{"type":"integer","format":"int64","minimum":1},"machine":{"type":"string","description":"that it ran on"},
  "action":{"$ref":"#/components/schemas/AnyObject"},"result":{"$ref":"#/components/schemas/AnyObject"}}},
"StartReplay":{"type":"object","additionalProperties":false,"properties":{"to":{"type":"string","default":"self","description":"or the name or tag of a machine of this engine, where all of it runs"},
  "order":{"type":"string","enum":["recorded","dependencies"],"default":"dependencies","description":"recorded: one after another"},
  "speed":{"description":"so many times as fast as it was recorded","default":"full","anyOf":[{"type":"string","enum":["full"]},{"type":"number","minimum":0.001,"maximum":1000000}]},
  "replace":{"type":"object","additionalProperties":false,"required":["worker"],"properties":{"worker":{"type":"string","description":"name@version, instead of all versions of that name"}}},
  "filter":{"type":"string","maxLength":#filter#,"description":"which of what was recorded: keys of the filter language that a recording knows"},
  "compare":{"$ref":"#/components/schemas/CompareTerms"}}},
"CompareTerms":{"type":"object","additionalProperties":false,"properties":{"ignore":{"type":"array","items":{"type":"string","enum":["state","exit_code","result","output","stdout","stderr","duration","memory"]}},
  "normalise":{"type":"array","maxItems":20,"description":"of lines, one after another","items":{"type":"object","required":["pattern"],"properties":{"pattern":{"type":"string","minLength":1,"maxLength":500,"description":"a regular expression of ECMAScript, without back references and counts"},"with":{"type":"string","maxLength":500}}}},
  "numbers":{"type":"object","required":["tolerance"],"properties":{"tolerance":{"type":"number","minimum":0,"maximum":1,"description":"relative to the larger one"}}},
  "duration":{"type":"number","minimum":1,"description":"longer than so many times is different; absent: not compared"},"memory":{"type":"number","minimum":1}}},
"Replays":{"type":"object","required":["replays"],"properties":{"replays":{"type":"array","items":{"$ref":"#/components/schemas/Replay"}}}},
"Replay":{"type":"object","required":["id","recording","queue_id","state","actions","submitted","ended","different","impossible","differences","started"],"properties":{
  "id":{"type":"integer","format":"int64","minimum":1},"recording":{"type":"string"},"queue_id":{"type":"integer","format":"int64","description":"where its actions are"},
  "state":{"type":"string","enum":["running","done","cancelled","failed"]},"why":{"type":"string","description":"of one that failed: a sentence"},
  "actions":{"type":"integer","format":"int64","minimum":0},"submitted":{"type":"integer","format":"int64","minimum":0},
  "ended":{"type":"integer","format":"int64","minimum":0,"description":"and compared"},"different":{"type":"integer","format":"int64","minimum":0,"description":"actions with a difference"},
  "impossible":{"type":"integer","format":"int64","minimum":0,"description":"of these: could not be submitted, or followed"},"differences":{"type":"integer","format":"int64","minimum":0},
  "started":{"type":"integer","format":"int64"},"finished":{"type":"integer","format":"int64"},"eta":{"type":"integer","format":"int64","description":"at the rate until now"}}},
"ReplayDifferences":{"type":"object","required":["differences"],"properties":{"differences":{"type":"array","items":{"type":"object","required":["lsn","what","recorded","replayed_value"],"properties":{
  "lsn":{"type":"integer","format":"int64","description":"that was recorded"},"replayed":{"type":"integer","format":"int64","description":"that was submitted; absent: it could not be"},
  "what":{"type":"string","enum":["state","exit_code","result","output","stdout","stderr","duration","memory"]},"name":{"type":"string","description":"of an output"},
  "recorded":{"description":"JSON"},"replayed_value":{"description":"JSON"},"diff":{"type":"string","description":"lines as diff -u shows them, or why it could not be submitted"}}}},
  "cursor":{"type":"string","description":"of the next page"}}},
"ChangeRecording":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","maxLength":#recording_name#},"note":{"type":"string","maxLength":#recording_note#}}},
"Recordings":{"type":"object","required":["recordings"],"properties":{"recordings":{"type":"array","maxItems":#recordings#,"items":{"$ref":"#/components/schemas/Recording"}}}},
"Recording":{"type":"object","required":["name","state","note","filter","attachments","engine_id","started","actions","failed","waiting","missed","workers","chunks","chunk_bytes","chunks_gone","bytes"],"properties":{
  "name":{"type":"string"},"state":{"type":"string","enum":["recording","complete","cut","interrupted"],"description":"cut: it ended by itself before it was to; interrupted: the engine ended while it ran"},
  "why":{"type":"string","description":"of one that was cut: a sentence"},"note":{"type":"string"},"filter":{"type":"string"},
  "attachments":{"type":"string","enum":["all","inputs","none"]},"engine_id":{"type":"string","description":"of the engine it was made on"},
  "started":{"type":"integer","format":"int64","description":"microseconds since the Unix epoch; of one of the past that is over, as of ended: the span of its actions"},"ended":{"type":"integer","format":"int64"},
  "actions":{"type":"integer","format":"int64","minimum":0},"failed":{"type":"integer","format":"int64","minimum":0,"description":"of these actions"},"waiting":{"type":"integer","format":"int64","minimum":0,"description":"of one that runs: actions that are not looked at yet"},
  "missed":{"type":"integer","format":"int64","minimum":0,"description":"actions that could not be taken along"},"workers":{"type":"integer","format":"int64","minimum":0},
  "chunks":{"type":"integer","format":"int64","minimum":0},"chunk_bytes":{"type":"integer","format":"int64","minimum":0,"description":"uncompressed"},
  "chunks_gone":{"type":"integer","format":"int64","minimum":0,"description":"that were not kept any more"},"bytes":{"type":"integer","format":"int64","minimum":0,"description":"of the file"}}})json";
}
// clang-format on

} // namespace yard::http
