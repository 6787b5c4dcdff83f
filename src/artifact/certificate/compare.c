/* The first difference between a certificate and its recomputation.
 *
 * Same software (version, build, arithmetic): the same computation gives the same bits, so every
 * value must be equal.
 *
 * Other software: a claim is an upper bound, and so is its recomputation. A stated bound above
 * the recomputed one claims less privacy than there is, which is true. Below it, by more than a
 * relative 1e-9, the claim is not confirmed. This is far above the differences of C libraries,
 * and far below any useful forgery. Lower bounds and the name of the kernel do not affect privacy
 * and are not compared. Settings and events of the plan must agree to the same 1e-9. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/text.h"

enum { PATH_BYTES = 96, QUOTE_BYTES = 56 };
static const double tolerance = 1e-9;

typedef struct comparison {
    bool exact;
    sotto_error *error;
} comparison;

static const char *describe(const sot_json_value *value, char out[QUOTE_BYTES])
{
    char shown[QUOTE_BYTES - 2];
    double number = NAN;
    int64_t whole = 0;
    bool truth = false;
    const char *text = "";
    switch (sot_json_kind_of(value)) {
    case SOT_JSON_OBJECT:
        return "an object";
    case SOT_JSON_ARRAY:
        return "a list";
    case SOT_JSON_NULL:
        return "null";
    case SOT_JSON_BOOLEAN:
        if (sot_json_as_bool(value, &truth, NULL) != SOTTO_OK) return "?";
        return truth ? "true" : "false";
    case SOT_JSON_INTEGER:
        if (sot_json_as_int64(value, &whole, NULL) != SOTTO_OK) return "?";
        (void)snprintf(out, QUOTE_BYTES, "%lld", (long long)whole);
        return out;
    case SOT_JSON_REAL:
        if (sot_json_as_double(value, &number, NULL) != SOTTO_OK) return "?";
        sot_format_double(number, shown);
        (void)snprintf(out, QUOTE_BYTES, "%s", shown);
        return out;
    case SOT_JSON_STRING:
        if (sot_json_as_string(value, &text, NULL) != SOTTO_OK) return "?";
        (void)snprintf(out, QUOTE_BYTES, "\"%s\"",
                       sot_printable(text, shown, sizeof shown));
        return out;
    }
    return "?";
}

static sotto_status differ(const comparison *how, const char *path,
                           const sot_json_value *stated, const sot_json_value *recomputed)
{
    char left[QUOTE_BYTES], right[QUOTE_BYTES];
    return sot_fail(how->error, SOTTO_VERIFICATION, "%s states %s, recomputed %s", path,
                    stated != NULL ? describe(stated, left) : "nothing",
                    recomputed != NULL ? describe(recomputed, right) : "nothing");
}

static bool is_one_of(const char *key, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

/* Rules of "other software"; `key` is the nearest member's name. */
static bool is_bound(const char *key)
{
    static const char *const bounds[] = {"epsilon", "mu", "rho", "true_positive_rate",
                                         "values",  NULL};
    return is_one_of(key, bounds);
}

static bool is_skipped(const comparison *how, const char *key)
{
    static const char *const skipped[] = {"epsilon_lower", "kernel", NULL};
    return !how->exact && is_one_of(key, skipped);
}

static bool bound_holds(const sot_json_value *stated, const sot_json_value *recomputed)
{
    double claim, bound;
    if (sot_json_kind_of(stated) == SOT_JSON_NULL) return true; /* claims nothing */
    if (sot_json_kind_of(stated) != SOT_JSON_REAL ||
        sot_json_kind_of(recomputed) != SOT_JSON_REAL ||
        sot_json_as_double(stated, &claim, NULL) != SOTTO_OK ||
        sot_json_as_double(recomputed, &bound, NULL) != SOTTO_OK)
        return false;
    return claim >= bound - tolerance * bound;
}

/* Another C library computes a noise scale or a norm with other last bits. */
static bool is_close(const sot_json_value *stated, const sot_json_value *recomputed)
{
    double a, b;
    if (sot_json_kind_of(stated) != SOT_JSON_REAL ||
        sot_json_kind_of(recomputed) != SOT_JSON_REAL ||
        sot_json_as_double(stated, &a, NULL) != SOTTO_OK ||
        sot_json_as_double(recomputed, &b, NULL) != SOTTO_OK)
        return false;
    return fabs(a - b) <= tolerance * fabs(b);
}

static bool leaves_equal(const sot_json_value *stated, const sot_json_value *recomputed)
{
    const sot_json_kind kind = sot_json_kind_of(recomputed);
    if (sot_json_kind_of(stated) != kind) return false;
    if (kind == SOT_JSON_NULL) return true;
    if (kind == SOT_JSON_BOOLEAN) {
        bool a = false, b = true;
        return sot_json_as_bool(stated, &a, NULL) == SOTTO_OK &&
               sot_json_as_bool(recomputed, &b, NULL) == SOTTO_OK && a == b;
    }
    if (kind == SOT_JSON_INTEGER) {
        int64_t a = 0, b = 1;
        return sot_json_as_int64(stated, &a, NULL) == SOTTO_OK &&
               sot_json_as_int64(recomputed, &b, NULL) == SOTTO_OK && a == b;
    }
    if (kind == SOT_JSON_REAL) { /* bits, so that -0.0 is not 0.0 */
        double a = 0.0, b = 1.0;
        return sot_json_as_double(stated, &a, NULL) == SOTTO_OK &&
               sot_json_as_double(recomputed, &b, NULL) == SOTTO_OK &&
               memcmp(&a, &b, sizeof a) == 0;
    }
    const char *a = NULL, *b = NULL;
    return kind == SOT_JSON_STRING && sot_json_as_string(stated, &a, NULL) == SOTTO_OK &&
           sot_json_as_string(recomputed, &b, NULL) == SOTTO_OK && strcmp(a, b) == 0;
}

static sotto_status compare(const comparison *how, const char *path, const char *key,
                            const sot_json_value *stated,
                            const sot_json_value *recomputed);

static sotto_status compare_member(const comparison *how, const char *path,
                                   const sot_json_value *stated,
                                   const sot_json_value *recomputed)
{
    char below[PATH_BYTES];
    sot_json_value counterpart;
    const char *key = sot_json_key_of(recomputed);
    (void)snprintf(below, sizeof below, "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
    if (!sot_json_member(stated, key, &counterpart))
        return differ(how, below, NULL, recomputed);
    return compare(how, below, key, &counterpart, recomputed);
}

/* The file may not have more members than were recomputed either. */
static sotto_status refuse_extra_member(const comparison *how, const char *path,
                                        const sot_json_value *stated,
                                        const sot_json_value *recomputed)
{
    sot_json_value member, counterpart;
    for (bool more = sot_json_first_member(stated, &member); more;
         more = sot_json_next_member(&member)) {
        const char *key = sot_json_key_of(&member);
        if (sot_json_member(recomputed, key, &counterpart)) continue;
        char below[PATH_BYTES], shown[QUOTE_BYTES];
        (void)snprintf(below, sizeof below, "%s%s%s", path, path[0] == '\0' ? "" : ".",
                       sot_printable(key, shown, sizeof shown));
        return differ(how, below, &member, NULL);
    }
    return SOTTO_OK;
}

/* The sentence and the hash follow from all else, so their differences say least: last. */
static bool comes_last(const char *key)
{
    static const char *const last[] = {"statement", "hash", NULL};
    return is_one_of(key, last);
}

static sotto_status compare_members(const comparison *how, const char *path,
                                    const sot_json_value *stated,
                                    const sot_json_value *recomputed)
{
    sotto_status status = SOTTO_OK;
    for (int pass = 0; pass < 2 && status == SOTTO_OK; pass++) {
        sot_json_value member;
        for (bool more = sot_json_first_member(recomputed, &member);
             more && status == SOTTO_OK; more = sot_json_next_member(&member)) {
            if (comes_last(sot_json_key_of(&member)) != (pass == 1)) continue;
            status = compare_member(how, path, stated, &member);
        }
        if (pass == 0 && status == SOTTO_OK)
            status = refuse_extra_member(how, path, stated, recomputed);
    }
    return status;
}

static sotto_status compare_items(const comparison *how, const char *path,
                                  const char *key, const sot_json_value *stated,
                                  const sot_json_value *recomputed)
{
    const size_t size = sot_json_size(recomputed);
    if (sot_json_size(stated) != size) {
        return sot_fail(how->error, SOTTO_VERIFICATION,
                        "%s states %zu entries, recomputed %zu", path,
                        sot_json_size(stated), size);
    }
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        char below[PATH_BYTES];
        (void)snprintf(below, sizeof below, "%s[%zu]", path, i);
        const sot_json_value left = sot_json_item(stated, i);
        const sot_json_value right = sot_json_item(recomputed, i);
        status = compare(how, below, key, &left, &right);
    }
    return status;
}

static sotto_status compare(const comparison *how, const char *path, const char *key,
                            const sot_json_value *stated,
                            const sot_json_value *recomputed)
{
    const sot_json_kind kind = sot_json_kind_of(recomputed);
    if (is_skipped(how, key)) return SOTTO_OK;
    if (kind == SOT_JSON_OBJECT || kind == SOT_JSON_ARRAY) {
        if (sot_json_kind_of(stated) != kind)
            return differ(how, path, stated, recomputed);
        return kind == SOT_JSON_OBJECT
                   ? compare_members(how, path, stated, recomputed)
                   : compare_items(how, path, key, stated, recomputed);
    }
    if (leaves_equal(stated, recomputed)) return SOTTO_OK;
    if (!how->exact && is_bound(key) && bound_holds(stated, recomputed)) return SOTTO_OK;
    if (!how->exact && !is_bound(key) && is_close(stated, recomputed)) return SOTTO_OK;
    return differ(how, path, stated, recomputed);
}

sotto_status sot_certificate_compare(const sot_json_value *stated,
                                     const sot_json_value *recomputed, const char *path,
                                     bool exact, sotto_error *error)
{
    const comparison how = {exact, error};
    return compare(&how, path, path, stated, recomputed);
}
