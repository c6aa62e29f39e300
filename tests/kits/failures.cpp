// A worker whose functions fail in ways of C++: what tst_kits asks in both modes.
#include <yard_worker.h>

int main(int argc, char** argv) {
    yard::Worker worker;
    worker.add("message", "1", [](const yard::Job&) { return yard::Answer::fail("caf\xe9.txt", 3); });
    worker.add("thrown", "1", [](const yard::Job&) -> yard::Answer { throw 3; });
    worker.add("name", "1", [](const yard::Job&) { return yard::Answer::result("\"caf\xe9.txt\""); });
    // `args` says the text that is meant as JSON.
    worker.add("result", "1", [](const yard::Job& job) { return yard::Answer::result(job.text("json")); });
    return worker.run(argc, argv);
}
