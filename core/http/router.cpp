#include "core/http/router.h"

#include "core/base/text.h"
#include "core/http/query.h"
#include "core/model/worker.h"

#include <cassert>
#include <fmt/format.h>

namespace yard::http {

namespace {

constexpr std::size_t kMostDigits = 63; ///< 64 could be the id of a worker

constexpr unsigned bit(Method method) {
    return 1u << static_cast<unsigned>(method);
}

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> parts;
    while (path.starts_with('/')) path.remove_prefix(1);
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        parts.emplace_back(path.substr(0, end));
        path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
    }
    return parts;
}

} // namespace

Router::Router(std::span<const RouteSpec> table, std::string_view prefix) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        const RouteSpec& spec = table[i];
        const int route = static_cast<int>(i);
        if (spec.scope == Scope::Root || spec.scope == Scope::Open) {
            add(route, spec, "", false);
            continue;
        }
        if (spec.scope != Scope::Queue) add(route, spec, prefix, false);
        if (spec.scope != Scope::Global) add(route, spec, fmt::format("{}/queues/{{ref}}", prefix), true);
    }
}

void Router::add(int route, const RouteSpec& spec, std::string_view base, bool inQueue) {
    Entry entry{.route = route, .method = spec.method, .inQueue = inQueue, .parts = split(base)};
    for (std::string& part : split(spec.pattern)) entry.parts.push_back(std::move(part));
    assert(entry.parts.size() <= kMaxParts);
    bySize_[entry.parts.size()].push_back(std::move(entry));
}

bool Router::fits(const Entry& entry, Parts parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& wanted = entry.parts[i];
        const std::string& given = parts[i];
        if (wanted.front() != '{') {
            if (wanted != given) return false;
        } else if (wanted == "{lsn}") {
            if (!isDigits(given) || given.size() > kMostDigits) return false;
        } else if (wanted == "{worker}") {
            if (!isWorkerReference(given)) return false;
        }
    }
    return true;
}

Router::Match Router::match(Method method, std::string_view path,
                            std::array<std::string, kMaxCaptures>& captures) const {
    Match match;
    std::array<std::string, kMaxParts> parts;
    std::size_t count = 0;
    if (!path.starts_with('/')) return match;
    for (path.remove_prefix(1);; ++count) {
        if (count == kMaxParts) return match;
        const std::size_t end = path.find('/');
        const std::string_view part = path.substr(0, end);
        if (part.find('%') == std::string_view::npos) {
            parts[count] = part;
        } else {
            auto decoded = percentDecode(part, false);
            if (!decoded) return match;
            parts[count] = std::move(*decoded);
        }
        if (parts[count].empty()) return match;
        if (end == std::string_view::npos) break;
        path.remove_prefix(end + 1);
    }
    const Parts given(parts.data(), count + 1);
    const Method wanted = method == Method::Head ? Method::Get : method;
    for (const Entry& entry : bySize_[given.size()]) {
        if (!fits(entry, given)) continue;
        match.methods |= bit(entry.method);
        if (entry.method != wanted) continue;
        match.route = entry.route;
        match.inQueue = entry.inQueue;
        std::size_t next = 0;
        for (std::size_t i = 0; i < given.size(); ++i)
            if (entry.parts[i].front() == '{') captures[next++] = std::move(parts[i]);
        break;
    }
    return match;
}

std::string Router::allowed(unsigned methods) {
    std::string list;
    if (methods & bit(Method::Get)) methods |= bit(Method::Head);
    methods |= bit(Method::Options);
    for (unsigned i = 0; i < static_cast<unsigned>(Method::Other); ++i) {
        if (!(methods & (1u << i))) continue;
        if (!list.empty()) list += ", ";
        list += name(static_cast<Method>(i));
    }
    return list;
}

} // namespace yard::http
