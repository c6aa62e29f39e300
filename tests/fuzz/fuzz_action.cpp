// Actions as they are posted. What is taken is kept as a text that reads back as the same action.
#include "core/model/action_spec.h"
#include "tests/fuzz/fuzz.h"

using namespace yard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A first byte of '@' stands for a route that names the worker.
    std::string_view text = fuzz::textOf(data, size);
    const bool routed = text.starts_with('@');
    if (routed) text.remove_prefix(1);
    const auto parsed = parseActions(text, routed ? "thumbs" : "");
    if (!parsed) return 0;
    for (const ParsedAction& action : parsed->actions) {
        const auto again = parseAction(action.text);
        fuzz::promise(again.has_value(), "a kept action reads back");
        fuzz::promise(again->text == action.text, "a kept action is kept as it is");
        fuzz::promise(again->spec->worker == action.spec->worker, "a kept action has its worker");
        (void)effectiveResources(*action.spec);
        if (!action.spec->array) continue;
        ActionSpec element = *action.spec;
        applyArrayIndex(element, action.spec->array->to);
    }
    return 0;
}
