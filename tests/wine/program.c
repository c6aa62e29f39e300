/* A program for Windows that does what the function of its action says. Built by MinGW. */
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char action[4096];

static int asked(const char* function) {
    char member[64];
    snprintf(member, sizeof member, "\"function\":\"%s\"", function);
    return strstr(action, member) != NULL;
}

static int writeFile(const wchar_t* path, const char* text) {
    FILE* file = _wfopen(path, L"wb");
    if (!file) return 1;
    fputs(text, file);
    return fclose(file);
}

/* One longer than MAX_PATH allows by a short path, one that no code page of the West has. */
static int writeOutputs(void) {
    wchar_t longName[256] = L"Z:\\outputs\\";
    for (int i = 0; i < 200; ++i) wcscat(longName, L"n");
    return writeFile(longName, "long") | writeFile(L"Z:\\outputs\\gr\u00fc\u00dfe \u65e5\u672c.txt", "named");
}

/* It outlives its parent, if it can. */
static int startChild(const char* self) {
    STARTUPINFOA with = {.cb = sizeof with};
    PROCESS_INFORMATION started;
    char line[512];
    snprintf(line, sizeof line, "\"%s\" child", self);
    if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, DETACHED_PROCESS, NULL, NULL, &with, &started)) return 1;
    puts("started");
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        Sleep(INFINITE);
        return 0;
    }
    const char* path = getenv("YARD_ACTION");
    FILE* file = path ? fopen(path, "rb") : NULL;
    if (!file) return 99;
    action[fread(action, 1, sizeof action - 1, file)] = 0;
    fclose(file);
    if (asked("say")) {
        printf("%s\nhello\n", path); /* in text mode: CR and LF */
        fprintf(stderr, "%s\n", getenv("COLOUR"));
    }
    if (asked("remember")) {
        FILE* before = fopen("C:\\windows\\mark", "r");
        if (before) return 1;
        return writeFile(L"C:\\windows\\mark", "here");
    }
    if (asked("result")) puts("{\"sum\":42}");
    if (asked("exit259")) return 259;
    if (asked("minus")) return -1;
    if (asked("crash")) *(volatile int*)0 = 1;
    if (asked("hang")) Sleep(INFINITE);
    if (asked("outputs")) return writeOutputs();
    if (asked("child")) return startChild(argv[0]);
    return 0;
}
