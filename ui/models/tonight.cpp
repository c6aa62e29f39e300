#include "ui/models/tonight.h"

#include <QSettings>
#include <QTime>

namespace yard::ui {

namespace {
constexpr const char* kKey = "general/tonight";
constexpr const char* kUsual = "18:00";
} // namespace

QString tonightSince() {
    const QTime at = QTime::fromString(QSettings().value(kKey).toString(), "HH:mm");
    return at.isValid() ? at.toString("HH:mm") : QString(kUsual);
}

void setTonightSince(const QString& time) {
    QSettings().setValue(kKey, time);
}

QString finishedTonight() {
    return "finished:since-" + tonightSince();
}

QString tonightFilter() {
    return "state:failed " + finishedTonight();
}

} // namespace yard::ui
