/* data/describe/sampler.h: synthetic records, sampled only from a schema.
 *
 * sotto_schema_sample() documents the distribution. Here the rows are records, for simulations
 * within the library. No file and no private row is involved.
 */
#ifndef SOT_DATA_DESCRIBE_SAMPLER_H
#define SOT_DATA_DESCRIBE_SAMPLER_H

#include <sotto/rng.h>
#include <sotto/schema.h>

#include "data/readers/record.h"

typedef struct sot_sampler sot_sampler;

/* `target` as in sot_encoding_new(), but without a target that can be learned labels follow no
 * rule. The schema and the generator must outlive the sampler. */
SOTTO_MUST_CHECK sotto_status sot_sampler_new(const sotto_schema *schema,
                                              const char *target, sotto_rng *rng,
                                              sot_sampler **out_sampler,
                                              sotto_error *error);
void sot_sampler_free(sot_sampler *sampler); /* NULL is fine */

/* The next record; there is always one. Borrowed until the next call. */
void sot_sampler_next(sot_sampler *sampler, sot_record *out_record);

#endif
