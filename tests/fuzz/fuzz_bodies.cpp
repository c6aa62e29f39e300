// The smaller texts of clients: bodies of routes, configurations, settings, filters, what watchers send. The first
// byte says which. What is taken and printed reads back the same.
#include "core/http/event_frames.h"
#include "core/http/json_request.h"
#include "core/http/list_filter.h"
#include "core/http/query.h"
#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/model/queue.h"
#include "core/model/settings.h"
#include "tests/fuzz/fuzz.h"

using namespace yard;
using namespace yard::http;

namespace {

void members(std::string_view text) {
    const auto request = JsonRequest::parse(text, "lsns filter force tag config", "config");
    if (!request) return;
    (void)request->flag("force");
    (void)request->word("tag", 255);
    (void)request->lsns("lsns", 1000);
}

void queueConfig(std::string_view text) {
    const auto config = applyQueueConfig({}, text);
    if (!config) return;
    const std::string printed = toJson(*config);
    const auto again = applyQueueConfig({}, printed);
    fuzz::promise(again && toJson(*again) == printed, "a configuration reads back");
}

void settings(std::string_view text) {
    const auto given = text.starts_with('=') ? applySetting({}, text.substr(1)) : applySettings({}, text);
    if (!given) return;
    const auto again = applySettings({}, toJson(*given));
    fuzz::promise(again && again->given == given->given && again->values == given->values, "settings read back");
}

void json(std::string_view text) {
    const auto compact = compactJson(text);
    const auto tape = readJson(text);
    fuzz::promise(compact.has_value() == tape.has_value(), "both readers agree");
    if (!compact) return;
    const auto again = compactJson(*compact);
    fuzz::promise(again && *again == *compact, "compact JSON is compact");
    const auto canonical = canonicalJson(tape->root());
    if (!canonical) return;
    // Numbers with a fraction from 2^53 to 1e21 become integers, of which a double may hold another than is
    // written.
    const auto back = readJson(*canonical);
    fuzz::promise(back || back.error().kind == ErrorKind::Invalid, "canonical JSON is JSON");
    if (!back) return;
    const auto twice = canonicalJson(back->root());
    fuzz::promise(twice ? *twice == *canonical : twice.error().kind == ErrorKind::Invalid,
                  "canonical JSON is its own canonical form");
}

void filter(std::string_view text) {
    engine::ListQuery query;
    (void)readFilter(text, "q", query);
    (void)percentDecode(text, true);
    (void)parseQueueRef(text);
    (void)Query::parse(text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text = fuzz::textOf(data + 1, size - 1);
    switch (data[0]) {
    case 'm': members(text); break;
    case 'q': queueConfig(text); break;
    case 's': settings(text); break;
    case 'j': json(text); break;
    case 'f': filter(text); break;
    case 'w': (void)parseWatch(text); break;
    case 'r': (void)parseSince(text); break;
    default: return -1; // not kept
    }
    return 0;
}
