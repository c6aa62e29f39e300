#include "ui/shell/palette_match.h"

#include <QRegularExpression>

#include <algorithm>
#include <tuple>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kWhole = 5;
constexpr int kBegins = 4;
constexpr int kWord = 3;
constexpr int kWordBegins = 2;
constexpr int kSomewhere = 1;

const QRegularExpression& matchBetween() {
    static const QRegularExpression expression(QStringLiteral("[^\\p{L}\\p{N}]+"));
    return expression;
}

int fitOfWord(const QString& word, const QStringList& words, const QString& all) {
    if (words.contains(word)) return kWord;
    const auto begins = [&](const QString& each) { return each.startsWith(word); };
    if (std::ranges::any_of(words, begins)) return kWordBegins;
    return all.contains(word) ? kSomewhere : 0;
}

} // namespace

PaletteQuery PaletteQuery::of(const QString& typed) {
    PaletteQuery query;
    query.text = typed.trimmed();
    if (query.text.isEmpty()) return query;
    switch (query.text.at(0).unicode()) {
    case u'>': query.only = Only::Commands; break;
    case u'@': query.only = Only::Queues; break;
    case u'#': query.only = Only::Numbers; break;
    default: return query;
    }
    query.text = query.text.mid(1).trimmed();
    return query;
}

bool PaletteQuery::admits(PaletteEntry::Kind kind) const {
    switch (only) {
    case Only::Everything: return true;
    case Only::Commands: return kind == PaletteEntry::Kind::Command;
    case Only::Queues: return kind == PaletteEntry::Kind::Queue;
    case Only::Numbers: return kind == PaletteEntry::Kind::Action;
    }
    return true;
}

int paletteFit(const PaletteEntry& entry, const QString& text) {
    const QString wanted = text.trimmed().toLower();
    if (wanted.isEmpty()) return kSomewhere;
    const QString title = entry.title.toLower();
    if (title == wanted) return kWhole;
    if (title.startsWith(wanted)) return kBegins;
    const QString all = title + ' ' + entry.alias.toLower();
    const QStringList words = all.split(matchBetween(), Qt::SkipEmptyParts);
    int fit = kWord;
    for (const QString& word : wanted.split(matchBetween(), Qt::SkipEmptyParts))
        fit = std::min(fit, fitOfWord(word, words, all));
    // Nothing but signs: they have to be there as they stand.
    return wanted.contains(QRegularExpression(QStringLiteral("[\\p{L}\\p{N}]"))) || all.contains(wanted) ? fit : 0;
}

std::vector<PaletteEntry> rankedForPalette(std::vector<PaletteEntry> entries, const PaletteQuery& query,
                                           const QStringList& recent, std::size_t most) {
    struct Ranked {
        int fit;
        qsizetype used; ///< place among the recent ones
        bool blocked;
        std::size_t at;
    };
    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // What a source made out of the text itself need not have its words.
        const bool made =
            entries[i].kind == PaletteEntry::Kind::Action || entries[i].kind == PaletteEntry::Kind::Slot;
        const int fit = made ? kWhole : paletteFit(entries[i], query.text);
        if (fit == 0 || !query.admits(entries[i].kind)) continue;
        const qsizetype used = recent.indexOf(entries[i].id);
        ranked.push_back({fit, used < 0 ? recent.size() : used, !entries[i].blocked.isEmpty(), i});
    }
    std::ranges::sort(ranked, {},
                      [](const Ranked& each) { return std::tuple(-each.fit, each.used, each.blocked, each.at); });
    if (ranked.size() > most) ranked.resize(most);
    std::vector<PaletteEntry> found;
    found.reserve(ranked.size());
    for (const Ranked& each : ranked) found.push_back(std::move(entries[each.at]));
    return found;
}

std::optional<qint64> lsnIn(const QString& text) {
    static const QRegularExpression number(
        QStringLiteral("^(\\d{1,18}|\\d{1,3}([,.'\\x{2019}\\x{a0}\\x{202f} ]\\d{3}){1,5})$"));
    if (!number.match(text.trimmed()).hasMatch()) return std::nullopt;
    QString digits = text;
    digits.remove(QRegularExpression(QStringLiteral("\\D")));
    const qint64 lsn = digits.toLongLong();
    return lsn > 0 ? std::optional(lsn) : std::nullopt;
}

std::optional<LanePlace> lanePlaceIn(const QString& text, const QString& slotWord) {
    static const QRegularExpression clock(QStringLiteral("^(\\d{1,2}):(\\d{2})(?::(\\d{2}))?$"));
    LanePlace place;
    QStringList rest;
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < words.size(); ++i) {
        const bool isSlot = words[i].compare(slotWord, Qt::CaseInsensitive) == 0 ||
                            words[i].compare(QLatin1String("slot"), Qt::CaseInsensitive) == 0;
        bool isNumber = false;
        const std::uint32_t number = isSlot && i + 1 < words.size() ? words[i + 1].toUInt(&isNumber) : 0;
        if (isNumber && !place.slot) {
            place.slot = number;
            ++i;
            continue;
        }
        if (const auto match = clock.match(words[i]); match.hasMatch() && !place.at) {
            const QTime time(match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt());
            if (!time.isValid()) return std::nullopt;
            place.at = time;
            continue;
        }
        rest << words[i];
    }
    if (!place.slot && !place.at) return std::nullopt;
    place.worker = rest.join(' ');
    return place;
}

} // namespace yard::ui
