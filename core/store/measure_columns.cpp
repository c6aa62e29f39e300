#include "core/store/measure_columns.h"

#include "core/base/replace.h"

namespace yard::store {

std::string withMeasures(std::string_view sql) {
    std::string columns;
    std::string marks;
    for (const MeasureInfo& info : kMeasureTable) {
        const std::string_view comma = columns.empty() ? "" : ",";
        columns += comma;
        columns += info.column;
        marks += comma;
        marks += '?';
    }
    std::string text(sql);
    replaceAll(text, "MEASURE_MARKS", marks);
    replaceAll(text, "MEASURES", columns);
    return text;
}

Measures measuresAt(const Statement& row, int column) {
    Measures measures;
    for (const MeasureInfo& info : kMeasureTable) measures[info.measure] = row.optionalInteger(column++);
    return measures;
}

} // namespace yard::store
