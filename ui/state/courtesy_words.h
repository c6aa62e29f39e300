// What courtesy does now, in words of the window. Pure; ui thread.
#pragma once

#include <QJsonObject>
#include <QString>

namespace yard::ui {

/// Of `courtesy` of GET session: "Gentle: you are active, 1 of 8 cores left free". Empty: nothing is in force.
QString courtesyWords(const QJsonObject& courtesy);

} // namespace yard::ui
