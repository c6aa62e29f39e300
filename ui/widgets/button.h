// The buttons of the window, painted by themselves: plain, primary, flat, small, link; with an icon before the text
// and a menu behind. Owner: ui thread.
#pragma once

#include <QAbstractButton>
#include <QColor>
#include <QString>
#include <cstdint>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class Button : public QAbstractButton {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t {
        Plain,
        Primary, ///< one a page at most
        Flat,
        Small, ///< 22 high
        Link   ///< text in accent
    };

    /// `icon`: a name of icons.h; empty: none.
    Button(Kind kind, const QString& text, const QString& icon, QWidget* parent = nullptr);

    void setKind(Kind kind);
    /// Shows a caret; the menu opens below on click. Owned by the caller.
    void setMenu(QMenu* menu);
    QMenu* menu() const { return menu_; }
    /// A caption in text3 behind the text: a key, a count.
    void setHint(const QString& hint);
    /// Accent border and text while true: a mode that is on, updates that wait.
    void setLit(bool lit);
    void setIconName(const QString& icon);
    /// Why it cannot be pressed, as its tool tip; empty: it can.
    void setBlocked(const QString& why);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Look {
        QColor border;
        QColor inside;
        QColor text; ///< and icon
    };
    Look look() const;
    const QFont& ownFont() const;
    int padding() const;
    int gap() const;
    int heightOf() const;
    void paintContents(QPainter& painter, const Look& look) const;
    QString icon_;
    QString hint_;
    QString tip_;
    QMenu* menu_ = nullptr;
    Kind kind_;
    bool lit_ = false;
    bool blocked_ = false;
};

} // namespace yard::ui
