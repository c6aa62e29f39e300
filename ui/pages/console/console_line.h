// The socket of an engine's console, as a program speaks it (docs/console.md): a line there, an answer here. For an engine
// on this machine, whose data directory is known. Owner: ui thread; never blocks.
//
// The text of an answer goes on as it comes, kMostShown characters of one at most; then a line says that the rest is left
// out.
#pragma once

#include "core/base/unique_fd.h"

#include <QByteArray>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QStringDecoder>

namespace yard::ui {

class ConsoleLine final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMostShown = 256 * 1024;

    explicit ConsoleLine(const QString& dataDir, QObject* parent = nullptr);
    ~ConsoleLine() override;

    /// Does nothing where it is open or on its way.
    void open();
    bool isOpen() const { return isOpen_; }
    /// Does nothing while it is closed.
    void say(const QString& line);

signals:
    void opened();
    /// A part of an answer.
    void heard(const QString& text);
    /// An answer has ended.
    void answered();
    /// It is closed; why, for people.
    void closed(const QString& why);

private:
    void onBytes();
    void tell(const QByteArray& bytes);
    void onEnd();

    QString dataDir_;
    UniqueFd directory_; ///< while it is opened
    QLocalSocket socket_;
    QString problem_; ///< the last of the socket, which forgets it as it closes
    QByteArray kept_;
    QStringDecoder decoder_{QStringDecoder::Utf8};
    qsizetype shown_ = 0; ///< of this answer
    bool isOpen_ = false;
};

} // namespace yard::ui
