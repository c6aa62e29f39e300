#include "ui/state/filter_words.h"

#include "core/base/clock.h"
#include "core/model/filter.h"
#include "core/model/lsn_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace yard::ui {

namespace {

struct FilterWords {
    Q_DECLARE_TR_FUNCTIONS(FilterWords)
};

constexpr const char* kNumbers = "lsn tries exit cpu mem runtime waited silent after";

/// As it stands in a filter: quoted where it has to be. Empty: the language cannot say it.
QString written(const QString& value) {
    if (value.contains('"')) return {};
    for (const QChar c : value)
        if (c.isSpace() || c == ',' || c == '*') return '"' + value + '"';
    return value;
}

/// What is written of a term before the cursor.
struct Written {
    int begin = 0; ///< of what a choice replaces
    QString key;   ///< empty: the key itself is being written
    QString text;  ///< so far
    bool isKey = false;
};

Written writtenBefore(const QString& filter, int cursor, const FilterSpan& term) {
    Written found;
    int begin = term.begin;
    if (begin < cursor && filter[begin] == '-') ++begin;
    const QString before = filter.mid(begin, cursor - begin);
    const auto colon = before.indexOf(':');
    if (colon < 0) {
        found = {begin, {}, before, true};
        return found;
    }
    found.key = before.left(colon);
    // Behind the last comma outside quotes.
    qsizetype from = colon + 1;
    bool quoted = false;
    for (qsizetype at = from; at < before.size(); ++at) {
        if (before[at] == '"') quoted = !quoted;
        if (before[at] == ',' && !quoted) from = at + 1;
    }
    found.begin = begin + static_cast<int>(from);
    found.text = before.mid(from).remove('"');
    return found;
}

/// Where what is written there ends: at the next comma or with the term.
int endOfValue(const QString& filter, int begin, int end) {
    bool quoted = false;
    for (int at = begin; at < end; ++at) {
        if (filter[at] == '"') quoted = !quoted;
        if (filter[at] == ',' && !quoted) return at;
    }
    return end;
}

/// Those that begin with it, then those that have it in them, each in their order.
template<class All, class TextOf>
std::vector<std::size_t> fitting(const All& all, const QString& text, TextOf textOf) {
    std::vector<std::size_t> first;
    std::vector<std::size_t> then;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QString& each = textOf(all[i]);
        if (each.startsWith(text, Qt::CaseInsensitive))
            first.push_back(i);
        else if (each.contains(text, Qt::CaseInsensitive))
            then.push_back(i);
    }
    first.insert(first.end(), then.begin(), then.end());
    if (first.size() > kMostChoices) first.resize(kMostChoices);
    return first;
}

std::vector<FilterChoice> keysFor(const QString& filter, const Written& word, int end) {
    std::vector<FilterChoice> choices;
    if (word.text.isEmpty()) return choices;
    const auto& keys = filterKeyNotes();
    for (const std::size_t i :
         fitting(keys, word.text, [](const auto& key) -> const QString& { return key.first; })) {
        const bool isNumber = QString(kNumbers).split(' ').contains(keys[i].first);
        const QString key = keys[i].first + (isNumber && keys[i].first != "lsn" ? '>' : ':');
        FilterChoice choice{key, keys[i].second, -1, filter, 0};
        choice.filter.replace(word.begin, end - word.begin, key);
        choice.cursor = word.begin + static_cast<int>(key.size());
        choices.push_back(std::move(choice));
    }
    return choices;
}

} // namespace

const std::vector<std::pair<QString, QString>>& filterKeyNotes() {
    static const std::vector<std::pair<QString, QString>> keys{
        {"state", FilterWords::tr("where it stands")},
        {"queue", FilterWords::tr("its queue, by name or number")},
        {"worker", FilterWords::tr("the program that carries it out")},
        {"function", FilterWords::tr("the worker's function")},
        {"name", FilterWords::tr("what it is called")},
        {"label", FilterWords::tr("its label")},
        {"reason", FilterWords::tr("why it ended as it did")},
        {"lsn", FilterWords::tr("its number")},
        {"tries", FilterWords::tr("attempts so far")},
        {"exit", FilterWords::tr("exit code")},
        {"cpu", FilterWords::tr("processor time, 50 or 10min")},
        {"mem", FilterWords::tr("peak memory, 4GB")},
        {"runtime", FilterWords::tr("how long it ran, 10min")},
        {"waited", FilterWords::tr("how long it waited, 1h")},
        {"silent", FilterWords::tr("without output and processor time, 5min")},
        {"new", FilterWords::tr("when it was submitted, today")},
        {"started", FilterWords::tr("when it began, today or since-22:00")},
        {"finished", FilterWords::tr("when it ended, today or since-22:00")},
        {"lock", FilterWords::tr("a lock it asks for")},
        {"after", FilterWords::tr("an action it was to wait for")},
        {"denied", FilterWords::tr("what the sandbox denied")},
        {"machine", FilterWords::tr("where it ran")},
        {"platform", FilterWords::tr("what kind of machine that was, linux-*")},
        {"failure", FilterWords::tr("failed alike, the id of a group of failures")},
        {"mark", FilterWords::tr("the colour people gave it, red or none")},
        {"comment", FilterWords::tr("what people wrote about it")},
        {"replaced", FilterWords::tr("another one was submitted in its place, yes or no")},
    };
    return keys;
}

QString filterTerm(const QString& key, const QString& value) {
    const QString text = written(value);
    return text.isEmpty() ? QString() : key + ':' + text;
}

std::vector<FilterSpan> termsOf(const QString& filter) {
    std::vector<FilterSpan> terms;
    bool quoted = false;
    int begin = -1;
    for (int at = 0; at < filter.size(); ++at) {
        const bool blank = filter[at].isSpace() && !quoted;
        if (filter[at] == '"') quoted = !quoted;
        if (!blank && begin < 0) begin = at;
        if (blank && begin >= 0) {
            terms.push_back({begin, at});
            begin = -1;
        }
    }
    if (begin >= 0) terms.push_back({begin, static_cast<int>(filter.size())});
    return terms;
}

QString withLsns(const QString& filter) {
    QStringList terms;
    QStringList lsns;
    for (const FilterSpan& span : termsOf(filter)) {
        const QString term = filter.mid(span.begin, span.end - span.begin);
        (isLsns(term.toStdString()) ? lsns : terms) << term;
    }
    if (lsns.isEmpty()) return filter;
    terms << "lsn:" + lsns.join(',');
    return terms.join(' ');
}

std::vector<FilterChoice> choicesFor(const QString& filter, int cursor, const FilterValues& values) {
    for (const FilterSpan& term : termsOf(filter)) {
        if (cursor <= term.begin || cursor > term.end) continue;
        const Written word = writtenBefore(filter, cursor, term);
        if (word.isKey) {
            // A whole term is not offered again.
            const QString rest = filter.mid(cursor, term.end - cursor);
            return rest.contains(':') ? std::vector<FilterChoice>() : keysFor(filter, word, term.end);
        }
        const auto known = values.find(word.key);
        if (known == values.end()) return {};
        std::vector<FilterChoice> choices;
        const int end = endOfValue(filter, word.begin, term.end);
        for (const std::size_t i : fitting(known->second, word.text,
                                           [](const FilterValue& value) -> const QString& { return value.text; })) {
            const FilterValue& value = known->second[i];
            const QString text = written(value.text);
            if (text.isEmpty() || (value.text == word.text && end == cursor)) continue;
            FilterChoice choice{value.text, {}, value.count, filter, 0, word.key};
            choice.filter.replace(word.begin, end - word.begin, text);
            choice.cursor = word.begin + static_cast<int>(text.size());
            choices.push_back(std::move(choice));
        }
        return choices;
    }
    return {};
}

std::vector<FilterSpan> wrongTerms(const QString& filter) {
    std::vector<FilterSpan> wrong;
    for (const FilterSpan& term : termsOf(filter))
        if (!parseFilter(filter.mid(term.begin, term.end - term.begin).toStdString(), wallNow()))
            wrong.push_back(term);
    return wrong;
}

bool meansLocalTime(const QString& filter) {
    static const QRegularExpression term("^-?(new|started|finished)[:<>=]+(.+)$");
    static const QRegularExpression anywhere("^(-.*|now|[0-9]{6,}|)$"); // as long ago everywhere
    for (const FilterSpan& span : termsOf(filter)) {
        const auto match = term.match(filter.mid(span.begin, span.end - span.begin));
        if (!match.hasMatch()) continue;
        for (const QString& each : match.captured(2).remove('"').split(','))
            for (const QString& time : each.split(QStringLiteral("..")))
                if (!anywhere.match(time).hasMatch()) return true;
    }
    return false;
}

} // namespace yard::ui
