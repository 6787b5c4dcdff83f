/* Writes the call tree of a program built with -finstrument-functions into the file $SOTTO_TRACE; see tools/trace.py.
 * A function that its caller calls again is one node: loops count once. So is a function that calls itself. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    void *function;
    struct node *parent, *child, *next;
    unsigned long depth; /* of calls to itself */
} node;

#define HOOK __attribute__((no_instrument_function))

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static node root;
static _Thread_local node *top;
static int stopped;

HOOK void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (stopped) return;
    if (top == NULL) top = &root;
    if (top->function == function) {
        top->depth++;
        return;
    }
    node **place = &top->child;
    while (*place != NULL && (*place)->function != function)
        place = &(*place)->next;
    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL) abort();
        **place = (node){.function = function, .parent = top};
    }
    top = *place;
}

HOOK void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    if (stopped || top == NULL) return;
    if (top->function == function && top->depth > 0)
        top->depth--;
    else if (top != &root)
        top = top->parent;
}

HOOK static void write_nodes(FILE *out, const node *at, int depth)
{
    for (; at != NULL; at = at->next) {
        (void)fprintf(out, "call %d %p\n", depth, at->function);
        write_nodes(out, at->child, depth + 1);
    }
}

__attribute__((destructor)) HOOK static void finish(void)
{
    const char *path = getenv("SOTTO_TRACE");
    FILE *out = path == NULL ? NULL : fopen(path, "w");
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    stopped = 1;
    while (out != NULL && maps != NULL && fgets(line, sizeof line, maps) != NULL)
        (void)fprintf(out, "map %s", line);
    if (out != NULL) {
        write_nodes(out, root.child, 0);
        (void)fclose(out);
    }
    if (maps != NULL) (void)fclose(maps);
}
