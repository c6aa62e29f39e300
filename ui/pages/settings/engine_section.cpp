// The engine's own settings, from what it tells of each: value, unit, range, default, help, and when it applies.
#include "ui/pages/settings/section.h"
#include "ui/pages/settings/setting_texts.h"
#include "ui/style/format.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>

#include <algorithm>
#include <array>

namespace yard::ui {

namespace {

struct Group {
    const char* word; ///< as the engine names it
    const char* title;
};

/// In the order in which they are shown; what a newer engine adds is under the last one.
constexpr std::array<Group, 7> kGroups{{
    {"capacity", QT_TRANSLATE_NOOP("EngineSection", "Capacity")},
    {"guard", QT_TRANSLATE_NOOP("EngineSection", "Guard")},
    {"deadlines", QT_TRANSLATE_NOOP("EngineSection", "Deadlines")},
    {"retention", QT_TRANSLATE_NOOP("EngineSection", "Retention")},
    {"sandbox", QT_TRANSLATE_NOOP("EngineSection", "Sandbox")},
    {"pool", QT_TRANSLATE_NOOP("EngineSection", "Pool")},
    {"other", QT_TRANSLATE_NOOP("EngineSection", "Other")},
}};

std::size_t groupOf(const QJsonObject& about) {
    const QString word = about.value("group").toString();
    const auto found =
        std::ranges::find_if(kGroups, [&](const Group& group) { return word == QLatin1String(group.word); });
    return found == kGroups.end() ? kGroups.size() - 1 : static_cast<std::size_t>(found - kGroups.begin());
}

QString settingTextOf(const QJsonValue& value) {
    if (value.isString()) return value.toString();
    if (value.isArray()) { // of a resource its names
        QStringList words;
        for (const QJsonValue word : value.toArray()) words << word.toString();
        return words.join(',');
    }
    return QLocale().toString(value.toDouble(), 'f', QLocale::FloatingPointShortest); // never 1E+15
}

/// Of one of a family, and of an engine that does not tell titles: the name.
QString titleOf(const QString& name, const QJsonObject& about) {
    const QString title = about.value("title").toString();
    return title.isEmpty() || name.startsWith("resources.") ? name : settingText(title);
}

class EngineSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(EngineSection)
public:
    explicit EngineSection(Context context)
        : SettingsSection("engine", tr("Engine"))
        , context_(context) {
        connect(&context_.state, &EngineState::refreshed, this, [this] {
            if (active_) ask();
        });
        connect(&context_.state, &EngineState::connectionChanged, this, &EngineSection::block);
        say(tr("The engine has not told its settings yet."));
    }

    void setActive(bool active) override {
        if (active_ == active) return;
        active_ = active;
        if (active) ask();
    }

private:
    void say(const QString& sentence) {
        clear();
        addWidget(new WrappedLabel(sentence, Type::Body, Token::Text2));
    }

    void ask() {
        context_.link.send({"GET", "settings", {}, {}}, this, [this](const Answer& answer) {
            if (answer.ok()) return take(answer.json);
            if (rows().empty()) say(answer.message);
        });
        // What retention would do tells what is there, too.
        context_.link.send({"POST", "gc", {}, R"({"dry_run":true})"}, this, [this](const Answer& answer) {
            if (!answer.ok()) return;
            kept_ = answer.json;
            noteKept();
        });
    }

    void take(const QJsonObject& json) {
        if (json == json_) return noteRestart();
        // A field that is being written in stays as it is; the next look takes the rest.
        for (const FormRow* each : rows())
            if (const auto* edit = qobject_cast<QLineEdit*>(each->control());
                edit != nullptr && edit->hasFocus() && edit->isModified())
                return;
        const bool sameNames = json.keys() == json_.keys() && !rows().empty();
        json_ = json;
        if (sameNames)
            showValues();
        else
            build();
        noteKept();
        noteRestart();
        block();
    }

    QJsonObject aboutOf(const QString& name) const {
        const QJsonObject about = json_.value("about").toObject();
        return about.value(name.startsWith("resources.") ? QStringLiteral("resources.NAME") : name).toObject();
    }

    void build() {
        clear();
        std::array<QStringList, kGroups.size()> names;
        for (const QString& name : json_.keys())
            if (name != "about" && name != "restart_needed") names[groupOf(aboutOf(name))] << name;
        for (std::size_t i = 0; i < kGroups.size(); ++i) {
            if (names[i].isEmpty()) continue;
            addGroup(QCoreApplication::translate("EngineSection", kGroups[i].title));
            for (const QString& name : names[i]) addSetting(name);
            if (i == 0 && json_.value("about").toObject().contains("resources.NAME")) addResource();
        }
        showValues();
        addFindings();
    }

    /// What engines that died left behind, and what a person should look at.
    void addFindings() {
        const QJsonObject janitor = context_.state.session().value("janitor").toObject();
        const qint64 reaped = janitor.value("reaped").toInteger();
        const qint64 locks = janitor.value("stale_locks").toInteger();
        const QJsonArray findings = janitor.value("findings").toArray();
        if (reaped == 0 && locks == 0 && findings.isEmpty()) return;
        addGroup(tr("Left behind by engines that died"));
        addWidget(new WrappedLabel(tr("Cleared up since the start: %1 of actions, %2 of locks.")
                                       .arg(Format().number(reaped), Format().number(locks)),
                                   Type::Body, Token::Text2));
        for (const QJsonValue finding : findings)
            addWidget(new WrappedLabel(finding.toString(), Type::Body, Token::Text1));
    }

    QString helpOf(const QJsonObject& about) const {
        QString help = settingText(about.value("help").toString());
        const QString unit = settingText(about.value("unit").toString());
        if (about.contains("least"))
            help +=
                ' ' +
                tr("From %1 to %2.").arg(settingTextOf(about.value("least")), settingTextOf(about.value("most")));
        if (about.contains("default"))
            help +=
                ' ' + tr("Default: %1.")
                          .arg(settingTextOf(about.value("default")) + (unit.isEmpty() ? QString() : ' ' + unit));
        if (about.value("applies") == "at_start") help += ' ' + tr("Takes effect at the next start of the engine.");
        return help;
    }

    void addSetting(const QString& name) {
        const QJsonObject about = aboutOf(name);
        const QString unit = about.value("unit").toString();
        QWidget* control = nullptr;
        if (about.contains("words")) {
            auto* box = new QComboBox;
            for (const QJsonValue word : about.value("words").toArray()) box->addItem(word.toString());
            connect(box, &QComboBox::activated, this, [this, name, box] { change(name, box->currentText()); });
            control = box;
        } else {
            auto* edit = new QLineEdit;
            edit->setFixedWidth(scaled(about.contains("least") ? 140 : 280));
            if (about.contains("least")) edit->setAlignment(Qt::AlignRight);
            connect(edit, &QLineEdit::editingFinished, this, [this, name, edit] { typed(name, edit); });
            control = edit;
        }
        control->setObjectName(name);
        FormRow* added = add(new FormRow(titleOf(name, about), control, helpOf(about)));
        added->setNote(settingText(unit));
    }

    void addResource() {
        auto* edit = new QLineEdit;
        edit->setObjectName("new-resource");
        edit->setPlaceholderText(tr("licence.maya = 4"));
        FormRow* added = add(new FormRow(tr("Resource of your own"), edit,
                                         settingText(aboutOf("resources.NAME").value("help").toString())));
        connect(edit, &QLineEdit::returnPressed, this, [this, edit, added] {
            const QStringList parts = edit->text().split('=');
            const bool isWhole = parts.size() == 2 && !parts[1].trimmed().isEmpty();
            if (!isWhole) return added->setProblem(tr("Write a name and an amount: licence.maya = 4"));
            added->setProblem({});
            bool isAmount = false;
            const double amount = QLocale().toDouble(parts[1].trimmed(), &isAmount);
            const QJsonValue value = isAmount ? QJsonValue(amount) : QJsonValue(parts[1].trimmed());
            send({{"resources." + parts[0].trimmed(), value}}, added, [this, edit](bool done) {
                if (!done) return;
                edit->clear();
                edit->setModified(false);
                ask();
            });
        });
    }

    void showValues() {
        for (FormRow* each : rows()) {
            const QJsonValue value = json_.value(each->control()->objectName());
            if (value.isUndefined()) continue;
            if (auto* box = qobject_cast<QComboBox*>(each->control())) {
                box->setCurrentText(value.toString());
            } else if (auto* edit = qobject_cast<QLineEdit*>(each->control())) {
                edit->setText(settingTextOf(value));
                edit->setModified(false);
            }
        }
    }

    void typed(const QString& name, QLineEdit* edit) {
        if (!edit->isModified()) return;
        FormRow* field = row(name);
        const QString text = edit->text().trimmed();
        const QJsonObject about = aboutOf(name);
        if (text.isEmpty()) { // back to the default
            edit->setModified(false);
            return change(name, QJsonValue::Null);
        }
        if (!about.contains("least")) { // a line of text
            edit->setModified(false);
            return change(name, text);
        }
        bool good = false;
        const double value = QLocale().toDouble(text, &good);
        if (!good && name.startsWith("resources.")) { // names: the engine knows which will do
            edit->setModified(false);
            return change(name, text);
        }
        if (!good) return field->setProblem(tr("This wants a number; empty is the default."));
        if (value < about.value("least").toDouble() || value > about.value("most").toDouble())
            return field->setProblem(
                tr("This wants %1 to %2.")
                    .arg(settingTextOf(about.value("least")), settingTextOf(about.value("most"))));
        edit->setModified(false);
        change(name, value);
    }

    void change(const QString& name, const QJsonValue& value) {
        const QJsonValue before = json_.value(name);
        FormRow* field = row(name);
        if (value == before) return field->setProblem({});
        send({{name, value}}, field, [this, name, before](bool done) {
            if (!done) return;
            FormRow* now = row(name);
            if (now == nullptr) return;
            changed(now, [this, name, before] { send({{name, before}}, row(name), [](bool) {}); });
        });
    }

    void send(const QJsonObject& settings, FormRow* field, std::function<void(bool)> then) {
        context_.commands.run(
            operations::changeSettings(settings), this,
            [this, control = field->control()->objectName(), then = std::move(then)](const Answer& answer) {
                if (FormRow* now = row(control)) now->setProblem(answer.ok() ? QString() : answer.message);
                if (answer.ok()) take(answer.json);
                then(answer.ok());
            });
    }

    void noteRestart() {
        const QJsonArray waiting = json_.value("restart_needed").toArray();
        for (FormRow* each : rows()) {
            const QString name = each->control()->objectName();
            const QJsonObject about = aboutOf(name);
            if (waiting.contains(name))
                each->setNote(tr("%1 waits for a restart of the engine")
                                  .arg(settingText(about.value("unit").toString()))
                                  .trimmed());
            else if (about.value("applies") == "at_start")
                each->setNote(settingText(about.value("unit").toString()));
        }
    }

    /// Used against the limit.
    void noteKept() {
        if (kept_.isEmpty()) return;
        const Format format;
        if (FormRow* actions = row("keep_actions"))
            actions->setNote(tr("actions, %1 are kept").arg(format.number(kept_.value("finished").toInteger())));
        const QJsonObject disk = kept_.value("disk").toObject();
        FormRow* share = row("keep_disk_percent");
        if (share == nullptr || disk.isEmpty()) return;
        const QString used = format.size(disk.value("used_bytes").toInteger());
        share->setNote(disk.contains("limit_bytes")
                           ? tr("%, %1 of %2 used").arg(used, format.size(disk.value("limit_bytes").toInteger()))
                           : tr("%, %1 used").arg(used));
    }

    void block() {
        const QString why = context_.state.whyBlocked();
        for (FormRow* each : rows()) {
            each->control()->setEnabled(why.isEmpty());
            each->control()->setToolTip(why);
        }
    }

    Context context_;
    QJsonObject json_;
    QJsonObject kept_;
    bool active_ = false;
};

} // namespace

SettingsSection* makeEngineSection(Context context) {
    return new EngineSection(context);
}

} // namespace yard::ui
