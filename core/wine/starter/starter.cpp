// The first Windows program of an action that runs by Wine. It starts the action's program, waits for it, and writes
// down how it ended: Linux keeps eight bits of an exit code, Windows has 32.
//
// Linked with nothing but kernel32, without a runtime. Its own command line: itself, then the program with its arguments
// as it is to be started.
using Wide = wchar_t;
using Word = unsigned short;
using Dword = unsigned long; // 32 bits, as everywhere in Windows
using Handle = void*;

namespace {

struct StartupInfo {
    Dword size;
    Wide* reserved;
    Wide* desktop;
    Wide* title;
    Dword place[6];
    Dword fill;
    Dword flags;
    Word show;
    Word reservedSize;
    unsigned char* reservedBytes;
    Handle in;
    Handle out;
    Handle err;
};
struct ProcessInformation {
    Handle process;
    Handle thread;
    Dword processId;
    Dword threadId;
};

constexpr Dword kNoErrorBoxes = 3; // nor the debugger: nobody would look at it
constexpr Dword kUseHandles = 0x100;
constexpr Dword kWrite = 0x40000000;
constexpr Dword kShare = 3;
constexpr Dword kOpenExisting = 3;
constexpr Dword kInfinite = 0xffffffff;
constexpr Dword kNotStarted = 125;
constexpr int kDigits = 8;

} // namespace

#define YARD_KERNEL32 extern "C" __declspec(dllimport)
YARD_KERNEL32 int CreateProcessW(const Wide*, Wide*, void*, void*, int, Dword, void*, const Wide*, StartupInfo*,
                                 ProcessInformation*);
YARD_KERNEL32 Dword WaitForSingleObject(Handle, Dword);
YARD_KERNEL32 int GetExitCodeProcess(Handle, Dword*);
YARD_KERNEL32 void ExitProcess(Dword);
YARD_KERNEL32 Wide* GetCommandLineW();
YARD_KERNEL32 Handle CreateFileW(const Wide*, Dword, Dword, void*, Dword, Dword, Handle);
YARD_KERNEL32 int WriteFile(Handle, const void*, Dword, Dword*, void*);
YARD_KERNEL32 int CloseHandle(Handle);
YARD_KERNEL32 Dword SetErrorMode(Dword);
YARD_KERNEL32 Handle GetStdHandle(Dword);
YARD_KERNEL32 Dword GetLastError();

namespace {

/// What follows the first word of a command line.
Wide* behindFirst(Wide* line) {
    bool isQuoted = false;
    for (; *line != 0 && (isQuoted || (*line != L' ' && *line != L'\t')); ++line)
        if (*line == L'"') isQuoted = !isQuoted;
    while (*line == L' ' || *line == L'\t') ++line;
    return line;
}

/// A letter, eight digits, a line's end: core/wine/ending.h.
void writeDown(char letter, Dword number) {
    char text[kDigits + 2];
    text[0] = letter;
    for (int i = 0; i < kDigits; ++i) {
        const unsigned digit = (number >> (4 * (kDigits - 1 - i))) & 15;
        text[1 + i] = static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
    text[kDigits + 1] = '\n';
    const Handle file = CreateFileW(L"Z:\\ending", kWrite, kShare, nullptr, kOpenExisting, 0, nullptr);
    if (file == reinterpret_cast<Handle>(-1)) return;
    Dword written = 0;
    WriteFile(file, text, sizeof text, &written, nullptr);
    CloseHandle(file);
}

} // namespace

extern "C" void start() {
    SetErrorMode(kNoErrorBoxes);
    StartupInfo with;
    for (unsigned i = 0; i < sizeof with; ++i) reinterpret_cast<volatile char*>(&with)[i] = 0;
    with.size = sizeof with;
    with.flags = kUseHandles;
    with.in = GetStdHandle(static_cast<Dword>(-10));
    with.out = GetStdHandle(static_cast<Dword>(-11));
    with.err = GetStdHandle(static_cast<Dword>(-12));
    ProcessInformation started;
    if (CreateProcessW(nullptr, behindFirst(GetCommandLineW()), nullptr, nullptr, 1, 0, nullptr, nullptr, &with,
                       &started) == 0) {
        writeDown('E', GetLastError());
        ExitProcess(kNotStarted);
    }
    WaitForSingleObject(started.process, kInfinite);
    Dword code = 0;
    GetExitCodeProcess(started.process, &code);
    writeDown('X', code);
    ExitProcess(code);
}
