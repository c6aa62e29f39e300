// Printed forms of answers, so that a failing row can be read.
#pragma once

#include "core/base/error.h"

#include <QString>
#include <string>
#include <string_view>

namespace yard {

inline QString qt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// `invalid priority: Give "priority" as …`, with the element of a list in front as `[2]`.
inline QString printed(const Error& error) {
    QString text = error.index >= 0 ? QString("[%1] ").arg(error.index) : QString();
    text += qt(errorName(error.kind));
    if (!error.field.empty()) text += ' ' + qt(error.field);
    return text + ": " + qt(error.message);
}

} // namespace yard
