#include "core/coro/await_chain.h"

#include "core/base/replace.h"
#include "core/coro/task.h"

#include <algorithm>
#include <string_view>

namespace yard::coro {

namespace {

AwaitChain chainFrom(const detail::PromiseBase* innermost) noexcept {
    AwaitChain chain;
    for (const detail::PromiseBase* at = innermost; at && chain.size < kLongestChain; at = at->awaitedBy)
        if (at->at.line() != 0)
            chain.places[chain.size++] = {
                .file = fileInTree(at->at.file_name()), .line = at->at.line(), .function = at->at.function_name()};
    return chain;
}

} // namespace

std::vector<AwaitPlace> awaitChain(std::coroutine_handle<> innermost) {
    if (!innermost) return {};
    const auto frame = std::coroutine_handle<detail::PromiseBase>::from_address(innermost.address());
    const AwaitChain chain = chainFrom(&frame.promise());
    return {chain.places.begin(), chain.places.begin() + static_cast<std::ptrdiff_t>(chain.size)};
}

AwaitChain runningChain() noexcept {
    return chainFrom(detail::runningFunction);
}

std::string functionName(const char* text) {
    std::string name(text);
    for (const std::string_view hidden : {"(anonymous namespace)::", "::(anonymous class)", "(anonymous class)::"})
        replaceAll(name, hidden, {});
    name.resize(std::min(name.size(), name.find('(')));
    // What is before the name ends with a space outside of all template arguments.
    int depth = 0;
    for (std::size_t at = name.size(); at-- > 0;) {
        if (name[at] == '>') ++depth;
        if (name[at] == '<') --depth;
        if (name[at] == ' ' && depth == 0) return name.substr(at + 1);
    }
    return name;
}

const char* fileInTree(const char* file) noexcept {
    const std::string_view text = file;
    for (const std::string_view top : {"/core/", "/tests/", "/app/", "/ui/"})
        if (const std::size_t at = text.rfind(top); at != std::string_view::npos) return file + at + 1;
    return file;
}

} // namespace yard::coro
