#include "yard_worker.h"

#include <filesystem>

int main(int argc, char** argv) {
    yard::Worker worker;
    worker.add("add", "1", [](const yard::Job& job) {
        return yard::Answer::result(std::to_string(static_cast<long long>(job.number("a") + job.number("b"))));
    });
    worker.add("copy", "1", [](const yard::Job& job) {
        std::filesystem::copy(job.inputs, job.outputs);
        return yard::Answer::ok();
    });
    worker.add("fail", "1", [](const yard::Job& job) {
        return yard::Answer::fail(job.text("message"), static_cast<int>(job.number("exit_code")));
    });
    return worker.run(argc, argv);
}
