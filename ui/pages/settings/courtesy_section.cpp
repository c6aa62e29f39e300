// How work makes room for the person at this machine: the profile, what is in force, and what is known of the machine now.
#include "ui/pages/settings/section.h"
#include "ui/state/courtesy_words.h"
#include "ui/state/poll.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCoreApplication>
#include <QJsonArray>

namespace yard::ui {

namespace {

/// Conditions are looked at for somebody who asks at least every 10 s.
constexpr int kLookMs = 2'000;

class CourtesySection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(CourtesySection)
public:
    explicit CourtesySection(Context context)
        : SettingsSection("courtesy", tr("Courtesy"))
        , context_(context)
        , profile_(new QComboBox)
        , now_(new WrappedLabel({}, Type::Body, Token::Text1))
        , conditions_(new WrappedLabel({}, Type::Body, Token::Text2))
        , poll_(
              context.link, kLookMs, [] { return Request{"GET", "courtesy", {}, {}, {}}; },
              [this](const Answer& answer) { take(answer.json); }) {
        profile_->setObjectName("courtesy-profile");
        profile_->setAccessibleName(tr("Profile"));
        row_ = add(new FormRow(tr("Profile"), profile_,
                               tr("What work does for a person at the machine of this engine. The setting "
                                  "courtesy_profiles of the engine has profiles of your own.")));
        now_->setObjectName("courtesy-now");
        conditions_->setObjectName("courtesy-conditions");
        addGroup(tr("In force"));
        addWidget(now_);
        addGroup(tr("Conditions"));
        addWidget(conditions_);
        connect(profile_, &QComboBox::activated, this, [this] { choose(profile_->currentText()); });
        connect(&poll_, &Poll::failed, this, [this](int, const QString& message) { now_->setText(message); });
        connect(&context_.state, &EngineState::connectionChanged, this,
                [this] { setEnabled(context_.state.isLive()); });
        now_->setText(tr("The engine has not told it yet."));
    }

    void setActive(bool active) override { poll_.setActive(active); }

private:
    void choose(const QString& name) {
        const QString before = setting_;
        if (name == before) return;
        send(name);
        changed(row_, [this, before] { send(before); });
    }

    void send(const QString& name) {
        const QByteArray body = jsonBody({{"profile", name}});
        context_.link.send({"PATCH", "courtesy", {}, body}, this, [this](const Answer& answer) {
            row_->setProblem(answer.ok() ? QString() : answer.message);
            if (!answer.ok()) return poll_.now();
            take(answer.json);
            // It tells no problem twice, and what was just taken grows old.
            if (!poll_.problem().isEmpty()) now_->setText(poll_.problem());
        });
    }

    void take(const QJsonObject& json) {
        setting_ = json.value("setting").toString();
        if (!profile_->view()->isVisible()) showProfiles(json);
        const QString words = courtesyWords(json);
        now_->setText(words.isEmpty() ? tr("Nothing: work runs as it likes.") : words);
        QStringList lines;
        for (const QJsonValue value : json.value("conditions").toArray()) {
            const QJsonObject condition = value.toObject();
            const QString unit = condition.value("unit").toString();
            const QString number = QLocale().toString(condition.value("value").toDouble(), 'g', 4);
            lines << tr("%1: %2 (%3)")
                         .arg(condition.value("name").toString(), unit.isEmpty() ? number : number + ' ' + unit,
                              condition.value("source").toString());
        }
        conditions_->setText(lines.isEmpty() ? tr("None is known.") : lines.join('\n'));
    }

    void showProfiles(const QJsonObject& json) {
        QStringList names{"auto"};
        for (const QJsonValue name : json.value("profiles").toArray()) names << name.toString();
        QStringList shown;
        for (int i = 0; i < profile_->count(); ++i) shown << profile_->itemText(i);
        if (shown != names) {
            profile_->clear();
            profile_->addItems(names);
        }
        profile_->setCurrentText(setting_);
    }

    Context context_;
    QComboBox* profile_;
    WrappedLabel* now_;
    WrappedLabel* conditions_;
    FormRow* row_ = nullptr;
    QString setting_;
    Poll poll_;
};

} // namespace

SettingsSection* makeCourtesySection(Context context) {
    return new CourtesySection(context);
}

} // namespace yard::ui
