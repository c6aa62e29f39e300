// Parts of forms: prose that wraps, and rows with a label, a control, a line of help and what is wrong. Owner: ui
// thread.
#pragma once

#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <functional>

namespace yard::ui {

/// Text over several lines, in a type and a token; follows theme and text size.
class WrappedLabel : public QWidget {
    Q_OBJECT
public:
    WrappedLabel(const QString& text, Type type, Token token, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return text_; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, heightForWidth(width())}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text_;
    Type type_;
    Token token_;
};

/// Label right-aligned at 200, the control at most 320 wide, help and problem below.
class FormRow : public QWidget {
    Q_OBJECT
public:
    /// `control` gets the title as its accessible name where it has none.
    FormRow(const QString& title, QWidget* control, const QString& help, QWidget* parent = nullptr);
    QWidget* control() const { return control_; }
    QString title() const { return title_; }
    void setHelp(const QString& help);
    /// Below the control; empty: nothing is wrong.
    void setProblem(const QString& problem);
    QString problem() const { return problem_->text(); }
    /// Behind the control, in text3: the unit, "guessed from the file's name".
    void setNote(const QString& note);
    QString note() const { return note_->text(); }
    void addBeside(QWidget* widget);
    /// Shows "Undo" behind the control until it was pressed; empty: hides it.
    void offerUndo(std::function<void()> undo);
    /// What Undo would do now; false: nothing.
    bool undo();
    bool matches(const QString& text) const;
    /// Where its place is too narrow the label stands above the control; else it keeps to its width.
    void setMayStack(bool mayStack);
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;

private:
    void review();
    void setStacked(bool stacked);
    QString title_;
    QBoxLayout* row_;
    QWidget* labelBox_;
    QHBoxLayout* labelRow_;
    bool mayStack_ = false;
    QWidget* control_;
    QHBoxLayout* line_;
    Label* note_;
    Button* undoButton_;
    WrappedLabel* help_;
    WrappedLabel* problem_;
    std::function<void()> undo_;
};

} // namespace yard::ui
