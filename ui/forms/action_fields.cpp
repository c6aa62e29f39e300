#include "ui/forms/action_fields.h"

#include "ui/bridge/shell_engine.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QRegularExpression>

#include <utility>

namespace yard::ui {

namespace {

struct ActionFields {
    Q_DECLARE_TR_FUNCTIONS(ActionFields)
};

constexpr auto kTimeShown = "yyyy-MM-dd HH:mm:ss";

QString compact(const QJsonValue& value) {
    if (value.isObject()) return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    const QByteArray wrapped = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(wrapped.mid(1, wrapped.size() - 2));
}

std::optional<QJsonValue> anyJson(const QString& text) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson('[' + text.toUtf8() + ']', &error);
    if (error.error != QJsonParseError::NoError || document.array().size() != 1) return std::nullopt;
    return document.array().first();
}

/// "photo.jpg=<hash>, …" for people to see and to edit.
QString inputsText(const QJsonObject& inputs) {
    QStringList all;
    for (auto it = inputs.begin(); it != inputs.end(); ++it) all << it.key() + '=' + it.value().toString();
    return all.join(", ");
}

QString parentText(const QJsonObject& parent) {
    const bool isArray = parent.contains("array");
    const QString number = QString::number(parent.value(isArray ? "array" : "lsn").toInteger());
    const QString on = parent.value("on").toString();
    return (isArray ? "array " + number : number) + (on.isEmpty() ? QString() : ' ' + on);
}

QString afterText(const QJsonArray& after) {
    QStringList all;
    for (const QJsonValue each : after)
        all << (each.isObject()   ? parentText(each.toObject())
                : each.isString() ? each.toString() // the id of another one of its list
                                  : QString::number(each.toInteger()));
    return all.join(", ");
}

/// "A=1 'B=two words' SECRET": a name alone has a value that is not kept.
QString envText(const QJsonObject& env) {
    QStringList all;
    for (auto it = env.begin(); it != env.end(); ++it)
        all << (it.value().isNull() ? it.key() : it.key() + '=' + it.value().toString());
    return lineOf(all);
}

std::optional<QJsonValue> envIn(const QString& text) {
    const auto words = wordsOf(text);
    if (!words) return std::nullopt;
    QJsonObject env;
    for (const QString& word : *words) {
        const auto at = word.indexOf('=');
        if (at == 0) return std::nullopt;
        env.insert(at < 0 ? word : word.left(at), at < 0 ? QJsonValue() : QJsonValue(word.mid(at + 1)));
    }
    return env;
}

/// What cores and memory_mb do not say.
QString resourcesText(QJsonObject resources) {
    resources.remove("cores");
    resources.remove("memory_mb");
    QStringList all;
    for (auto it = resources.begin(); it != resources.end(); ++it) all << it.key() + '=' + compact(it.value());
    return all.join(", ");
}

bool readResources(const QString& text, QJsonObject& action) {
    const QJsonObject before = action.value("resources").toObject();
    QJsonObject resources;
    for (const char* own : {"cores", "memory_mb"})
        if (before.contains(QLatin1String(own)))
            resources.insert(QLatin1String(own), before.value(QLatin1String(own)));
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        const auto at = part.indexOf('=');
        bool good = false;
        const double amount = part.mid(at + 1).trimmed().toDouble(&good);
        if (at <= 0 || !good) return false;
        resources.insert(part.left(at).trimmed(), amount);
    }
    if (resources.isEmpty())
        action.remove("resources");
    else
        action.insert("resources", resources);
    return true;
}

/// One of the two that have fields of their own.
bool readAmount(const QString& name, const QString& text, QJsonObject& action) {
    QJsonObject resources = action.value("resources").toObject();
    bool good = true;
    const double amount = text.isEmpty() ? 0 : QLocale().toDouble(text, &good);
    if (!good) return false;
    if (text.isEmpty())
        resources.remove(name);
    else
        resources.insert(name, amount);
    if (resources.isEmpty())
        action.remove("resources");
    else
        action.insert("resources", resources);
    return true;
}

/// "\\n" stands for a line break, as a field has one line.
QString stdinText(const QJsonObject& source) {
    if (source.contains("hash")) return source.value("hash").toString();
    return source.value("text").toString().replace('\\', "\\\\").replace('\n', "\\n");
}

std::optional<QJsonValue> stdinIn(const QString& text) {
    static const QRegularExpression hash("^[0-9a-f]{64}$");
    if (hash.match(text).hasMatch()) return QJsonObject{{"hash", text}};
    QString read;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 1 < text.size();
        if (escaped) ++i;
        read += escaped && text[i] == 'n' ? QChar('\n') : text[i];
    }
    return QJsonObject{{"text", read}};
}

std::optional<QJsonValue> timeIn(const QString& text, const QDateTime& now) {
    for (const char* format : {kTimeShown, "yyyy-MM-dd HH:mm", "yyyy-MM-dd"})
        if (const auto time = QDateTime::fromString(text, QLatin1String(format)); time.isValid())
            return time.toMSecsSinceEpoch() * 1'000;
    for (const char* format : {"HH:mm:ss", "HH:mm"}) {
        const QTime time = QTime::fromString(text, QLatin1String(format));
        if (!time.isValid()) continue;
        const QDateTime today(now.date(), time);
        return (today > now ? today : today.addDays(1)).toMSecsSinceEpoch() * 1'000;
    }
    return std::nullopt;
}

std::optional<QJsonValue> wholeIn(const QString& text) {
    bool good = false;
    const qint64 number = QLocale().toLongLong(text, &good);
    return good ? std::optional<QJsonValue>(number) : std::nullopt;
}

/// Two numbers with `between` in between, as "0-99" and "24x80".
std::optional<std::pair<qint64, qint64>> twoIn(const QString& text, const QString& between) {
    const QRegularExpression two(QStringLiteral("^\\s*(\\d{1,9})\\s*%1\\s*(\\d{1,9})\\s*$").arg(between));
    const auto match = two.match(text);
    if (!match.hasMatch()) return std::nullopt;
    return std::pair(match.captured(1).toLongLong(), match.captured(2).toLongLong());
}

std::optional<QJsonValue> afterIn(const QString& text) {
    static const QRegularExpression one("^(array\\s+)?(\\d{1,18})(?:\\s+(completed|any|failed))?$");
    QJsonArray after;
    for (const QString& part : text.split(',')) {
        const auto match = one.match(part.trimmed());
        if (!match.hasMatch()) return std::nullopt;
        const qint64 lsn = match.captured(2).toLongLong();
        const bool isArray = !match.captured(1).isEmpty();
        QJsonObject parent{{isArray ? "array" : "lsn", lsn}};
        if (!match.captured(3).isEmpty()) parent.insert("on", match.captured(3));
        if (isArray || parent.size() > 1)
            after.append(parent);
        else
            after.append(lsn);
    }
    return after;
}

std::optional<QJsonValue> inputsIn(const QString& text) {
    QJsonObject inputs;
    for (const QString& part : text.split(',')) {
        const auto at = part.indexOf('=');
        if (at <= 0) return std::nullopt;
        inputs.insert(part.left(at).trimmed(), part.mid(at + 1).trimmed());
    }
    return inputs;
}

QJsonArray listIn(const QString& text) {
    QJsonArray list;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty()) list.append(part.trimmed());
    return list;
}

QJsonValue oneOrMore(const QJsonArray& list) {
    return list.size() == 1 ? list.first() : QJsonValue(list);
}

std::optional<QJsonValue> replacesIn(const QString& text) {
    QJsonArray numbers;
    for (const QJsonValue part : listIn(text)) {
        const auto number = wholeIn(part.toString());
        if (!number) return std::nullopt;
        numbers.append(*number);
    }
    return oneOrMore(numbers);
}

/// The value that the text of a member means; nothing where it cannot be read. Not of resources.
std::optional<QJsonValue> valueIn(const QString& member, const QString& text, const QDateTime& now) {
    if (member == "args") return anyJson(text);
    if (member == "env") return envIn(text);
    if (member == "stdin") return stdinIn(text);
    if (member == "after") return afterIn(text);
    if (member == "inputs") return inputsIn(text);
    if (member == "replaces") return replacesIn(text);
    if (member == "not_before") return timeIn(text, now);
    if (member == "machine") return oneOrMore(listIn(text));
    if (member == "locks" || member == "expect") return listIn(text);
    if (member == "priority" || member == "max_retries" || member == "max_interruptions") return wholeIn(text);
    if (member == "argv") {
        const auto words = wordsOf(text);
        return words ? std::optional<QJsonValue>(QJsonArray::fromStringList(*words)) : std::nullopt;
    }
    if (member == "jobserver") {
        if (text == "true" || text == "false") return text == "true";
        return text == "fifo" ? std::optional<QJsonValue>(text) : std::nullopt;
    }
    if (member == "deadline_s") {
        bool good = false;
        const double seconds = QLocale().toDouble(text, &good);
        return good ? std::optional<QJsonValue>(seconds) : std::nullopt;
    }
    if (member == "array" || member == "tty") {
        const bool isArray = member == "array";
        const auto two = twoIn(text, isArray ? "-" : "x");
        if (!two) return std::nullopt;
        return QJsonObject{{isArray ? "from" : "rows", two->first}, {isArray ? "to" : "cols", two->second}};
    }
    return text;
}

} // namespace

std::optional<QStringList> wordsOf(const QString& line) {
    QStringList words;
    QString word;
    bool open = false;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (!quote.isNull()) {
            if (c == quote)
                quote = {};
            else if (c == '\\' && quote == '"' && i + 1 < line.size())
                word += line[++i];
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            open = true;
        } else if (c == '\\' && i + 1 < line.size()) {
            word += line[++i];
            open = true;
        } else if (c.isSpace()) {
            if (open) words << word;
            word.clear();
            open = false;
        } else {
            word += c;
            open = true;
        }
    }
    if (!quote.isNull()) return std::nullopt;
    if (open) words << word;
    return words;
}

QString lineOf(const QStringList& words) {
    QStringList all;
    for (const QString& word : words) all << shellWord(word);
    return all.join(' ');
}

QString fieldText(const QString& member, const QJsonObject& action) {
    const QJsonValue value = action.value(member);
    const QJsonObject object = value.toObject();
    const QJsonObject resources = action.value("resources").toObject();
    if (member == "cores" || member == "memory_mb")
        return resources.contains(member) ? QLocale().toString(resources.value(member).toDouble(), 'g', 12)
                                          : QString();
    if (value.isUndefined()) return {};
    if (member == "resources") return resourcesText(resources);
    if (member == "argv") return lineOf(value.toVariant().toStringList());
    if (member == "args") return compact(value);
    if (member == "inputs") return inputsText(object);
    if (member == "env") return envText(object);
    if (member == "stdin") return stdinText(object);
    if (member == "after") return afterText(value.toArray());
    if (member == "array")
        return QStringLiteral("%1-%2").arg(object.value("from").toInteger()).arg(object.value("to").toInteger());
    if (member == "tty")
        return QStringLiteral("%1x%2").arg(object.value("rows").toInteger()).arg(object.value("cols").toInteger());
    if (member == "not_before")
        return QDateTime::fromMSecsSinceEpoch(value.toInteger() / 1'000).toString(QLatin1String(kTimeShown));
    if (value.isDouble()) return QLocale().toString(value.toDouble(), 'g', 12).remove(QLocale().groupSeparator());
    if (value.isArray()) {
        QStringList all;
        for (const QJsonValue each : value.toArray()) all << (each.isString() ? each.toString() : compact(each));
        return all.join(", ");
    }
    return value.isString() ? value.toString() : compact(value);
}

bool readField(const QString& member, const QString& text, QJsonObject& action, const QDateTime& now) {
    if (member == "cores" || member == "memory_mb") return readAmount(member, text, action);
    if (member == "resources") return readResources(text, action);
    if (text.isEmpty()) {
        action.remove(member);
        return true;
    }
    const auto value = valueIn(member, text, now);
    if (value) action.insert(member, *value);
    return value.has_value();
}

QString fieldWants(const QString& member) {
    if (member == "argv" || member == "env") return ActionFields::tr("A quote stays open, or a name is missing");
    if (member == "args") return ActionFields::tr("This is no JSON; text stands in quotes");
    if (member == "array") return ActionFields::tr("This wants from-to: 0-99");
    if (member == "tty") return ActionFields::tr("This wants rows and columns: 24x80");
    if (member == "after") return ActionFields::tr("This wants numbers of actions: 12, 13 any");
    if (member == "replaces") return ActionFields::tr("This wants numbers of actions: 12, 13");
    if (member == "inputs") return ActionFields::tr("This wants name=hash");
    if (member == "resources") return ActionFields::tr("This wants name=amount: gpus=1");
    if (member == "not_before") return ActionFields::tr("This wants a time: 22:30, or 2026-11-24 22:30");
    if (member == "jobserver") return ActionFields::tr("This wants true, fifo or false");
    if (member == "priority" || member == "max_retries" || member == "max_interruptions")
        return ActionFields::tr("This wants a whole number");
    return ActionFields::tr("This wants a number");
}

bool canHave(const QString& member, bool exec) {
    static const QStringList ofExec{"argv", "cwd", "sandbox", "engine_env", "stdin", "tty"};
    static const QStringList ofWorkers{"function", "args"};
    return !(exec ? ofWorkers : ofExec).contains(member);
}

} // namespace yard::ui
