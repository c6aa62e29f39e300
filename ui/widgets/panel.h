// A panel: a frame of one line with a head of 32 and what is below it. And small parts of heads. Owner: ui thread.
#pragma once

#include "ui/style/tokens.h"
#include "ui/style/type.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <optional>

namespace yard::ui {

/// A label in a type and a token; follows theme and text size. Elides when `elides`.
class Label : public QWidget {
    Q_OBJECT
public:
    Label(const QString& text, Type type, Token token, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return text_; }
    void setToken(Token token);
    /// In the ink of a face in place of the token; absent: the token again.
    void setInk(std::optional<DisplayState> face);
    void setType(Type type);
    /// Takes what room there is and ends in an ellipsis; the tool tip then has the whole.
    void setElides(bool elides);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString text_;
    Type type_;
    Token token_;
    std::optional<DisplayState> ink_;
    bool elides_ = false;
};

/// All of `content` is there at any height: what does not fit is scrolled to.
QScrollArea* scrolling(QWidget* content);

/// A line of one pixel, upright or level.
class Separator : public QWidget {
    Q_OBJECT
public:
    explicit Separator(Qt::Orientation orientation, QWidget* parent = nullptr);
    /// Upright in heads: 16 high with 4 on either side.
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Qt::Orientation orientation_;
};

/// Paints its background in a token: bars and pages.
class Surface : public QWidget {
    Q_OBJECT
public:
    explicit Surface(Token token, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Token token_;
};

class Panel : public QWidget {
    Q_OBJECT
public:
    /// `framed`: with a line around it; else only the head has a line below.
    explicit Panel(const QString& title, bool framed = true, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    /// Not `elides`: what stands beside it in the head gives way to it.
    void setTitleElides(bool elides) { title_->setElides(elides); }
    /// Behind the title, in text3.
    void setNote(const QString& note);
    /// At the right of the head, left to right.
    void addToHead(QWidget* widget);
    /// An icon before the title.
    void setIcon(const QString& icon);
    void setFace(DisplayState face);
    void setBody(QWidget* body);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* column_;
    QHBoxLayout* head_;
    void paintIcon();
    QLabel* icon_;
    Label* title_;
    Label* note_;
    QIcon image_;
    bool framed_;
};

} // namespace yard::ui
