#include "base/sized.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <sotto/version.h>

#include "base/error.h"

/* A struct in memory. */
typedef struct lying {
    size_t bytes, inner_bytes;
} lying;

static size_t size_at(const void *given, size_t at)
{
    size_t size = 0;
    memcpy(&size, (const char *)given + at, sizeof size);
    return size;
}

static void copy_common(char *to, size_t to_bytes, const char *from, size_t from_bytes)
{
    memcpy(to, from, to_bytes < from_bytes ? to_bytes : from_bytes);
}

/* Copies the members that both have; then each states its own size. */
static void copy(const sot_sized *shape, char *to, lying there, const char *from,
                 lying here)
{
    const size_t at = shape->inner_at;
    const size_t to_tail = at + there.inner_bytes, from_tail = at + here.inner_bytes;
    memcpy(to, from, at);
    copy_common(to + at, there.inner_bytes, from + at, here.inner_bytes);
    copy_common(to + to_tail, there.bytes - to_tail, from + from_tail,
                here.bytes - from_tail);
    memcpy(to, &there.bytes, sizeof there.bytes);
    if (shape->inner_bytes > 0)
        memcpy(to + at, &there.inner_bytes, sizeof there.inner_bytes);
}

/* One size: of the struct itself, or of the inner one. */
static sotto_status check_size(const sot_sized *shape, const char *part, size_t size,
                               size_t least, size_t known, sotto_error *error)
{
    if (size < least || size % sizeof(size_t) != 0 || size > SIZE_MAX / 4) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s_config%s has the size %zu; start from %s_defaults(), which "
                        "sets it",
                        shape->name, part, size, shape->name);
    }
    if (size > known) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s_config%s has %zu bytes, and sotto %s knows %zu: the program "
                        "was compiled with newer headers; install that library version, "
                        "or compile with older headers",
                        shape->name, part, size, SOTTO_VERSION_STRING, known);
    }
    return SOTTO_OK;
}

sotto_status sot_sized_take(sot_sized shape, const void *given, void *own,
                            sotto_error *error)
{
    if (given == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s_config is NULL; start from %s_defaults()", shape.name,
                        shape.name);
    }
    const lying known = {.bytes = shape.bytes, .inner_bytes = shape.inner_bytes};
    lying there = {.bytes = size_at(given, 0)};
    const bool nested = known.inner_bytes > 0;
    sotto_status status =
        check_size(&shape, "", there.bytes,
                   (nested ? shape.inner_at : 0) + sizeof(size_t), SIZE_MAX / 4, error);
    if (status == SOTTO_OK && nested) {
        there.inner_bytes = size_at(given, shape.inner_at);
        status = check_size(&shape, "'s inner struct", there.inner_bytes, sizeof(size_t),
                            known.inner_bytes, error);
    }
    if (status != SOTTO_OK) return status;
    /* The members behind the inner struct, or all without one. */
    const size_t before = shape.inner_at + there.inner_bytes;
    const size_t known_behind = known.bytes - shape.inner_at - known.inner_bytes;
    status = check_size(&shape, "", there.bytes, before, before + known_behind, error);
    if (status != SOTTO_OK) return status;
    copy(&shape, own, known, given, there);
    return SOTTO_OK;
}

void sot_sized_give(sot_sized shape, const void *defaults, void *out, size_t size_bytes,
                    size_t inner_bytes)
{
    const lying known = {.bytes = shape.bytes, .inner_bytes = shape.inner_bytes};
    const lying there = {.bytes = size_bytes, .inner_bytes = inner_bytes};
    memset(out, 0, size_bytes);
    copy(&shape, out, there, defaults, known);
}
