// What a warm worker answered: its result as JSON, to be copied and saved. Of a long one the beginning is shown.
// Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

#include <QJsonValue>

QT_BEGIN_NAMESPACE
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class ResultView final : public Panel {
    Q_OBJECT
public:
    static constexpr qsizetype kMostShown = 64 << 10; ///< characters

    explicit ResultView(Context context, QWidget* parent = nullptr);
    /// Of this action; undefined: it has none, and the panel is hidden.
    void show(qint64 lsn, const QJsonValue& result);
    bool isEmpty() const { return result_.isUndefined(); }
    QPlainTextEdit* text() const { return text_; }

private:
    void copy();
    void save();
    Context context_;
    QPlainTextEdit* text_;
    qint64 lsn_ = 0;
    QJsonValue result_ = QJsonValue::Undefined;
};

} // namespace yard::ui
