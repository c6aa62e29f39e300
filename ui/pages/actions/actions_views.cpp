// The views of Actions: filters with a name.
#include "ui/pages/actions/actions_page.h"
#include "ui/state/tonight.h"

#include <QInputDialog>
#include <QMenu>
#include <QSettings>

namespace yard::ui {

namespace {

struct View {
    const char* title;
    const char* filter; ///< null: what finished tonight
};

constexpr View kViews[] = {
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "All"), ""},
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "Tonight"), nullptr},
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "Running"), "state:running,submitting"},
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "Failed"), "state:failed"},
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "Waiting long"), "state:pending waited>10min"},
    {QT_TRANSLATE_NOOP("yard::ui::ActionsPage", "Silent for 10 min"), "state:running silent>10min"},
};

} // namespace

/// The views that are always there, then those of the operator.
void ActionsPage::makeViews() {
    auto* menu = new QMenu(this);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        const auto choose = [this](const QString& title, const QString& filter) {
            setFilter(filter);
            view_->setText(title);
            view_->updateGeometry();
        };
        for (const View& view : kViews) {
            const QString title = tr(view.title);
            const QString filter = view.filter == nullptr ? finishedTonight() : QString(view.filter);
            menu->addAction(title, this, [=] { choose(title, filter); });
        }
        QSettings settings;
        settings.beginGroup("views");
        const QStringList own = settings.childKeys();
        if (!own.isEmpty()) menu->addSeparator();
        for (const QString& title : own)
            menu->addAction(title, this, [=, filter = settings.value(title).toString()] { choose(title, filter); });
        menu->addSeparator();
        menu->addAction(tr("Keep this filter as a view…"), this, [this] {
            bool good = false;
            QString title =
                QInputDialog::getText(this, tr("Keep as a view"), tr("Name"), QLineEdit::Normal, {}, &good);
            title = title.trimmed().replace('/', '-');
            if (good && !title.isEmpty()) QSettings().setValue("views/" + title, filter_->text());
        });
        if (!own.isEmpty())
            menu->addAction(tr("Forget the views of your own"), this, [] { QSettings().remove("views"); });
    });
    view_->setMenu(menu);
}

} // namespace yard::ui
