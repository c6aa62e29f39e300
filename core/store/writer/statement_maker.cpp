#include "core/store/writer/statement_maker.h"

#include "core/store/measure_columns.h"

namespace yard::store {

Statement StatementMaker::operator()(std::string_view sql) {
    if (!result_) return {};
    auto statement = database_.prepare(withMeasures(sql));
    if (statement) return std::move(*statement);
    result_ = std::unexpected(std::move(statement.error()));
    return {};
}

} // namespace yard::store
