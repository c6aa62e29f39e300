// Under which name the runs of an action are remembered.
#include "core/json/utf8.h"
#include "core/kinds/kind_name.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::kinds;

namespace {

ActionSpec exec(std::vector<std::string> argv, std::string label = {}) {
    ActionSpec spec;
    spec.worker = "exec";
    spec.argv = std::move(argv);
    spec.label = std::move(label);
    return spec;
}

} // namespace

class TestKindName : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anActionOfAWorkerIsNamedByWorkerAndFunctionWithoutItsVersion() {
        ActionSpec spec;
        spec.worker = "thumbs@1.2";
        spec.function = "shrink";
        spec.label = "holiday";
        QCOMPARE(kindName(spec, "thumbs"), std::string("thumbs:shrink"));
    }
    void anExecWithALabelIsNamedByIt() {
        QCOMPARE(kindName(exec({"/usr/bin/make", "all"}, "nightly build"), {}), std::string("exec:nightly build"));
    }
    void elementsOfAnArrayAreOneKindByTheLabelAsItWasPosted() {
        QCOMPARE(kindName(exec({"true"}, "part {index}"), {}), std::string("exec:part {index}"));
    }
    void anExecIsNamedByItsProgramAndTheFirstWordThatIsNoOption() {
        QCOMPARE(kindName(exec({"/usr/bin/git", "--no-pager", "-c", "log"}), {}), std::string("exec:git log"));
        QCOMPARE(kindName(exec({"make"}), {}), std::string("exec:make"));
        QCOMPARE(kindName(exec({"ls", "-l", ""}), {}), std::string("exec:ls"));
        QCOMPARE(kindName(exec({"/"}), {}), std::string("exec:/"));
    }
    void aLineForAShellIsNamedByItsFirstWord() {
        QCOMPARE(kindName(exec({"sh", "-c", "sleep 0.05; true"}), {}), std::string("exec:sh sleep"));
        QCOMPARE(kindName(exec({"sh", "-c", "\n  make all"}), {}), std::string("exec:sh make"));
        QCOMPARE(kindName(exec({"sh", "-c", "  ", "x"}), {}), std::string("exec:sh x"));
    }
    void bytesThatAreNoUtf8AndControlCharactersDoNotGetIntoTheName() {
        QCOMPARE(kindName(exec({"a\nb", "c\xffz"}), {}), std::string("exec:a b c\xef\xbf\xbdz"));
        QVERIFY(!hasControlCharacters(kindName(exec({"x", "\xc2\x85y"}), {})));
    }
    void aLongNameIsCutBetweenCharacters() {
        std::string word;
        for (int i = 0; i < 2'000; ++i) word += "\xc3\xa4";
        const std::string name = kindName(exec({"p", word}), {});
        QVERIFY(name.size() <= kMaxKindBytes);
        QVERIFY(name.size() > kMaxKindBytes - 4);
        QVERIFY(isUtf8(name));
    }
};

QTEST_APPLESS_MAIN(TestKindName)
#include "tst_kind_name.moc"
