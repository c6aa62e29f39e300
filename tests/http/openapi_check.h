// Holds exchanges against /openapi.json: the route is described, its body and its answer fit the schemas.
#pragma once

#include "tests/support/json_schema.h"

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace yard::http {

class OpenApiCheck {
public:
    explicit OpenApiCheck(std::string_view document);

    struct Exchange {
        std::string_view method;
        std::string_view target;
        std::string_view request; ///< body, empty: none
        int status = 0;
        std::string_view contentType;
        std::string_view answer;
        std::string_view requestType = "application/json"; ///< others need only be described
    };
    /// Empty when all fits. A request that was refused need not fit; one that was taken must.
    std::string problem(const Exchange& exchange) const;

    const boost::json::object& document() const { return document_; }
    const test::JsonSchemas& schemas() const { return schemas_; }
    /// The operation that a path (as requested, without its query) belongs to; null when there is none. Parts
    /// written out go before parts in braces.
    const boost::json::object* operation(std::string_view method, std::string_view path) const;

private:
    std::string answerProblem(const boost::json::object& operation, const Exchange& exchange) const;
    std::string requestProblem(const boost::json::object& operation, const Exchange& exchange) const;
    boost::json::object document_;
    test::JsonSchemas schemas_;
};

} // namespace yard::http
