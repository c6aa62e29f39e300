#include "ui/state/estimate_words.h"

#include <QCoreApplication>

namespace yard::ui {

namespace {

struct EstimateWords {
    Q_DECLARE_TR_FUNCTIONS(EstimateWords)
};

} // namespace

QString shortWordOfGap(const QString& gap) {
    if (gap == "no_history") return EstimateWords::tr("no history");
    if (gap == "held") return EstimateWords::tr("some held");
    if (gap == "session") return EstimateWords::tr("paused");
    if (gap == "dependency") return EstimateWords::tr("after others");
    if (gap == "lock") return EstimateWords::tr("lock taken");
    if (gap == "overdue") return EstimateWords::tr("overdue");
    if (gap == "waits_for_unknown") return EstimateWords::tr("open end");
    return {};
}

QString wordsOfGap(const QString& gap) {
    if (gap == "no_history") return EstimateWords::tr("nothing like it has completed here");
    if (gap == "held") return EstimateWords::tr("it is held");
    if (gap == "session") return EstimateWords::tr("the session starts nothing");
    if (gap == "dependency") return EstimateWords::tr("it waits for other actions");
    if (gap == "lock") return EstimateWords::tr("another engine has its lock");
    if (gap == "overdue") return EstimateWords::tr("it takes longer than usual");
    if (gap == "waits_for_unknown") return EstimateWords::tr("what has to end first has no known end");
    return {};
}

QString wordsOfQueueGap(const QString& gap) {
    if (gap == "no_history") return EstimateWords::tr("nothing like one of its actions has completed here");
    if (gap == "held") return EstimateWords::tr("one of its actions is held");
    if (gap == "dependency") return EstimateWords::tr("one of its actions waits for others");
    if (gap == "lock") return EstimateWords::tr("another engine has a lock of one of its actions");
    if (gap == "overdue") return EstimateWords::tr("what is left takes longer than usual");
    return wordsOfGap(gap);
}

} // namespace yard::ui
