// What may come next in a filter as it is typed, and which of its terms are wrong: the filter language
// (docs/lists.md) as people write it. Values; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <utility>
#include <vector>

namespace yard::ui {

/// What is known to stand behind a key, and how many have it; below 0: not counted.
struct FilterValue {
    QString text;
    qint64 count = -1;
};
using FilterValues = std::map<QString, std::vector<FilterValue>>; ///< by key

struct FilterChoice {
    QString text; ///< as it is listed
    QString note; ///< at its right: what a key is for
    qint64 count = -1;
    QString filter;   ///< the whole filter once it is taken
    int cursor = 0;   ///< where writing goes on in it
    QString key = {}; ///< whose value it is; empty: a key itself
};

/// A stretch of a filter, in characters.
struct FilterSpan {
    int begin = 0;
    int end = 0;
    friend bool operator==(const FilterSpan&, const FilterSpan&) = default;
};

inline constexpr std::size_t kMostChoices = 12;

/// "label:\"foliage wind\""; empty where the language cannot say it.
QString filterTerm(const QString& key, const QString& value);
/// Terms, with blanks in between; blanks within quotes are part of one.
std::vector<FilterSpan> termsOf(const QString& filter);
/// As the engine takes it: of what people write the numbers of actions ("12", "12..20", "12,14") become one term, any of
/// them, as yardctl has it. In quotes a number is text.
QString withLsns(const QString& filter);
/// Keys, or values of the key before the cursor, that go on from what is written there: those that begin with it
/// first, then those that have it in them; at most kMostChoices. None where nothing is written yet.
std::vector<FilterChoice> choicesFor(const QString& filter, int cursor, const FilterValues& values);
/// The terms that the language does not know, each by itself. None: if all is wrong, it is not one term's fault.
std::vector<FilterSpan> wrongTerms(const QString& filter);
/// A day or a time of day stands in it: it means that of the engine's time zone.
bool meansLocalTime(const QString& filter);
/// All keys of the language with what they are for, translated.
const std::vector<std::pair<QString, QString>>& filterKeyNotes();

} // namespace yard::ui
