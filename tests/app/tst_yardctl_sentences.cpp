// What yardctl makes of the engine's sentences: words of commands, nothing twice, nothing long.
#include "app/yardctl/action_view.h"
#include "app/yardctl/background_query.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/seen_stream.h"
#include "app/yardctl/told_lines.h"
#include "app/yardctl/wait_news.h"
#include "core/base/kept_stream.h"

#include <QTest>
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <memory>
#include <semaphore>
#include <vector>

using namespace yard::ctl;
using yard::gapLine;

class TestYardctlSentences : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sentencesOfTheEngineSpeakOfCommands();
    void sentencesAboutOptionsNameThem();
    void whatFollowsASentenceIsJoinedToIt();
    void notesSayNothingTwiceAndStayShort();
    void aByteThatIsLeftOutIsOne();
    void aReasonToWaitIsToldOnce();
    void whatAsksBesideIsWokenAndStopped();
    void aLineOfAnActionIsToldOnce();
    void linesOfTooManyActionsAreForgotten();
};

void TestYardctlSentences::sentencesOfTheEngineSpeakOfCommands() {
    const std::vector<std::pair<std::string, std::string>> sentences{
        {"There is no action 7: GET jobs lists those there are.",
         "There is no action 7: 'yardctl ls' lists those there are."},
        {"There is no queue 7: GET queues lists those there are.",
         "There is no queue 7: 'yardctl queues' lists those there are."},
        {"There is no worker \"w\": GET workers/all lists those there are.",
         "There is no worker \"w\": 'yardctl workers' lists those there are."},
        {"Action 7 has ended already: GET jobs/7 says how.",
         "Action 7 has ended already: 'yardctl show 7' says how."},
        {"Action 2 has no attempt 9: GET jobs/2/attempts lists them.",
         "Action 2 has no attempt 9: 'yardctl attempts 2' lists them."},
        {"No such kind of work is known; GET kinds lists those that are.",
         "No such kind of work is known; 'yardctl kinds' lists those that are."},
        {"No other action with the work of 2 has completed: name one with \"with\".",
         "No other action with the work of 2 has completed: name one behind it."},
        {"It has not run; GET jobs/7/why says what it waits for, and follow=1 waits for its output.",
         "It has not run; 'yardctl why 7' says what it waits for, and 'yardctl logs -f' waits for its output."},
        {"'yardctl failures' and GET failures have them.", "'yardctl failures' has them."},
        {"There is no such machine; GET machines lists those there are.",
         "There is no such machine; 'yardctl machines' lists those there are."},
        {"There is no such recording; GET recordings lists those there are.",
         "There is no such recording; 'yardctl record ls' lists those there are."},
        {"\"gpus_list\" of GET session has what each has.",
         "\"gpus_list\" of 'yardctl --json session' has what each has."},
        {"Bring it to the other one with PUT recordings/{name}/file, and replay it there.",
         "Bring it to the other one as a file, and run 'yardctl replay FILE.yrec' there."},
        {"It ends already; GET pool lists them.", "It ends already; 'yardctl pool' lists them."},
        {"Ask with GET jobs/{lsn}?wait=S.", "Ask with 'yardctl wait'."},
        {"Ask with GET jobs/first.", "Ask with GET jobs/first."},
        {"Its own limit: use force to run it again.", "Its own limit: use --force to run it again."},
        {"Cancel them, or give {\"force\":true}, which cancels them.",
         "Cancel them, or use --force, which cancels them."},
        {"Give \"lines\" as a number from 1 to 10000.", "Give --limit as a number from 1 to 10000."},
        {"This would change 5 actions, more than \"at_most\": nothing was changed. Give a higher \"at_most\".",
         "This would change 5 actions, more than --at-most: nothing was changed. Give a higher --at-most."},
        {"Register it with POST workers/<id> or `yardctl workers add`, or use \"exec\".",
         "Register it with 'yardctl workers add', or use \"exec\"."}};
    for (const auto& [sentence, words] : sentences) QCOMPARE(inCommandWords(sentence), words);
}

void TestYardctlSentences::sentencesAboutOptionsNameThem() {
    const std::vector<std::pair<std::string, std::string>> sentences{
        {R"(Give "resources.cores" as a number from 0.001 to 4096.)",
         "Give --cores as a number from 0.001 to 4096."},
        {R"(Give "resources.licence.x" as a number.)", "Give --resource licence.x as a number."},
        {R"(Give "priority" as one from "deadline_s".)", "Give --priority as one from --deadline."},
        {R"(There is no worker "w", nor "label")", R"(There is no worker "w", nor --label)"},
        {R"(It asks for 2 of "x", and this engine has 1)", R"(It asks for 2 of "x", and this engine has 1)"},
        {R"(A quote " alone)", R"(A quote " alone)"}};
    for (const auto& [sentence, words] : sentences) QCOMPARE(inOptionWords(sentence), words);
}

void TestYardctlSentences::whatFollowsASentenceIsJoinedToIt() {
    QCOMPARE(withMore("The engine is stopping; follow again when it is back.", "'yardctl show 5' says more"),
             "The engine is stopping; follow again when it is back; 'yardctl show 5' says more");
    QCOMPARE(withMore("no engine answers", "'yardctl show 5' says more"),
             "no engine answers; 'yardctl show 5' says more");
}

void TestYardctlSentences::notesSayNothingTwiceAndStayShort() {
    const auto action = [](const char* text) { return boost::json::parse(text).as_object(); };
    const auto killed =
        action(R"({"state":"failed","reason":"signal","signal":9,"note":"killed by SIGKILL; bye"})");
    QCOMPARE(noteWords(killed), "bye");
    QCOMPARE(endWords(killed), "failed: killed by SIGKILL; bye");
    QCOMPARE(endWords(action(R"({"state":"failed","reason":"signal","signal":9})")), "failed: killed by SIGKILL");
    QCOMPARE(endWords(action(R"({"state":"failed","reason":"signal","signal":9,"note":"killed by SIGKILL"})")),
             "failed: killed by SIGKILL");
    QCOMPARE(endWords(action(R"({"state":"failed","reason":"signal","signal":9,"note":"killed by SIGKILL: bye"})")),
             "failed: killed by SIGKILL; bye");
    const auto lost = action(R"({"state":"failed","reason":"spawn_error","note":"'x' was not found in PATH )"
                             R"((/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin): install it"})");
    QCOMPARE(endWords(lost), "failed: spawn error: 'x' was not found in PATH "
                             "(/usr/local/sbin:/usr/local/bin:/usr/sbi…): install it");
    QCOMPARE(noteWords(action(R"({"note":"'x' was not found in PATH (/bin): install it"})")),
             "'x' was not found in PATH (/bin): install it");
    QCOMPARE(noteWords(action(R"({"note":"'x' was not found in PATH (/bin"})")), "'x' was not found in PATH (/bin");
}

void TestYardctlSentences::aByteThatIsLeftOutIsOne() {
    QCOMPARE(gapLine({4, 6}),
             "\n[2 bytes are left out here: the stream is longer than the setting stream_bytes]\n");
    QCOMPARE(gapLine({4, 5}), "\n[1 byte is left out here: the stream is longer than the setting stream_bytes]\n");
    SeenStream seen;
    seen.beginView();
    QCOMPARE(seen.take("abcd" + gapLine({4, 5}) + "efgh"), "abcd" + gapLine({4, 5}) + "efgh");
    QCOMPARE(seen.written(), std::uint64_t{9});
    seen.beginView();
    QCOMPARE(seen.take("abcd" + gapLine({4, 6}) + "fghi"), "i");
}

void TestYardctlSentences::aReasonToWaitIsToldOnce() {
    const auto line = [](WaitNews& news, const std::string& waits) {
        const std::string why = R"({"state":"pending","waits":[)" + waits + "]}";
        return news.sentence(7, boost::json::parse(why).as_object(), 0);
    };
    const std::string held = R"({"kind":"hold","message":"it is held"})";
    const std::string queue = R"({"kind":"hold","message":"its queue is held"})";
    WaitNews news(false);
    QCOMPARE(line(news, ""), "");
    QCOMPARE(line(news, held + "," + queue), "action 7 waits: it is held");
    QCOMPARE(line(news, held), "");
    QCOMPARE(line(news, queue), "action 7 waits: its queue is held");
    // Seconds go by, and places in line: that is no other reason.
    QCOMPARE(line(news, R"({"kind":"backoff","message":"backs off for 4.5 s more"})"),
             "action 7 waits: backs off for 4.5 s more");
    QCOMPARE(line(news, R"({"kind":"backoff","message":"backs off for 12.0 s more"})"), "");
    const auto later = [&](const std::string& left) {
        return line(news,
                    R"({"kind":"not_before","until":9,"message":"is not to start for )" + left + R"( more"})");
    };
    QVERIFY(later("1 h 54 min").starts_with("action 7 waits: is not to start for 1 h 54 min more, until "));
    for (const char* left : {"1 h", "59 min 3 s", "2.0 s"}) QCOMPARE(later(left), "");
    // A run that asked for the hold was told of it.
    WaitNews own(true);
    QCOMPARE(line(own, held), "");
    QCOMPARE(line(own, queue), "action 7 waits: its queue is held");
}

void TestYardctlSentences::whatAsksBesideIsWokenAndStopped() {
    using namespace std::chrono_literals;
    std::atomic<bool> isEnough{false};
    std::binary_semaphore isWoken{0};
    std::vector<bool> goesOn;
    bool isInterrupted = false;
    std::unique_ptr<BackgroundQuery> query;
    std::binary_semaphore isMade{0};
    query = std::make_unique<BackgroundQuery>(std::make_unique<Engine>(GlobalOptions{}), [&] {
        isMade.acquire();
        goesOn.push_back(query->wait(1h, [&] { return isEnough.load(); }));
        goesOn.push_back(query->wait(0ms)); // its time is over
        isWoken.release();
        goesOn.push_back(query->wait(1h, [] { return false; }));
        isInterrupted = query->isStopping() && !query->engine().get("session");
    });
    isMade.release();
    query->wake(); // for nothing
    isEnough = true;
    query->wake();
    isWoken.acquire();
    QVERIFY(!query->isStopping());
    query->stop();
    QCOMPARE(goesOn, (std::vector<bool>{true, true, false}));
    QVERIFY(isInterrupted);
    query->stop(); // again: it has ended
}

void TestYardctlSentences::aLineOfAnActionIsToldOnce() {
    ToldLines told;
    QVERIFY(told.isNews(671, "671  running  dup"));
    QVERIFY(!told.isNews(671, "671  running  dup"));
    QVERIFY(told.isNews(672, "671  running  dup")); // of another action
    QVERIFY(told.isNews(671, "671  running  dup  half done"));
    QVERIFY(told.isNews(671, "671  running  dup")); // it is not what was told last
    told.forget(671);
    QVERIFY(told.isNews(671, "671  running  dup"));
    QVERIFY(!told.isNews(672, "671  running  dup"));
}

void TestYardctlSentences::linesOfTooManyActionsAreForgotten() {
    ToldLines told;
    const auto most = static_cast<std::int64_t>(ToldLines::kMost);
    for (std::int64_t lsn = 1; lsn <= most; ++lsn) QVERIFY(told.isNews(lsn, "x"));
    QVERIFY(!told.isNews(1, "x"));
    QVERIFY(told.isNews(most + 1, "x"));
    QVERIFY(!told.isNews(2, "x"));
    QVERIFY(told.isNews(1, "x")); // the lowest number went
}

QTEST_GUILESS_MAIN(TestYardctlSentences)
#include "tst_yardctl_sentences.moc"
