// The bars around the pages: top (engine, session, search, submit), status (connection and figures), and the one
// with Undo at the foot. They show and ask; the window acts. Owner: ui thread.
#pragma once

#include "ui/state/commands.h"
#include "ui/state/engine_state.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

namespace yard::ui {

/// A button that looks like a field: opens the palette.
class SearchButton final : public QAbstractButton {
    Q_OBJECT
public:
    explicit SearchButton(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    /// Its icon and the shorter of its two texts.
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

class TopBar final : public QWidget {
    Q_OBJECT
public:
    explicit TopBar(QWidget* parent = nullptr);
    /// `kind`: "embedded", or an address.
    void setEngine(const QString& name, const QString& kind);
    void show(const EngineState& state);
    void setNotices(int count);

    Button* engine() const { return engine_; }
    Button* drain() const { return drain_; }
    Button* bell() const { return bell_; }

signals:
    void pauseWanted(bool pause);
    void searchWanted();
    void submitWanted();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void fit();
    Label* name_; ///< of the program
    Button* engine_;
    QLabel* sessionIcon_;
    Label* session_;
    Button* pause_;
    Button* drain_;
    SearchButton* search_;
    Button* bell_;
    Button* submit_;
    bool held_ = false;
};

class StatusBar final : public QWidget {
    Q_OBJECT
public:
    explicit StatusBar(QWidget* parent = nullptr);
    void show(const EngineState& state);
    /// For some seconds, in place of the figures.
    void say(const QString& sentence, bool bad);
    QString connectionText() const { return connection_->text(); }
    QString sentence() const { return sentence_->text(); }

signals:
    void refusedClicked();
    void untrustedClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void tick();
    QLabel* plug_;
    Label* connection_;
    Label* address_;
    Label* lag_;
    Label* events_;
    Label* engineCost_;
    Label* journal_;
    Label* courtesy_;
    Label* sentence_;
    Label* cores_;
    Label* clock_;
    QTimer second_;
    QTimer quiet_;
    const EngineState* state_ = nullptr;
    QPixmap plugPixmap_;
};

/// "Cancelling 214 actions in 6 s  [Undo] [Now]", 32 high; hidden while nothing waits. Lies over the foot of `pages`,
/// which has a parent: rows that are looked at stay where they are. Lives no longer than `pages`.
class UndoBar final : public QWidget {
    Q_OBJECT
public:
    UndoBar(Commands& commands, QWidget& pages);

protected:
    void paintEvent(QPaintEvent* event) override;
    /// Of `pages`: its place.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void update();
    void place();
    Commands& commands_;
    QWidget& pages_;
    Label* text_;
    QTimer tick_;
};

} // namespace yard::ui
