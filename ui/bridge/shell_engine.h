// How commands for a shell name the engine that the window shows: a line that is copied here must not reach another
// engine there. Values; ui thread.
#pragma once

#include <QByteArray>
#include <QString>
#include <QUrl>

namespace yard::ui {

struct Request;

/// What is known of an engine on this machine.
struct ShellEngine {
    QString dataDir;          ///< its data directory; empty: it is elsewhere
    QString tokenFile;        ///< a file with its token alone, where that is not in the data directory
    QByteArray fingerprint{}; ///< that it shows by TLS; empty: plain HTTP, or authorities vouch for it
};

/// A word of a shell: quoted where it has to be.
QString shellWord(const QString& word);
/// `yardctl`: a whole line of it without an engine. The same with the options that name this one; as it is where
/// yardctl finds this engine by itself. Of a token that is in no file `$YARD_TOKEN_FILE` names one.
QString yardctlFor(const QString& yardctl, const ShellEngine& engine, const QUrl& address);
/// The request as a command for a shell. The token comes from a file, never from the line.
QString curlOf(const Request& request, const ShellEngine& engine, const QUrl& address);

} // namespace yard::ui
