// The prompt: what was said above, the line that is typed below, with the lines before (Up, Down, also of other days) and
// completion (Tab). Read-only until changes are allowed. Owner: ui thread.
#pragma once

#include "ui/pages/console/console_line.h"

#include <QStringList>
#include <QWidget>
#include <deque>

QT_BEGIN_NAMESPACE
class QLineEdit;
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class ConsolePrompt final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kKeptLines = 500; ///< of the history

    /// `dataDir`: of the engine; empty: it is elsewhere, and the prompt says so.
    explicit ConsolePrompt(const QString& dataDir, QWidget* parent = nullptr);

    void open();
    void setMayChange(bool may);
    bool mayChange() const { return mayChange_; }
    bool isHere() const { return !dataDir_.isEmpty(); }
    QString shown() const;
    void clear();
    QLineEdit* field() const { return field_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void enter();
    void say(const QString& line);
    /// Does nothing while the line is closed: the engine hears what may be changed when it opens.
    void send(const QString& line, bool hides);
    void add(const QString& text);
    void recall(int step);
    void complete();
    void tellMode();

    const QString dataDir_;
    ConsoleLine line_;
    QPlainTextEdit* text_;
    QLineEdit* field_;
    QStringList history_;
    qsizetype at_ = 0;       ///< in the history; its size: what is typed
    QString typed_;          ///< while one of the history is shown
    QStringList names_;      ///< of commands
    QString help_;           ///< as it comes
    std::deque<bool> hides_; ///< for each line that has no answer yet: its answer is not shown
    QString waits_;          ///< said once it is open
    bool mayChange_ = false;
};

} // namespace yard::ui
