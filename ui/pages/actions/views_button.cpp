#include "ui/pages/actions/views_button.h"

#include "ui/state/tonight.h"
#include "ui/widgets/transient.h"

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
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "All"), ""},
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "Tonight"), nullptr},
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "Running"), "state:running,submitting"},
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "Failed"), "state:failed"},
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "Waiting long"), "state:pending waited>10min"},
    {QT_TRANSLATE_NOOP("yard::ui::ViewsButton", "Silent for 10 min"), "state:running silent>10min"},
};

/// With their titles, in order.
std::vector<std::pair<QString, QString>> ownViews() {
    QSettings settings;
    settings.beginGroup("views");
    std::vector<std::pair<QString, QString>> own;
    for (const QString& title : settings.childKeys()) own.emplace_back(title, settings.value(title).toString());
    return own;
}

std::vector<std::pair<QString, QString>> usualViews() {
    std::vector<std::pair<QString, QString>> usual;
    for (const View& view : kViews)
        usual.emplace_back(ViewsButton::tr(view.title),
                           view.filter == nullptr ? finishedTonight() : QString(view.filter));
    return usual;
}

} // namespace

ViewsButton::ViewsButton(QWidget* parent)
    : Button(Kind::Plain, tr("All"), {}, parent) {
    auto* menu = new QMenu(this);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(*menu); });
    setMenu(menu);
}

void ViewsButton::showFilter(const QString& filter) {
    filter_ = filter.trimmed();
    QString title = tr("View");
    for (const auto& views : {ownViews(), usualViews()})
        for (const auto& [name, text] : views)
            if (text == filter_) title = name;
    if (title == text()) return;
    setText(title);
    updateGeometry();
}

void ViewsButton::fill(QMenu& menu) {
    menu.clear();
    const auto add = [&](const std::vector<std::pair<QString, QString>>& views) {
        for (const auto& [title, filter] : views)
            menu.addAction(title, this, [this, wanted = filter] { emit chosen(wanted); });
    };
    add(usualViews());
    const auto own = ownViews();
    if (!own.empty()) menu.addSeparator();
    add(own);
    menu.addSeparator();
    menu.addAction(tr("Keep this filter as a view…"), this, [this] {
        bool good = false;
        const auto text = answered(this, [&] {
            return QInputDialog::getText(lastingWindow(this), tr("Keep as a view"), tr("Name"), QLineEdit::Normal,
                                         {}, &good);
        });
        const QString title = text.value_or(QString()).trimmed().replace('/', '-');
        if (!good || title.isEmpty()) return;
        QSettings().setValue("views/" + title, filter_);
        showFilter(filter_);
    });
    if (!own.empty())
        menu.addAction(tr("Forget the views of your own"), this, [this] {
            QSettings().remove("views");
            showFilter(filter_);
        });
}

} // namespace yard::ui
