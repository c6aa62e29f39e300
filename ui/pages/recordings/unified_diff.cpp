#include "ui/pages/recordings/unified_diff.h"

#include <QRegularExpression>

#include <algorithm>

namespace yard::ui {

namespace {

/// "@@ -12,3 +12,4 @@"; with a count of 0 a number names the line before.
std::optional<DiffPart> hunkOf(const QString& line, const QString& title) {
    static const QRegularExpression head(R"(^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@)");
    const auto match = head.match(line);
    if (!match.hasMatch()) return std::nullopt;
    const auto linesBefore = [&](int number, int count) -> std::size_t {
        const auto first = match.captured(number).toULongLong();
        return match.captured(count) == QLatin1String("0") || first == 0 ? first : first - 1;
    };
    DiffPart part;
    part.title = title;
    part.leftFrom = linesBefore(1, 2);
    part.rightFrom = linesBefore(3, 4);
    return part;
}

} // namespace

std::vector<DiffPart> partsOfUnified(const QString& text, const QString& title) {
    std::vector<DiffPart> parts;
    for (const QString& line : text.split('\n')) {
        if (auto hunk = hunkOf(line, title)) {
            parts.push_back(std::move(*hunk));
            continue;
        }
        if (parts.empty() || line.isEmpty() || !QStringLiteral(" +-").contains(line.front())) continue;
        DiffPart& part = parts.back();
        const QString rest = line.mid(1);
        if (part.left.size() >= kMostDiffLines || part.right.size() >= kMostDiffLines) continue;
        if (line.front() != '+') part.left.push_back(rest);
        if (line.front() != '-') part.right.push_back(rest);
    }
    for (DiffPart& part : parts) part.diff = diffOf(part.left, part.right);
    return parts;
}

} // namespace yard::ui
