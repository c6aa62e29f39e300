// A worker whose functions fail in ways of C++, which tst_kits asks in both modes, and whose looks do what those of the other kits
// do there.
#include <yard_objects.h>

namespace {

yard::Look lookAtPage(const yard::Object& o) {
    if (o.status == "odd") throw std::runtime_error(o.text("url"));
    if (o.status == "odder") throw 3;
    if (o.status == "failing") return yard::Look::fail("on purpose", 4);
    if (o.status == "huge") return o.wait().set("url", std::string(1048576, 'a'));
    if (o.status == "garbage") return o.wait().set("url", yard::Value::json("nan"));
    if (o.status == "half") return o.wait().set("url", "caf\xe9");
    if (o.status == "unlisted") return o.wait().set("all", yard::texts(o.fields).size());
    if (o.status == "silent") return o.wait();
    if (o.children.pending > 0) return o.wait(5);
    long long all = 0;
    for (const auto& count : o.children) all += count.second;
    return o.move("sealed")
        .lookIn(2)
        .set("up", o.parent->id)
        .set("all", all)
        .set("sum", yard::Value::json(o.actions.at("sum").result))
        .effect(yard::create("result", {{"n", 1}}).key("k"))
        .effect(yard::submit(yard::object({{"worker", "exec"}}), "pdf"))
        .effect(yard::wake("parent"))
        .effect(yard::wake({4, 5}))
        .effect(yard::call("note", {{"a", 1}}));
}

yard::Answer note(const yard::Call& call) {
    if (call.attempt > 1) return yard::Answer::ok();
    return yard::Answer::fail(call.value("a") + " of " + std::to_string(call.object));
}

} // namespace

int main(int argc, char** argv) {
    yard::ObjectWorker worker;
    worker.add("message", "1", [](const yard::Job&) { return yard::Answer::fail("caf\xe9.txt", 3); });
    worker.add("thrown", "1", [](const yard::Job&) -> yard::Answer { throw 3; });
    worker.add("name", "1", [](const yard::Job&) { return yard::Answer::result("\"caf\xe9.txt\""); });
    worker.add("far", "1", [](const yard::Job& job) {
        job.progress(job.number("value"), "packing \xc3\xa4");
        return yard::Answer::ok();
    });
    // `args` says the text that is meant as JSON.
    worker.add("result", "1", [](const yard::Job& job) { return yard::Answer::result(job.text("json")); });
    worker.tick("page", lookAtPage);
    worker.effect("note", note);
    return worker.run(argc, argv);
}
