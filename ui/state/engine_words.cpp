#include "ui/state/engine_words.h"

#include "ui/state/action_row.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <array>
#include <optional>
#include <vector>

namespace yard::ui {

namespace {

/// As core/engine/reading/reasons.cpp has them, and waiting_counts.cpp of many at once; %1 and %2 are what differs. Of two that fit the first is meant.
constexpr std::array kEngineSentences{
    QT_TRANSLATE_NOOP("EngineWords", "the engine is starting"),
    QT_TRANSLATE_NOOP("EngineWords", "it is held"),
    QT_TRANSLATE_NOOP("EngineWords", "its queue is held"),
    QT_TRANSLATE_NOOP("EngineWords", "its queue is held after 1 failure"),
    QT_TRANSLATE_NOOP("EngineWords", "its queue is held after %1 failures"),
    QT_TRANSLATE_NOOP("EngineWords", "other actions to end"),
    QT_TRANSLATE_NOOP("EngineWords", "1 action to end"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 or more actions to end"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 actions to end"),
    QT_TRANSLATE_NOOP("EngineWords", "action %1 to be completed"),
    QT_TRANSLATE_NOOP("EngineWords", "action %1 to end"),
    QT_TRANSLATE_NOOP("EngineWords", "action %1 to fail"),
    QT_TRANSLATE_NOOP("EngineWords", "backs off for %1 more"),
    QT_TRANSLATE_NOOP("EngineWords", "is not to start for %1 more"),
    QT_TRANSLATE_NOOP("EngineWords", "its queue runs %1 of at most %2 labelled \"%3\""),
    QT_TRANSLATE_NOOP("EngineWords", "its queue runs %1 of at most %2"),
    QT_TRANSLATE_NOOP("EngineWords", "lock %1 is held by action %2"),
    QT_TRANSLATE_NOOP("EngineWords", "lock %1 is held by another process"),
    QT_TRANSLATE_NOOP("EngineWords", "lock %1 is kept for an action that needs several"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 cores free"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 slots free"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 MiB of memory free"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 %3 have %4 free"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 %3 free"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 %3 fit"),
    QT_TRANSLATE_NOOP("EngineWords", "it needs %1"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 free in about %2 (%3)"),
    QT_TRANSLATE_NOOP("EngineWords", "it is next"),
    QT_TRANSLATE_NOOP("EngineWords", "kept for action %1"),
    QT_TRANSLATE_NOOP("EngineWords", "kept for something larger"),
    QT_TRANSLATE_NOOP("EngineWords", "first of its queue"),
    QT_TRANSLATE_NOOP("EngineWords", "about %1 of its queue before it"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of its queue before it"),
    QT_TRANSLATE_NOOP("EngineWords", "it is being started"),
    QT_TRANSLATE_NOOP("EngineWords", "not before a time of their own"),
    QT_TRANSLATE_NOOP("EngineWords", "on their way"),
    QT_TRANSLATE_NOOP("EngineWords", "being started"),
    QT_TRANSLATE_NOOP("EngineWords", "the pool is full"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker has no process"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker has 1 process"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker has %1 processes"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's 1 process is busy"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's %1 processes are busy"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker has no process; it may have %1 at most"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's 1 process is busy; it may have %1 at most"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's %1 processes are busy; it may have %2 at most"),
    QT_TRANSLATE_NOOP("EngineWords", "as every worker that does not say itself"),
    QT_TRANSLATE_NOOP("EngineWords", "and others of its group have not ended yet"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker has no process; the pool is full: %1 of %2 processes"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's 1 process is busy; the pool is full: %1 of %2 processes"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's %1 processes are busy; the pool is full: %2 of %3 processes"),
    QT_TRANSLATE_NOOP("EngineWords", "and waits for cores"),
    QT_TRANSLATE_NOOP("EngineWords", "and gives its cores to other work"),
    QT_TRANSLATE_NOOP("EngineWords", "its worker's first process is started next"),
    QT_TRANSLATE_NOOP("EngineWords", "%1 of %2 processes of its worker idle"),
    QT_TRANSLATE_NOOP("EngineWords", "told to end"),
    QT_TRANSLATE_NOOP("EngineWords", "SIGKILL follows"),
    QT_TRANSLATE_NOOP("EngineWords", "SIGKILL was sent"),
    QT_TRANSLATE_NOOP("EngineWords", "every slot for actions that do not take exactly one core is in use"),
    QT_TRANSLATE_NOOP("EngineWords", "a warm process of their worker"),
    QT_TRANSLATE_NOOP("EngineWords", "all warm processes of their worker are busy (%1)"),
    // How something ended without a word of its own: core/engine/running/outcome.cpp and core/runners/warm_process.cpp.
    QT_TRANSLATE_NOOP("EngineWords", "killed by %1; it printed nothing"),
    QT_TRANSLATE_NOOP("EngineWords", "killed by %1; its last line: %2"),
    QT_TRANSLATE_NOOP("EngineWords", "it was ended by signal %1; it printed nothing"),
    QT_TRANSLATE_NOOP("EngineWords", "it was ended by signal %1; its last output: %2"),
    QT_TRANSLATE_NOOP("EngineWords", "it ended with exit code %1; it printed nothing"),
    QT_TRANSLATE_NOOP("EngineWords", "it ended with exit code %1; its last output: %2"),
    QT_TRANSLATE_NOOP("EngineWords", "its warm process died: it was ended by signal %1; it printed nothing"),
    QT_TRANSLATE_NOOP("EngineWords", "its warm process died: it was ended by signal %1; its last output: %2"),
    QT_TRANSLATE_NOOP("EngineWords", "its warm process died: it ended with exit code %1; it printed nothing"),
    QT_TRANSLATE_NOOP("EngineWords", "its warm process died: it ended with exit code %1; its last output: %2"),
};

struct SentencePattern {
    const char* text;
    QRegularExpression match;
};

std::vector<SentencePattern> makeSentencePatterns() {
    static const QRegularExpression place("%\\d");
    const QString behind = QRegularExpression::escape(QStringLiteral(": "));
    std::vector<SentencePattern> patterns;
    for (const char* text : kEngineSentences) {
        const QStringList parts = QString::fromLatin1(text).split(place);
        QString match;
        for (const QString& part : parts) {
            // What stands in quotes or is printed may have commas, which else part a sentence.
            const bool isFree = match.endsWith(u'"') || match.endsWith(behind);
            if (!match.isEmpty() || &part != &parts.front())
                match += isFree ? QStringLiteral("(.+)") : QStringLiteral("([^,]+)");
            match += QRegularExpression::escape(part);
        }
        patterns.push_back({text, QRegularExpression('^' + match + '$')});
    }
    return patterns;
}

std::optional<QString> knownSentence(const QString& sentence) {
    static const std::vector<SentencePattern> patterns = makeSentencePatterns();
    for (const SentencePattern& pattern : patterns) {
        const QRegularExpressionMatch match = pattern.match.match(sentence);
        if (!match.hasMatch()) continue;
        QString words = QCoreApplication::translate("EngineWords", pattern.text);
        switch (match.lastCapturedIndex()) {
        case 0: return words;
        case 1: return words.arg(match.captured(1));
        case 2: return words.arg(match.captured(1), match.captured(2));
        default: return words.arg(match.captured(1), match.captured(2), match.captured(3));
        }
    }
    return std::nullopt;
}

} // namespace

QString engineWords(const QString& sentence) {
    // A label may have a comma in it: the whole goes first.
    if (const auto whole = knownSentence(sentence)) return *whole;
    QStringList translated;
    for (const QString& part : sentence.split(QStringLiteral(", "))) {
        const auto words = knownSentence(part);
        if (!words) return sentence; // half a sentence in another language is worse than none
        translated << *words;
    }
    return translated.join(QStringLiteral(", "));
}

QString noteWords(const ActionRow& row) {
    const bool isPrinted = !row.isPending() && (row.reason == u"exit_code" || !row.isFinal());
    return isPrinted ? row.note : engineWords(row.note);
}

} // namespace yard::ui
