// The files that actions left, looked at where they are: the tab Outputs of an action, over a real engine.
#include "tests/support/waiting.h"
#include "tests/ui/window_test.h"
#include "ui/log/log_view.h"
#include "ui/outputs/image_view.h"
#include "ui/outputs/preview.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/outputs_tab.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QBuffer>
#include <QPlainTextEdit>
#include <QTreeView>

using namespace yard;
using namespace yard::ui;

namespace {

QString base64OfPng(const QSize& size) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::darkRed);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "png");
    return QString::fromLatin1(bytes.toBase64());
}

} // namespace

class TestOutputs : public test::WindowTest {
    Q_OBJECT

    qint64 lsn_ = 0;

    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->navigation().page())->detail(); }
    OutputsTab* tab() { return detail()->outputs(); }
    Preview* preview() { return tab()->preview(); }
    /// An action that leaves files has ended, and they are listed.
    void leave(const QString& script, int count) {
        lsn_ = submit("leaves files", "cd \"$YARD_SCRATCH/outputs\" && " + script);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn_), QString("completed"), kSoon);
        window_->navigation().showAction(lsn_, "outputs");
        QTRY_VERIFY_WITH_TIMEOUT(detail()->lsn() == lsn_ && tab()->count() == count, kSoon);
    }
    void choose(const QString& name) {
        const int row = rowWith(tab()->table()->rows(), name);
        QVERIFY2(row >= 0, qPrintable(name));
        tab()->table()->selectId(tab()->table()->rows()->idAt(row));
        QTRY_VERIFY_WITH_TIMEOUT(preview()->file().name == name && preview()->kind().has_value(), kSoon);
    }
    bool shows(ContentKind kind) { return preview()->kind() == kind; }
    QAbstractButton* button(const QString& text) {
        for (auto* each : tab()->findChildren<QAbstractButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }

private slots:
    void initTestCase() { QVERIFY(start("outputs", {"--capacity", "2"})); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void eachFileIsShownAsWhatItIs() {
        leave("mkdir frames && echo " + base64OfPng({40, 20}) +
                  " | base64 -d > frames/a.png && echo '{\"b\": [1, 2]}' > b.json && printf 'n,w\\n10,x\\n9,y\\n' "
                  "> c.csv "
                  "&& echo hello > d.txt && head -c 100 /dev/zero > e.bin && touch f",
              6);
        QTRY_VERIFY_WITH_TIMEOUT(preview()->kind().has_value(), kSoon); // the first one, unasked
        QCOMPARE(preview()->file().name, QString("b.json"));
        choose("frames/a.png");
        QVERIFY(shows(ContentKind::Image));
        QCOMPARE(preview()->image()->image().image.size(), QSize(40, 20));
        QVERIFY(button("Actual size")->isVisible());
        QTest::mouseClick(button("Actual size"), Qt::LeftButton);
        QVERIFY(preview()->image()->isActualSize());
        choose("b.json");
        QVERIFY(shows(ContentKind::Json));
        QCOMPARE(preview()->tree()->model()->rowCount(), 1);
        QVERIFY(!button("Actual size")->isVisible());
        choose("c.csv");
        QVERIFY(shows(ContentKind::Table));
        QCOMPARE(preview()->table()->rows()->cell(0, 0).text, QString("10"));
        QCOMPARE(preview()->table()->rows()->columns()[1].title, QString("w"));
        choose("d.txt");
        QVERIFY(shows(ContentKind::Text));
        QCOMPARE(preview()->text()->bytes(), QByteArray("hello\n"));
        choose("e.bin");
        QVERIFY(shows(ContentKind::Hex));
        QVERIFY(preview()->hex()->toPlainText().startsWith("00000000"));
        QVERIFY(!button("Next")->isVisible());
        QCOMPARE(preview()->note(), QString());
        choose("f");
        QVERIFY(shows(ContentKind::Empty));
        QVERIFY(preview()->message().contains("empty"));
        const auto kindOf = [this](const QString& name) {
            return tab()->table()->rows()->cell(rowWith(tab()->table()->rows(), name), 2).text;
        };
        QCOMPARE(kindOf("frames/a.png"), QString("image"));
        QCOMPARE(kindOf("e.bin"), Format::unknown());
        QCOMPARE(kindOf("f"), QString("empty"));
    }

    void whatIsNotWhatItSaysIsShownAllTheSame() {
        leave("printf '\\211PNG\\r\\n\\032\\n and no image' > a.png && echo '{\"a\": 1,' > b.json && "
              "printf 'a,b\\n\"x,y\\n1,2\\n' > c.csv && printf '\\377\\376' > d.txt",
              4);
        choose("a.png");
        QVERIFY(shows(ContentKind::Hex));
        QVERIFY(preview()->note().contains("cannot be read"));
        choose("b.json");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().contains("no JSON"));
        choose("c.csv");
        QVERIFY(shows(ContentKind::Table));
        QVERIFY(preview()->note().contains("quote"));
        QCOMPARE(preview()->table()->rows()->rowCount(), 2);
        choose("d.txt");
        QVERIFY(shows(ContentKind::Hex));
    }

    void ofWhatIsLargeAPartIsShown() {
        leave("head -c 200000 /dev/zero > a.bin && "
              "seq -f 'line %.0f of a text whose lines are not that short at all' 600000 > b.txt && "
              "{ printf '['; yes 0, | head -n 3000000; printf '0]'; } > c.json && yes | head -n 1200000 > d.txt",
              4);
        const Format format;
        const auto bytes = [&](qint64 from, qint64 to) {
            return QStringLiteral("Bytes %1 to %2 of %3.")
                .arg(format.number(from), format.number(to), format.number(200'000));
        };
        choose("a.bin");
        QVERIFY(shows(ContentKind::Hex));
        QCOMPARE(preview()->note(), bytes(0, 65'535));
        QVERIFY(!button("Back")->isEnabled() && button("Next")->isEnabled());
        QTest::mouseClick(button("Next"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(preview()->note(), bytes(65'536, 131'071), kSoon);
        QVERIFY(preview()->hex()->toPlainText().startsWith("00010000"));
        QTest::mouseClick(button("Next"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(preview()->note(), bytes(131'072, 196'607), kSoon);
        QTest::mouseClick(button("Next"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(preview()->note(), bytes(196'608, 199'999), kSoon);
        QVERIFY(!button("Next")->isEnabled());
        QVERIFY(preview()->whole() == nullptr);
        choose("b.txt");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().startsWith("The first " + format.size(Preview::kMostText)));
        QCOMPARE(preview()->text()->text().dropped(), std::size_t{0});
        QVERIFY(preview()->text()->text().line(0).text.startsWith("line 1 of"));
        choose("c.json");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().contains("as text"));
        choose("d.txt");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().startsWith("The first"));
        QCOMPARE(preview()->text()->text().dropped(), std::size_t{0});
    }

    void contentThatIsLostIsSaidToBe() {
        leave("echo here > a.txt", 1);
        choose("a.txt");
        preview()->show({"gone.txt", QString(64, 'a'), 5});
        QTRY_VERIFY_WITH_TIMEOUT(preview()->message().contains("is gone"), kSoon);
        QVERIFY(!preview()->kind());
        preview()->show({"never.txt", "../session", 5});
        QVERIFY(preview()->message().contains("does not say"));
        preview()->show({"gone.png", QString(64, 'b'), Preview::kMostImage + 1});
        QTRY_VERIFY_WITH_TIMEOUT(preview()->message().contains("is gone"), kSoon);
        // More is said to be there than there is.
        const QString hash = tab()->table()->rows()->cell(0, 3).text;
        preview()->show({"longer.txt", hash, 50});
        QTRY_VERIFY_WITH_TIMEOUT(preview()->message().contains("too early"), kSoon);
        // What was there before is there again.
        preview()->show({"a.txt", hash, 5});
        QTRY_VERIFY_WITH_TIMEOUT(shows(ContentKind::Text), kSoon);
    }

    void anotherActionHasItsOwnFiles() {
        leave("echo one > a.txt && echo two > b.txt", 2);
        choose("b.txt");
        leave("echo three > c.txt", 1);
        QTRY_VERIFY_WITH_TIMEOUT(shows(ContentKind::Text) && preview()->file().name == "c.txt", kSoon);
        QCOMPARE(preview()->text()->bytes(), QByteArray("three\n"));
        leave("true", 0);
        QTRY_COMPARE_WITH_TIMEOUT(preview()->file().name, QString(), kSoon);
        QVERIFY(!preview()->kind());
    }
};

QTEST_MAIN(TestOutputs)
#include "tst_outputs.moc"
