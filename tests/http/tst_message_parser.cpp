// The parser alone: bytes in, a request or a refusal out, however the bytes are cut.
#include "core/http/message_parser.h"

#include <QTest>
#include <string>

using namespace yard;
using namespace yard::http;

namespace {

/// What becomes of one message: "GET /x body=…", or the kind of its error; `step` bytes arrive at a time.
std::string outcome(const std::string& bytes, std::size_t step) {
    MessageParser parser;
    RequestHead head;
    std::string pending;
    std::string body;
    bool headDone = false;
    for (std::size_t at = 0; at <= bytes.size(); at += step) {
        if (at < bytes.size()) pending += bytes.substr(at, step);
        std::string_view in = pending;
        if (!headDone) {
            const Result<bool> complete = parser.readHead(in, head);
            if (!complete) return std::string(errorName(complete.error().kind));
            headDone = *complete;
        }
        if (headDone && head.hasBody && head.contentLength) {
            const std::string_view part = in.substr(0, *head.contentLength - body.size());
            body += part;
            in.remove_prefix(part.size());
            if (body.size() == *head.contentLength) break;
        } else if (headDone && head.hasBody) {
            for (;;) {
                const Result<std::string_view> piece = parser.readChunked(in);
                if (!piece) return std::string(errorName(piece.error().kind));
                body += *piece;
                if (piece->empty()) break;
            }
            if (parser.isDone()) break;
        }
        pending = std::string(in);
        if (at + step > bytes.size()) break;
    }
    if (!headDone) return "incomplete";
    if (head.hasBody && !head.contentLength && !parser.isDone()) return "incomplete body";
    std::string text = std::string(name(head.method)) + " " + std::string(head.target());
    if (head.hasBody) text += " body=" + body;
    if (!parser.keepsAlive()) text += " close";
    return text;
}

} // namespace

class MessageParserTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void understandsOrRefuses_data();
    void understandsOrRefuses();
    void headOverSixteenKilobytesIsRefusedHoweverItArrives();
    void fieldsAreFoundWhateverTheirCase();
    void bytesOfTheNextMessageAreLeft();
};

void MessageParserTest::understandsOrRefuses_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* sentence, const char* bytes, const char* expected) {
        QTest::newRow(sentence) << QByteArray(bytes) << QByteArray(expected);
    };
    row("a plain GET", "GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a?b=1");
    row("empty lines before a request are skipped", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /");
    row("Connection: close is heard", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET / close");
    row("HTTP/1.0 needs no Host and closes", "GET / HTTP/1.0\r\n\r\n", "GET / close");
    row("HTTP/1.0 stays when asked", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /");
    row("a body with a length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "POST / body=abc");
    row("a chunked body",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        "POST / body=abc");
    row("chunk extensions and trailers are ignored",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n",
        "POST / body=ab");
    row("an unknown method is passed on", "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", "? /pot");

    row("no Host in HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", "malformed");
    row("two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "malformed");
    row("a bare word", "GET\r\n\r\n", "malformed");
    row("no method", " / HTTP/1.1\r\nHost: x\r\n\r\n", "malformed");
    row("HTTP/9.9", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "malformed");
    row("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed");
    row("a whole URL in the request line", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", "malformed");
    row("line feeds alone", "GET / HTTP/1.1\nHost: x\n\n\r\n\r\n", "malformed");
    row("space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "malformed");
    row("length and chunked",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", "malformed");
    row("chunked and length",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", "malformed");
    row("an unknown transfer coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "malformed");
    row("an unknown coding hiding a length",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc", "malformed");
    row("chunked twice in one field",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "malformed");
    row("chunked in two fields",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "malformed");
    row("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "malformed");
    row("the same length twice", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "malformed");
    row("two lengths in one field", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc", "malformed");
    row("a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", "malformed");
    row("a signed length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n", "malformed");
    row("a length of 2^64+400", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709552016\r\n\r\n",
        "malformed");
    row("a chunk size that is no number",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n", "malformed");
    row("a chunk size over 64 bits",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nab\r\n0\r\n\r\n",
        "malformed");
    row("a chunk that is longer than it says",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", "malformed");
    row("a length in a trailer",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n",
        "malformed");
    row("half a head", "GET / HTTP/1.1\r\nHo", "incomplete");
}

void MessageParserTest::understandsOrRefuses() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    for (std::size_t step : {std::size_t(100'000), std::size_t(7), std::size_t(2), std::size_t(1)})
        QCOMPARE(QByteArray::fromStdString(outcome(bytes.toStdString(), step)), expected);
}

void MessageParserTest::headOverSixteenKilobytesIsRefusedHoweverItArrives() {
    std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 5000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
    const std::string longLine = "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
    const std::string endless = "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'a');
    const std::string emptyLines = [] {
        std::string lines;
        for (int i = 0; i < 10'000; ++i) lines += "\r\n";
        return lines;
    }();
    for (const std::string& bytes : {many, longLine, endless, emptyLines})
        for (std::size_t step : {std::size_t(100'000), std::size_t(1000), std::size_t(9)})
            QCOMPARE(QByteArray::fromStdString(outcome(bytes, step)), QByteArray("headers_too_large"));
}

void MessageParserTest::fieldsAreFoundWhateverTheirCase() {
    MessageParser parser;
    RequestHead head;
    std::string_view in = "GET /p?q HTTP/1.1\r\nhOST: x:1\r\nX-A: 1\r\nx-a: 2\r\n\r\n";
    QVERIFY(parser.readHead(in, head).value_or(false));
    QVERIFY(head.field("Host") == std::string_view("x:1"));
    QVERIFY(head.field("x-A") == std::string_view("1"));
    QCOMPARE(head.count("X-A"), 2);
    QVERIFY(!head.field("X-B"));
    QVERIFY(head.path() == "/p");
    QVERIFY(head.query() == "q");
}

void MessageParserTest::bytesOfTheNextMessageAreLeft() {
    MessageParser parser;
    RequestHead head;
    std::string_view in = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
    QVERIFY(parser.readHead(in, head).value_or(false));
    QVERIFY(in.starts_with("GET /2"));
    parser.reset();
    QVERIFY(parser.readHead(in, head).value_or(false));
    QVERIFY(head.target() == "/2");
    QVERIFY(in.empty());
}

QTEST_APPLESS_MAIN(MessageParserTest)
#include "tst_message_parser.moc"
