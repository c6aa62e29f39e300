// What files are by their bytes and names, and what is made of them: images, trees, tables, pages of bytes. And where a
// name may lead. All of it is hostile.
#include "ui/outputs/csv_table.h"
#include "ui/outputs/decoded.h"
#include "ui/outputs/file_places.h"
#include "ui/outputs/json_tree.h"
#include "ui/outputs/picture_strip.h"

#include <QAbstractItemModelTester>
#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

using namespace yard::ui;

Q_DECLARE_METATYPE(yard::ui::ContentKind)

namespace {

using enum ContentKind;

QByteArray pngOf(const QSize& size) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::darkGreen);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "png");
    return bytes;
}

quint32 crcOf(const QByteArray& bytes) {
    quint32 crc = 0xffffffff;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

/// A few bytes that say they are an image of this size.
QByteArray bombOf(quint32 width, quint32 height) {
    QByteArray bytes = pngOf({1, 1}); // a signature of 8, a length of 4, IHDR: its name, width, height
    qToBigEndian(width, bytes.data() + 16);
    qToBigEndian(height, bytes.data() + 20);
    qToBigEndian(crcOf(bytes.sliced(12, 17)), bytes.data() + 29);
    return bytes;
}

/// "a|b;1|2": cells and rows.
QString printed(const CsvTable& table) {
    QStringList rows;
    for (const QStringList& row : table.rows) rows << row.join('|');
    return rows.join(';');
}

QString printed(const JsonTreeModel& model, const QModelIndex& parent = {}) {
    QStringList all;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex key = model.index(row, 0, parent);
        const QString below = printed(model, key);
        all << key.data().toString() + '=' + key.siblingAtColumn(1).data().toString() +
                   (below.isEmpty() ? QString() : '(' + below + ')');
    }
    return all.join(' ');
}

} // namespace

class TestOutputKinds : public QObject {
    Q_OBJECT

    static const QList<QByteArray>& formats() {
        static const QList<QByteArray> all{"png", "jpeg", "gif", "bmp", "ico", "ppm"};
        return all;
    }

private slots:
    void aKindIsThatOfTheBytesAndThenOfTheName_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<bool>("isWhole");
        QTest::addColumn<ContentKind>("kind");
        QTest::addColumn<QByteArray>("format");
        const QByteArray png = pngOf({2, 2});
        const QByteArray none;
        QTest::newRow("nothing") << "a.png" << none << true << Empty << none;
        QTest::newRow("png") << "frames/0001.png" << png << true << Image << QByteArray("png");
        QTest::newRow("png by another name") << "a.txt" << png << true << Image << QByteArray("png");
        QTest::newRow("jpeg") << "x" << QByteArray("\xff\xd8\xff\xe0") << false << Image << QByteArray("jpeg");
        QTest::newRow("gif") << "x" << QByteArray("GIF89a") << true << Image << QByteArray("gif");
        QTest::newRow("a name alone is no image") << "a.png" << QByteArray("no image") << true << Text << none;
        QTest::newRow("two letters are none") << "a.txt" << QByteArray("BM is short") << true << Text << none;
        QTest::newRow("two letters and the name")
            << "a.bmp" << QByteArray("BM is short") << true << Image << QByteArray("bmp");
        QTest::newRow("unknown format")
            << "a.webp" << QByteArray("RIFF\x01\x02\x03\x04WEBP") << true << Hex << none;
        QTest::newRow("drawing") << "a.svg" << QByteArray("<svg/>") << true << Text << none;
        QTest::newRow("json") << "a.json" << QByteArray("{}") << true << Json << none;
        QTest::newRow("json, not by its bytes") << "a.json" << QByteArray("nope") << true << Json << none;
        QTest::newRow("json without a name") << "report" << QByteArray(" \n[1]") << true << Json << none;
        QTest::newRow("a section is no list") << "a.ini" << QByteArray("[section]") << true << Text << none;
        QTest::newRow("csv") << "A.CSV" << QByteArray("a,b") << true << Table << none;
        QTest::newRow("tsv") << "a.tsv" << QByteArray("a\tb") << true << Table << none;
        QTest::newRow("csv of bytes") << "a.csv" << QByteArray("a\0b", 3) << true << Hex << none;
        QTest::newRow("text") << "notes" << QByteArray("a\tb\r\n\x1b[31mred") << true << Text << none;
        QTest::newRow("letters") << "notes" << QByteArray("\xc3\xa4\xe2\x82\xac") << true << Text << none;
        QTest::newRow("cut letter") << "notes" << QByteArray("a\xc3") << false << Text << none;
        QTest::newRow("broken letter") << "notes" << QByteArray("a\xc3") << true << Hex << none;
        QTest::newRow("latin 1") << "notes" << QByteArray("\xe4 b") << false << Hex << none;
        QTest::newRow("control") << "notes" << QByteArray("a\x01") << true << Hex << none;
    }
    void aKindIsThatOfTheBytesAndThenOfTheName() {
        QFETCH(QString, name);
        QFETCH(QByteArray, head);
        QFETCH(bool, isWhole);
        QFETCH(ContentKind, kind);
        QFETCH(QByteArray, format);
        const Content content = fileContentOf(name, head, isWhole, formats());
        QCOMPARE(static_cast<int>(content.kind), static_cast<int>(kind));
        QCOMPARE(content.imageFormat, format);
    }

    void aNameAloneTellsWhatItCan() {
        const auto kindOf = [](const char* name) { return static_cast<int>(kindByName(name, formats())); };
        QCOMPARE(kindOf("a/b.PNG"), static_cast<int>(Image));
        QCOMPARE(kindOf("b.svg"), static_cast<int>(Text));
        QCOMPARE(kindOf("b.json"), static_cast<int>(Json));
        QCOMPARE(kindOf("b.csv"), static_cast<int>(Table));
        QCOMPARE(kindOf("b.d/noise"), static_cast<int>(Hex));
        QCOMPARE(kindOf(".png"), static_cast<int>(Hex));
        QVERIFY(!imageFormats().contains("svg"));
        QVERIFY(imageFormats().contains("png"));
    }

    void anImageIsDecodedWithinItsBounds() {
        const DecodedImage good = decodedImage(pngOf({40, 20}), "png", 10);
        QVERIFY(good.problem == DecodedImage::Problem::None);
        QCOMPARE(good.image.size(), QSize(40, 20));
        QCOMPARE(good.fitted.size(), QSize(10, 5));
        const DecodedImage bomb = decodedImage(bombOf(60'000, 60'000), "png", 10);
        QVERIFY(bomb.problem == DecodedImage::Problem::TooLarge);
        QCOMPARE(bomb.size, QSize(60'000, 60'000));
        QVERIFY(bomb.image.isNull());
        const auto problemOf = [](const QByteArray& bytes, const char* format) {
            return decodedImage(bytes, format, 10).problem;
        };
        QVERIFY(problemOf(pngOf({40, 20}).first(40), "png") == DecodedImage::Problem::Broken);
        QVERIFY(decodedImage(pngOf({40, 20}), "png", 10, 0).problem == DecodedImage::Problem::Broken); // no time
        QVERIFY(problemOf("\xff\xd8\xff and no more", "jpeg") == DecodedImage::Problem::Broken);
        QVERIFY(problemOf(pngOf({4, 4}), "jpeg") == DecodedImage::Problem::Broken); // no other decoder is tried
    }

    void whatCannotBeDecodedIsSomethingSimpler() {
        const auto kindOf = [](ContentKind kind, const QByteArray& bytes) {
            return static_cast<int>(decoded({kind, "png"}, "x.csv", bytes, true).kind);
        };
        QCOMPARE(kindOf(Image, pngOf({2, 2})), static_cast<int>(Image));
        QCOMPARE(kindOf(Image, bombOf(50'000, 50'000)), static_cast<int>(Hex));
        QCOMPARE(kindOf(Text, QByteArray("late\0", 5)), static_cast<int>(Hex));
        QCOMPARE(kindOf(Json, "{\"a\": 1,"), static_cast<int>(Text));
        QCOMPARE(kindOf(Json, "{\"a\": 1}"), static_cast<int>(Json));
        QCOMPARE(kindOf(Table, "\n\n"), static_cast<int>(Text));
        QCOMPARE(kindOf(Table, "a,b\n"), static_cast<int>(Table));
    }

    void valuesAreSplitAtSeparatorsOutsideOfQuotes() {
        const CsvTable table = csvOf("a,b\n1,\"x,\"\"y\"\"\nz\"\r\n\n3,", ',', true);
        QCOMPARE(printed(table), QString("a|b;1|x,\"y\"\nz;3|"));
        QVERIFY(!table.hasMoreRows && !table.hasMoreColumns && !table.hasOpenQuote);
        QCOMPARE(table.columns, qsizetype{2});
        QCOMPARE(separatorOf("x.csv", "a;b;c\n1,2,3,4"), QChar(';'));
        QCOMPARE(separatorOf("x.csv", "\"a;b;c\",d"), QChar(','));
        QCOMPARE(separatorOf("x.tsv", "a,b\tc"), QChar('\t'));
        QCOMPARE(separatorOf("x.csv", "one"), QChar(','));
    }

    void aQuoteThatIsNotClosedTakesNothingWithIt() {
        const CsvTable table = csvOf("a,b\n\"x,y\n1,\"\"2\n", ',', true);
        QCOMPARE(printed(table), QString("a|b;\"x|y;1|\"\"2"));
        QVERIFY(table.hasOpenQuote);
        const CsvTable quotes = csvOf(QString("\"").repeated(100'001), ',', true);
        QVERIFY(quotes.hasOpenQuote);
        QCOMPARE(quotes.rows.size(), std::size_t{1});
        QCOMPARE(quotes.rows[0][0].size(), CsvTable::kMostCell);
    }

    void ofTooManyValuesTheFirstOnesAreKept() {
        const CsvTable wide = csvOf(QString("x,").repeated(299) + 'x', ',', true);
        QCOMPARE(wide.columns, CsvTable::kMostColumns);
        QVERIFY(wide.hasMoreColumns && !wide.hasMoreRows);
        const CsvTable tall = csvOf(QString("x\n").repeated(20'000), ',', true);
        QCOMPARE(tall.rows.size(), CsvTable::kMostRows);
        QVERIFY(tall.hasMoreRows);
        const CsvTable both = csvOf((QString("x,").repeated(149) + "x\n").repeated(5'000), ',', true);
        QCOMPARE(both.rows.size(), CsvTable::kMostCells / 150);
        QVERIFY(both.hasMoreRows);
        const CsvTable large = csvOf('"' + QString(5'000, 'q') + "\"," + QString(5'000, 'p'), ',', true);
        QCOMPARE(large.rows[0][0].size(), CsvTable::kMostCell);
        QCOMPARE(large.rows[0][1].size(), CsvTable::kMostCell);
        // The last line of a part may be cut.
        const CsvTable part = csvOf("a\n1\n2", ',', false);
        QCOMPARE(printed(part), QString("a;1"));
        QVERIFY(part.hasMoreRows);
        QCOMPARE(printed(csvOf("a", ',', false)), QString("a"));
    }

    void columnsOfNumbersAreSortedAsNumbers() {
        CsvModel model(csvOf("n,w\n10,b\n9,A\n-1.5e2,c\n,d\n", ',', true));
        QCOMPARE(model.rowCount(), 4);
        QVERIFY(model.columns()[0].kind == CellKind::Number);
        QVERIFY(model.columns()[1].kind == CellKind::Text);
        const auto first = [&](int column) {
            QStringList all;
            for (int row = 0; row < model.rowCount(); ++row) all << model.cell(row, column).text;
            return all.join('|');
        };
        model.sortBy(0, Qt::AscendingOrder);
        QCOMPARE(first(0), QString("|-1.5e2|9|10"));
        QCOMPARE(model.idAt(2), qint64{2});
        QCOMPARE(model.rowOf(2), 2);
        QCOMPARE(model.rowOf(99), -1);
        QCOMPARE(model.idAt(99), qint64{0});
        model.sortBy(1, Qt::DescendingOrder);
        QCOMPARE(first(1), QString("d|c|b|A"));
        model.sortBy(-1, Qt::AscendingOrder);
        QCOMPARE(first(1), QString("b|A|c|d"));
        CsvModel ragged(csvOf("a,b\n1\n1,2,3\n", ',', true));
        QCOMPARE(ragged.columnCount(), 3);
        QCOMPARE(ragged.cell(0, 2).text, QString());
        QCOMPARE(ragged.cell(1, 2).text, QString("3"));
    }

    void jsonIsATreeOfItsValues() {
        JsonTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTree(jsonTreeOf(R"({"b":[1,"two",null,[true]],"a":{}})"));
        QCOMPARE(printed(model), QString("a={0} b=[4](0=1 1=\"two\" 2=null 3=[1](0=true))"));
        QVERIFY(!model.tree().isCut);
        model.setTree(jsonTreeOf("42"));
        QCOMPARE(printed(model), QString("0=42"));
        model.setTree({});
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(!model.index(0, 0).isValid());
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QString("Value"));
    }

    void aTooltipOfATextIsNoPage() {
        JsonTreeModel model;
        model.setTree(jsonTreeOf(R"(["<img src='/etc/hostname'>", "a < b"])"));
        const QString tip = model.index(0, 1).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains("&lt;img") && !tip.contains("<img"), qPrintable(tip));
        QVERIFY(model.index(1, 1).data(Qt::ToolTipRole).toString().contains("a < b"));
        QCOMPARE(model.index(0, 1).data().toString(), QString("\"<img src='/etc/hostname'>\""));
    }

    void whatIsNoJsonHasNoTree() {
        for (const QByteArray& bytes : {QByteArray("{\"a\": 1,"), QByteArray("1,2"), QByteArray(),
                                        QByteArray("nope"), QByteArray(5'000, '['), QByteArray("[1] 2")}) {
            const JsonTree tree = jsonTreeOf(bytes);
            QVERIFY2(tree.nodes.empty(), bytes.first(std::min<qsizetype>(bytes.size(), 20)).constData());
            QVERIFY(tree.problemAt >= 0);
        }
    }

    void aTreeHasBounds() {
        const JsonTree deep = jsonTreeOf(QByteArray(100, '[') + QByteArray(100, ']'));
        QVERIFY(deep.isCut);
        QCOMPARE(deep.nodes.size(), static_cast<std::size_t>(JsonTree::kMostDepth) + 1);
        const JsonTree wide = jsonTreeOf('[' + QByteArray("0,").repeated(150'000) + "0]");
        QVERIFY(wide.isCut);
        QCOMPARE(wide.nodes.size(), JsonTree::kMostNodes);
        const JsonTree large =
            jsonTreeOf("{\"" + QByteArray(5'000, 'k') + "\":\"" + QByteArray(5'000, 'v') + "\"}");
        QCOMPARE(large.nodes.size(), std::size_t{2});
        QCOMPARE(large.nodes[1].key.size(), JsonTree::kMostValue + 1);
        QCOMPARE(large.nodes[1].value.size(), JsonTree::kMostValue + 1);
    }

    void bytesAreShownWithTheirPlaceAndTheirCharacters() {
        QCOMPARE(hexDump("AB\n", 16).simplified(), QString("00000010 41 42 0a AB."));
        QCOMPARE(hexDump(QByteArray(17, '%'), 0).count('\n'), 2);
        QVERIFY(hexDump(QByteArray(16, '%'), 0).endsWith("  %%%%%%%%%%%%%%%%\n"));
        QCOMPARE(hexDump({}, 0), QString());
    }

    void picturesAreTheLastImagesThatCanBeFetched() {
        const auto chunk = [](char digit, qint64 size) {
            return QJsonObject{{"hash", QString(64, digit)}, {"size", size}};
        };
        const QJsonObject newer{
            {"lsn", 9},
            {"outputs", QJsonObject{{"a.png", chunk('a', 5)},
                                    {"b.png", chunk('b', 5)},
                                    {"empty.png", chunk('c', 0)},
                                    {"large.png", chunk('d', PictureStrip::kMostBytes + 1)},
                                    {"lost.png", QJsonObject{{"hash", "../session"}, {"size", 5}}},
                                    {"notes.txt", chunk('e', 5)}}}};
        const QJsonObject older{{"lsn", 8}, {"outputs", QJsonObject{{"z.jpg", chunk('f', 5)}}}};
        const auto pictures = picturesOf(QJsonArray{newer, QJsonObject{{"lsn", 3}}, older});
        QStringList names;
        for (const OutputPicture& picture : pictures)
            names << QStringLiteral("%1 %2").arg(picture.lsn).arg(picture.file.name);
        QCOMPARE(names.join(", "), QString("9 b.png, 9 a.png, 8 z.jpg"));
        QJsonObject many;
        for (int i = 0; i < 100; ++i)
            many.insert(QStringLiteral("%1.png").arg(i, 3, 10, QLatin1Char('0')), chunk('a', 5));
        const auto last = picturesOf(QJsonArray{QJsonObject{{"lsn", 1}, {"outputs", many}}, older});
        QCOMPARE(last.size(), PictureStrip::kMost);
        QCOMPARE(last.front().file.name, QString("099.png"));
    }

    void aHashIsNothingElse() {
        QVERIFY(hasHash({"x", QString(64, 'a'), 1}));
        QVERIFY(!hasHash({"x", QString(63, 'a'), 1}));
        QVERIFY(!hasHash({"x", QString(64, 'a'), -1}));
        QVERIFY(!hasHash({"x", QString(64, 'A'), 1}));
        QVERIFY(!hasHash({"x", QString(64, '/'), 1}));
    }

    void aNameLeadsNowhereElse() {
        QCOMPARE(safeRelative("a/b.png"), QString("a/b.png"));
        QCOMPARE(safeRelative("..."), QString("..."));
        for (const QString& name : {QString(), QString("../x"), QString("/etc/passwd"), QString("a/../../x"),
                                    QString("a//b"), QString("a/"), QString("."), QString("a/./b"), QString("a\nb"),
                                    QString(300, 'x'), QString("d/").repeated(64) + 'x'})
            QVERIFY2(safeRelative(name).isEmpty(), qPrintable(name));
        QCOMPARE(safeFileName("a/b.png"), QString("b.png"));
        QCOMPARE(safeFileName("../x"), QString("x"));
        QCOMPARE(safeFileName("x/.."), QString("output"));
        QCOMPARE(safeFileName(""), QString("output"));
    }

    void aFileIsPutIntoItsFolderOrNowhere() {
        using Problem = FilePlace::Problem;
        QTemporaryDir files;
        const QString folder = files.filePath("into");
        QVERIFY(QDir().mkpath(folder) && QDir().mkpath(files.filePath("outside")));
        QVERIFY(QFile::link(files.filePath("outside"), folder + "/away"));
        QVERIFY(QFile::link(files.filePath("outside/file"), folder + "/linked"));
        QFile plain(folder + "/plain");
        QVERIFY(plain.open(QIODevice::WriteOnly));
        plain.close();
        const auto problemOf = [&](const char* name) { return makePlaceWithin(folder, name).problem; };
        QVERIFY(problemOf("../x") == Problem::BadName);
        QVERIFY(problemOf("away/x") == Problem::Leads);
        QVERIFY(problemOf("linked") == Problem::Leads);
        QVERIFY(problemOf("plain/x") == Problem::NoFolder);
        QVERIFY(problemOf("plain") == Problem::None);
        QVERIFY(placeWithin(folder, "plain").exists);
        QVERIFY(placeWithin(folder, "linked").exists);
        // Only who is about to write makes folders.
        QVERIFY(placeWithin(folder, "new/deep/x").problem == Problem::None);
        QVERIFY(!QFile::exists(folder + "/new"));
        const FilePlace made = makePlaceWithin(folder, "new/deep/x");
        QCOMPARE(made.path, folder + "/new/deep/x");
        QVERIFY(!made.exists && QFile::exists(folder + "/new/deep"));
        QVERIFY(problemOf("new/deep") == Problem::NoFolder);
        QVERIFY(makePlaceWithin(files.filePath("none"), "a/x").problem == Problem::NoFolder);
    }
};

QTEST_MAIN(TestOutputKinds)
#include "tst_output_kinds.moc"
