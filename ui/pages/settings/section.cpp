#include "ui/pages/settings/section.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

SettingsSection::SettingsSection(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent)
    , id_(id)
    , title_(title)
    , column_(new QVBoxLayout(this)) {
    setObjectName("section-" + id);
    setAccessibleName(title);
    column_->setContentsMargins(0, 0, 0, 20);
    column_->setSpacing(12);
    column_->addWidget(new Label(title, Type::Title, Token::Text1));
    column_->addSpacing(4);
}

FormRow* SettingsSection::row(const QString& control) const {
    const auto found =
        std::ranges::find_if(rows_, [&](const FormRow* row) { return row->control()->objectName() == control; });
    return found == rows_.end() ? nullptr : *found;
}

FormRow* SettingsSection::add(FormRow* row) {
    row->setMayStack(true);
    column_->addWidget(row);
    parts_.push_back({row, row, false});
    rows_.push_back(row);
    return row;
}

void SettingsSection::addGroup(const QString& title, const QString& note) {
    auto* head = new QWidget;
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(0, 10, 0, 0);
    line->setSpacing(8);
    line->addWidget(new Label(title, Type::Strong, Token::Text1));
    auto* behind = new Label(note, Type::Body, Token::Text3);
    behind->setElides(true);
    line->addWidget(behind, 1);
    column_->addWidget(head);
    parts_.push_back({head, nullptr, true});
}

void SettingsSection::addWidget(QWidget* widget) {
    column_->addWidget(widget);
    parts_.push_back({widget, nullptr, false});
}

void SettingsSection::clear() {
    for (const Part& part : std::exchange(parts_, {})) {
        column_->removeWidget(part.widget);
        part.widget->hide();
        part.widget->deleteLater(); // one of its controls may be the sender
    }
    rows_.clear();
    last_ = nullptr;
}

int SettingsSection::filter(const QString& text) {
    int shown = 0;
    const bool all = text.isEmpty() || title_.contains(text, Qt::CaseInsensitive);
    for (const Part& part : parts_) {
        const bool fits = part.row != nullptr ? all || part.row->matches(text) : all;
        part.widget->setVisible(fits);
        if (fits && part.row != nullptr) ++shown;
    }
    return shown;
}

void SettingsSection::changed(FormRow* row, std::function<void()> undo) {
    row->offerUndo(std::move(undo));
    last_ = row;
}

bool SettingsSection::undo() {
    FormRow* row = std::exchange(last_, nullptr);
    return row != nullptr && row->undo();
}

} // namespace yard::ui
