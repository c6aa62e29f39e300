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
"ChangeRecording":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","maxLength":#recording_name#},"note":{"type":"string","maxLength":#recording_note#}}},
"Recordings":{"type":"object","required":["recordings"],"properties":{"recordings":{"type":"array","maxItems":#recordings#,"items":{"$ref":"#/components/schemas/Recording"}}}},
"Recording":{"type":"object","required":["name","state","note","filter","attachments","engine_id","started","actions","waiting","missed","workers","chunks","chunk_bytes","chunks_gone","bytes"],"properties":{
  "name":{"type":"string"},"state":{"type":"string","enum":["recording","complete","cut","interrupted"],"description":"cut: it ended by itself before it was to; interrupted: the engine ended while it ran"},
  "why":{"type":"string","description":"of one that was cut: a sentence"},"note":{"type":"string"},"filter":{"type":"string"},
  "attachments":{"type":"string","enum":["all","inputs","none"]},"engine_id":{"type":"string","description":"of the engine it was made on"},
  "started":{"type":"integer","format":"int64","description":"microseconds since the Unix epoch"},"ended":{"type":"integer","format":"int64"},
  "actions":{"type":"integer","format":"int64","minimum":0},"waiting":{"type":"integer","format":"int64","minimum":0,"description":"of one that runs: actions that are not looked at yet"},
  "missed":{"type":"integer","format":"int64","minimum":0,"description":"actions that could not be taken along"},"workers":{"type":"integer","format":"int64","minimum":0},
  "chunks":{"type":"integer","format":"int64","minimum":0},"chunk_bytes":{"type":"integer","format":"int64","minimum":0,"description":"uncompressed"},
  "chunks_gone":{"type":"integer","format":"int64","minimum":0,"description":"that were not kept any more"},"bytes":{"type":"integer","format":"int64","minimum":0,"description":"of the file"}}})json";
}
// clang-format on

} // namespace yard::http
