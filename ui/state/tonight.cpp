#include "ui/state/tonight.h"

#include "ui/state/preferences.h"

#include <QTime>

namespace yard::ui {

namespace {
constexpr const char* kTonight = "tonight";
constexpr const char* kTonightUsual = "18:00";
} // namespace

QString tonightSince() {
    const QTime at = QTime::fromString(preference(kTonight).toString(), "HH:mm");
    return at.isValid() ? at.toString("HH:mm") : QString(kTonightUsual);
}

void setTonightSince(const QString& time) {
    setPreference(kTonight, time);
}

QString finishedTonight() {
    return "finished:since-" + tonightSince();
}

QString tonightFilter() {
    return "state:failed " + finishedTonight();
}

} // namespace yard::ui
