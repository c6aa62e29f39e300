#include "ui/pages/actions/result_view.h"

#include "ui/pages/save_as.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/text_view.h"

#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>

namespace yard::ui {

ResultView::ResultView(Context context, QWidget* parent)
    : Panel(tr("Result"), false, parent)
    , context_(context)
    , text_(textView(tr("Result"))) {
    auto* copy = new Button(Button::Kind::Small, tr("Copy"), "copy");
    auto* save = new Button(Button::Kind::Small, tr("Save…"), "save");
    addToHead(copy);
    addToHead(save);
    setBody(text_);
    hide();
    connect(copy, &QAbstractButton::clicked, this, &ResultView::copy);
    connect(save, &QAbstractButton::clicked, this, &ResultView::save);
}

void ResultView::show(qint64 lsn, const QJsonValue& result) {
    lsn_ = lsn;
    if (result == result_) return;
    result_ = result;
    const QString all = jsonText(result_);
    const bool cut = all.size() > kMostShown;
    setNote(cut ? tr("the first %1 of %2").arg(Format().size(kMostShown), Format().size(all.size())) : QString());
    text_->setPlainText(cut ? all.first(kMostShown) : all);
    setVisible(!isEmpty());
}

/// The whole of it, and so does save().
void ResultView::copy() {
    QApplication::clipboard()->setText(jsonText(result_));
    context_.window.say(tr("Copied the result of action %1").arg(Format().number(lsn_)));
}

void ResultView::save() {
    saveAs(this, context_.window, tr("Save the result"), QStringLiteral("%1.json").arg(lsn_),
           jsonText(result_).toUtf8());
}

} // namespace yard::ui
