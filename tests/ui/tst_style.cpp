// Colours can be told apart, icons are there and sharp, and the window follows the desktop between light and dark.
#include "ui/style/app_style.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/style/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <utility>

using namespace yard::ui;

namespace {

/// A desktop that can change its mind.
class Desktop final : public SchemeSource {
public:
    std::optional<Scheme> wish() const override { return wish_; }
    void want(std::optional<Scheme> wish) {
        wish_ = wish;
        emit changed();
    }

private:
    std::optional<Scheme> wish_;
};

QString word(std::string_view name) {
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

/// The tokens as a style sheet, which is what the check reads.
QByteArray sheet(Scheme scheme) {
    QByteArray text = scheme == Scheme::Dark ? "[data-theme=\"dark\"] {\n" : "[data-theme=\"light\"] {\n";
    const auto row = [&](const QString& name, const QColor& colour) {
        text += "--" + name.toLatin1() + ": " + colour.name().toLatin1() + ";\n";
    };
    for (std::size_t i = 0; i < kTokens; ++i) row(word(name(Token(i))), colour(scheme, Token(i)));
    for (std::size_t i = 0; i < kFaces; ++i) {
        row("s-" + word(name(DisplayState(i))), ink(scheme, DisplayState(i)));
        row("f-" + word(name(DisplayState(i))), fill(scheme, DisplayState(i)));
    }
    return text + "}\n";
}

QImage drawn(const QPixmap& pixmap) {
    return pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
}

int paintedPixels(const QImage& image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qAlpha(image.pixel(x, y)) > 0) ++count;
    return count;
}

} // namespace

class TestStyle : public QObject {
    Q_OBJECT

private slots:
    void statesCanBeToldApartByTheColourBlind();
    void everyIconOfTheWindowIsThere_data();
    void everyIconOfTheWindowIsThere();
    void statesHaveShapesOfTheirOwn();
    void iconsAreDrawnForTheDeviceRatio();
    void iconsTakeTheirColour();
    void themeFollowsTheDesktop();
    void choiceGoesBeforeTheDesktop();
    void mixingMovesFromOneColourToTheOther();
    void aBoxThatCanBeWrittenIntoHasOneFrame();
    void marksThatTurnTextAroundAreShown();
    void whatIsWrittenStandsOffTheFrame();
    void whatABoxOpensHasRowsThatCanBePressed();
};

void TestStyle::statesCanBeToldApartByTheColourBlind() {
    const QTemporaryDir directory;
    QFile file(directory.filePath("tokens.css"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(sheet(Scheme::Dark) + sheet(Scheme::Light));
    file.close();
    QProcess check;
    check.setProcessChannelMode(QProcess::MergedChannels);
    check.start("python3", {YARD_PALETTE_CHECK, file.fileName()});
    QVERIFY2(check.waitForFinished(), "python3 did not end");
    const QByteArray said = check.readAll();
    QVERIFY2(check.exitStatus() == QProcess::NormalExit && check.exitCode() == 0, said.constData());
    QVERIFY(said.contains("must-tell min"));
}

void TestStyle::everyIconOfTheWindowIsThere_data() {
    QTest::addColumn<QString>("icon");
    for (const char* icon :
         {"yard",     "dashboard",  "failures", "queues",  "actions",  "workers",  "timelines", "pool",
          "machines", "recordings", "objects",  "console", "settings", "search",   "bell",      "plus",
          "minus",    "down",       "right",    "pause",   "drain",    "filter",   "close",     "again",
          "copy",     "compare",    "edit",     "follow",  "fit",      "columns",  "save",      "wrap",
          "lock",     "link",       "undo",     "detach",  "hold",     "release",  "chunk",     "log",
          "why",      "key",        "plug",     "unplug",  "pin",      "external", "history"})
        QTest::newRow(icon) << icon;
    for (std::size_t i = 0; i < kFaces; ++i) {
        const QString icon = "state-" + word(name(DisplayState(i)));
        QTest::newRow(qPrintable(icon)) << icon;
    }
}
void TestStyle::everyIconOfTheWindowIsThere() {
    QFETCH(QString, icon);
    QVERIFY(icons::exists(icon));
    const int painted = paintedPixels(drawn(icons::pixmap(icon, 16, Qt::red, 1)));
    QVERIFY2(painted > 8 && painted < 250, qPrintable(QString::number(painted)));
}

void TestStyle::statesHaveShapesOfTheirOwn() {
    QList<QImage> shapes;
    for (std::size_t i = 0; i < kFaces; ++i) {
        const QImage shape = drawn(icons::pixmap("state-" + word(name(DisplayState(i))), 14, Qt::black, 1));
        QVERIFY(!shapes.contains(shape));
        shapes.append(shape);
    }
}

void TestStyle::iconsAreDrawnForTheDeviceRatio() {
    const QPixmap twice = icons::pixmap("search", 16, Qt::white, 2);
    QCOMPARE(twice.size(), QSize(32, 32));
    QCOMPARE(twice.deviceIndependentSize(), QSizeF(16, 16));
}

void TestStyle::iconsTakeTheirColour() {
    const QImage image = drawn(icons::pixmap("state-running", 16, QColor("#3FA4EE"), 1));
    QCOMPARE(QColor(image.pixel(7, 8)), QColor("#3FA4EE"));
    const QImage failed = drawn(icons::pixmap("state-failed", 64, QColor("#FF0000"), 1, QColor("#00FF00")));
    QCOMPARE(QColor(failed.pixel(32, 32)), QColor("#00FF00"));
}

void TestStyle::themeFollowsTheDesktop() {
    Desktop desktop;
    desktop.want(Scheme::Dark);
    Theme theme(&desktop);
    QSignalSpy changed(&theme, &Theme::changed);
    QCOMPARE(theme.scheme(), Scheme::Dark);
    QCOMPARE(QApplication::palette().color(QPalette::Base), QColor("#1A1E23"));
    desktop.want(Scheme::Light);
    QCOMPARE(theme.scheme(), Scheme::Light);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(QApplication::palette().color(QPalette::Base), QColor("#FFFFFF"));
    desktop.want(Scheme::Light);
    QCOMPARE(changed.size(), 1);
}

void TestStyle::choiceGoesBeforeTheDesktop() {
    Desktop desktop;
    desktop.want(Scheme::Dark);
    Theme theme(&desktop);
    theme.choose(Theme::Choice::Light);
    QCOMPARE(theme.scheme(), Scheme::Light);
    desktop.want(std::nullopt);
    QCOMPARE(theme.scheme(), Scheme::Light);
    desktop.want(Scheme::Dark);
    theme.choose(Theme::Choice::System);
    QCOMPARE(theme.scheme(), Scheme::Dark);
}

void TestStyle::mixingMovesFromOneColourToTheOther() {
    QCOMPARE(mixed(Qt::black, Qt::white, 0), QColor(Qt::black));
    QCOMPARE(mixed(Qt::black, Qt::white, 1), QColor(Qt::white));
    QCOMPARE(mixed(Qt::black, Qt::white, 0.2), QColor(51, 51, 51));
}

void TestStyle::aBoxThatCanBeWrittenIntoHasOneFrame() {
    const Theme theme(nullptr);
    dressApplication();
    QComboBox box;
    box.setEditable(true);
    box.lineEdit()->setFrame(false);
    box.resize(240, 28);
    const QImage image = box.grab().toImage();
    const int middle = image.height() / 2;
    for (int x = 3; x < image.width() - 26; ++x) QCOMPARE(QColor(image.pixel(x, middle)), theme(Token::Bg1));
    QVERIFY(QColor(image.pixel(0, middle)) != theme(Token::Bg1));
}

void TestStyle::marksThatTurnTextAroundAreShown() {
    const Theme theme(nullptr);
    const QString name = QString::fromUtf8("photo\xe2\x80\xaegpj.exe");
    const QString plain = QString::fromUtf8("photo\xef\xbf\xbdgpj.exe");
    QCOMPARE(unturned(name), plain);
    QCOMPARE(unturned("plain"), QString("plain"));
    QImage image(300, 30, QImage::Format_RGB32);
    QPainter painter(&image);
    QCOMPARE(paint::text(painter, {0, 0, 300, 30}, name, typeface(Type::Body), Qt::black), plain);
}

void TestStyle::whatIsWrittenStandsOffTheFrame() {
    const Theme theme(nullptr);
    dressApplication();
    QLineEdit field;
    QLineEdit own;
    QLineEdit bare;
    own.setTextMargins(24, 0, 24, 0);
    bare.setFrame(false);
    for (QLineEdit* edit : {&field, &own, &bare}) edit->ensurePolished();
    QVERIFY(field.textMargins().left() > 0 && field.textMargins().right() > 0);
    QCOMPARE(own.textMargins().left(), 24);
    QVERIFY(bare.textMargins().isNull());
}

void TestStyle::whatABoxOpensHasRowsThatCanBePressed() {
    const Theme theme(nullptr);
    dressApplication();
    QComboBox box;
    box.addItems({"Dark", "Light"});
    box.ensurePolished();
    QVERIFY(box.view()->sizeHintForRow(0) >= 22);
    const auto* delegate = box.itemDelegate();
    dressApplication(); // as when the theme changes
    box.ensurePolished();
    QCOMPARE(static_cast<const void*>(box.itemDelegate()), static_cast<const void*>(delegate));
}

QTEST_MAIN(TestStyle)
#include "tst_style.moc"
