#include "ui/state/tonight.h"

#include <QSettings>
#include <QTime>

namespace yard::ui {

namespace {
constexpr const char* kTonightKey = "general/tonight";
constexpr const char* kTonightUsual = "18:00";
} // namespace

QString tonightSince() {
    const QTime at = QTime::fromString(QSettings().value(kTonightKey).toString(), "HH:mm");
    return at.isValid() ? at.toString("HH:mm") : QString(kTonightUsual);
}

void setTonightSince(const QString& time) {
    QSettings().setValue(kTonightKey, time);
}

QString finishedTonight() {
    return "finished:since-" + tonightSince();
}

QString tonightFilter() {
    return "state:failed " + finishedTonight();
}

} // namespace yard::ui
