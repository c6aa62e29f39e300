// The small values of core/base: identifiers, errors, times, digests, state tables, owner checks.
#include "core/base/clock.h"
#include "core/base/descriptor_ledger.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/memory_ledger.h"
#include "core/base/nearest.h"
#include "core/base/open_files.h"
#include "core/base/owner.h"
#include "core/base/shortest_edit.h"
#include "core/base/sizes.h"
#include "core/base/state_machine.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <random>
#include <set>
#include <source_location>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace yard;
using namespace std::chrono_literals;

namespace {

constexpr char kHashOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kHashOfNothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

enum class Door { Closed, Open, Locked };

constexpr TransitionTable<Door, 4> kDoorMoves{
    {Door::Closed, {Door::Open, Door::Locked}},
    {Door::Open, {Door::Closed}},
};

/// Of a subsequence, letter by letter.
std::size_t longestInCommon(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before(b.size() + 1, 0);
    for (const char c : a) {
        std::vector<std::size_t> row(b.size() + 1, 0);
        for (std::size_t i = 0; i < b.size(); ++i)
            row[i + 1] = c == b[i] ? before[i] + 1 : std::max(before[i + 1], row[i]);
        before = std::move(row);
    }
    return before.back();
}

} // namespace

class TestValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theNearestWordIsTwoChangesAwayAtMost() {
        QCOMPARE(editDistance("naem", "name"), 1U); // swapped
        QCOMPARE(editDistance("", "abc"), 3U);
        QCOMPARE(editDistance("sunday", "saturday"), 3U);
        constexpr std::array<std::string_view, 3> known = {"state", "queue", "cpu"};
        QCOMPARE(nearestOf("sate", known), "state");
        QCOMPARE(nearestOf("queeu", known), "queue");
        QCOMPARE(nearestOf("colour", known), "");
        QCOMPARE(nearestOf("", known), ""); // all of a word is not near
    }

    void theShortestEditLeadsFromOneTextToTheOther() {
        std::mt19937 random(4);
        for (int round = 0; round < 300; ++round) {
            std::string a(random() % 12, ' ');
            std::string b(random() % 12, ' ');
            for (std::string* text : {&a, &b})
                for (char& c : *text) c = static_cast<char>('a' + random() % 3);
            const auto isSame = [&](std::size_t x, std::size_t y) { return a[x] == b[y]; };
            const ShortestEdit edit = shortestEdit(a.size(), b.size(), isSame, 100);
            QVERIFY(edit.middle);
            std::string made = a.substr(0, edit.before);
            std::size_t edits = 0;
            for (const EditStep& step : *edit.middle) {
                if (step.kind == EditStep::Kind::Both) QVERIFY(isSame(step.a, step.b));
                if (step.kind != EditStep::Kind::Both) ++edits;
                if (step.kind != EditStep::Kind::Removed) made += b[step.b];
            }
            made += a.substr(a.size() - edit.after);
            QCOMPARE(made, b);
            QCOMPARE(edits, a.size() + b.size() - 2 * longestInCommon(a, b));
            QVERIFY(shortestEdit(a.size(), b.size(), isSame, edits).middle == edit.middle);
            if (edits > 0) QVERIFY(!shortestEdit(a.size(), b.size(), isSame, edits - 1).middle);
        }
    }

    void stepsOfAnEditSayWhereTheyStand() {
        const std::string a = "abxd";
        const std::string b = "abyzd";
        const auto isSame = [&](std::size_t x, std::size_t y) { return a[x] == b[y]; };
        const ShortestEdit edit = shortestEdit(a.size(), b.size(), isSame, 3);
        QCOMPARE(edit.before, std::size_t{2});
        QCOMPARE(edit.after, std::size_t{1});
        using enum EditStep::Kind;
        QVERIFY(edit.middle == (std::vector<EditStep>{{Removed, 2, 2}, {Added, 3, 2}, {Added, 3, 3}}));
        QVERIFY(!shortestEdit(a.size(), b.size(), isSame, 2).middle);
        const ShortestEdit none = shortestEdit(0, 0, isSame, 0);
        QVERIFY(none.before == 0 && none.after == 0 && none.middle && none.middle->empty());
    }

    void idsOfDifferentThingsDoNotMix() {
        static_assert(!std::is_convertible_v<Lsn, QueueId>);
        static_assert(!std::is_convertible_v<std::int64_t, Lsn>);
        QVERIFY(Lsn(3) < Lsn(4));
        QVERIFY(Lsn() == Lsn(0));
        QCOMPARE(std::unordered_set<Lsn>({Lsn(1), Lsn(1), Lsn(2)}).size(), 2u);
    }

    void everyErrorKindHasAWordOfItsOwn() {
        std::set<std::string_view> words;
        for (int kind = 0; kind <= int(ErrorKind::Internal); ++kind) {
            const std::string_view word = errorName(ErrorKind(kind));
            QVERIFY(!word.empty());
            QVERIFY(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == word.npos);
            words.insert(word);
        }
        QCOMPARE(words.size(), std::size_t(ErrorKind::Internal) + 1);
        QCOMPARE(errorName(ErrorKind::NeedChunks), "need");
    }

    void aFailingSystemCallSaysWhatFailedAndWhy() {
        const Error error = failErrno("cannot open /x", EACCES).error();
        QCOMPARE(error.message, "cannot open /x: Permission denied");
        QCOMPARE(error.sysErrno, EACCES);
        QVERIFY(error.kind == ErrorKind::Io);
        QCOMPARE(failErrno("call", 99999).error().message, "call: error 99999");
    }

    void aFullDiskIsAKindOfItsOwn() {
        QVERIFY(failErrno("write", ENOSPC).error().kind == ErrorKind::NoSpace);
        QVERIFY(failErrno("write", EDQUOT).error().kind == ErrorKind::NoSpace);
    }

    void anInvalidFieldIsNamed() {
        const Error error = invalid("argv", "argv is empty").error();
        QCOMPARE(error.field, "argv");
        QVERIFY(error.kind == ErrorKind::Invalid);
        QCOMPARE(error.index, -1);
    }

    void monotonicTimeDoesNotGoBack() {
        MonoTime last = MonoClock::now();
        for (int i = 0; i < 1000; ++i) {
            const MonoTime now = MonoClock::now();
            QVERIFY(now >= last);
            last = now;
        }
    }

    void aPinnedScaleMapsMonotonicToWallTime() {
        const WallScale scale = WallScale::pinnedNow();
        const WallMicros difference = scale.at(MonoClock::now()) - wallNow();
        QVERIFY2(std::abs(difference) < 1'000'000, qPrintable(QString::number(difference)));
        const MonoTime t = MonoClock::now();
        QCOMPARE(scale.at(t + 5ms) - scale.at(t), 5000);
    }

    void aPathIsBelowADirectoryByWholeNames() {
        QVERIFY(isBelow("/a/b", "/a") && isBelow("/a", "/a") && isBelow("/a", "/"));
        QVERIFY(!isBelow("/ab", "/a") && !isBelow("/a", "/a/b") && !isBelow("/a", ""));
    }

    void blanksAtBothEndsGo() {
        QCOMPARE(trimmed(" \ta b\t "), std::string_view("a b"));
        QCOMPARE(trimmed("a\n"), std::string_view("a\n"));
        QCOMPARE(trimmed("\r\na\n", " \t\r\n"), std::string_view("a"));
        QVERIFY(trimmed(" \t ").empty() && trimmed("").empty());
    }

    void digestsAreSha256() {
        QCOMPARE(Sha256::of("abc").hex(), kHashOfAbc);
        QCOMPARE(Sha256::of("").hex(), kHashOfNothing);
        QVERIFY(Hash256::ofNothing() == Sha256::of({}));
    }

    void aStreamedDigestEqualsTheWholeAndTheHasherStartsAnew() {
        Sha256 hasher;
        hasher.update("a");
        hasher.update("");
        hasher.update("bc");
        QCOMPARE(hasher.finish().hex(), kHashOfAbc);
        QCOMPARE(hasher.finish().hex(), kHashOfNothing);
        hasher.update("abc");
        QCOMPARE(hasher.finish().hex(), kHashOfAbc);
    }

    void aMovedHasherGoesOnWhereItWas() {
        Sha256 first;
        first.update("ab");
        Sha256 second(std::move(first));
        second.update("c");
        Sha256 third;
        third = std::move(second);
        QCOMPARE(third.finish().hex(), kHashOfAbc);
    }

    void hexIsReadStrictly_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("accepted");
        const QByteArray good(kHashOfAbc);
        QTest::newRow("64 lower-case digits") << good << true;
        QTest::newRow("upper case") << good.toUpper() << false;
        QTest::newRow("one short") << good.chopped(1) << false;
        QTest::newRow("one long") << good + "0" << false;
        QTest::newRow("empty") << QByteArray() << false;
        QTest::newRow("a letter past f") << good.chopped(1) + "g" << false;
        QTest::newRow("a slash, below 0") << good.chopped(1) + "/" << false;
        QTest::newRow("a path") << QByteArray("../").repeated(21) + "." << false;
    }
    void hexIsReadStrictly() {
        QFETCH(QByteArray, text);
        QFETCH(bool, accepted);
        const auto hash = Hash256::fromHex({text.constData(), std::size_t(text.size())});
        QCOMPARE(hash.has_value(), accepted);
        if (hash) QCOMPARE(hash->hex(), text.toStdString());
    }

    void digestsCanBeKeys() {
        std::unordered_set<Hash256> set{Sha256::of("a"), Sha256::of("b"), Sha256::of("a")};
        QCOMPARE(set.size(), 2u);
        QVERIFY(set.contains(Sha256::of("b")));
    }

    void randomHexHasTheLengthAskedForAndDiffers() {
        QCOMPARE(randomHex(0), "");
        const std::string a = randomHex(32);
        QCOMPARE(a.size(), 64u);
        QVERIFY(a != randomHex(32));
        QVERIFY(Hash256::fromHex(a).has_value());
        QCOMPARE(randomHex(1000).size(), 2000u);
    }

    void secretsCompareByContent() {
        QVERIFY(equalConstantTime("", ""));
        QVERIFY(equalConstantTime("token", "token"));
        QVERIFY(!equalConstantTime("token", "tokem"));
        QVERIFY(!equalConstantTime("token", "token1"));
        QVERIFY(!equalConstantTime("", "t"));
    }

    void everyMoveIsAllowedOrNotAsTheTableSays() {
        const bool expected[3][3] = {{false, true, true}, {true, false, false}, {false, false, false}};
        for (int from = 0; from < 3; ++from)
            for (int to = 0; to < 3; ++to) QCOMPARE(kDoorMoves.allows(Door(from), Door(to)), expected[from][to]);
        QVERIFY(kDoorMoves.isFinal(Door::Locked));
        QVERIFY(!kDoorMoves.isFinal(Door::Closed));
        static_assert(kDoorMoves.allows(Door::Open, Door::Closed), "a table can be used at compile time");
    }

    void theFirstThreadThatTouchesAnObjectOwnsIt() {
        const OwnerCheck owner;
        QVERIFY(owner.isOwner());
        bool ownedByOther = true;
        std::thread([&] { ownedByOther = owner.isOwner(); }).join();
#ifdef NDEBUG
        QVERIFY2(ownedByOther, "release builds do not check");
#else
        QVERIFY(!ownedByOther);
        owner.release();
        std::thread([&] { ownedByOther = owner.isOwner(); }).join();
        QVERIFY(ownedByOther);
        QVERIFY(!owner.isOwner());
#endif
    }

    void unitsOfSizes() {
        static_assert(bytesPerUnit("") == 1 && bytesPerUnit("B") == 1);
        static_assert(bytesPerUnit("k") == 1024 && bytesPerUnit("K") == 1024 && bytesPerUnit("KiB") == 1024);
        static_assert(bytesPerUnit("kB") == 1000 && bytesPerUnit("MB") == 1e6 && bytesPerUnit("TB") == 1e12);
        static_assert(bytesPerUnit("M") == 1024.0 * 1024 && bytesPerUnit("GiB") == 1024.0 * 1024 * 1024);
        for (const char* wrong : {"X", "Mb", "Mi", "b", "MBs", " M"}) QVERIFY2(!bytesPerUnit(wrong), wrong);
    }

    void charactersThatSteerALineAreFound() {
        for (const char* steers :
             {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069", "a\u202e"})
            QVERIFY2(hasSteeringCharacters(steers), steers);
        for (const char* plain : {"", "a", "\u061b", "\u200d", "\u2027", "\u202f", "\u2065", "\u206a", "\xe2", "…"})
            QVERIFY2(!hasSteeringCharacters(plain), plain);
    }

    void aDescriptorIsClosedOnceByWhoeverHoldsItLast() {
        int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        {
            UniqueFd first(raw);
            UniqueFd second(std::move(first));
            QVERIFY(!first); // NOLINT(bugprone-use-after-move): that is the point
            QCOMPARE(second.get(), raw);
            first = std::move(second);
            QVERIFY(::fcntl(raw, F_GETFD) >= 0);
        }
        QCOMPARE(::fcntl(raw, F_GETFD), -1);
        raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        UniqueFd kept(raw);
        QCOMPARE(kept.release(), raw);
        QVERIFY(!kept);
        kept.reset(raw);
        errno = EXDEV;
        kept.reset();
        QCOMPARE(errno, EXDEV);
        QCOMPARE(::fcntl(raw, F_GETFD), -1);
    }

    void aDescriptorHasTheLineThatOpenedItUntilItIsClosed() {
        UniqueFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        const std::uint32_t line = std::source_location::current().line() - 1;
        const int number = first.get();
        const auto note = descriptorNote(number);
        QVERIFY(note.has_value());
        QVERIFY(std::string_view(note->file).ends_with("tests/base/tst_values.cpp"));
        QCOMPARE(note->line, line);
        QVERIFY(note->age >= Duration::zero());
        UniqueFd moved;
        moved = std::move(first); // who holds it now did not open it
        QCOMPARE(descriptorNote(number)->line, line);
        moved.reset();
        QVERIFY(!descriptorNote(number).has_value());
    }
    void aDescriptorThatIsHandedOnHasNoNote() {
        UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        const int number = fd.release();
        QVERIFY(!descriptorNote(number).has_value());
        UniqueFd again;
        again.reset(number);
        QVERIFY(descriptorNote(number).has_value());
    }
    void numbersThatNoDescriptorHasAreNotNoted() {
        noteDescriptor(-1, std::source_location::current());
        noteDescriptor(1 << 20, std::source_location::current());
        forgetDescriptor(1 << 20);
        QVERIFY(!descriptorNote(-1).has_value());
        QVERIFY(!descriptorNote(1 << 20).has_value());
        QVERIFY(!descriptorNote(1'000).has_value()); // nobody opened it
    }

    void whatAnObjectHoldsIsCountedAsLongAsItLives() {
        const auto bytes = [] { return memoryOf(MemoryOwner::Links).bytes; };
        const auto items = [] { return memoryOf(MemoryOwner::Links).items; };
        const std::uint64_t bytesBefore = bytes();
        const std::uint64_t itemsBefore = items();
        {
            ChargedBytes held(MemoryOwner::Links);
            held.set(1'000);
            held.set(400);
            QCOMPARE(bytes() - bytesBefore, std::uint64_t(400));
            QCOMPARE(items() - itemsBefore, std::uint64_t(1));
            ChargedBytes other(std::move(held));
            QCOMPARE(bytes() - bytesBefore, std::uint64_t(400));
            ChargedBytes third(MemoryOwner::Links);
            third.set(50);
            third = std::move(other);
            QCOMPARE(bytes() - bytesBefore, std::uint64_t(450)); // the other has what it had
        }
        QCOMPARE(bytes(), bytesBefore);
        QCOMPARE(items(), itemsBefore);
    }
    void openFilesAreCountedByTheKernel() {
        const auto before = openFiles();
        QVERIFY(before && before->used >= 3 && before->used < before->limit);
        const UniqueFd one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        QVERIFY(openFiles().value().used > before->used);
    }
    void whoCanWaitLeavesTheLastFilesToOthers() {
        OpenFiles open{.limit = 1'000, .used = 936};
        int looks = 0;
        OpenFilesRoom room(OpenFilesRoom::kForConnections, [&] {
            ++looks;
            return std::optional(open);
        });
        const MonoTime now = MonoClock::now();
        QVERIFY(room.admits(now)); // 64 are left
        open.used = 937;
        QVERIFY(!room.admits(now));
        QCOMPARE(room.lastLook().used, std::uint64_t(937));
        open.used = 1'200; // the limit was lowered
        QVERIFY(!room.admits(now));
        open.used = 100;
        QVERIFY(room.admits(now));
        QCOMPARE(looks, 4);
    }
    void aLookCountsForSomeAndForAWhile() {
        OpenFiles open{.limit = 1'000, .used = 1'000 - 64 - 80};
        int looks = 0;
        OpenFilesRoom room(OpenFilesRoom::kForConnections, [&] {
            ++looks;
            return std::optional(open);
        });
        const MonoTime now = MonoClock::now();
        for (int i = 0; i < 11; ++i) QVERIFY(room.admits(now)); // an eighth of 80, after the one that looked
        QCOMPARE(looks, 1);
        QVERIFY(room.admits(now));
        QCOMPARE(looks, 2);
        QVERIFY(room.admits(now + Duration{3'600'000'000}));
        QCOMPARE(looks, 3);
    }
    void aLookThatTookLongCountsForLonger() {
        int looks = 0;
        OpenFilesRoom room(OpenFilesRoom::kForConnections, [&] {
            ++looks;
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // as with many files on an older kernel
            return std::optional(OpenFiles{.limit = 10'000, .used = 1'000});
        });
        const MonoTime now = MonoClock::now();
        QVERIFY(room.admits(now) && room.admits(now + Duration{900'000}));
        QCOMPARE(looks, 1);
    }
    void ofASmallLimitTheSamePartIsKept() {
        OpenFiles open{.limit = 128, .used = 112};
        OpenFilesRoom starts(OpenFilesRoom::kForStarts, [&] { return std::optional(open); });
        QVERIFY(starts.admits(MonoClock::now()));
        open.used = 113;
        QVERIFY(!starts.admits(MonoClock::now()));
        OpenFilesRoom unlimited(OpenFilesRoom::kForStarts, [] { return std::optional<OpenFiles>(); });
        QVERIFY(unlimited.admits(MonoClock::now()));
    }
    void theLimitIsRaisedAndProgramsGetTheOldOne() {
        rlimit before{};
        ::getrlimit(RLIMIT_NOFILE, &before);
        rlimit lower = before;
        lower.rlim_cur = std::min<rlim_t>(before.rlim_max - 1, 100);
        ::setrlimit(RLIMIT_NOFILE, &lower);
        raiseOpenFiles();
        rlimit raised{};
        ::getrlimit(RLIMIT_NOFILE, &raised);
        QCOMPARE(raised.rlim_cur, before.rlim_max);
        QCOMPARE(openFilesAtStart().value_or(0), std::uint64_t(lower.rlim_cur));
        restoreOpenFiles(::getpid());
        ::getrlimit(RLIMIT_NOFILE, &raised);
        QCOMPARE(raised.rlim_cur, lower.rlim_cur);
        // As a module does that was told, between fork() and exec().
        setOpenFilesAtStart(90);
        restoreOpenFiles(0);
        ::getrlimit(RLIMIT_NOFILE, &raised);
        QCOMPARE(raised.rlim_cur, rlim_t(90));
        QCOMPARE(raised.rlim_max, before.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &before);
    }
};

QTEST_APPLESS_MAIN(TestValues)
#include "tst_values.moc"
