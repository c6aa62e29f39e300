// The files that actions left, looked at where they are: the tab Outputs of an action, over a real engine.
#include "tests/support/waiting.h"
#include "tests/ui/window_test.h"
#include "ui/log/log_view.h"
#include "ui/outputs/image_view.h"
#include "ui/outputs/picture_strip.h"
#include "ui/outputs/preview.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_commands.h"
#include "ui/pages/actions/outputs_tab.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_pictures.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTreeView>

using namespace yard;
using namespace yard::ui;

namespace {

/// A few bytes that say they are an image of 60,000 by 60,000 pixels.
constexpr const char* kBomb =
    "iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAAAAACluSqeAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

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
    QUrl opened_;

    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->navigation().page())->detail(); }
    OutputsTab* tab() { return detail()->outputs(); }
    Preview* preview() { return tab()->preview(); }
    /// An action that leaves files has ended, and they are listed.
    void leave(const QString& script, std::size_t count) {
        lsn_ = submit("leaves files", "cd \"$YARD_SCRATCH/outputs\" && " + script);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn_), QString("completed"), kSoon);
        window_->navigation().showAction(lsn_, "outputs");
        QTRY_VERIFY_WITH_TIMEOUT(detail()->lsn() == lsn_ && tab()->files().size() == count, kSoon);
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

    OutputCommands* commands() { return tab()->commands(); }
    QString sentence() { return window_->findChild<StatusBar*>("status-bar")->sentence(); }
    ChunkFile fileOf(const QString& name) {
        for (const ChunkFile& file : tab()->files())
            if (file.name == name) return file;
        return {};
    }
    /// Saved, or not: what the window said then.
    QString saveInto(const QString& folder, const std::vector<ChunkFile>& files) {
        commands()->saveInto(folder, files);
        return QTest::qWaitFor([this] { return !commands()->isSaving(); }, kSoon) ? sentence()
                                                                                  : QString("still saving");
    }
    static QByteArray bytesOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no file");
    }
    /// All that is in a folder, hidden files too.
    static QString namesIn(const QString& folder) {
        return QDir(folder)
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot, QDir::Name)
            .join(' ');
    }

public slots:
    void openFile(const QUrl& url) { opened_ = url; }

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
              "printf 'a,b\\n\"x,y\\n1,2\\n' > c.csv && printf '\\377\\376' > d.txt && echo " +
                  QString(kBomb) + " | base64 -d > e.png",
              5);
        choose("a.png");
        QVERIFY(shows(ContentKind::Hex));
        QVERIFY(preview()->note().contains("cannot be read"));
        choose("e.png");
        QVERIFY(shows(ContentKind::Hex));
        QVERIFY(preview()->note().contains("too large to show"));
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
        // It comes in pieces, to its last byte.
        QTRY_COMPARE_WITH_TIMEOUT(preview()->text()->text().bytes(), qsizetype{Preview::kMostText}, kSoon);
        QVERIFY(preview()->text()->text().line(0).text.startsWith("line 1 of"));
        choose("c.json");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().contains("as text"));
        choose("d.txt");
        QVERIFY(shows(ContentKind::Text));
        QVERIFY(preview()->note().startsWith("The first"));
        QCOMPARE(preview()->text()->text().dropped(), std::size_t{0});
        QCOMPARE(preview()->text()->text().line(0).text, QString("y")); // pieces of the one before come no more
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

    void allAreSavedAndNothingIsReplacedUnasked() {
        leave("mkdir d && echo one > a.txt && echo two > d/b.txt && touch e", 3);
        QTemporaryDir folder;
        QVERIFY(saveInto(folder.path(), tab()->files()).startsWith("Saved 3 file(s)"));
        QCOMPARE(bytesOf(folder.filePath("a.txt")), QByteArray("one\n"));
        QCOMPARE(bytesOf(folder.filePath("d/b.txt")), QByteArray("two\n"));
        QCOMPARE(bytesOf(folder.filePath("e")), QByteArray());
        QFile mine(folder.filePath("a.txt"));
        QVERIFY(mine.open(QIODevice::WriteOnly) && mine.write("mine") == 4);
        mine.close();
        QVERIFY(QFile::remove(folder.filePath("e")));
        answerNext("keep");
        const QString kept = saveInto(folder.path(), tab()->files());
        QVERIFY2(kept.startsWith("Saved 1 file(s)") && kept.contains("2 stayed"), qPrintable(kept));
        QCOMPARE(bytesOf(folder.filePath("a.txt")), QByteArray("mine"));
        answerNext("verb");
        QVERIFY(saveInto(folder.path(), tab()->files()).startsWith("Saved 3 file(s)"));
        QCOMPARE(bytesOf(folder.filePath("a.txt")), QByteArray("one\n"));
        QCOMPARE(namesIn(folder.path()), QString("a.txt d e"));
    }

    void nothingIsSavedOutsideOfTheFolderNorInPart() {
        leave("echo one > a.txt", 1);
        const ChunkFile good = fileOf("a.txt");
        QTemporaryDir all;
        const QString folder = all.filePath("into");
        QVERIFY(QDir().mkpath(folder) && QDir().mkpath(all.filePath("outside")));
        const auto as = [&](const QString& name) { return ChunkFile{name, good.hash, good.size}; };
        QString said = saveInto(folder, {as("../x"), as("/tmp/x"), as("a.txt")});
        QVERIFY2(said.startsWith("Saved 1 file(s)") && said.contains("leads nowhere"), qPrintable(said));
        QCOMPARE(namesIn(folder), QString("a.txt"));
        QCOMPARE(namesIn(all.path()), QString("into outside"));
        QVERIFY(QFile::link(all.filePath("outside"), folder + "/away"));
        QVERIFY(saveInto(folder, {as("away/x")}).contains("could lead out"));
        QCOMPARE(namesIn(all.filePath("outside")), QString());
        QVERIFY(saveInto(folder, {as("a.txt/x")}).contains("folder cannot be made"));
        // What does not come, or is not what was said, leaves nothing behind.
        QVERIFY(saveInto(folder, {{"gone", QString(64, 'a'), 3}}).contains("is gone"));
        QVERIFY(saveInto(folder, {{"longer", good.hash, 50}}).contains("not what the engine said"));
        QVERIFY(saveInto(folder, {{"shorter", good.hash, 2}}).contains("not what the engine said"));
        QVERIFY(saveInto(folder, {{"nowhere", "../session", 2}}).contains("does not say"));
        QVERIFY(saveInto(all.filePath("none"), {as("x")}).startsWith("Saved 0 file(s)"));
        QCOMPARE(namesIn(folder), QString("a.txt away"));
        // The first that does not come is the last that is asked for.
        QVERIFY(saveInto(folder, {{"gone", QString(64, 'a'), 3}, as("late")}).startsWith("Saved 0 file(s)"));
        // Stopped before anything came.
        commands()->saveInto(folder, {as("stopped")});
        QVERIFY(commands()->isSaving());
        QCOMPARE(button("Stop saving")->isEnabled(), true);
        QTest::mouseClick(button("Stop saving"), Qt::LeftButton);
        QVERIFY(!commands()->isSaving() && sentence().contains("stopped"));
        QCOMPARE(namesIn(folder), QString("a.txt away"));
        // No folder was chosen.
        chooseNext({});
        QTest::mouseClick(button("Save all…"), Qt::LeftButton);
        QVERIFY(!commands()->isSaving());
    }

    void oneIsSavedUnderTheNameThatWasAskedFor() {
        leave("echo one > a.txt", 1);
        choose("a.txt");
        QTemporaryDir folder;
        const QString path = folder.filePath("other.txt");
        chooseNext(path);
        QTest::mouseClick(button("Save…"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(bytesOf(path), QByteArray("one\n"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(path), kSoon);
        chooseNext(folder.filePath("no/such/folder/x"));
        QTest::mouseClick(button("Save…"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains("such/folder"), kSoon);
        QCOMPARE(namesIn(folder.path()), QString("other.txt"));
    }

    void aCopyIsOpenedWithTheProgramOfTheDesktop() {
        leave("echo one > a.txt && echo two > b.txt", 2);
        QDesktopServices::setUrlHandler("file", this, "openFile");
        choose("a.txt");
        QTest::mouseClick(button("Open"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(opened_.toLocalFile().endsWith("/a.txt"), kSoon);
        QCOMPARE(bytesOf(opened_.toLocalFile()), QByteArray("one\n"));
        commands()->open(fileOf("b.txt")); // not shown: it has to be fetched
        QTRY_VERIFY_WITH_TIMEOUT(opened_.toLocalFile().endsWith("/b.txt"), kSoon);
        QCOMPARE(bytesOf(opened_.toLocalFile()), QByteArray("two\n"));
        QDesktopServices::unsetUrlHandler("file");
        commands()->open({"large", QString(64, 'a'), FileCopies::kMostBytes + 1});
        QVERIFY(sentence().contains("too large"));
        commands()->open({"gone", QString(64, 'a'), 3});
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains("is gone"), kSoon);
    }

    void copiesTakeSoMuchRoomAndNoMore() {
        FileCopies copies(window_->engine().state()->link(), 10);
        const auto file = [](char digit, qint64 size) { return ChunkFile{"d/x.txt", QString(64, digit), size}; };
        const QString first = copies.put(file('a', 4), "1111");
        QVERIFY(first.endsWith("/x.txt"));
        QCOMPARE(copies.put(file('a', 4), "1111"), first); // it is there
        QVERIFY(!copies.put(file('b', 4), "2222").isEmpty());
        QCOMPARE(copies.pathOf(file('a', 4)), first);
        QVERIFY(!copies.put(file('c', 4), "3333").isEmpty()); // the oldest makes room
        QCOMPARE(copies.pathOf(file('a', 4)), QString());
        QVERIFY(!QFile::exists(first));
        QCOMPARE(bytesOf(copies.pathOf(file('b', 4))), QByteArray("2222"));
        QCOMPARE(copies.put(file('d', 11), "11 of them."), QString());
        // So many come at one time.
        QStringList problems;
        const auto note = [&](const QString&, const QString& problem) { problems << problem; };
        for (std::size_t i = 0; i < FileCopies::kMostAtOnce; ++i)
            copies.make({QString::number(i), QString(64, 'e'), 1}, note);
        QVERIFY(problems.isEmpty());
        copies.make({"one more", QString(64, 'e'), 1}, note);
        QVERIFY(problems.size() == 1 && problems[0].contains("are being fetched"));
        copies.make({"0", QString(64, 'e'), 1}, note); // on its way already
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<std::size_t>(problems.size()), FileCopies::kMostAtOnce + 2, kSoon);
        QVERIFY(problems.filter("is gone").size() == problems.size() - 1);
    }

    void whatIsDraggedIsAFile() {
        leave("echo one > a.txt && echo two > b.txt", 2);
        choose("a.txt");
        const auto dragged = [this](const std::vector<ChunkFile>& files) {
            return std::unique_ptr<QMimeData>(commands()->dragged(files));
        };
        const auto shown = dragged({fileOf("a.txt")});
        QVERIFY(shown && shown->urls().size() == 1);
        QCOMPARE(bytesOf(shown->urls()[0].toLocalFile()), QByteArray("one\n"));
        QVERIFY(!dragged(tab()->files()));
        QVERIFY(sentence().contains("being fetched"));
        QTRY_VERIFY_WITH_TIMEOUT(dragged(tab()->files()) != nullptr, kSoon);
        const auto both = dragged(tab()->files());
        QCOMPARE(both->urls().size(), qsizetype{2});
        QCOMPARE(bytesOf(both->urls()[1].toLocalFile()), QByteArray("two\n"));
        QVERIFY(!dragged({}));
        QVERIFY(!dragged(std::vector<ChunkFile>(OutputCommands::kMostDragged + 1, fileOf("a.txt"))));
        // A name that is no file's is given another one.
        const auto odd = dragged({ChunkFile{"..", fileOf("a.txt").hash, 4}});
        QVERIFY(!odd);
        QTRY_VERIFY_WITH_TIMEOUT(dragged({ChunkFile{"..", fileOf("a.txt").hash, 4}}) != nullptr, kSoon);
        QVERIFY(dragged({ChunkFile{"..", fileOf("a.txt").hash, 4}})->urls()[0].toLocalFile().endsWith("/output"));
    }

    void namesAndHashesAreCopied() {
        leave("echo one > a.txt && echo two > b.txt", 2);
        QMenu menu;
        commands()->fill(menu, tab()->files());
        const auto trigger = [&menu](const QString& text) {
            for (QAction* action : menu.actions())
                if (action->text() == text) return action->trigger();
            QFAIL(qPrintable(text));
        };
        trigger("Copy the name");
        QCOMPARE(QApplication::clipboard()->text(), QString("a.txt\nb.txt"));
        trigger("Copy the hash");
        QCOMPARE(QApplication::clipboard()->text(), fileOf("a.txt").hash + '\n' + fileOf("b.txt").hash);
        QMenu one;
        commands()->fill(one, {fileOf("a.txt")});
        for (QAction* action : one.actions())
            if (action->text() == "Copy as curl") action->trigger();
        QVERIFY2(QApplication::clipboard()->text().contains(
                     QStringLiteral("chunks/%1?lsn=%2").arg(fileOf("a.txt").hash).arg(fileOf("a.txt").lsn)),
                 qPrintable(QApplication::clipboard()->text()));
        QVERIFY(fileOf("a.txt").lsn > 0);
        QMenu none;
        commands()->fill(none, {});
        QVERIFY(none.isEmpty());
    }

    void theLastImagesOfAQueueStandInItsPanel() {
        const qint64 queue = makeQueue("render");
        QVERIFY(queue != 0);
        const auto render = [&](const QString& script) {
            const qint64 lsn = submit("frame", "cd \"$YARD_SCRATCH/outputs\" && " + script, {}, queue);
            return QTest::qWaitFor([&] { return stateOf(lsn) == "completed"; }, kSoon) ? lsn : 0;
        };
        const QString png = "echo " + base64OfPng({40, 20}) + " | base64 -d > ";
        const qint64 first = render(png + "1.png && echo no image > 2.png && echo text > notes.txt");
        QVERIFY(first != 0);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->queue(queue) != nullptr, kSoon);
        window_->navigation().showThing("queues", queue);
        auto* page = qobject_cast<QueuesPage*>(window_->navigation().page());
        QVERIFY(page != nullptr);
        PictureStrip* strip = page->panel()->pictures()->strip();
        QTRY_COMPARE_WITH_TIMEOUT(strip->pictures().size(), std::size_t{2}, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible() && strip->isDone(), kSoon);
        QCOMPARE(strip->pictures()[0].file.name, QString("2.png")); // the last name is the newest
        QVERIFY(strip->thumbnail(0).isNull());
        QCOMPARE(strip->thumbnail(1).size(), QSize(40, 20));
        // What comes later is first.
        const qint64 second = render("mkdir d && " + png + "d/3.png");
        QVERIFY(second != 0);
        QTRY_COMPARE_WITH_TIMEOUT(strip->pictures().size(), std::size_t{3}, kSoon);
        QCOMPARE(strip->pictures()[0].lsn, second);
        QTRY_VERIFY_WITH_TIMEOUT(strip->isDone(), kSoon);
        // A click leads to the action, with that file selected.
        for (auto* each : strip->findChildren<QAbstractButton*>())
            if (each->accessibleName().startsWith("1.png")) {
                QTest::mouseClick(each, Qt::LeftButton);
                break;
            }
        QTRY_COMPARE_WITH_TIMEOUT(preview()->file().name, QString("1.png"), kSoon);
        QCOMPARE(detail()->lsn(), first);
        QTRY_VERIFY_WITH_TIMEOUT(shows(ContentKind::Image), kSoon);
        window_->navigation().showAction(second, "outputs/d/3.png");
        QTRY_VERIFY_WITH_TIMEOUT(preview()->file().name == "d/3.png" && detail()->lsn() == second, kSoon);
        // A queue without images has none.
        window_->navigation().showThing("queues", 0);
        QTRY_VERIFY_WITH_TIMEOUT(page->panel()->queue() == 0, kSoon);
        page->panel()->pictures()->show(-1);
        QVERIFY(strip->pictures().empty() && !strip->isVisible());
    }

    void severalImagesOfAnActionAreShownSmall() {
        const QString png = "echo " + base64OfPng({40, 20}) + " | base64 -d > ";
        leave(png + "b.png && " + png + "a.png && echo text > notes.txt", 3);
        PictureStrip* strip = tab()->pictures();
        QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible() && strip->isDone(), kSoon);
        QCOMPARE(strip->pictures().size(), std::size_t{2});
        QCOMPARE(strip->pictures()[0].file.name, QString("a.png"));
        QCOMPARE(strip->thumbnail(1).size(), QSize(40, 20));
        // A click selects the file.
        choose("notes.txt");
        for (auto* each : strip->findChildren<QAbstractButton*>())
            if (each->accessibleName().startsWith("b.png")) {
                QTest::mouseClick(each, Qt::LeftButton);
                break;
            }
        QTRY_COMPARE_WITH_TIMEOUT(preview()->file().name, QString("b.png"), kSoon);
        // One alone is in the preview already.
        leave(png + "only.png", 1);
        QVERIFY(strip->pictures().empty() && !strip->isVisible());
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
