// Worker descriptors. Their canonical form reads back as the same worker with the same id.
#include "core/model/worker.h"
#include "tests/fuzz/fuzz.h"

using namespace yard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto parsed = parseWorker(fuzz::textOf(data, size));
    if (!parsed) return 0;
    const auto again = parseWorker(parsed->canonical);
    fuzz::promise(again.has_value(), "a canonical descriptor reads back");
    fuzz::promise(again->canonical == parsed->canonical, "a canonical descriptor is its own canonical form");
    fuzz::promise(again->id == parsed->id, "the id depends on the canonical form alone");
    fuzz::promise(isWorkerReference(parsed->descriptor->name), "a worker can be named");
    return 0;
}
