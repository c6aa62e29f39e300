// What the operator wants to be told of, and where.
#include "ui/pages/settings/section.h"
#include "ui/state/notices.h"

#include <QCheckBox>
#include <QCoreApplication>

namespace yard::ui {

namespace {

class NotificationsSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(NotificationsSection)
public:
    explicit NotificationsSection(Context context)
        : SettingsSection("notifications", tr("Notifications"))
        , context_(context) {
        addWidget(new WrappedLabel(
            tr("Told while the window is not in front, at most one of a kind a minute; the bell keeps "
               "the last %1. What you just did yourself is not told.")
                .arg(Notices::kMost),
            Type::Body, Token::Text2));
        for (std::size_t i = 0; i < kNoticeRules; ++i) {
            const auto rule = static_cast<NoticeRule>(i);
            addSwitch(noticeRuleId(rule), i == 0 ? tr("Tell me when") : QString(), noticeRuleTitle(rule),
                      isNoticeRuleOn(rule), [rule](bool on) { setNoticeRuleOn(rule, on); });
        }
        FormRow* tray = addSwitch("tray", tr("Tray"), tr("Show an icon in the desktop's tray"), isTrayWanted(),
                                  [this](bool on) {
                                      setTrayWanted(on);
                                      context_.window.reviewSettings();
                                  });
        tray->setHelp(tr("With counts, Hold all and Release all; notices are shown there, else the window asks for "
                         "attention in the task bar."));
    }

private:
    FormRow* addSwitch(const QString& name, const QString& title, const QString& text, bool on,
                       std::function<void(bool)> apply) {
        auto* box = new QCheckBox(text);
        box->setObjectName(name);
        box->setAccessibleName(text);
        box->setChecked(on);
        FormRow* row = add(new FormRow(title, box, {}));
        connect(box, &QCheckBox::clicked, this, [this, box, row, apply = std::move(apply)](bool wanted) {
            apply(wanted);
            changed(row, [box, wanted, apply] {
                box->setChecked(!wanted);
                apply(!wanted);
            });
        });
        return row;
    }

    Context context_;
};

} // namespace

SettingsSection* makeNotificationsSection(Context context) {
    return new NotificationsSection(context);
}

} // namespace yard::ui
