/* The certificate of a gate's releases. */
#include "privacy/mechanisms/gate/gate.h"
#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/memory.h"

sotto_status sotto_certificate_attach(const char *payload_json, const sotto_gate *gate,
                                      const sotto_certificate_facts *facts,
                                      char **out_text,
                                      char out_hash[SOTTO_HASH_HEX_BYTES],
                                      sotto_error *error)
{
    return sot_certificate_attach_run(payload_json, SOT_REQUEST_APPLICATION, gate, facts,
                                      out_text, out_hash, error);
}

sotto_status sot_certificate_attach_run(const char *payload_json,
                                        const char *request_json, const sotto_gate *gate,
                                        const sotto_certificate_facts *facts,
                                        char **out_text,
                                        char out_hash[SOTTO_HASH_HEX_BYTES],
                                        sotto_error *error)
{
    if (gate->state != SOT_GATE_FINISHED) {
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "the gate is not finished; call sotto_gate_finish() before you "
                        "write the certificate");
    }
    const sotto_plan *plan = sotto_gate_plan(gate);
    const size_t events = sotto_plan_size(plan);
    uint64_t *released = sot_new_array(events, sizeof *released);
    if (released == NULL) return sot_fail_memory(error, events, sizeof *released);
    for (size_t i = 0; i < events; i++)
        released[i] = sotto_gate_released(gate, i);
    sot_certificate certificate = {
        .version = SOT_CERTIFICATE_VERSION,
        .request_json = request_json,
        .facts = *facts,
        .plan = plan,
        .released = released,
        .is_secure = sotto_gate_is_secure(gate),
        .is_capped = gate->capped,
        .sampler_error = sotto_gate_sampler_error_upper(gate),
    };
    const sotto_status status =
        sot_certificate_attach(payload_json, &certificate, out_text, out_hash, error);
    sot_free(released);
    return status;
}
