// Holds JSON values against the schemas of OpenAPI 3.0, as far as ours use them: $ref, type, nullable, enum,
// properties, required, additionalProperties, items, anyOf, minimum, exclusiveMinimum, maximum,
// pattern, lengths and counts. Stricter than the standard
// on purpose: an object that lists properties and says nothing of others has no others, so that an undescribed
// member is found; a keyword that is none of these is a mismatch, so that nothing goes unchecked.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace yard::test {

class JsonSchemas {
public:
    /// `document`: what "#/components/schemas/X" points into. Kept by reference.
    explicit JsonSchemas(const boost::json::object& document)
        : document_(document) {}

    /// Empty when it fits, else where and why: `jobs[0].state: "done" is none of the enum`.
    std::string mismatch(const boost::json::value& value, const boost::json::value& schema) const {
        return check(value, schema, "value", 0);
    }
    /// The schema of this name; null when there is none.
    const boost::json::value* named(const std::string& name) const;

private:
    std::string check(const boost::json::value& value, const boost::json::value& schema, const std::string& at,
                      int depth) const;
    std::string checkObject(const boost::json::object& value, const boost::json::object& schema,
                            const std::string& at, int depth) const;
    std::string checkAnyOf(const boost::json::value& value, const boost::json::array& choices,
                           const std::string& at, int depth) const;
    const boost::json::object& document_;
};

} // namespace yard::test
