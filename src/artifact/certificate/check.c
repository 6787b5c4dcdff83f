/* Facts that no certificate may state. The same rules hold for making and for reading one. */
#include <math.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "artifact/page/plain.h"
#include "base/error.h"
#include "base/text.h"

static sotto_status check_text(const char *name, const char *text, sotto_status refusal,
                               sotto_error *error)
{
    if (text == NULL || text[0] == '\0') {
        return sot_fail(error, refusal, "%s is empty; describe it in a few words", name);
    }
    const size_t size = strlen(text);
    if (size > SOT_TEXT_BYTES_MAX) {
        return sot_fail(error, refusal, "%s has %zu bytes; give at most %d", name, size,
                        SOT_TEXT_BYTES_MAX);
    }
    for (size_t i = 0, length; i < size; i += length) {
        length = sot_utf8_length(text + i, size - i);
        if (length == 0 || sot_is_hidden(text + i, length)) {
            return sot_fail(error, refusal,
                            "%s has a control character or a byte that is not UTF-8 at "
                            "position %zu; remove it",
                            name, i + 1);
        }
    }
    return SOTTO_OK;
}

static sotto_status check_list(const char *name, const char *const *list,
                               sotto_status refusal, sotto_error *error)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        if (i == SOT_LIST_MAX) {
            return sot_fail(error, refusal, "%s has more than %d entries; join some",
                            name, SOT_LIST_MAX);
        }
        const sotto_status status = check_text(name, list[i], refusal, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

static sotto_status check_texts(const sotto_certificate_facts *facts,
                                sotto_status refusal, sotto_error *error)
{
    sotto_status status = check_text("output", facts->output, refusal, error);
    if (status == SOTTO_OK) status = check_text("unit", facts->unit, refusal, error);
    if (status == SOTTO_OK && facts->dataset != NULL)
        status = check_text("dataset", facts->dataset, refusal, error);
    if (status == SOTTO_OK) status = check_text("tuning", facts->tuning, refusal, error);
    if (status == SOTTO_OK && facts->route != NULL)
        status = check_text("route", facts->route, refusal, error);
    if (status == SOTTO_OK && (facts->covered == NULL || facts->covered[0] == NULL)) {
        status = sot_fail(error, refusal,
                          "covered is empty; name the accesses to the data that the "
                          "guarantee covers");
    }
    if (status == SOTTO_OK)
        status = check_list("covered", facts->covered, refusal, error);
    if (status == SOTTO_OK)
        status = check_list("unprotected", facts->unprotected, refusal, error);
    return status;
}

/* Every event happened exactly as often as planned: the plan describes the run. Where counts are
 * caps, it happened at most that often: the claim is for the plan, which is more than the run. */
static sotto_status check_released(const sot_certificate *certificate,
                                   sotto_status refusal, sotto_error *error)
{
    if (sotto_plan_size(certificate->plan) == 0) {
        return sot_fail(error, refusal, "the plan has no events; nothing was released");
    }
    for (size_t i = 0; i < sotto_plan_size(certificate->plan); i++) {
        const uint64_t planned = sotto_plan_event(certificate->plan, i)->count;
        if (planned == 0) {
            return sot_fail(error, refusal,
                            "plan.events[%zu].count is \"search\"; a plan that was "
                            "carried out has none",
                            i);
        }
        if (certificate->released[i] == planned ||
            (certificate->is_capped && certificate->released[i] < planned))
            continue;
        return sot_fail(error, refusal,
                        "released[%zu] is %llu, but the plan says %llu; carry out the "
                        "plan, no more and no less",
                        i, (unsigned long long)certificate->released[i],
                        (unsigned long long)planned);
    }
    return SOTTO_OK;
}

sotto_status sot_certificate_check(const sot_certificate *certificate,
                                   sotto_status refusal, sotto_error *error)
{
    const double delta = certificate->facts.delta;
    sotto_status status = check_texts(&certificate->facts, refusal, error);
    if (status == SOTTO_OK) status = check_released(certificate, refusal, error);
    if (status == SOTTO_OK)
        status = sot_certificate_check_selection(certificate, refusal, error);
    if (status != SOTTO_OK) return status;
    if (!(delta >= 0.0 && delta < 1.0)) {
        return sot_fail(error, refusal,
                        "delta is %g; give the headline's delta, at least 0 (pure) and "
                        "below 1",
                        delta);
    }
    if (!(certificate->sampler_error >= 0.0 && certificate->sampler_error <= 1.0)) {
        return sot_fail(error, refusal,
                        "sampler_error is %g; a total-variation error is from 0 to 1",
                        certificate->sampler_error);
    }
    if (certificate->facts.ledger == NULL) return SOTTO_OK;
    return sot_ledger_facts_check(certificate, refusal, error);
}
