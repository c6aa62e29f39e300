// Schemas of queues and of how they retry.
// One line each, so that a change is seen as one.
#include "core/http/openapi_schemas.h"

namespace yard::http {

// clang-format off
std::string_view openApiQueueSchemas() {
    return R"json(
"QueueState":{"type":"string","enum":["active","draining","cancelled"]},
"RetryRule":{"type":"object","properties":{"exit_codes":{"type":"array","maxItems":#exit_codes#,"items":{"type":"integer",
  "format":"int64","minimum":0,"maximum":255}},"reasons":{"type":"array",
  "items":{"$ref":"#/components/schemas/Reason"}},"retry":{"type":"boolean"}},"additionalProperties":false},
"QueueConfig":{"type":"object","required":["max_retries","max_interruptions","weight","max_running",
  "label_limits","stop_after_failures","backoff_s","backoff_max_s","retry_rules","idle_expiry_s"],
  "properties":{"max_retries":{"type":"integer","format":"int64","minimum":0,"maximum":1000},
  "max_interruptions":{"type":"integer","format":"int64","minimum":0,"maximum":1000},"weight":{"type":"number",
  "minimum":0.001,"maximum":1000},"max_running":{"type":"integer","format":"int64","minimum":0,
  "description":"0: no limit"},"label_limits":{"type":"object","additionalProperties":{"type":"integer",
  "format":"int64","minimum":1}},"stop_after_failures":{"type":"integer","format":"int64","minimum":0},
  "deadline_s":{"type":"number","minimum":0},"backoff_s":{"type":"number","minimum":0},
  "backoff_max_s":{"type":"number","minimum":0},"retry_rules":{"type":"array",
  "items":{"$ref":"#/components/schemas/RetryRule"}},"idle_expiry_s":{"type":"number","minimum":0,
  "description":"0: never"},"courtesy":{"type":"string","enum":["ignore"],"description":"absent: it follows courtesy"},"learn":{"type":"string","enum":["suggest","apply"],"description":"absent: its actions ask for what they say"},"jobserver":{"anyOf":[{"type":"boolean","enum":[true]},{"type":"string","enum":["fifo"]}],"description":"absent: its actions have none unless they say so"},"machine":{"$ref":"#/components/schemas/MachineWords"}}},
"QueueConfigChange":{"type":"object","properties":{"max_retries":{"type":"integer","format":"int64",
  "minimum":0,"maximum":#retries#,"nullable":true},"max_interruptions":{"type":"integer","format":"int64",
  "minimum":0,"maximum":#retries#,"nullable":true},"weight":{"type":"number","minimum":#least_weight#,"maximum":#most_weight#,
  "nullable":true},"max_running":{"type":"integer","format":"int64","minimum":0,"maximum":#running#,"description":"0: no limit",
  "nullable":true},"label_limits":{"type":"object","maxProperties":#label_limits#,
  "additionalProperties":{"type":"integer","format":"int64","minimum":1,"maximum":#running#},"nullable":true},"stop_after_failures":{"type":"integer","format":"int64","minimum":0,"maximum":#running#,
  "nullable":true},"deadline_s":{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":#most_s#,"nullable":true},"backoff_s":{"type":"number",
  "minimum":0,"maximum":#most_s#,"nullable":true},"backoff_max_s":{"type":"number","minimum":0,"maximum":#most_s#,"nullable":true},
  "retry_rules":{"type":"array","maxItems":#rules#,"items":{"$ref":"#/components/schemas/RetryRule"},"nullable":true},
  "idle_expiry_s":{"type":"number","minimum":0,"maximum":#most_s#,"description":"0: never","nullable":true},
  "courtesy":{"type":"string","enum":["follow","ignore"],"description":"ignore: it goes on whoever is at the machine","nullable":true},
  "learn":{"type":"string","enum":["suggest","apply"],"description":"of the memory that their kinds took so far: kinds say how much less would be enough, or its actions ask for that","nullable":true},
  "jobserver":{"anyOf":[{"type":"boolean"},{"type":"string","enum":["fifo"]}],"description":"of actions that do not say it","nullable":true},
  "machine":{"anyOf":[{"$ref":"#/components/schemas/MachineWord"},{"type":"array","minItems":1,"maxItems":#machine_words#,"items":{"$ref":"#/components/schemas/MachineWord"}}],
  "description":"where actions run that do not say it","nullable":true}},
  "additionalProperties":false,"description":"null goes back to the default"},
"Queue":{"type":"object","required":["queue_id","state","held","active","pending","held_actions","running","completed",
  "failed","abandoned","cancelled","config"],"properties":{"queue_id":{"type":"integer","format":"int64",
  "minimum":0},"token":{"type":"string","pattern":"^[0-9a-f]{24}$"},"tag":{"type":"string"},
  "state":{"$ref":"#/components/schemas/QueueState"},"held":{"type":"boolean"},"active":{"type":"integer",
  "format":"int64","minimum":0},"pending":{"type":"integer","format":"int64","minimum":0},
  "held_actions":{"type":"integer","format":"int64","minimum":0,"description":"part of pending: held by themselves"},
  "running":{"type":"integer","format":"int64","minimum":0},"completed":{"type":"integer","format":"int64",
  "minimum":0},"failed":{"type":"integer","format":"int64","minimum":0},"abandoned":{"type":"integer",
  "format":"int64","minimum":0},"cancelled":{"type":"integer","format":"int64","minimum":0},
  "per_minute":{"type":"integer","format":"int64","minimum":0,"description":"completed within the last 60 s; absent in the first 60 s after a start where something completed before it"},
  "estimate":{"$ref":"#/components/schemas/Estimate"},"config":{"$ref":"#/components/schemas/QueueConfig"},"mark":{"$ref":"#/components/schemas/Mark"},"comments":{"$ref":"#/components/schemas/CommentSummary"}}},
"Queues":{"type":"object","required":["queues"],"properties":{"queues":{"type":"array","items":{"$ref":"#/components/schemas/Queue"}}}},
"CreateQueue":{"type":"object","properties":{"tag":{"type":"string","maxLength":#tag#},"config":{"$ref":"#/components/schemas/QueueConfigChange"}},"additionalProperties":false},
"ConfigureQueue":{"type":"object","properties":{"config":{"$ref":"#/components/schemas/QueueConfigChange"},"mark":{"$ref":"#/components/schemas/MarkChange"}},"additionalProperties":false},
"QueueDeleted":{"type":"object","required":["queue_id"],"properties":{"queue_id":{"type":"integer","format":"int64","minimum":1}}}
)json";
}
// clang-format on

} // namespace yard::http
