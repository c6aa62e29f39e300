// Parts of documents and sources that follow from a table of core/model: a test compares them, or with
// YARD_WRITE_PAPERS set writes them (./dev papers).
#pragma once

#include "core/base/files.h"

#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

/// An array of QT_TRANSLATE_NOOP.
inline std::string textsToTranslate(std::string_view array, std::string_view context,
                                    const std::vector<std::string>& texts) {
    std::string lines = fmt::format("inline constexpr const char* {}[] = {{\n", array);
    for (const std::string& text : texts)
        lines += fmt::format("    QT_TRANSLATE_NOOP(\"{}\", \"{}\"),\n", context, text);
    return lines + "};\n";
}

/// What stands in a file of the repository from behind `begin` up to `end`.
inline void checkPart(const char* path, std::string_view begin, std::string_view end, const std::string& expected) {
    const std::string file = fmt::format("{}/{}", YARD_SOURCE_DIR, path);
    auto text = readFile(file);
    QVERIFY(text);
    std::size_t from = text->find(begin);
    QVERIFY(from != text->npos);
    from += begin.size();
    const std::size_t to = text->find(end, from);
    QVERIFY(to != text->npos);
    if (qEnvironmentVariableIsSet("YARD_WRITE_PAPERS")) {
        text->replace(from, to - from, expected);
        std::ofstream(file, std::ios::trunc) << *text;
        return;
    }
    QCOMPARE(QString::fromStdString(text->substr(from, to - from)), QString::fromStdString(expected));
}

} // namespace yard
