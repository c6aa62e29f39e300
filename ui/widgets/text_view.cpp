#include "ui/widgets/text_view.h"

#include "ui/style/type.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPlainTextEdit>
#include <QTextDocument>

namespace yard::ui {

namespace {
constexpr int kMargin = 12; // as that of the heads above
}

QPlainTextEdit* textView(const QString& name) {
    auto* view = new QPlainTextEdit;
    view->setReadOnly(true);
    view->setFont(typeface(Type::Mono));
    view->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    view->setAccessibleName(name);
    view->setFrameShape(QFrame::NoFrame);
    view->document()->setDocumentMargin(kMargin);
    return view;
}

QString plainTip(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

QString jsonText(const QJsonValue& value) {
    if (value.isObject()) return QString::fromUtf8(QJsonDocument(value.toObject()).toJson());
    if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson());
    if (value.isUndefined()) return {};
    const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(list.sliced(1, list.size() - 2));
}

} // namespace yard::ui
