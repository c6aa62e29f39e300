#include "ui/pages/actions/action_totals.h"

#include <QStringList>

#include <map>
#include <vector>

namespace yard::ui {

namespace {

/// A filter that is one list of states.
std::optional<QStringList> statesOf(const QString& filter) {
    if (!filter.startsWith("state:") || filter.contains(' ') || filter.contains('*')) return std::nullopt;
    return filter.mid(6).split(',');
}

} // namespace

std::optional<qint64> countedTotal(const EngineState& state, const QString& filter) {
    const auto sum = [&state](const std::vector<DisplayState>& faces) {
        qint64 all = 0;
        for (const DisplayState face : faces) all += state.count(face);
        return all;
    };
    using enum DisplayState;
    const QString text = filter.trimmed();
    if (text.isEmpty())
        return sum({Pending, Held, Retry, Submitting, Running, Completed, Failed, Abandoned, Cancelled});
    const auto states = statesOf(text);
    if (!states) return std::nullopt;
    static const std::map<QString, std::vector<DisplayState>> faces{{"pending", {Pending, Held, Retry}},
                                                                    {"held", {Held}},
                                                                    {"retry", {Retry}},
                                                                    {"submitting", {Submitting}},
                                                                    {"running", {Running}},
                                                                    {"completed", {Completed}},
                                                                    {"failed", {Failed}},
                                                                    {"abandoned", {Abandoned}},
                                                                    {"cancelled", {Cancelled}}};
    qint64 all = 0;
    for (const QString& each : *states)
        if (const auto found = faces.find(each); found != faces.end()) all += sum(found->second);
    return all;
}

} // namespace yard::ui
