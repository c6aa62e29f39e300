// The console page: a prompt into the engine at the left with the profiler below; at the right what is inside, live. Of an
// engine elsewhere the panels work, and the prompt says where it is. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/updates_badge.h"

namespace yard::ui {

class ConsolePrompt;
class InsidePanels;
class ProfilePanel;

class ConsolePage final : public Page {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit ConsolePage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    ConsolePrompt* prompt() const { return prompt_; }
    InsidePanels* panels() const { return panels_; }
    ProfilePanel* profile() const { return profile_; }

private:
    void makeHead(QVBoxLayout* column);
    void setMayChange(bool may);
    void onConnection();

    PageHead* head_;
    UpdatesBadge* badge_;
    Button* changes_;
    ConsolePrompt* prompt_;
    InsidePanels* panels_;
    ProfilePanel* profile_;
    QAction* allow_ = nullptr;
    QAction* clear_ = nullptr;
    QAction* measure_ = nullptr;
};

} // namespace yard::ui
