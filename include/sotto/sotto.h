/* sotto/sotto.h: the whole public interface. */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/certificate.h>
#include <sotto/clipping.h>
#include <sotto/curve.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/exponential.h>
#include <sotto/filter.h>
#include <sotto/gate.h>
#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/model_kind.h>
#include <sotto/noisy_max.h>
#include <sotto/pac.h>
#include <sotto/pac_experiment.h>
#include <sotto/pac_packing.h>
#include <sotto/pac_theory.h>
#include <sotto/permute_and_flip.h>
#include <sotto/progress.h>
#include <sotto/propose_test_release.h>
#include <sotto/randomized_response.h>
#include <sotto/reference.h>
#include <sotto/release.h>
#include <sotto/report.h>
#include <sotto/rng.h>
#include <sotto/schema.h>
#include <sotto/schema_tools.h>
#include <sotto/selection.h>
#include <sotto/selection_cost.h>
#include <sotto/sparse_vector.h>
#include <sotto/system.h>
#include <sotto/theory.h>
#include <sotto/train.h>
#include <sotto/train_config.h>
#include <sotto/tree_aggregation.h>
#include <sotto/version.h>

#endif
