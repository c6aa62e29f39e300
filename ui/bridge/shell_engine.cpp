#include "ui/bridge/shell_engine.h"

#include "core/base/files.h"
#include "ui/bridge/engine_link.h"
#include "ui/bridge/pinning.h"

#include <QFileInfo>
#include <QRegularExpression>

namespace yard::ui {

namespace {

constexpr const char* kUnknownToken = "\"$YARD_TOKEN_FILE\"";

QString absolute(const QString& path) {
    const QFileInfo file(path);
    const QString canonical = file.canonicalFilePath(); // empty: it is not there
    return canonical.isEmpty() ? file.absoluteFilePath() : canonical;
}

bool isUsual(const QString& dataDir) {
    return absolute(dataDir) == absolute(QString::fromStdString(defaultDataDirectory()));
}

QString tokenWord(const ShellEngine& engine) {
    if (!engine.tokenFile.isEmpty()) return shellWord(absolute(engine.tokenFile));
    if (!engine.dataDir.isEmpty()) return shellWord(absolute(engine.dataDir) + "/token");
    return kUnknownToken;
}

QString optionsFor(const ShellEngine& engine, const QUrl& address) {
    if (engine.dataDir.isEmpty() || !engine.tokenFile.isEmpty())
        return QStringLiteral(" --url %1%2 --token-file %3")
            .arg(shellWord(address.toString(QUrl::FullyEncoded)), isPrivate(address) ? "" : " --insecure",
                 tokenWord(engine));
    return isUsual(engine.dataDir) ? QString() : " --data-dir " + shellWord(absolute(engine.dataDir));
}

} // namespace

QString shellWord(const QString& word) {
    static const QRegularExpression harmless("^[A-Za-z0-9_@%+=:,./-]+$");
    if (harmless.match(word).hasMatch()) return word;
    return '\'' + QString(word).replace("'", "'\\''") + '\'';
}

QString yardctlFor(const QString& yardctl, const ShellEngine& engine, const QUrl& address) {
    static const QString program = QStringLiteral("yardctl");
    if (yardctl.isEmpty()) return {};
    // The program comes first, or behind what is piped into it; what is piped may have any words in it.
    const auto piped = yardctl.lastIndexOf("| " + program + ' ');
    const auto at = yardctl.startsWith(program + ' ') ? 0 : piped + 2;
    return QString(yardctl).insert(at + program.size(), optionsFor(engine, address));
}

QString curlOf(const Request& request, const ShellEngine& engine, const QUrl& address) {
    QString url = address.toString(QUrl::FullyEncoded);
    if (!url.endsWith('/')) url += '/';
    url += request.path;
    if (!request.query.isEmpty()) url += '?' + request.query.toString(QUrl::FullyEncoded);
    QString line = "curl -sS";
    // The key decides, as it does for the window.
    if (address.scheme() == "https" && !engine.fingerprint.isEmpty())
        line +=
            " -k --pinnedpubkey sha256//" + QString::fromLatin1(QByteArray::fromHex(engine.fingerprint).toBase64());
    if (request.method != "GET" && !(request.method == "POST" && !request.body.isEmpty()))
        line += " -X " + shellWord(QString::fromLatin1(request.method)); // that of an audit is a word of the engine
    line += " -H \"Authorization: Bearer $(cat " + tokenWord(engine) + ")\"";
    if (request.revision != 0) line += QStringLiteral(" -H 'If-Match: %1'").arg(request.revision);
    if (!request.body.isEmpty())
        line += " -H 'Content-Type: application/json' -d " + shellWord(QString::fromUtf8(request.body));
    return line + ' ' + shellWord(url);
}

} // namespace yard::ui
