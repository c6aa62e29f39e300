#include "ui/state/lsn_runs.h"

namespace yard::ui {

namespace {

constexpr qint64 kMostLsn = 9'007'199'254'740'992; // exact in JSON

/// Digits at the beginning, taken off; 0: there are none, or too many.
qint64 takeNumber(QStringView& text) {
    qint64 value = 0;
    qsizetype at = 0;
    for (; at < text.size() && text[at] >= u'0' && text[at] <= u'9'; ++at) {
        value = value * 10 + (text[at].unicode() - u'0');
        if (value > kMostLsn) return 0;
    }
    text = text.sliced(at);
    return value;
}

bool appendRun(QStringView& text, std::size_t most, std::vector<qint64>& lsns) {
    const qint64 first = takeNumber(text);
    if (first == 0) return false;
    qint64 last = first;
    if (text.startsWith(u"..")) {
        text = text.sliced(2);
        last = takeNumber(text);
        if (last == 0) return false;
    }
    const qint64 step = last < first ? -1 : 1;
    const auto count = static_cast<std::size_t>((last - first) * step) + 1;
    if (count > most - lsns.size()) return false;
    for (qint64 lsn = first; lsn != last; lsn += step) lsns.push_back(lsn);
    lsns.push_back(last);
    return true;
}

} // namespace

bool appendLsns(QStringView text, std::size_t most, std::vector<qint64>& lsns) {
    const std::size_t before = lsns.size();
    if (text.isEmpty()) return true;
    while (appendRun(text, most, lsns)) {
        if (text.isEmpty()) return true;
        if (text.front() != u',') break;
        text = text.sliced(1);
    }
    lsns.resize(before);
    return false;
}

} // namespace yard::ui
