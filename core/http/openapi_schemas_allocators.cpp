// Schemas of allocators. One line each, so that a change is seen as one. What people give of one stands once: ALLOCATOR.
#include "core/http/openapi_schemas.h"

#include "core/base/replace.h"

#include <string>

namespace yard::http {

namespace {

// clang-format off
constexpr std::string_view kAllocatorProperties = R"json("name":{"type":"string","pattern":"^[A-Za-z][A-Za-z0-9._-]{0,39}$"},"kind":{"type":"string","enum":["slurm","command"]},
  "partition":{"type":"string","maxLength":4096},"options":{"type":"array","maxItems":64,"items":{"type":"string"},"description":"of sbatch"},
  "program":{"type":"string","maxLength":4096,"description":"yardmaster on the nodes"},
  "start":{"type":"string","maxLength":4096,"description":"a command that prints a job"},"list":{"type":"string","maxLength":4096},"stop":{"type":"string","maxLength":4096,"description":"ends YARD_JOB"},
  "walltime_s":{"type":"integer","format":"int64","minimum":60,"maximum":31622400,"default":3600},"cores":{"type":"number","minimum":0.001,"maximum":4096,"default":1},
  "memory_mb":{"type":"integer","format":"int64","minimum":0,"maximum":1073741824,"description":"0: any"},"gpus":{"type":"number","minimum":0,"maximum":4096},
  "min":{"type":"integer","format":"int64","minimum":0,"maximum":1000,"default":0},"max":{"type":"integer","format":"int64","minimum":1,"maximum":1000,"default":1},
  "pending_max":{"type":"integer","format":"int64","minimum":1,"maximum":1000,"default":2},"backlog_s":{"type":"integer","format":"int64","minimum":1,"maximum":31622400,"default":600},
  "idle_s":{"type":"integer","format":"int64","minimum":1,"maximum":31622400,"default":300},"keep":{"type":"boolean","description":"its machines go on when the engine ends"})json";

constexpr std::string_view kAllocatorSchemas = R"json(
"AllocatorPilot":{"type":"object","required":["state"],"properties":{"job":{"type":"string","description":"as the other system calls it"},
  "state":{"type":"string","enum":["asked","waiting","starting","joined","ending","gone"]},"machine":{"type":"string"},
  "since":{"type":"integer","format":"int64","description":"in this state, microseconds since the Unix epoch"}}},
"AllocatorChange":{"type":"object","additionalProperties":false,"properties":{ALLOCATOR}},
"NewAllocator":{"type":"object","additionalProperties":false,"required":["name"],"properties":{ALLOCATOR}},
"Allocator":{"type":"object","required":["name","kind","state","wanted","decision","pilots"],"properties":{ALLOCATOR,
  "state":{"type":"string","enum":["active","backing_off","paused"]},"reason":{"type":"string","description":"the other system's own sentence"},
  "until":{"type":"integer","format":"int64","description":"it starts nothing before; microseconds since the Unix epoch"},
  "wanted":{"type":"integer","format":"int64","minimum":0,"description":"machines"},"decision":{"type":"string","description":"why that many"},
  "pilots":{"type":"array","items":{"$ref":"#/components/schemas/AllocatorPilot"}}}},
"Allocators":{"type":"object","required":["allocators"],"properties":{"allocators":{"type":"array","items":{"$ref":"#/components/schemas/Allocator"}}}})json";
// clang-format on

} // namespace

std::string_view openApiAllocatorSchemas() {
    static const std::string all = [] {
        std::string text(kAllocatorSchemas);
        replaceAll(text, "ALLOCATOR", kAllocatorProperties);
        return text;
    }();
    return all;
}

} // namespace yard::http
