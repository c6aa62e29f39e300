// Schemas of kinds of work. One line each, so that a change is seen as one. Properties that several have in common stand
// once: FIGURES, KIND (with FIGURES in it) and CHANGE.
#include "core/http/openapi_schemas.h"

#include "core/base/replace.h"

#include <string>

namespace yard::http {

namespace {

// clang-format off
constexpr std::string_view kFigureProperties = R"json("runs":{"type":"integer","format":"int64","minimum":0,"description":"that ended as completed or failed"},
  "failed":{"type":"integer","format":"int64","minimum":0},"reasons":{"type":"object","description":"how many failed, by reason",
  "additionalProperties":{"type":"integer","format":"int64","minimum":1}},
  "duration":{"$ref":"#/components/schemas/Quantiles"},"cpu":{"$ref":"#/components/schemas/Quantiles"},
  "memory_bytes":{"$ref":"#/components/schemas/Quantiles"},"wait":{"$ref":"#/components/schemas/Quantiles"},
  "output_bytes":{"$ref":"#/components/schemas/Quantiles"})json";
constexpr std::string_view kKindProperties = R"json("kind":{"type":"string","description":"worker:function, exec:label, or exec:program and its first word"},
  FIGURES,
  "last":{"type":"integer","format":"int64","description":"the end of the last run, microseconds since the Unix epoch"},
  "estimate":{"$ref":"#/components/schemas/KindEstimate"},"learned_memory_bytes":{"type":"number","minimum":0,
  "description":"the 99th percentile times 1.15; absent: fewer than 20 runs"},
  "asked_memory_bytes":{"type":"number","minimum":0,"description":"what its last run asked for, in a queue that suggests memory"},
  "flaky":{"$ref":"#/components/schemas/KindFlaky"},"regression":{"$ref":"#/components/schemas/KindChange"})json";
constexpr std::string_view kChangeProperties = R"json("what":{"type":"string","enum":["duration","memory"]},
  "t":{"type":"integer","format":"int64","description":"the end of the first run that differs, microseconds since the Unix epoch"},
  "before":{"type":"number","description":"median, in seconds or bytes"},"after":{"type":"number"},"ratio":{"type":"number"},
  "p":{"type":"number","description":"of seeing it without a change"},"since":{"type":"object","description":"what came then","properties":{
  "version":{"type":"string"},"machine":{"type":"string"}}}})json";
constexpr std::string_view kKindSchemas = R"json(
"Quantiles":{"type":"object","description":"seconds, or bytes; within one per cent","required":["p50","p90","p95","p99"],"properties":{"p50":{"type":"number","minimum":0},
  "p90":{"type":"number","minimum":0},"p95":{"type":"number","minimum":0},"p99":{"type":"number","minimum":0}}},
"KindEstimate":{"type":"object","description":"of the duration, in seconds","required":["median","runs"],"properties":{"median":{"type":"number","minimum":0},
  "low":{"type":"number","minimum":0,"description":"the median is above it, and below high, with 95 per cent of certainty; both from 6 runs on"},"high":{"type":"number","minimum":0},
  "runs":{"type":"integer","format":"int64","minimum":1}}},
"KindFlaky":{"type":"object","description":"absent: no inputs both worked and failed","required":["is_flaky","probability","rate","inputs"],"properties":{
  "is_flaky":{"type":"boolean"},"probability":{"type":"number","minimum":0,"maximum":1,"description":"that more than one run in a hundred fails"},
  "rate":{"type":"number","minimum":0,"maximum":1},"inputs":{"type":"integer","format":"int64","minimum":1,"description":"that both worked and failed"}}},
"KindChange":{"type":"object","required":["what","t","before","after","ratio","p"],"properties":{CHANGE},
"Audit":{"type":"object","required":["entries"],"properties":{"entries":{"type":"array","maxItems":#page#,"items":{"$ref":"#/components/schemas/AuditEntry"}},
  "dropped":{"type":"integer","format":"int64","minimum":1,"description":"lines that could not be kept since the start"},
  "cursor":{"type":"string","description":"of the next page, which may have entries"}}},
"AuditEntry":{"type":"object","required":["t","who","method","path","result"],"properties":{
  "t":{"type":"integer","format":"int64","description":"microseconds since the Unix epoch"},"who":{"type":"string","description":"the name of a token, or: the owner"},
  "from":{"type":"string","description":"the address it came from"},"method":{"type":"string"},"path":{"type":"string"},
  "body":{"type":"string","description":"its begin, where it can have no secret"},"result":{"type":"integer","description":"the status of the answer"}}},
"Kinds":{"type":"object","required":["kinds"],"properties":{"kinds":{"type":"array","maxItems":#kinds#,"items":{"$ref":"#/components/schemas/Kind"}},
  "dropped":{"type":"integer","format":"int64","minimum":1,"description":"kinds that were forgotten for others since the start"},
  "last_dropped":{"type":"string"},"cursor":{"type":"string","description":"of the next page"}}},
"Kind":{"type":"object","required":["kind","runs","failed","reasons","last","versions"],"properties":{KIND,
  "versions":{"type":"array","items":{"type":"string"}}}},
"KindDetail":{"type":"object","required":["kind","runs","failed","reasons","last","versions","machines","days","weeks"],"properties":{KIND,
  "versions":{"type":"array","items":{"$ref":"#/components/schemas/KindOfVersion"}},"machines":{"type":"array","items":{"$ref":"#/components/schemas/KindOfMachine"}},
  "days":{"type":"array","items":{"$ref":"#/components/schemas/KindOfPeriod"}},"weeks":{"type":"array","description":"before the days",
  "items":{"$ref":"#/components/schemas/KindOfPeriod"}}}},
"KindOfVersion":{"type":"object","required":["version","runs","failed","reasons"],"properties":{"version":{"type":"string"},
  FIGURES}},
"KindOfMachine":{"type":"object","required":["machine","runs","failed","reasons"],"properties":{"machine":{"type":"string"},
  FIGURES}},
"KindOfPeriod":{"type":"object","required":["t","runs","failed","reasons"],"properties":{"t":{"type":"integer","format":"int64","description":"its begin, UTC, microseconds since the Unix epoch"},
  FIGURES}},
"KindFlakiness":{"type":"object","required":["inputs","lines"],"properties":{"inputs":{"type":"array","description":"that both worked and failed, the most failures first",
  "items":{"type":"object","required":["spec","completed","failed","lsns"],"properties":{"spec":{"type":"string","description":"a hash of spec, inputs and worker"},
  "completed":{"type":"integer","format":"int64","minimum":1},"failed":{"type":"integer","format":"int64","minimum":1},
  "lsns":{"type":"array","description":"that failed, the latest first","maxItems":4,"items":{"type":"integer","format":"int64"}}}}},
  "lines":{"type":"array","description":"of all failures, # for numbers and <path> for paths","items":{"type":"object","required":["line","count"],
  "properties":{"line":{"type":"string"},"count":{"type":"integer","format":"int64","minimum":1}}}}}},
"Regressions":{"type":"object","required":["regressions"],"properties":{"regressions":{"type":"array","maxItems":#regressions#,"description":"the latest first, those that were corrected later among them","items":{"$ref":"#/components/schemas/Regression"}}}},
"Regression":{"type":"object","required":["kind","what","t","before","after","ratio","p"],"properties":{"kind":{"type":"string"},
  CHANGE})json";
// clang-format on

std::string withParts(std::string text) {
    replaceAll(text, "CHANGE", kChangeProperties);
    replaceAll(text, "KIND", kKindProperties);
    replaceAll(text, "FIGURES", kFigureProperties);
    return text;
}

} // namespace

std::string_view openApiKindSchemas() {
    static const std::string all = withParts(std::string(kKindSchemas));
    return all;
}

} // namespace yard::http
