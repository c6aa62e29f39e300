#include "app/yardctl/help_texts.h"

#include "app/yardctl/columns.h"
#include "core/model/filter.h"
#include "core/model/queue.h"
#include "core/model/sort.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace yard::ctl {

namespace {

/// Lines that stand as they are, also in a manual page, which indents them: a head, and beside it words filled.
std::string hanging(std::string_view head, std::string_view words) {
    constexpr std::size_t kIndent = 13;
    constexpr std::size_t kColumns = 72;
    std::string out;
    std::string line = fmt::format("  {:<{}}", head, kIndent - 2);
    std::size_t begin = kIndent;
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(word.size() + 1, words.size()));
        if (line.size() > begin && line.size() + 1 + word.size() > kColumns) {
            out += line + '\n';
            line = std::string(kIndent, ' ');
        } else if (line.size() > begin) {
            line += ' ';
        }
        line += word;
    }
    return out + line + '\n';
}

} // namespace

std::string listDetails() {
    std::string out = "FILTER is key:value, key>number, key<number (also >= and <=) or key:a..b. A comma is or, a "
                      "space is and, - before a term negates, * stands for anything. A bare word is looked for in "
                      "names, labels, functions and notes; 12 and 15..20 are LSNs.\n";
    for (const FilterKind& kind : filterKinds()) {
        out += hanging(kind.values, fmt::format("{}", fmt::join(kind.keys, ", ")));
        out += hanging("", fmt::format("as {}", kind.forms));
    }
    out += hanging("states", filterStateNames());
    out += "A day, and a time without seconds, is all of it: started:today is since midnight. Times are the "
           "engine's. Sizes: k M G T and KiB MiB GiB TiB are powers of 1024, kB MB GB TB powers of 1000, as in "
           "the tables.\n";
    out += hanging("--sort", sortFieldNames());
    out += hanging("--columns", columnNames());
    return out + "On a terminal that is too narrow for the table some columns are left out, and long commands, "
                 "labels and "
                 "notes are cut; those of --columns stay. Into a file or a pipe all of it goes.\n";
}

std::string submitDetails() {
    return fmt::format(
        "FILE holds one action, actions one after the other (JSON lines), or a list. All of it is accepted, or "
        "nothing; up to 64 MiB. Prints an LSN for each, in order; A..B for an array. A program is an action of the "
        "worker exec:\n"
        "  {{\"worker\": \"exec\", \"argv\": [\"make\"], \"cwd\": \"/src\", \"id\": \"build\"}}\n"
        "  {{\"worker\": \"exec\", \"argv\": [\"/src/test\"], \"after\": [\"build\"]}}\n"
        "  {{\"worker\": \"exec\", \"argv\": [\"seq\", \"{{index}}\"],\n"
        "   \"array\": {{\"from\": 0, \"to\": 9}}, \"max_retries\": 0}}\n"
        "Without \"cwd\" each action runs in a directory of its own. The actions of one request may wait for each "
        "other, by \"id\" and \"after\"; others are named by their LSN. An array is run once for each index, "
        "which replaces {{index}} and is in $YARD_INDEX.\n"
        "A failure is tried again, up to max_retries times: {} unless the action or its queue says otherwise. "
        "Interruptions count apart, up to max_interruptions: {}.\n"
        "An input may be given as \"@path\": the file is hashed and sent if the engine lacks it:\n"
        "  {{\"worker\": \"thumbs\", \"function\": \"thumb\",\n"
        "   \"inputs\": {{\"photo.jpg\": \"@/data/1.jpg\"}}}}\n"
        "Options hold for each of the actions, over what it says itself; locks, predecessors and expected outputs "
        "are added to its own.",
        QueueConfig{}.maxRetries, QueueConfig{}.maxInterruptions);
}

} // namespace yard::ctl
