// Plans and layouts as values: what of the outside is seen, and what is refused.
#include "core/base/files.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/layout.h"
#include "core/sandbox/plan.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <linux/mount.h>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::sandbox;

namespace {

std::string print(const Plan& plan) {
    std::ostringstream text;
    for (const Bind& bind : plan.binds)
        text << bind.from << (bind.isolated ? " isolated" : "") << (bind.writable ? " writable at " : " at ")
             << bind.to << "; ";
    text << "starts in " << plan.cwd << ", memory " << (plan.memoryBytes >> 20) << ", tmp "
         << (plan.tmpBytes >> 20);
    if (plan.network) text << ", network";
    if (plan.cleanEnvironment) text << ", clean";
    if (plan.hostUser != 0) text << ", user " << plan.hostUser;
    return text.str();
}

Places places() {
    return {"/d/scratch/0/7.1", "/d/workers/w", "/d"};
}

/// What a filter says of a call, by running it as the kernel would.
unsigned verdict(const Filter& filter, unsigned call, std::initializer_list<std::uint64_t> args = {},
                 unsigned architecture = AUDIT_ARCH_X86_64) {
    seccomp_data data{};
    data.nr = static_cast<int>(call);
    data.arch = architecture;
    std::size_t n = 0;
    for (const std::uint64_t arg : args) data.args[n++] = arg;
    unsigned a = 0;
    for (unsigned pc = 0; pc < filter.size; ++pc) {
        const sock_filter& op = filter.code[pc];
        switch (op.code) {
        case BPF_LD | BPF_W | BPF_ABS: std::memcpy(&a, reinterpret_cast<const char*>(&data) + op.k, 4); break;
        case BPF_JMP | BPF_JEQ | BPF_K: pc += a == op.k ? op.jt : op.jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: pc += a >= op.k ? op.jt : op.jf; break;
        case BPF_JMP | BPF_JSET | BPF_K: pc += (a & op.k) != 0 ? op.jt : op.jf; break;
        case BPF_JMP | BPF_JA: pc += op.k; break;
        case BPF_ALU | BPF_AND | BPF_K: a &= op.k; break;
        case BPF_RET | BPF_K: return op.k;
        default: return 0xdead;
        }
    }
    return 0xbeef;
}

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif
constexpr unsigned kAllowed = SECCOMP_RET_ALLOW;
constexpr unsigned kTold = SECCOMP_RET_USER_NOTIF;
constexpr unsigned kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

} // namespace

class TestSandboxPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWorkerSeesItsFilesAndNothingElse();
    void theNetworkNeedsWorkerAndOperator();
    void memoryIsTheWorkersOrTheSettings();
    void anExecSeesItsDirectoryReadOnly();
    void withoutInputsThereIsNothingToShow();
    void directoriesThatWouldShowTooMuchAreRefused();
    void aPlaceInsideIsFoundOutside();
    void usersAreGivenWhereThereAreEnough();
    void aWarmProcessSeesTheRequestsOfItsWorker();
    void onlyCleanPathsAreTaken_data();
    void onlyCleanPathsAreTaken();
    void aLayoutIsInTheOrderItIsMadeIn();
    void aWritableDirectoryOfOthersIsALayerOverIt();
    void whatIsMissingOutsideIsAnError();
    void systemDirectoriesAreReadOnly();
    void theFilterDeniesItsRulesAndNothingElse();
    void newCallsOfMountsAndNamespacesAreDenied_data();
    void newCallsOfMountsAndNamespacesAreDenied();
    void theFilterLooksAtArguments();
};

void TestSandboxPlan::aWorkerSeesItsFilesAndNothingElse() {
    const WorkerDescriptor worker;
    QCOMPARE(print(planForWorker(worker, places(), {}, 5)),
             "/d/scratch/0/7.1/inputs at /inputs; /d/scratch/0/7.1/outputs writable at /outputs; "
             "/d/workers/w at /worker; /d/scratch/0/7.1/action.json at /action.json; "
             "starts in /, memory 0, tmp 1024, clean, user 5");
}

void TestSandboxPlan::theNetworkNeedsWorkerAndOperator() {
    WorkerDescriptor worker;
    QVERIFY(!planForWorker(worker, places(), {.networkAllowed = true}, 0).network);
    worker.network = true;
    QVERIFY(!planForWorker(worker, places(), {}, 0).network);
    QVERIFY(planForWorker(worker, places(), {.networkAllowed = true}, 0).network);
}

void TestSandboxPlan::memoryIsTheWorkersOrTheSettings() {
    WorkerDescriptor worker;
    const auto memory = [&](const Policy& policy) {
        const Plan plan = planForWorker(worker, places(), policy, 0);
        return fmt::format("{} {}", plan.memoryBytes >> 20, plan.tmpBytes >> 20);
    };
    QCOMPARE(memory({.defaultMemoryMb = 100, .tmpMb = 30}), std::string("100 30"));
    worker.resources.memoryMb = 20;
    QCOMPARE(memory({.defaultMemoryMb = 100, .tmpMb = 30}), std::string("20 20"));
}

void TestSandboxPlan::anExecSeesItsDirectoryReadOnly() {
    const QTemporaryDir directory;
    ActionSpec spec;
    spec.cwd = directory.path().toStdString();
    Plan plan = planForExec(spec, places(), {}, 0);
    const std::string path = directory.path().toStdString();
    QCOMPARE(plan.asked, path); // the engine does not look at it
    QVERIFY(showDirectory(plan, places().dataDir));
    QVERIFY(plan.asked.empty());
    QCOMPARE(print(plan), "/d/scratch/0/7.1/inputs at /inputs; /d/scratch/0/7.1/outputs writable at /outputs; " +
                              path + " isolated at " + path + "; starts in " + path + ", memory 0, tmp 1024");
}

void TestSandboxPlan::withoutInputsThereIsNothingToShow() {
    Places none = places();
    none.hasInputs = false;
    const Plan plan = planForWorker({}, none, {}, 0);
    QVERIFY(std::ranges::find(plan.binds, Bind{"", "/inputs"}) != plan.binds.end());
    QCOMPARE(outsideOf(plan, "/inputs/x"), std::string("/inputs/x"));
}

void TestSandboxPlan::directoriesThatWouldShowTooMuchAreRefused() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    QVERIFY(makeDirectories(root + "/data/scratch"));
    QVERIFY(makeDirectories(root + "/other"));
    Places here = places();
    here.dataDir = root + "/data";
    const auto answer = [&](const std::string& cwd) {
        ActionSpec spec;
        spec.cwd = cwd;
        Plan plan = planForExec(spec, here, {}, 0);
        const auto shown = showDirectory(plan, here.dataDir);
        return shown ? std::string("fine") : std::string(errorName(shown.error().kind));
    };
    QCOMPARE(::symlink((root + "/data").c_str(), (root + "/link").c_str()), 0);
    QCOMPARE(answer(root + "/other"), "fine");
    QCOMPARE(answer(root + "/data"), "invalid");
    QCOMPARE(answer(root + "/data/scratch"), "invalid");
    QCOMPARE(answer(root + "/link"), "invalid");
    QCOMPARE(answer(root), "invalid");
    for (const char* path : {"/", "/proc", "/etc", "/dev", "/tmp"}) QCOMPARE(answer(path), "invalid");
    QCOMPARE(answer(root + "/none"), "not_found");
}

void TestSandboxPlan::aPlaceInsideIsFoundOutside() {
    const Plan plan = planForWorker({}, places(), {}, 0);
    QCOMPARE(outsideOf(plan, "/worker/bin/a"), "/d/workers/w/bin/a");
    QCOMPARE(outsideOf(plan, "/workers"), "/workers");
}

void TestSandboxPlan::usersAreGivenWhereThereAreEnough() {
    QVERIFY(isMapped("         0          0 4294967295\n", kFirstHostUser, kMostHostUsers));
    QVERIFY(!isMapped("0 1001 1\n1 100000 65535\n", kFirstHostUser, kMostHostUsers));
    QVERIFY(!isMapped("0 0 2000000001\n", kFirstHostUser, kMostHostUsers));
    QVERIFY(!isMapped("", kFirstHostUser, kMostHostUsers));
}

void TestSandboxPlan::aWarmProcessSeesTheRequestsOfItsWorker() {
    QCOMPARE(
        print(planForWarm({}, "/d/workers/w", {"/d/scratch/100000", ""}, {}, 0)),
        "/d/workers/w at /worker; /d/scratch/100000 writable at /requests; starts in /, memory 0, tmp 1024, clean");
    QCOMPARE(print(planForWarm({}, "/d/workers/w", {"/d/requests", "/d/outputs"}, {}, 0)),
             "/d/workers/w at /worker; /d/requests at /requests; /d/outputs writable at /outputs; starts in /, "
             "memory 0, tmp 1024, clean");
    QCOMPARE(print(planForWarm({}, "/d/workers/w", {}, {}, 0)),
             "/d/workers/w at /worker; starts in /, memory 0, tmp 1024, clean");
}

void TestSandboxPlan::onlyCleanPathsAreTaken_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("fine");
    for (const char* path : {"/", "/a", "/a/b.c", "/..a"}) QTest::newRow(path) << path << true;
    for (const char* path : {"", "a", "/a/", "//a", "/a/../b", "/.", "/a//b"}) QTest::newRow(path) << path << false;
}

void TestSandboxPlan::onlyCleanPathsAreTaken() {
    QFETCH(const QString, path);
    QFETCH(const bool, fine);
    QCOMPARE(isCleanPath(path.toStdString()), fine);
}

void TestSandboxPlan::aLayoutIsInTheOrderItIsMadeIn() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    QVERIFY(writeFileAtomically(root + "/file", "x", 0644));
    Plan plan;
    plan.tmpBytes = 5u << 20;
    plan.binds = {{root, "/a/b", true}, {root + "/file", "/f", false}};
    const auto layout = layoutOf(plan);
    QVERIFY(layout);
    std::string steps;
    for (const Op& op : layout->ops()) steps += describe(op) + "; ";
    QCOMPARE(steps, "make /tmp; make a private /tmp; make /a; make /a/b; bind " + root +
                        " writable at /a/b; write /f; bind " + root + "/file read-only at /f; ");
    QCOMPARE(layout->ops()[1].from, std::string("mode=1777,size=5242880,nr_inodes=200000"));
}

void TestSandboxPlan::aWritableDirectoryOfOthersIsALayerOverIt() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    Plan plan;
    plan.binds = {{.from = root, .to = "/w", .writable = true, .isolated = true}};
    const auto layout = layoutOf(plan);
    QVERIFY(layout);
    std::string steps;
    for (const Op& op : layout->ops()) steps += describe(op) + "; ";
    QCOMPARE(steps, "make /tmp; make a private /tmp; make /w; make /tmp/.layers; make /tmp/.layers/upper; "
                    "give /tmp/.layers/upper away; make /tmp/.layers/work; give /tmp/.layers/work away; "
                    "lay a /w of its own over what is there; ");
    QCOMPARE(layout->ops().back().from,
             "lowerdir=" + root + ",upperdir=tmp/.layers/upper,workdir=tmp/.layers/work,userxattr");
}

void TestSandboxPlan::whatIsMissingOutsideIsAnError() {
    Plan plan;
    plan.binds = {{"/no/such/place", "/a", false}};
    QVERIFY(!layoutOf(plan));
    plan.binds = {{"/usr", "/a/../b", false}};
    QVERIFY(!layoutOf(plan));
    plan.binds = {{"/dev/null", "/a", false}};
    QVERIFY(!layoutOf(plan));
}

void TestSandboxPlan::systemDirectoriesAreReadOnly() {
    const Layout layout = systemLayout();
    std::set<std::string> seen;
    for (const Op& op : layout.ops()) {
        seen.insert(op.to);
        if (op.kind != Op::Kind::Bind) continue;
        QVERIFY2((op.attributes & MOUNT_ATTR_RDONLY) != 0 && (op.attributes & MOUNT_ATTR_NOSUID) != 0, op.to);
        const bool device = std::string_view(op.to).starts_with("dev/");
        QVERIFY2(device || (op.attributes & MOUNT_ATTR_NODEV) != 0, op.to);
    }
    for (const char* path : {"usr", "bin", "etc", "dev/null", "proc"}) QVERIFY2(seen.contains(path), path);
    for (const char* path : {"home", "root", "var", "etc/shadow", "dev/tty", "sys"})
        QVERIFY2(!seen.contains(path), path);
}

void TestSandboxPlan::theFilterDeniesItsRulesAndNothingElse() {
#if !defined(__x86_64__)
    QSKIP("the numbers are those of x86-64");
#endif
    constexpr Filter filter = makeFilter(false);
    constexpr Filter open = makeFilter(true);
    for (unsigned call = 0; call < 600; ++call) {
        const Rule* rule = ruleOf(call);
        unsigned expected = kAllowed;
        if (rule && rule->verdict == Verdict::Tell) expected = kTold;
        if (rule && rule->verdict == Verdict::Unknown) expected = kUnknown;
        constexpr std::array kToldWithoutArguments = {Verdict::Connect, Verdict::Family, Verdict::Pair};
        if (rule && std::ranges::find(kToldWithoutArguments, rule->verdict) != kToldWithoutArguments.end())
            expected = kTold;
        if (verdict(filter, call) != expected)
            QFAIL(fmt::format("call {}: {:x}, not {:x}", call, verdict(filter, call), expected).c_str());
    }
    QCOMPARE(verdict(open, SYS_connect), kAllowed);
    QCOMPARE(verdict(filter, 0x40000000u | SYS_ptrace), kUnknown);
    QCOMPARE(verdict(filter, SYS_read, {}, AUDIT_ARCH_I386), SECCOMP_RET_KILL_PROCESS);
}

/// All that Linux has had since 5.15, by number: the headers of this machine may not know them.
void TestSandboxPlan::newCallsOfMountsAndNamespacesAreDenied_data() {
    QTest::addColumn<unsigned>("call");
    QTest::addColumn<unsigned>("expected");
    const auto row = [](unsigned call, const char* name, unsigned expected) {
        QTest::addRow("%s", name) << call << expected;
    };
    row(448, "process_mrelease", kAllowed); // of a process that it may kill
    row(449, "futex_waitv", kAllowed);
    row(450, "set_mempolicy_home_node", kAllowed); // of its own memory
    row(451, "cachestat", kAllowed);
    row(453, "map_shadow_stack", kAllowed);
    row(457, "statmount", kUnknown);
    row(458, "listmount", kUnknown);
    row(459, "lsm_get_self_attr", kUnknown);
    row(460, "lsm_set_self_attr", kTold);
    row(461, "lsm_list_modules", kUnknown);
    row(462, "mseal", kAllowed);      // of its own memory
    row(463, "setxattrat", kAllowed); // as setxattr, which is
    row(464, "getxattrat", kAllowed);
    row(465, "listxattrat", kAllowed);
    row(466, "removexattrat", kAllowed);
    row(467, "open_tree_attr", kTold);
    row(468, "file_getattr", kAllowed);
    row(469, "file_setattr", kUnknown);
    row(470, "listns", kUnknown);
}

void TestSandboxPlan::newCallsOfMountsAndNamespacesAreDenied() {
    QFETCH(const unsigned, call);
    QFETCH(const unsigned, expected);
    for (const bool network : {false, true}) {
        const Filter filter = makeFilter(network);
        QCOMPARE(verdict(filter, call, {}, kArchitecture), expected);
    }
}

void TestSandboxPlan::theFilterLooksAtArguments() {
#if !defined(__x86_64__)
    QSKIP("the numbers are those of x86-64");
#endif
    constexpr Filter filter = makeFilter(false);
    QCOMPARE(verdict(filter, SYS_clone, {CLONE_VM | CLONE_THREAD}), kAllowed);
    QCOMPARE(verdict(filter, SYS_clone, {CLONE_NEWUSER}), kTold);
    QCOMPARE(verdict(filter, SYS_socket, {1}), kAllowed);
    for (const std::uint64_t family : {2, 10, 16}) QCOMPARE(verdict(filter, SYS_socket, {family}), kTold);
    constexpr Filter open = makeFilter(true);
    for (const std::uint64_t family : {1, 2, 10, 16}) QCOMPARE(verdict(open, SYS_socket, {family}), kAllowed);
    QCOMPARE(verdict(open, SYS_socket, {16, 3, 4}), kAllowed); // sockets of its network
    QCOMPARE(verdict(open, SYS_socket, {16, 3, 15}), kTold);   // events of the machine
    for (std::uint64_t family = 0; family < 64; ++family) {
        const bool isAllowed = family == 1 || family == 2 || family == 10 || family == 16;
        QCOMPARE(verdict(open, SYS_socket, {family}), isAllowed ? kAllowed : kTold);
        QCOMPARE(verdict(open, SYS_socketpair, {family}), family == 1 ? kAllowed : kTold);
        for (std::uint64_t protocol = 0; protocol < 300; ++protocol) {
            const unsigned seen = verdict(filter, SYS_socket, {family, 1, protocol});
            const bool goesToInit = isOfNetwork(static_cast<unsigned>(family), static_cast<unsigned>(protocol));
            if (goesToInit) QCOMPARE(seen, kTold);
            const bool isInternet = family == 2 || family == 10;
            if (isInternet && !goesToInit) QCOMPARE(seen, SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
        }
    }
    for (const std::uint64_t option : {7, 8}) {
        QCOMPARE(verdict(filter, SYS_setsockopt, {3, 1, option}), SECCOMP_RET_ERRNO); // done, it is told
        QCOMPARE(verdict(open, SYS_setsockopt, {3, 1, option}), kAllowed);
        QCOMPARE(verdict(filter, SYS_setsockopt, {3, 6, option}), kAllowed);
    }
    QCOMPARE(verdict(filter, SYS_setsockopt, {3, 1, 2}), kAllowed);
    QCOMPARE(verdict(filter, SYS_ioctl, {0, 0x5412}), kTold);
    QCOMPARE(verdict(filter, SYS_ioctl, {0, 0x5401}), kAllowed);
    QCOMPARE(verdict(filter, SYS_chmod, {0, 04755}), kTold);
    QCOMPARE(verdict(filter, SYS_chmod, {0, 0755}), kAllowed);
    QCOMPARE(verdict(filter, SYS_fchmodat, {0, 0, 02755}), kTold);
    QCOMPARE(verdict(filter, SYS_mknod, {0, S_IFBLK | 0600}), kTold);
    QCOMPARE(verdict(filter, SYS_mknodat, {0, 0, S_IFCHR | 0600}), kTold);
    QCOMPARE(verdict(filter, SYS_mknod, {0, S_IFIFO | 0600}), kAllowed);
    QCOMPARE(verdict(filter, SYS_open, {0, 0101, 04755}), kTold);
    QCOMPARE(verdict(filter, SYS_open, {0, 0, 04755}), kAllowed); // nothing is created
    QCOMPARE(verdict(filter, SYS_openat, {0, 0, 0100, 0644}), kAllowed);
    QCOMPARE(verdict(filter, SYS_openat, {0, 0, 020200000, 02644}), kTold);
}

QTEST_GUILESS_MAIN(TestSandboxPlan)
#include "tst_plan.moc"
