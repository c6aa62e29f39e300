/* The C interface of plugins: a shared library that the engine loads with --plugin FILE, to be told of hooks in its own
 * process (docs/objects.md, "Hooks"). This file stands alone; C11 and C++.
 *
 * The library has one function with the name YARD_PLUGIN_ENTRY. It gives a struct that stays valid as long as the library is
 * loaded. All calls come from one thread that is the plugin's own, one after another; open() is the first, close() the last.
 * Text is UTF-8 with a zero at its end. What is given to a call is valid for that call alone.
 */
#ifndef YARD_PLUGIN_H
#define YARD_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define YARD_PLUGIN_VERSION 1u
#define YARD_PLUGIN_ENTRY "yard_plugin_v1" /* const yard_plugin *yard_plugin_v1(void) */

/* Takes the text of an answer; it is copied. `context` is what run() was given. At most 64 KiB; more counts as failed. */
typedef void (*yard_plugin_answer)(void* context, const char* text);

/* What run() returns. */
enum {
    YARD_PLUGIN_OK = 0,     /* a clean may have given changed fields */
    YARD_PLUGIN_REFUSED = 1 /* of a clean: the first line of the answer is the error that people get */
    /* anything else: it failed */
};

typedef struct yard_plugin {
    uint32_t size;    /* sizeof(yard_plugin) of the header that the plugin was made with */
    uint32_t version; /* YARD_PLUGIN_VERSION */
    const char* name; /* in the log and in GET orchestrator: letters, digits, ".", "-", "_" */
    /* Names of hooks, "*" in place of a part; a null pointer ends them. */
    const char* const* hooks;
    /* May be null. What it leaves in *self goes to the others. Not 0: the plugin cannot be used, and the engine does not
     * start. */
    int (*open)(void** self);
    /* `json` is what a program gets on its stdin. Within 5 s: a clean that takes longer is refused, and the log names it. */
    int (*run)(void* self, const char* hook, const char* json, yard_plugin_answer answer, void* context);
    /* May be null. */
    void (*close)(void* self);
} yard_plugin;

typedef const yard_plugin* (*yard_plugin_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
