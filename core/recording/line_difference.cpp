#include "core/recording/line_difference.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::recording {

namespace {

constexpr std::size_t kAround = 3; // lines of context
constexpr std::size_t kLongestLine = 500;

/// What lies between the equal ends, and kAround equal lines of them.
std::vector<EditStep> stepsOf(std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame) {
    using enum EditStep::Kind;
    ShortestEdit edit = shortestEdit(sizeA, sizeB, isSame, kMostEdits);
    const std::size_t endA = sizeA - edit.after;
    const std::size_t endB = sizeB - edit.after;
    std::vector<EditStep> steps;
    for (std::size_t i = edit.before - std::min(kAround, edit.before); i < edit.before; ++i)
        steps.push_back({Both, i, i});
    if (edit.middle) {
        steps.insert(steps.end(), edit.middle->begin(), edit.middle->end());
    } else {
        for (std::size_t i = edit.before; i < endA; ++i) steps.push_back({Removed, i, edit.before});
        for (std::size_t i = edit.before; i < endB; ++i) steps.push_back({Added, endA, i});
    }
    for (std::size_t i = 0; i < std::min(kAround, edit.after); ++i) steps.push_back({Both, endA + i, endB + i});
    return steps;
}

char signOf(EditStep::Kind kind) {
    switch (kind) {
    case EditStep::Kind::Removed: return '-';
    case EditStep::Kind::Added: return '+';
    case EditStep::Kind::Both: break;
    }
    return ' ';
}

/// Steps [from, to) that belong together: changes, and what is at most twice kAround lines between them.
struct Hunk {
    std::size_t from = 0;
    std::size_t to = 0;
};

std::vector<Hunk> hunksOf(const std::vector<EditStep>& steps) {
    std::vector<Hunk> hunks;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == EditStep::Kind::Both) continue;
        const std::size_t from = i - std::min(kAround, i);
        const std::size_t to = std::min(steps.size(), i + 1 + kAround);
        if (!hunks.empty() && from <= hunks.back().to)
            hunks.back().to = to;
        else
            hunks.push_back({.from = from, .to = to});
    }
    return hunks;
}

} // namespace

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string lineDifference(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
                           const IsSameLine& isSame, std::size_t most) {
    const std::vector<EditStep> steps = stepsOf(a.size(), b.size(), isSame);
    std::string text;
    for (const Hunk& hunk : hunksOf(steps)) {
        std::size_t countA = 0;
        std::size_t countB = 0;
        for (std::size_t i = hunk.from; i < hunk.to; ++i) {
            countA += steps[i].kind != EditStep::Kind::Added ? 1 : 0;
            countB += steps[i].kind != EditStep::Kind::Removed ? 1 : 0;
        }
        const EditStep& first = steps[hunk.from];
        text += fmt::format("@@ -{},{} +{},{} @@\n", first.a + (countA > 0 ? 1 : 0), countA,
                            first.b + (countB > 0 ? 1 : 0), countB);
        for (std::size_t i = hunk.from; i < hunk.to; ++i) {
            const std::string_view line = steps[i].kind == EditStep::Kind::Added ? b[steps[i].b] : a[steps[i].a];
            text += signOf(steps[i].kind);
            text.append(line.substr(0, kLongestLine)) += '\n';
            if (text.size() > most) return text + "(there is more)\n";
        }
    }
    return text;
}

} // namespace yard::recording
