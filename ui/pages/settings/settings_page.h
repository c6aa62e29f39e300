// Settings: sections at the left, the form at the right, search on top. Everything applies at once; each change can
// be taken back. Owner: ui thread.
#pragma once

#include "ui/pages/settings/section.h"
#include "ui/widgets/page_head.h"

QT_BEGIN_NAMESPACE
class QButtonGroup;
class QScrollArea;
QT_END_NAMESPACE

namespace yard::ui {

class SettingsPage final : public Page {
    Q_OBJECT
public:
    explicit SettingsPage(Context context);

    void setActive(bool active) override;
    /// The id of a section ("engines") goes there; anything else is searched for.
    void setFilter(const QString& filter) override;
    QString filter() const override;
    void focusFilter() override;
    bool undo() override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    SettingsSection* section(const QString& id) const;
    QString current() const { return current_; }

private:
    void go(const QString& id);
    void search();
    PageHead* head_;
    FilterField* search_;
    QScrollArea* scroll_ = nullptr;
    Label* nothing_;
    std::vector<SettingsSection*> sections_;
    std::vector<QAbstractButton*> entries_;
    QString current_;
    bool active_ = false;
};

} // namespace yard::ui
