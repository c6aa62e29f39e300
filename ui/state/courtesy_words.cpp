#include "ui/state/courtesy_words.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QStringList>

namespace yard::ui {

namespace {

struct CourtesyWords {
    Q_DECLARE_TR_FUNCTIONS(CourtesyWords)
};

QString profileWords(const QString& profile) {
    if (profile == u"gentle") return CourtesyWords::tr("Gentle");
    if (profile == u"polite") return CourtesyWords::tr("Polite");
    if (profile == u"night") return CourtesyWords::tr("Night");
    return profile;
}

QString becauseWords(const QString& condition) {
    if (condition == u"active") return CourtesyWords::tr("you are active");
    if (condition == u"idle") return CourtesyWords::tr("you were active");
    if (condition == u"memory_pressure") return CourtesyWords::tr("memory is short");
    if (condition == u"cpu_pressure") return CourtesyWords::tr("processors are short");
    if (condition == u"on_battery" || condition == u"battery") return CourtesyWords::tr("on battery");
    if (condition == u"heat" || condition == u"heat_left") return CourtesyWords::tr("the machine is hot");
    if (condition == u"sleeping") return CourtesyWords::tr("the machine goes to sleep");
    if (condition == u"locked") return CourtesyWords::tr("the screen is locked");
    if (condition == u"lid_closed") return CourtesyWords::tr("the lid is closed");
    if (condition == u"power_saver") return CourtesyWords::tr("the machine saves power");
    if (condition == u"full_screen") return CourtesyWords::tr("a program has the whole screen");
    if (condition == u"others_load") return CourtesyWords::tr("others use the processors");
    if (condition == u"hour") return CourtesyWords::tr("time of day");
    return condition;
}

} // namespace

QString courtesyWords(const QJsonObject& courtesy) {
    QString because;
    QStringList measures;
    for (const QJsonValue value : courtesy.value("measures").toArray()) {
        const QJsonObject measure = value.toObject();
        const QString name = measure.value("name").toString();
        // The last of them is the most that is done: its reason counts, and idle priority shows only where it is alone.
        because = becauseWords(measure.value("because").toString());
        if (name == u"fewer_cores")
            measures << CourtesyWords::tr("%1 of %2 cores left free")
                            .arg(measure.value("cores").toInteger())
                            .arg(courtesy.value("cores").toInteger());
        else if (name == u"hold")
            measures << CourtesyWords::tr("nothing new starts");
        else if (name == u"freeze")
            measures << CourtesyWords::tr("actions stand still");
    }
    if (because.isEmpty()) return {};
    if (measures.isEmpty()) measures << CourtesyWords::tr("idle priority");
    return CourtesyWords::tr("%1: %2, %3")
        .arg(profileWords(courtesy.value("profile").toString()), because, measures.last());
}

} // namespace yard::ui
