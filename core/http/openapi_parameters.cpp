// Parameters of OpenAPI by the names that rows of routes have for them: those of lists, and those of one thing.
#include "core/http/openapi.h"

namespace yard::http {

std::array<std::string_view, 2> openApiParameters() {
    return {openApiListParameters(), openApiSingleParameters()};
}

// clang-format off
// NOLINTNEXTLINE(readability-function-size): a table
std::string_view openApiListParameters() {
    return R"json(
"state":{"name":"state","in":"query","description":"a comma list of states, held and retry","schema":{"type":"string"}},
"queue":{"name":"queue","in":"query","description":"a queue's number or token; of one that was deleted the number","schema":{"type":"string"}},
"worker":{"name":"worker","in":"query","description":"an id, a name or name@version","schema":{"type":"string"}},
"label":{"name":"label","in":"query","description":"the label","schema":{"type":"string"}},
"q":{"name":"q","in":"query","description":"a filter: words, state:, queue:, worker:, label:, name:, finished>-1h; at most #filter# bytes","schema":{"type":"string","maxLength":#filter#}},
"sort":{"name":"sort","in":"query","description":"a field of results, - before it for descending; what is unknown comes last","schema":{"type":"string","default":"-lsn"}},
"limit":{"name":"limit","in":"query","description":"rows of a page","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#page#}},
"lsn":{"name":"lsn","in":"query","description":"numbers of actions with commas in between, at most #page#","schema":{"type":"string"}},
"cursor":{"name":"cursor","in":"query","description":"of the page before, or nothing; not by lsn: within a minute of it","schema":{"type":"string"}},
"loop":{"name":"loop","in":"query","description":"whose threads","schema":{"type":"string","enum":["engine","http"],"default":"engine"}},
"part_of_name":{"name":"filter","in":"query","description":"only those with this in their name or in what they wait for","schema":{"type":"string"}},
"threads":{"name":"limit","in":"query","description":"threads of a page","schema":{"type":"integer","format":"int64","minimum":1,"maximum":1000,"default":100}},
"thread_cursor":{"name":"cursor","in":"query","description":"of the page before, or nothing","schema":{"type":"string"}},
"log_level":{"name":"level","in":"query","description":"lines of this level and above","schema":{"type":"string","enum":["debug","info","warning","error"]}},
"log_area":{"name":"area","in":"query","description":"lines of this area","schema":{"type":"string"}},
"part_of_line":{"name":"filter","in":"query","description":"lines with this in them","schema":{"type":"string"}},
"log_lines":{"name":"limit","in":"query","description":"the latest so many","schema":{"type":"integer","format":"int64","minimum":1,"maximum":1000,"default":200}},
"log_after":{"name":"after","in":"query","description":"lines after the next of an answer before","schema":{"type":"string"}},
"descriptor_owner":{"name":"owner","in":"query","description":"list the descriptors of this one, too","schema":{"type":"string"}},
"from":{"name":"from","in":"query","description":"begin","schema":{"type":"integer","format":"int64",
  "minimum":0,"maximum":#latest#,"description":"microseconds since the Unix epoch"}},
"to":{"name":"to","in":"query","description":"end","schema":{"type":"integer","format":"int64",
  "minimum":0,"maximum":#latest#,"description":"microseconds since the Unix epoch"}},
"by":{"name":"by","in":"query","description":"what the rows are of; queue where it is absent","schema":{"type":"string",
  "enum":["queue","worker","label","machine","day","hour","waste"]}},
"resolution":{"name":"resolution","in":"query","description":"seconds; 0: as it fits","schema":{"type":"number",
  "minimum":0,"maximum":#step#}},
"count":{"name":"count","in":"query","description":"1: say how many match in all","schema":{"type":"string",
  "enum":["0","1",""]}},
"folded":{"name":"fold","in":"query","description":"1: an array, or the actions of a posted list that follow each other, as one row","schema":{"type":"string",
  "enum":["0","1",""]}},
"facets":{"name":"by","in":"query","description":"a comma list of state, queue, worker, label, reason, machine; absent: all","schema":{"type":"string"}},
"own":{"name":"own","in":"query","description":"1: each facet under its own terms, too","schema":{"type":"string",
  "enum":["0","1",""]}},
"cron":{"name":"cron","in":"query","required":true,"description":"five fields, or @daily and its like","schema":{"type":"string",
  "maxLength":256}},
"timezone":{"name":"timezone","in":"query","description":"of the system's database; absent: the engine's own","schema":{"type":"string",
  "maxLength":64}},
"times":{"name":"n","in":"query","description":"how many times","schema":{"type":"integer","format":"int64","minimum":1,
  "maximum":1000,"default":10}},
"ended_since":{"name":"since","in":"query","description":"of failures that ended from then on","schema":{"type":"integer",
  "format":"int64","minimum":0,"maximum":#latest#,"description":"microseconds since the Unix epoch"}},
"text":{"name":"text","in":"query","required":true,"description":"what a line has","schema":{"type":"string","minLength":1,
  "maxLength":#search_text#}},
"case":{"name":"case","in":"query","description":"1: A and a are not the same","schema":{"type":"string","enum":["0","1",""]}},
"lines":{"name":"lines","in":"query","description":"lines in all","schema":{"type":"integer","format":"int64","minimum":1,
  "maximum":#search_lines#,"default":#search_usual#}},
"ran_since":{"name":"since","in":"query","description":"kinds that ran since then, with the figures of the days since then","schema":{"type":"integer",
  "format":"int64","minimum":0,"maximum":#latest#,"description":"microseconds since the Unix epoch"}},
"kinds_sort":{"name":"sort","in":"query","description":"- before it for descending","schema":{"type":"string","default":"-last",
  "enum":["last","runs","failed","duration","memory_bytes","kind","-last","-runs","-failed","-duration","-memory_bytes","-kind"]}},
"kinds":{"name":"limit","in":"query","description":"kinds of a page","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#kinds#,"default":#kinds_usual#}},
"differences":{"name":"limit","in":"query","description":"differences of a page","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#differences#,"default":#differences#}},
"differences_cursor":{"name":"cursor","in":"query","description":"of the page before","schema":{"type":"string"}},
"audit_who":{"name":"who","in":"query","description":"only what this one did: the name of a token, or the owner","schema":{"type":"string"}},
"audit_text":{"name":"q","in":"query","description":"only what has this in its path or body","schema":{"type":"string"}},
"audit_cursor":{"name":"cursor","in":"query","description":"of the page before","schema":{"type":"string"}},
"kinds_cursor":{"name":"cursor","in":"query","description":"of the page before","schema":{"type":"string"}},
"group":{"name":"group","in":"query","description":"the id of a group: its counts in place of all groups",
  "schema":{"type":"string","pattern":"^[0-9a-f]{16}$"}})json";
}

std::string_view openApiSingleParameters() {
    return R"json(
"wait":{"name":"wait","in":"query","description":"seconds to wait for the end","schema":{"type":"number","minimum":0,"maximum":#wait#}},
"part":{"name":"limit","in":"query","description":"numbers in one answer","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#part#,"default":#part#}},
"output_of":{"name":"lsn","in":"query","description":"an action that has it as stdout, stderr or an output: a token with the right read has to name one","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#lsn#}},
"action":{"name":"lsn","in":"query","description":"an action: what it waits for, and what waits for it","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#lsn#}},
"fold":{"name":"fold","in":"query","description":"1: arrays, and lists whose edges are equal, as one node each","schema":{"type":"string","enum":["0","1",""]}},
"nodes":{"name":"limit","in":"query","description":"nodes: of an action the nearest, of a queue the newest","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#graph_nodes#,"default":#graph_usual#}},
"attempt":{"name":"attempt","in":"query","description":"the last by default","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#attempt#}},
"with":{"name":"with","in":"query","description":"LSN, or LSN.N of one attempt; absent: the last good run of the same work","schema":{"type":"string","pattern":"^[1-9][0-9]{0,15}(\\.[1-9][0-9]{0,8})?$"}},
"format":{"name":"format","in":"query","description":"chrome: a Chrome trace, as Perfetto opens it, of every attempt","schema":{"type":"string","enum":["json","chrome"]}},
"follow":{"name":"follow","in":"query","description":"1: stream until the action has ended","schema":{"type":"string","enum":["0","1",""]}},
"last":{"name":"last","in":"query","description":"only so many bytes of what there is, from the end","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#last#}},
"terminal":{"name":"terminal","in":"query","description":"1, with follow: whoever reads this is at the action's terminal, and counted in tty.attached",
  "schema":{"type":"string","enum":["0","1",""]}},
"seat":{"name":"seat","in":"query","description":"which of those at the terminal it is, chosen by each of them",
  "schema":{"type":"string","minLength":1,"maxLength":#seat#}},
"rows":{"name":"rows","in":"query","description":"of the own terminal: the size that is given back when another leaves",
  "schema":{"type":"integer","format":"int64","minimum":1,"maximum":#side#}},
"cols":{"name":"cols","in":"query","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#side#}},
"element":{"name":"element","in":"query","description":"1: of an array only this one, as it alone would be posted",
  "schema":{"type":"string","enum":["0","1",""]}},
"force":{"name":"force","in":"query","description":"1: with its objects","schema":{"type":"string","enum":["0","1",""]}},
"object_type":{"name":"type","in":"query","description":"a type of objects","schema":{"type":"string"}},
"object_status":{"name":"status","in":"query","description":"a status","schema":{"type":"string"}},
"object_q":{"name":"q","in":"query","description":"field:value, up to 16 with blanks between","schema":{"type":"string"}},
"object_parent":{"name":"parent","in":"query","description":"the number of their parent","schema":{"type":"integer","format":"int64","minimum":1,"maximum":#lsn#}},
"object_sort":{"name":"sort","in":"query","description":"- before it for descending","schema":{"type":"string","default":"-id","enum":["id","-id"]}},
"object_cursor":{"name":"cursor","in":"query","description":"of the page before","schema":{"type":"string"}},
"object_wait":{"name":"wait","in":"query","description":"seconds to wait until it has the status","schema":{"type":"number","minimum":0,"maximum":#wait#}},
"until":{"name":"until","in":"query","description":"the status that is waited for; absent: any final one","schema":{"type":"string"}},
"since":{"name":"since","in":"query","description":"run_id.seq, to resume","schema":{"type":"string"}},
"alerts":{"name":"alerts","in":"query","description":"1: frames say when alerts were told","schema":{"type":"integer","format":"int64","minimum":0,"maximum":1}},
"Idempotency-Key":{"name":"Idempotency-Key","in":"header",
  "description":"a repeat within 24 hours returns the first answer","schema":{"type":"string","minLength":1,
  "maxLength":#key#}})json";
}
// clang-format on

} // namespace yard::http
