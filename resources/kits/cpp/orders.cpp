// Orders and their items, as objects: ../objects has their types. orders.py and orders.js do the same.
//
//     c++ -std=c++17 -O2 -pthread -o orders orders.cpp && yardctl workers add orders.json
#include "yard_objects.h"

namespace {

using yard::object;

yard::Look lookAtOrder(const yard::Object& o) {
    const std::vector<std::string> names = yard::texts(o.value("items"));
    if (o.status == "queued") {
        yard::Look look = o.move("packing");
        for (const std::string& name : names)
            look.effect(yard::create("item", {{"name", name}}).key(std::to_string(o.id) + "/" + name));
        const yard::Value price =
            object({{"worker", "orders"}, {"function", "price"}, {"args", object({{"items", names.size()}})}});
        return look.effect(yard::submit(price, "price"));
    }
    const auto price = o.actions.find("price");
    const std::string state = price == o.actions.end() ? "" : price->second.state;
    if (state == "failed") return yard::Look::fail("nobody knows what it costs");
    // The end of an item, and of the action, is not waited for: they make it due.
    if (o.children.pending > 0 || state != "completed") return o.wait(60);
    const yard::Value total = yard::Value::json(price->second.result);
    return o.move("sent").set("total", total).effect(yard::call("receipt", {{"total", total}}));
}

yard::Look lookAtItem(const yard::Object& o) {
    if (o.text("name") == "unicorn") return yard::Look::fail("there are no unicorns");
    return o.move("packed");
}

} // namespace

int main(int argc, char** argv) {
    yard::ObjectWorker worker;
    worker.tick("order", lookAtOrder);
    worker.tick("item", lookAtItem);
    worker.add("price", "1", [](const yard::Job& job) {
        return yard::Answer::result(std::to_string(10 * static_cast<long long>(job.number("items"))));
    });
    worker.effect("receipt", [](const yard::Call& call) {
        std::printf("order %lld: %s\n", call.object, call.value("total").c_str());
        return yard::Answer::ok();
    });
    return worker.run(argc, argv);
}
