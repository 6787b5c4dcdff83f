/* The members that no reader can check. Either nothing else in the file follows from
 * them, or everything that follows was recomputed and fits. docs/reference/certificate.md
 * gives the reason for each. */
#include <assert.h>
#include <string.h>

#include "artifact/certificate/certificate.h"

static const sotto_belief beliefs[] = {
    {"schema", "the schema's bounds, categories and labels, and the sources it names for "
               "them, were public before the rows were read"},
    {"request.rows", "the rows were those of a stored table, or selected, as declared"},
    {"request.expected_rows", "the expected number of rows is a public estimate"},
    {"request.public_n", "the number of rows was public"},
    {"request.prior", "the prior's coefficients were public, or paid for by themselves"},
    {"request.init", "the first weights were public, or paid for by themselves"},
    {"request.network", "the layers of the network were chosen without the rows"},
    {"request.loss", "the caller's loss keeps to the bounds stated for it"},
    {"request.candidate_count", "the number of candidates was public"},
    {"request.sensitivity", "one unit moves a score no further than declared"},
    {"request.vote", "teachers, shards and votes are as declared: one unit moves no more "
                     "votes than stated"},
    {"request.public_rows", "the rows that were labelled or learned from were public, "
                            "and none of those that the teachers learned from"},
    {"request.self_training", "the student labelled other public rows by itself, as "
                              "stated"},
    {"request.labels", "the labels that the student learned from had this request"},
    {"request.winner", "the tuning selected this candidate; its settings follow from it"},
    {"concept", "the class of concepts was chosen without the rows"},
    {"model", "the evaluated model, named by its hash, was released before"},
    {"coefficients", "the released coefficients came out of the run described here"},
    {"noisy_errors", "the released error counts came out of that run"},
    {"network", "the released means and deviations came out of that run"},
    {"curve", "the learning curve was measured on public rows"},
    {"values", "the released values came out of the run described here"},
    {"histogram.counts", "the released counts came out of that run"},
    {"answers", "the released answers came out of that run"},
    {"labels", "the released labels came out of the run described here"},
    {"rows", "the rows that have a released label are those that the run answered"},
    {"asked", "the run asked about this number of rows until its last answer"},
    {"agreement.sums", "the released agreement of the teachers came out of that run"},
    {"certificate.released", "the run asked and answered this number of queries"},
    {"certificate.noise_source", "the noise came from the operating system"},
    {"certificate.ledger", "a ledger was charged as stated; --ledger checks it"},
    {"certificate.software", "this software made the file"},
};
enum { BELIEFS = sizeof beliefs / sizeof beliefs[0] };
/* A file of an application or of version 1 has one belief about its payload, and of these only those of its certificate. */
static_assert((int)BELIEFS <= (int)SOTTO_BELIEFS_MAX, "room in a summary");

static const sotto_belief whole_file = {
    "payload", "everything outside the certificate: an application made the file through "
               "the C interface, and sotto cannot recompute it"};
/* Nothing in the file leads to them: an application states them. */
static const sotto_belief stated_facts[] = {
    {"certificate.output", "the output has the name that the application states"},
    {"certificate.unit", "the plan protects this unit"},
    {"certificate.plan", "the run made the planned releases, with this noise"},
    {"certificate.released", "each event happened as often as stated"},
    {"certificate.covered", "the guarantee covers these steps"},
    {"certificate.unprotected", "nothing else is left unprotected"},
    {"certificate.tuning", "the settings were chosen as stated"},
};
enum { STATED_FACTS = sizeof stated_facts / sizeof stated_facts[0] };
static const sotto_belief old_settings = {
    "payload", "the settings, the plan and everything else outside the certificate: "
               "files of version 1 do not state the request they follow from"};

/* A member by its path from the root: names between points. */
static bool has_member(const sot_json_value *root, const char *path)
{
    sot_json_value at = *root, below;
    while (*path != '\0') {
        char name[64];
        const size_t length = strcspn(path, ".");
        if (length >= sizeof name || sot_json_kind_of(&at) != SOT_JSON_OBJECT)
            return false;
        memcpy(name, path, length);
        name[length] = '\0';
        if (!sot_json_member(&at, name, &below)) return false;
        at = (sot_json_value){.document = below.document, .node = below.node};
        path += length + (path[length] == '.' ? 1 : 0);
    }
    return sot_json_kind_of(&at) != SOT_JSON_NULL;
}

static const char *text_of(const sot_json_value *object, const char *key)
{
    sot_json_value member;
    const char *text = NULL;
    return sot_json_member(object, key, &member) &&
                   sot_json_as_string(&member, &text, NULL) == SOTTO_OK
               ? text
               : "";
}

/* "model" is the hash of the evaluated model in a release, and the kind of model in a model file. The released counts
 * are an output in labels, and the plan's counts elsewhere. */
static bool is_of_kind(const sot_certificate_file *file, const sotto_belief *belief)
{
    const char *kind = text_of(&file->root, "kind");
    if (strcmp(belief->path, "model") == 0) return strcmp(kind, "release") == 0;
    if (strcmp(belief->path, "certificate.released") == 0)
        return strcmp(kind, "labels") == 0;
    return true;
}

bool sot_certificate_is_application(const sot_certificate_file *file)
{
    return file->certificate.version >= 2 &&
           strcmp(text_of(&file->request, "command"), "application") == 0;
}

size_t sot_certificate_believed(const sot_certificate_file *file,
                                const sotto_belief *out_believed[SOTTO_BELIEFS_MAX])
{
    const bool old = file->certificate.version < 2;
    const bool whole = old || sot_certificate_is_application(file);
    size_t count = 0;
    if (whole) out_believed[count++] = old ? &old_settings : &whole_file;
    for (size_t i = 0; whole && !old && i < STATED_FACTS; i++)
        if (has_member(&file->root, stated_facts[i].path))
            out_believed[count++] = &stated_facts[i];
    for (size_t i = 0; i < BELIEFS; i++) {
        const bool certificate = strncmp(beliefs[i].path, "certificate.", 12) == 0;
        if ((whole && !certificate) || !has_member(&file->root, beliefs[i].path) ||
            !is_of_kind(file, &beliefs[i]))
            continue;
        out_believed[count++] = &beliefs[i];
    }
    return count;
}
