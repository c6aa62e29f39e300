#include "tests/http/openapi_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace yard::http {

namespace json = boost::json;

namespace {

std::vector<std::string_view> parts(std::string_view path) {
    std::vector<std::string_view> list;
    for (;;) {
        const std::size_t end = path.find('/');
        list.push_back(path.substr(0, end));
        if (end == path.npos) return list;
        path.remove_prefix(end + 1);
    }
}

/// How many parts are in braces; -1 when it does not fit.
int fit(std::string_view pattern, const std::vector<std::string_view>& path) {
    const auto wanted = parts(pattern);
    if (wanted.size() != path.size()) return -1;
    int braces = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (wanted[i].starts_with('{'))
            ++braces;
        else if (wanted[i] != path[i])
            return -1;
    }
    return braces;
}

const json::value* contentSchema(const json::object& holder, const std::string& type) {
    const auto* content = holder.if_contains("content");
    const auto* media = content ? content->as_object().if_contains(type) : nullptr;
    return media ? &media->as_object().at("schema") : nullptr;
}

} // namespace

OpenApiCheck::OpenApiCheck(std::string_view document)
    : document_(json::parse(document).as_object())
    , schemas_(document_) {}

const json::object* OpenApiCheck::operation(std::string_view method, std::string_view path) const {
    std::string word(method);
    std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    const auto given = parts(path);
    const json::object* best = nullptr;
    int fewest = -1;
    for (const auto& [pattern, methods] : document_.at("paths").as_object()) {
        const int braces = fit(pattern, given);
        const auto* found = braces < 0 ? nullptr : methods.as_object().if_contains(word);
        if (!found || (best && braces >= fewest)) continue;
        best = &found->as_object();
        fewest = braces;
    }
    return best;
}

std::string OpenApiCheck::answerProblem(const json::object& operation, const Exchange& exchange) const {
    const json::object& answers = operation.at("responses").as_object();
    const auto* listed = answers.if_contains(fmt::format("{}", exchange.status));
    if (!listed && exchange.status < 400) return fmt::format("the status {} is not described", exchange.status);
    const json::object& described = (listed ? *listed : answers.at("default")).as_object();
    if (!described.contains("content")) return exchange.answer.empty() ? "" : "the answer has a body";
    const std::string type(exchange.contentType.substr(0, exchange.contentType.find(';')));
    const json::value* schema = contentSchema(described, type);
    if (!schema) return fmt::format("the type \"{}\" is not described", type);
    if (type != "application/json") return {};
    boost::system::error_code error;
    const json::value value = json::parse(exchange.answer, error);
    if (error) return "the answer is no JSON";
    return schemas_.mismatch(value, *schema);
}

std::string OpenApiCheck::requestProblem(const json::object& operation, const Exchange& exchange) const {
    if (exchange.request.empty() || exchange.status >= 300) return {};
    const auto* request = operation.if_contains("requestBody");
    if (!request) return "a body is taken that is not described";
    const std::string type(exchange.requestType.substr(0, exchange.requestType.find(';')));
    const json::value* schema = contentSchema(request->as_object(), type);
    if (type == "multipart/form-data") return schema ? "" : "a multipart body is taken that is not described";
    if (!schema) return {};
    boost::system::error_code error;
    const json::value value = json::parse(exchange.request, error);
    return error ? "the request is no JSON" : schemas_.mismatch(value, *schema);
}

std::string OpenApiCheck::problem(const Exchange& exchange) const {
    if (exchange.status == 204 && exchange.method == "OPTIONS") return {};
    // Neither the route nor the method need be there when that is what the answer says.
    const bool unknown =
        exchange.status == 401 || exchange.status == 403 || exchange.status == 404 || exchange.status == 405;
    const std::string_view method = exchange.method == "HEAD" ? "GET" : exchange.method;
    const json::object* found = operation(method, exchange.target.substr(0, exchange.target.find('?')));
    std::string wrong;
    if (found && exchange.method != "HEAD") wrong = answerProblem(*found, exchange);
    if (found && wrong.empty()) wrong = requestProblem(*found, exchange);
    if (!found && !unknown) wrong = "the route is not described";
    if (wrong.empty()) return {};
    return fmt::format("{} {} answered {}: {}", exchange.method, exchange.target, exchange.status, wrong);
}

} // namespace yard::http
