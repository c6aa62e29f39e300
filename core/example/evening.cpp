#include "core/example/evening.h"

#include "core/example/worker_files.h"

#include <fmt/format.h>

namespace yard::example {

namespace json = boost::json;

namespace {

constexpr std::string_view kTextures = "example/textures";
constexpr std::string_view kTests = "example/tests";
constexpr std::string_view kPostcards = "example/postcards";
constexpr std::string_view kBuild = "example/build";
constexpr std::string_view kNightly = "example/nightly";

constexpr int kPictures = 12;
constexpr int kMeasured = 80;
/// What runs on for minutes takes nearly nothing, so that people's own work starts beside it.
constexpr double kFewCores = 0.05;

/// One in `of` fails, in turn with each of these lines.
std::string failingNowAndThen(int of, const std::vector<std::string_view>& lines, std::string_view otherwise) {
    std::string script =
        fmt::format("n=$YARD_INDEX\nif [ $((n % {})) = 7 ]; then case $((n / {} % {})) in\n", of, of, lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) script += fmt::format("{}) echo \"{}\" >&2;;\n", i, lines[i]);
    return script + "esac; exit 1; fi\n" + std::string(otherwise);
}

constexpr std::string_view kShader =
    "echo 'shaderc 2024.3 compile --profile sm6.6 --variant V0412'\n"
    "echo 'reading foliage_wind.hlsl (18,204 bytes), 2 includes'\n"
    "echo 'pass 1 of 3: preprocess         0.41 s'\necho 'pass 2 of 3: parse'\n"
    "echo \"foliage_wind.hlsl(88,17): error X3004: undeclared identifier 'g_WindPhase'\" >&2\n"
    "echo '   float sway = sin(g_WindPhase + pos.x * k_Frequency);'\n"
    "echo 'compilation failed: 1 error, 0 warnings'\nexit 1";

json::object shell(std::string_view name, std::string_view script) {
    return {{"worker", "exec"},
            {"argv", {"sh", "-c", script}},
            {"cwd", "/"},
            {"label", std::string(kLabels) + std::string(name)}};
}

json::object arrayOf(json::object action, int count) {
    action["array"] = json::object{{"from", 1}, {"to", count}};
    return action;
}

json::object light(json::object action) {
    action["resources"] = json::object{{"cores", kFewCores}};
    return action;
}

/// Calls of the warm worker: pictures with their outputs, then many small ones.
json::array calls(const std::string& worker) {
    json::array list;
    const auto call = [&](std::string_view function, std::string label, int number) {
        list.push_back(json::object{{"worker", worker},
                                    {"function", function},
                                    {"label", std::string(kLabels) + std::move(label)},
                                    {"args", json::object{{"number", number}}}});
    };
    for (int i = 1; i <= kPictures; ++i) call("draw", fmt::format("postcard {:02}", i), i);
    for (int i = 1; i <= kMeasured; ++i) call("measure", fmt::format("card_{:02}.raw", i), i);
    return list;
}

/// The steps of a build: two compile, one of them runs on, and the rest waits for it.
json::array buildSteps() {
    const auto step = [](std::string_view id, std::string_view script, const std::vector<std::string_view>& after) {
        json::object action = light(shell(id, script));
        action["id"] = id;
        action["priority"] = 60;
        if (!after.empty()) action["after"] = json::array(after.begin(), after.end());
        return action;
    };
    return {step("configure", "echo configured", {}),
            step("compile core", "echo 'compiled 214 files'", {"configure"}),
            step("compile ui",
                 "i=1; while [ $i -le 600 ]; do echo \"[$i/600] part_$i.cpp\"; sleep 1; i=$((i+1)); done",
                 {"configure"}),
            step("compile kits", "echo 'compiled 12 files'", {"configure"}),
            step("link", "true", {"compile core", "compile ui", "compile kits"}),
            step("unit tests", "true", {"link"}),
            step("package", "true", {"link"}),
            step("publish", "true", {"unit tests", "package"})};
}

/// One has the lock for ten minutes, the others wait for it.
json::array packers() {
    json::array list;
    for (const std::string_view what : {"atlas", "decals", "signs", "foliage"}) {
        json::object action =
            light(shell(fmt::format("pack {}", what), list.empty() ? "echo packing; exec sleep 600" : "true"));
        action["locks"] = json::array{"app:example-atlas"};
        action["priority"] = 60;
        list.push_back(std::move(action));
    }
    return list;
}

} // namespace

std::vector<QueuePlan> queues() {
    const auto with = [](json::object config) {
        config["idle_expiry_s"] = 0;
        return config;
    };
    return {{kTextures, with({{"max_retries", 0}, {"weight", 2}}), false, "green"},
            {kTests, with({{"max_retries", 0}}), false, {}},
            {kPostcards, with({{"max_retries", 1}, {"backoff_s", 0.1}}), false, {}},
            {kBuild, with({{"max_running", 4}}), false, "blue"},
            {kNightly, with({}), true, {}}};
}

std::vector<Submission> submissions(const std::string& worker) {
    const std::string textures = failingNowAndThen(20,
                                                   {"brick_$n.exr: error: width $((n * 8 + 2)) is no multiple of 4",
                                                    "bc7enc: error: out of licences (seat 12 of 12)"},
                                                   "echo cooked; sleep 0.$((n % 4))");
    const std::string tests = failingNowAndThen(15,
                                                {"quat_test.cpp:$((n + 40)): error: expected unit length, got 0.$n",
                                                 "tls_resume_test.cpp:214: error: expected session->resumed()"},
                                                "true");
    json::object shader = shell("foliage_wind.hlsl", kShader);
    shader["priority"] = 80;
    json::object maps = arrayOf(shell("lightmap harbor_{index}", "true"), 24);
    maps["priority"] = 20;
    return {
        {kTextures, std::move(shader), 0, "red", "g_WindPhase went away with the new wind: who has the include?"},
        {kTextures, arrayOf(shell("brick_{index}.exr", textures), 120), 0, {}, {}},
        {kTests, arrayOf(shell("math/quat_test_{index}", tests), 60), 0, {}, {}},
        {kPostcards, calls(worker), 0, {}, {}},
        {kBuild, buildSteps(), 2, "yellow",
         "It runs for ten minutes. Cancel it, and see what becomes of those that wait for it."},
        {kBuild, packers(), 0, "purple", {}},
        {kNightly, std::move(maps), 0, {}, {}}};
}

json::object schedule(std::int64_t queue) {
    return {{"name", kSchedule},   {"action", shell("nightly bake", "echo baked")},
            {"cron", "0 3 * * *"}, {"missed", "skip"},
            {"overlap", "skip"},   {"queue", queue}};
}

std::vector<FilePlan> workerFiles() {
    std::vector<FilePlan> files;
    for (const auto& [path, bytes] :
         {std::pair("postcard.py", postcardFile()), std::pair("yard_worker.py", kitFile())})
        files.push_back({path, bytes, Sha256::of(bytes)});
    return files;
}

Result<ParsedWorker> worker() {
    json::array files;
    for (const FilePlan& file : workerFiles())
        files.push_back(json::object{
            {"path", file.path}, {"hash", file.hash.hex()}, {"size", file.bytes.size()}, {"mode", "0755"}});
    const json::object descriptor{{"name", "example-postcard"},
                                  {"version", "1.0.0"},
                                  {"platform", thisPlatform()},
                                  {"mode", "warm"},
                                  {"executable", "postcard.py"},
                                  {"files", std::move(files)},
                                  {"functions",
                                   {json::object{{"name", "draw"}, {"version", "1"}, {"files", true}},
                                    json::object{{"name", "measure"}, {"version", "1"}}}},
                                  {"pool", json::object{{"max_processes", 1}, {"max_idle_s", 0}}}};
    return parseWorker(json::serialize(descriptor));
}

} // namespace yard::example
