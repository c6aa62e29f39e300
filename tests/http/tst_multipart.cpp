// Bodies in parts: what is a part, what is refused, and that it does not matter how the bytes are cut.
#include "core/http/multipart.h"

#include <QTest>
#include <string>

using namespace yard;
using namespace yard::http;
using namespace std::string_literals;

namespace {

const std::string kHead = "Content-Disposition: form-data; name=\"a\"\r\n\r\n";

/// "a=bytes;b=;" of all parts, or what is wrong; `step` bytes at a time.
std::string parsed(const std::string& bytes, std::size_t step) {
    using Event = MultipartParser::Event;
    MultipartParser parser("xx");
    std::string out;
    std::string pending;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        pending += bytes.substr(at, step);
        std::string_view in = pending;
        for (;;) {
            std::string_view data;
            const auto event = parser.next(in, data);
            if (!event) return event.error().message;
            if (*event == Event::NeedMore) break;
            if (*event == Event::End) return out;
            if (*event == Event::PartBegan) out += parser.name() + "=";
            if (*event == Event::PartEnded) out += ";";
            out += data;
        }
        pending = std::string(in);
    }
    return out + "…";
}

} // namespace

class MultipartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partsAreTakenApart_data();
    void partsAreTakenApart();
    void theBoundaryComesFromTheType_data();
    void theBoundaryComesFromTheType();
    void aHeadWithoutAnEndIsRefused();
    void aPartsBytesAreGivenAsTheyCome();
};

void MultipartTest::partsAreTakenApart_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* sentence, const std::string& bytes, const char* expected) {
        QTest::newRow(sentence) << QByteArray::fromStdString(bytes) << QByteArray(expected);
    };
    row("one part", "--xx\r\n" + kHead + "hello\r\n--xx--\r\n", "a=hello;");
    row("two parts", "--xx\r\n" + kHead + "1\r\n--xx\r\n" + kHead + "2\r\n--xx--", "a=1;a=2;");
    row("an empty part", "--xx\r\n" + kHead + "\r\n--xx--", "a=;");
    row("no part", "--xx--", "");
    row("what looks like a boundary", "--xx\r\n" + kHead + "\r\n--x\r\r\n-\r\n--xy--xx\r\n--xx--",
        "a=\r\n--x\r\r\n-\r\n--xy--xx;");
    row("other fields, any case",
        "--xx\r\nX-Y: z\r\ncontent-DISPOSITION:form-data;  filename=\"b;c\" ; NAME=a\r\nContent-Type: "
        "a/b\r\n\r\n1\r\n"
        "--xx--",
        "a=1;");
    row("an escaped name", "--xx\r\nContent-Disposition: form-data; name=\"a\\\"\\\\b\"\r\n\r\n1\r\n--xx--",
        "a\"\\b=1;");
    row("bytes as they are", "--xx\r\nContent-Transfer-Encoding: binary\r\n" + kHead + "1\r\n--xx--", "a=1;");
    row("not ended", "--xx\r\n" + kHead + "1\r\n--x", "a=1…");
    row("something before the first boundary", "hello\r\n--xx--",
        "The body does not begin with the boundary that "
        "Content-Type names.");
    row("something behind a boundary", "--xx \r\n", "Behind a boundary belongs a line end, or \"--\".");
    row("no name", "--xx\r\nContent-Type: a/b\r\n\r\n1\r\n--xx--",
        "Each part needs a line 'Content-Disposition: form-data; name=\"…\"'.");
    row("an empty name", "--xx\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n1\r\n--xx--",
        "Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
    row("a name that does not end", "--xx\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--xx--",
        "Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
    row("a name that is no UTF-8", "--xx\r\nContent-Disposition: form-data; name=\"\xff\"\r\n\r\n1\r\n--xx--",
        "Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
    row("two names", "--xx\r\nContent-Disposition: form-data; name=b\r\n" + kHead + "1\r\n--xx--",
        "Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
    row("an attachment", "--xx\r\nContent-Disposition: attachment; name=b\r\n\r\n1\r\n--xx--",
        "Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
    row("an encoding", "--xx\r\nContent-Transfer-Encoding: base64\r\n" + kHead + "MQ==\r\n--xx--",
        "Send the bytes of a part as they are, without Content-Transfer-Encoding.");
    row("a line that is no field", "--xx\r\nhello\r\n\r\n1\r\n--xx--", "A line in the head of a part is no field.");
}

void MultipartTest::partsAreTakenApart() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    for (const std::size_t step : {1u, 2u, 3u, 7u, 1000u})
        QCOMPARE(QByteArray::fromStdString(parsed(bytes.toStdString(), step)), expected);
}

void MultipartTest::theBoundaryComesFromTheType_data() {
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* sentence, const std::string& type, const char* expected) {
        QTest::newRow(sentence) << QByteArray::fromStdString(type) << QByteArray(expected);
    };
    row("as curl writes it", "multipart/form-data; boundary=----abc", "----abc");
    row("in quotes", "Multipart/Form-Data ;charset=utf-8; Boundary=\"a b\"", "a b");
    row("another type", "application/json; boundary=a", "none");
    row("no type", "", "none");
    row("no boundary", "multipart/form-data", "wrong");
    row("an empty one", "multipart/form-data; boundary=\"\"", "wrong");
    row("a long one", "multipart/form-data; boundary=" + std::string(71, 'a'), "wrong");
    row("the longest", "multipart/form-data; boundary=" + std::string(70, 'a'), std::string(70, 'a').c_str());
    row("a line end in it", "multipart/form-data; boundary=\"a\\\r\n\"", "wrong");
    row("a blank at its end", "multipart/form-data; boundary=\"a \"", "wrong");
    row("a quote that does not end", "multipart/form-data; boundary=\"a", "wrong");
    row("parameters without values", "multipart/form-data;;x; ;boundary=a;y", "a");
}

void MultipartTest::theBoundaryComesFromTheType() {
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, expected);
    const auto boundary = multipartBoundary(type.toStdString());
    const std::string got = !boundary ? "wrong" : boundary->value_or("none");
    QCOMPARE(QByteArray::fromStdString(got), expected);
    if (!boundary) QCOMPARE(boundary.error().kind, ErrorKind::Malformed);
}

void MultipartTest::aHeadWithoutAnEndIsRefused() {
    const std::string bytes = "--xx\r\nX: " + std::string(MultipartParser::kMaxPartHead, 'a');
    for (const std::size_t step : {100u, 100'000u})
        QVERIFY(parsed(bytes, step).starts_with("The head of a part is over 4096 bytes"));
}

/// Nothing is held back but what may be the beginning of a boundary.
void MultipartTest::aPartsBytesAreGivenAsTheyCome() {
    MultipartParser parser("xx");
    const std::string bytes = "--xx\r\n" + kHead + std::string(100'000, 'a') + "\r\n--x";
    std::string_view in = bytes;
    std::string_view data;
    QVERIFY(parser.next(in, data) == MultipartParser::Event::PartBegan);
    QVERIFY(parser.next(in, data) == MultipartParser::Event::Data);
    QCOMPARE(data.size(), std::size_t(100'000));
    QVERIFY(parser.next(in, data) == MultipartParser::Event::NeedMore);
    QCOMPARE(in.size(), std::size_t(5));
}

QTEST_APPLESS_MAIN(MultipartTest)
#include "tst_multipart.moc"
