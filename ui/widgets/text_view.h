// Text in mono to be read, selected and copied: JSON, mostly. Owner: ui thread.
#pragma once

#include <QString>

QT_BEGIN_NAMESPACE
class QJsonValue;
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

/// Read-only, wraps; `name` is its accessible one. Owned by the caller.
QPlainTextEdit* textView(const QString& name);

/// What a tooltip is to say of a text from elsewhere: Qt takes one that looks so as HTML, which may read files.
QString plainTip(const QString& text);

/// Indented, its members in order; of a value that is neither a list nor an object the value alone.
QString jsonText(const QJsonValue& value);

} // namespace yard::ui
