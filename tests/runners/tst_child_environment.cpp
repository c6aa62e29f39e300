// Which variables a child gets, and which replace which.
#include "core/launcher/child_environment.h"

#include <QTest>

#include <memory>

using namespace yard;
using namespace yard::runners;

class TestChildEnvironment : public QObject {
    Q_OBJECT

    const std::vector<std::string> engine_{"PATH=/engine/bin", "HOME=/home/me", "LANG=de_DE.UTF-8",
                                           "SHELL=/bin/sh"};
    const std::string owner_ = "owner";
    const ChildEnvironment environment_{engine_, owner_};

    static Lease lease(std::vector<std::pair<std::string, std::string>> env, bool engineEnv = true) {
        Lease lease;
        lease.id = {Lsn(7), 1};
        lease.env = std::move(env);
        lease.engineEnv = engineEnv;
        return lease;
    }
    static Lease sandboxed(Lease lease, bool clean) {
        auto plan = std::make_shared<sandbox::Plan>();
        plan->cleanEnvironment = clean;
        lease.sandbox = std::move(plan);
        return lease;
    }
    std::string outside(const Lease& lease) const {
        const std::vector<std::string> own = environment_.own(lease);
        std::vector<char*> pointers;
        environment_.pointTo(lease, own, pointers);
        std::string all;
        for (const char* entry : pointers) all += entry ? std::string(entry) + " " : "end";
        return all;
    }
    std::string inside(const Lease& lease) const {
        std::string all;
        for (const std::string& entry : environment_.inside(lease)) all += entry + " ";
        return all;
    }

private Q_SLOTS:
    void aChildHasTheEnginesAndItsOwnAndOurMarks() {
        QCOMPARE(
            outside(lease({{"A", "1"}})),
            "PATH=/engine/bin HOME=/home/me LANG=de_DE.UTF-8 SHELL=/bin/sh YARD_OWNER=owner YARD_LSN=7 A=1 end");
    }
    void thoseOfTheLeaseReplaceTheEngines() {
        QCOMPARE(
            outside(lease({{"HOME", "/tmp"}, {"SHEL", "x"}})),
            "PATH=/engine/bin LANG=de_DE.UTF-8 SHELL=/bin/sh YARD_OWNER=owner YARD_LSN=7 HOME=/tmp SHEL=x end");
    }
    void withoutTheEnginesThereAreOnlyItsOwn() {
        QCOMPARE(outside(lease({{"A", "1"}}, false)), "YARD_OWNER=owner YARD_LSN=7 A=1 end");
    }
    void noLeaseReplacesOurMarks() {
        QCOMPARE(outside(lease({{"YARD_OWNER", "x"}, {"YARD_LSN", "1"}, {"YARD_STATUS", "/of/another"}}, false)),
                 "YARD_OWNER=owner YARD_LSN=7 end");
    }
    void theLastOfLeaseEngineAndSystemSaysWhereProgramsAre() {
        QCOMPARE(environment_.searchPath(lease({})), "/engine/bin");
        QCOMPARE(environment_.searchPath(lease({}, false)), "/usr/local/bin:/usr/bin:/bin");
        QCOMPARE(environment_.searchPath(lease({{"PATH", "/own"}})), "/own");
    }
    void inASandboxHomeAndTemporaryFilesAreItsOwn() {
        QCOMPARE(
            inside(sandboxed(lease({}), false)),
            "PATH=/engine/bin LANG=de_DE.UTF-8 SHELL=/bin/sh HOME=/tmp TMPDIR=/tmp YARD_OWNER=owner YARD_LSN=7 ");
        QCOMPARE(inside(sandboxed(lease({}, false), false)), "HOME=/tmp TMPDIR=/tmp YARD_OWNER=owner YARD_LSN=7 ");
    }
    void aCleanSandboxHasTheLanguageAndThePathOfTheSystem() {
        QCOMPARE(inside(sandboxed(lease({}), true)), "LANG=de_DE.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp "
                                                     "TMPDIR=/tmp YARD_OWNER=owner YARD_LSN=7 ");
    }
    void thoseOfTheLeaseReplaceTheSandboxs() {
        QCOMPARE(inside(sandboxed(lease({{"HOME", "/work"}, {"PATH", "/own"}}), true)),
                 "LANG=de_DE.UTF-8 TMPDIR=/tmp YARD_OWNER=owner YARD_LSN=7 HOME=/work PATH=/own ");
    }
};

QTEST_GUILESS_MAIN(TestChildEnvironment)
#include "tst_child_environment.moc"
