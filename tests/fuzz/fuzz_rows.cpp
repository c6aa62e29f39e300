// Columns of journal rows, as a damaged file may have them. The first byte says which. What is read is written back
// as it was read.
#include "core/model/class_key.h"
#include "core/model/queue.h"
#include "core/store/packing.h"
#include "tests/fuzz/fuzz.h"

using namespace yard;
using namespace yard::store;

namespace {

/// Reading, writing and reading again ends where it began.
template<class Unpack, class Pack>
void stable(std::string_view bytes, Unpack unpack, Pack pack) {
    const std::string once = pack(unpack(bytes));
    fuzz::promise(pack(unpack(once)) == once, "what was read is written back");
}

void classKey(std::string_view text) {
    const auto key = ClassKey::parse(text);
    if (!key) return;
    const auto again = ClassKey::parse(key->text());
    fuzz::promise(again && *again == *key, "a class reads back");
}

void chunk(std::string_view bytes) {
    const auto read = unpackChunk(bytes);
    if (!read) return;
    const auto again = unpackChunk(packChunk(*read));
    fuzz::promise(again && *again == *read, "a chunk reads back");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes = fuzz::textOf(data + 1, size - 1);
    switch (data[0]) {
    case 'h': stable(bytes, unpackHashes, [](const auto& list) { return packHashes(list); }); break;
    case 'o': stable(bytes, unpackOutputs, [](const auto& list) { return packOutputs(list); }); break;
    case 'd': stable(bytes, unpackDenied, [](const auto& list) { return packDenied(list); }); break;
    case 'e': stable(bytes, unpackEdges, [](const auto& list) { return packEdges(list); }); break;
    case 'l': stable(bytes, unpackLsns, [](const auto& list) { return packLsns(list); }); break;
    case 'c': chunk(bytes); break;
    case 'k': classKey(bytes); break;
    case 'q': (void)applyQueueConfig({}, bytes); break;
    default: return -1; // not kept
    }
    return 0;
}
