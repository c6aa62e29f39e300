// One section of the settings: a title and rows. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <vector>

namespace yard::ui {

class SettingsSection : public QWidget {
    Q_OBJECT
public:
    SettingsSection(const QString& id, const QString& title, QWidget* parent = nullptr);
    QString id() const { return id_; }
    QString title() const { return title_; }
    const std::vector<FormRow*>& rows() const { return rows_; }
    FormRow* row(const QString& control) const; ///< by the object name of its control; null: none
    /// Rows that match are shown; empty: all. Returns how many.
    int filter(const QString& text);
    /// While it is looked at.
    virtual void setActive(bool) {}
    /// The last change is taken back; false: there is none.
    bool undo();

protected:
    FormRow* add(FormRow* row);
    void addGroup(const QString& title, const QString& note = {});
    void addWidget(QWidget* widget);
    void clear();
    /// `undo` takes back what `row` just changed.
    void changed(FormRow* row, std::function<void()> undo);

private:
    struct Part {
        QWidget* widget;
        FormRow* row; ///< null: a group's head, or a widget of its own
        bool head;
    };
    QString id_;
    QString title_;
    QVBoxLayout* column_;
    std::vector<Part> parts_;
    std::vector<FormRow*> rows_;
    FormRow* last_ = nullptr;
};

SettingsSection* makeGeneralSection(Context context);
SettingsSection* makeAppearanceSection(Context context);
SettingsSection* makeEngineSection(Context context);
/// Null where there is only one engine.
SettingsSection* makeEnginesSection(Context context);
SettingsSection* makeNotificationsSection(Context context);
SettingsSection* makeCourtesySection(Context context);
SettingsSection* makeKeysSection(Context context);

} // namespace yard::ui
