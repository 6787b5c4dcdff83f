/* The guarantee stated in a release or a model must agree with its certificate. */
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/text.h"

/* The member if it is there, else `absent`. */
static sotto_status stated_number(const sot_json_value *root, const char *key,
                                  double absent, double *out_number, sotto_error *error)
{
    sot_json_value member;
    *out_number = absent;
    if (!sot_json_member(root, key, &member)) return SOTTO_OK;
    return sot_json_as_double(&member, out_number, error);
}

static sotto_status differ(const char *key, const char *stated, const char *proved,
                           sotto_error *error)
{
    char shown[64];
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the file states the %s %s, its certificate %.64s", key,
                    sot_printable(stated, shown, sizeof shown), proved);
}

static sotto_status differ_number(const char *key, double stated, double proved,
                                  sotto_error *error)
{
    char left[SOT_DOUBLE_TEXT_BYTES], right[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(stated, left);
    sot_format_double(proved, right);
    return differ(key, left, right, error);
}

static sotto_status compare_text(const sot_json_value *root, const char *key,
                                 const char *proved, sotto_error *error)
{
    const char *stated = NULL;
    const sotto_status status = sot_json_get_string(root, key, &stated, error);
    if (status != SOTTO_OK || strcmp(stated, proved) == 0) return status;
    return differ(key, stated, proved, error);
}

/* The stated epsilon is the requested one, and the spent one is at most that. A larger one is
 * true, a smaller one is false. */
static sotto_status compare_guarantee(const sot_json_value *root,
                                      const sot_certificate *certificate, bool with_unit,
                                      sotto_error *error)
{
    const char *adjacency = sotto_adjacency_name(sotto_plan_adjacency(certificate->plan));
    double epsilon = 0.0, delta = 0.0;
    sotto_status status = sot_json_get_double(root, "epsilon", &epsilon, error);
    if (status == SOTTO_OK) status = stated_number(root, "delta", 0.0, &delta, error);
    if (status != SOTTO_OK) return status;
    if (!(epsilon >= certificate->claims.epsilon))
        return differ_number("epsilon", epsilon, certificate->claims.epsilon, error);
    if (delta != certificate->claims.delta)
        return differ_number("delta", delta, certificate->claims.delta, error);
    status = compare_text(root, "adjacency", adjacency, error);
    if (status == SOTTO_OK && with_unit)
        status = compare_text(root, "unit", certificate->facts.unit, error);
    return status;
}

sotto_status sot_certificate_compare_payload(const sot_json_value *root,
                                             const sot_certificate *certificate,
                                             sotto_error *error)
{
    sot_json_value member;
    const char *kind = NULL;
    sotto_error cause;
    if (!sot_json_member(root, "kind", &member) ||
        sot_json_as_string(&member, &kind, NULL) != SOTTO_OK)
        return SOTTO_OK;
    const bool is_model = strcmp(kind, "model") == 0 || strcmp(kind, "labels") == 0;
    if (!is_model && strcmp(kind, "release") != 0) return SOTTO_OK;
    const sotto_status status = compare_guarantee(root, certificate, is_model, &cause);
    if (status == SOTTO_OK) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION, "%s", cause.message);
}
