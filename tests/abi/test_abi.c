/* The layout of what applications hold: a change here changes the SONAME. A config that begins with its size is the exception:
 * it may grow at its end, and its offsets stay.
 *
 * Sizes are those of the usual 64-bit Unix ABIs (LP64, enums of 4 bytes, alignment 8). */
#include "support.h"

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/arrow.h>
#include <sotto/audit.h>
#include <sotto/audit_demo.h>
#include <sotto/audit_model.h>
#include <sotto/audit_statistics.h>
#include <sotto/basis.h>
#include <sotto/certificate.h>
#include <sotto/clipping.h>
#include <sotto/curve.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/evaluation.h>
#include <sotto/event.h>
#include <sotto/exponential.h>
#include <sotto/filter.h>
#include <sotto/gate.h>
#include <sotto/gaussian.h>
#include <sotto/grade.h>
#include <sotto/grid.h>
#include <sotto/key.h>
#include <sotto/laplace.h>
#include <sotto/ledger.h>
#include <sotto/ledger_settings.h>
#include <sotto/loss.h>
#include <sotto/memory.h>
#include <sotto/model.h>
#include <sotto/model_kind.h>
#include <sotto/noisy_max.h>
#include <sotto/output.h>
#include <sotto/owner.h>
#include <sotto/pac.h>
#include <sotto/pac_experiment.h>
#include <sotto/pac_packing.h>
#include <sotto/pac_theory.h>
#include <sotto/pate.h>
#include <sotto/pate_aggregate.h>
#include <sotto/pate_agreement.h>
#include <sotto/pate_cost.h>
#include <sotto/permute_and_flip.h>
#include <sotto/progress.h>
#include <sotto/propose_test_release.h>
#include <sotto/randomized_response.h>
#include <sotto/reference.h>
#include <sotto/release.h>
#include <sotto/release_settings.h>
#include <sotto/report.h>
#include <sotto/rng.h>
#include <sotto/schema.h>
#include <sotto/schema_tools.h>
#include <sotto/selection.h>
#include <sotto/selection_cost.h>
#include <sotto/sotto.h>
#include <sotto/sparse_vector.h>
#include <sotto/system.h>
#include <sotto/theory.h>
#include <sotto/train.h>
#include <sotto/train_config.h>
#include <sotto/train_settings.h>
#include <sotto/tree_aggregation.h>
#include <sotto/tune.h>
#include <sotto/verify.h>
#include <sotto/version.h>

#define assert_layout(type, size, last, offset)                                          \
    do {                                                                                 \
        assert_int_equal(sizeof(type), size);                                            \
        assert_int_equal(offsetof(type, last), offset);                                  \
    } while (0)

static void public_structs_keep_their_size_and_place(void **state)
{
    (void)state;
    if (sizeof(void *) != 8) skip();
    assert_layout(sotto_error, 260, message, 4);
    assert_layout(sotto_event, 224, count, 104);
    assert_layout(sotto_event, 224, batch, 120);
    assert_layout(sotto_event, 224, purpose, 176);
    assert_layout(sotto_account, 56, adjacency, 48);
    assert_layout(sotto_reference_value, 40, reference, 36);
    assert_layout(sotto_certificate_facts, 96, selected, 80);
    assert_layout(sotto_certificate_summary, 824, hash, 279);
    assert_layout(sotto_certificate_summary, 824, advisories, 352);
    assert_layout(sotto_certificate_summary, 824, believed, 568);
    assert_layout(sotto_belief, 16, meaning, 8);
    assert_layout(sotto_verify_config, 32, curator, 24);
    assert_layout(sotto_advisory, 48, remedy, 40);
    assert_layout(sotto_grid, 16, bound, 8);
    assert_layout(sotto_gaussian_config, 72, purpose, 64);
    assert_layout(sotto_laplace_config, 40, purpose, 32);
    assert_layout(sotto_report_config, 128, images, 104);
    assert_layout(sotto_report_config, 128, progress_context, 120);
    assert_layout(sotto_release_config, 200, again, 184);
    assert_layout(sotto_release_value, 32, upper, 24);
    assert_layout(sotto_column, 128, source, 88);
    assert_layout(sotto_column, 128, ordered, 120);
    assert_layout(sotto_target, 96, above, 56);
    assert_layout(sotto_target, 96, missing_number, 88);
    assert_layout(sotto_row_norm, 24, rule, 16);
    assert_layout(sotto_draft_config, 128, comments, 120);
    assert_layout(sotto_sample_config, 32, tabs, 24);
    assert_layout(sotto_array, 48, column_stride_bytes, 40);
    assert_layout(sotto_records, 176, selected, 144);
    assert_layout(sotto_records, 176, stream, 152);
    assert_layout(sotto_records, 176, sparse, 168);
    assert_layout(sotto_sparse, 144, values, 96);
    assert_layout(struct ArrowSchema, 72, private_data, 64);
    assert_layout(struct ArrowArray, 80, private_data, 72);
    assert_layout(struct ArrowArrayStream, 40, private_data, 32);
    assert_layout(sotto_data_file, 56, stored_table, 32);
    assert_layout(sotto_data_file, 56, where, 48);
    assert_layout(sotto_evaluation, 104, majority, 96);
    assert_layout(sotto_training_errors, 24, upper, 16);
    assert_layout(sotto_train_config, 400, bins, 392);
    assert_layout(sotto_forecast, 128, held, 120);
    assert_layout(sotto_rule, 312, epsilon, 288);
    assert_layout(sotto_tune_config, 512, repeats, 504);
    assert_layout(sotto_progress, 48, asks_only, 40);
    assert_layout(sotto_ledger_config, 152, order, 104);
    assert_layout(sotto_ledger_config, 152, curator, 144);
    assert_layout(sotto_ledger_member, 64, delta_spent, 56);
    assert_layout(sotto_ledger_room, 48, certified_delta, 40);
    assert_layout(sotto_ledger_balance, 936, head, 160);
    assert_layout(sotto_ledger_balance, 936, room, 864);
    assert_layout(sotto_reservation, 1896, after, 960);
    assert_layout(sotto_ledger_preview, 1208, after, 272);
    assert_layout(sotto_ledger_entry, 136, is_signed, 128);
    assert_layout(sotto_system_part, 96, version, 32);
    assert_layout(sotto_system, 2304, parts, 768);
    assert_layout(sotto_selection_config, 32, purpose, 24);
    assert_layout(sotto_rectangle, 32, y_high, 24);
    assert_layout(sotto_pac_problem, 48, context, 40);
    assert_layout(sotto_pac_setting, 56, rows, 48);
    assert_layout(sotto_packing_setting, 32, rows, 24);
    assert_layout(sotto_packing_success, 24, ceiling, 16);
    assert_layout(sotto_packing_rows, 24, least, 16);
    assert_layout(sotto_packing_config, 80, seed, 72);
    assert_layout(sotto_packing_point, 56, permute_and_flip_seen, 48);
    assert_layout(sotto_packing_contrast, 56, lipschitz_silent, 48);
    assert_layout(sotto_pac_experiment_config, 80, seed, 72);
    assert_layout(sotto_pac_experiment_point, 104, excess, 8);
    assert_layout(sotto_sparse_vector_config, 48, purpose, 40);
    assert_layout(sotto_propose_test_release_config, 32, purpose, 24);
    assert_layout(sotto_randomized_response_config, 24, purpose, 16);
    assert_layout(sotto_pate_config, 88, purpose, 80);
    assert_layout(sotto_pate_sensitivity, 32, gap, 24);
    assert_layout(sotto_pate_teach_config, 432, directory, 424);
    assert_layout(sotto_pate_label_config, 240, threads, 232);
    assert_layout(sotto_pate_agreement_config, 16, bins, 8);
    assert_layout(sotto_pate_agreement, 2448, mean_deviation, 2440);
    assert_layout(sotto_pate_student_config, 432, confidence, 424);
    assert_layout(sotto_audit_counts, 32, others, 24);
    assert_layout(sotto_audit_bounds, 48, gaussian_epsilon_lower, 40);
    assert_layout(sotto_audit_verdict, 32, promised, 24);
    assert_layout(sotto_audit_config, 96, progress_context, 88);
    assert_layout(sotto_audit_summary, 216, delta_lower, 208);
    assert_layout(sotto_membership_config, 176, threads, 168);
    assert_layout(sotto_membership_attack, 128, bounds, 80);
    assert_layout(sotto_demo_row, 40, guess_bound, 32);
    assert_layout(sotto_one_run, 64, mu_lower, 56);
    assert_layout(sotto_lira_fit, 32, deviation, 24);
    assert_layout(sotto_lira_labels, 16, right, 8);
    assert_layout(sotto_roc_point, 24, true_positive_rate, 16);
    assert_layout(sotto_coin_survey_config, 48, purpose, 40);
    assert_layout(sotto_frequency, 40, upper, 32);
    assert_layout(sotto_response_outlook, 40, variance_population, 32);
    assert_layout(sotto_runs, 32, mean, 24);
    assert_layout(sotto_filter_config, 40, order, 32);
    assert_layout(sotto_filter_state, 56, charged, 48);
}

static void public_enums_keep_their_numbers(void **state)
{
    (void)state;
    const int statuses[] = {SOTTO_OK,
                            SOTTO_INVALID_ARGUMENT,
                            SOTTO_OUT_OF_MEMORY,
                            SOTTO_IO,
                            SOTTO_PARSE,
                            SOTTO_UNSUPPORTED,
                            SOTTO_UNREACHABLE,
                            SOTTO_BUDGET_EXCEEDED,
                            SOTTO_NOT_IN_PLAN,
                            SOTTO_ENTROPY,
                            SOTTO_VERIFICATION,
                            SOTTO_INTERRUPTED};
    for (int i = 0; i < 12; i++)
        assert_int_equal(statuses[i], i);
    assert_int_equal(SOTTO_INTERNAL, 99);
    assert_int_equal(SOTTO_ADD_REMOVE, 1);
    assert_int_equal(SOTTO_REPLACE_ONE, 2);
    assert_int_equal(SOTTO_GAUSSIAN, 1);
    assert_int_equal(SOTTO_PURE, 2);
    assert_int_equal(SOTTO_APPROXIMATE, 3);
    assert_int_equal(SOTTO_ZCDP, 4);
    assert_int_equal(SOTTO_GDP, 5);
    assert_int_equal(SOTTO_L1, 1);
    assert_int_equal(SOTTO_L2, 2);
    assert_int_equal(SOTTO_LINF, 3);
    assert_int_equal(SOTTO_NOT_SAMPLED, 0);
    assert_int_equal(SOTTO_POISSON, 1);
    assert_int_equal(SOTTO_SCALE_SYMMETRIC, 1);
    assert_int_equal(SOTTO_SCALE_UNIT, 2);
    assert_int_equal(SOTTO_SCALE_NONE, 3);
    assert_int_equal(SOTTO_SCALE_AFFINE, 4);
    assert_int_equal(SOTTO_NORM_CLIP, 1);
    assert_int_equal(SOTTO_NORM_SCALE, 2);
    assert_int_equal(SOTTO_LEDGER_INIT, 1);
    assert_int_equal(SOTTO_LEDGER_GRANT, 2);
    assert_int_equal(SOTTO_LEDGER_RESERVE, 3);
    assert_int_equal(SOTTO_LEDGER_COMMIT, 4);
    assert_int_equal(SOTTO_LEDGER_CHECKPOINT, 5);
    assert_int_equal(SOTTO_RELEASE_COUNT, 1);
    assert_int_equal(SOTTO_RELEASE_SUM, 2);
    assert_int_equal(SOTTO_RELEASE_MEAN, 3);
    assert_int_equal(SOTTO_RELEASE_HISTOGRAM, 4);
    assert_int_equal(SOTTO_RELEASE_QUANTILE, 5);
    assert_int_equal(SOTTO_RELEASE_BOUNDS, 6);
    assert_int_equal(SOTTO_RELEASE_RESPONSES, 7);
    assert_int_equal(SOTTO_RELEASE_CHOICE, 8);
    assert_int_equal(SOTTO_RELEASE_ACCURACY, 9);
    assert_int_equal(SOTTO_SCORE_GIVEN, 0);
    assert_int_equal(SOTTO_SCORE_COUNT, 1);
    assert_int_equal(SOTTO_SCORE_REVENUE, 2);
    assert_int_equal(SOTTO_SCORE_QUANTILE, 3);
    assert_int_equal(SOTTO_MODEL_LOGISTIC, 1);
    assert_int_equal(SOTTO_METHOD_AUTO, 0);
    assert_int_equal(SOTTO_METHOD_OUTPUT, 1);
    assert_int_equal(SOTTO_METHOD_OBJECTIVE, 2);
    assert_int_equal(SOTTO_METHOD_GD, 3);
    assert_int_equal(SOTTO_METHOD_NONE, 4);
    assert_int_equal(SOTTO_CALIBRATION_SHARP, 0);
    assert_int_equal(SOTTO_CALIBRATION_CHAUDHURI, 1);
    assert_int_equal(SOTTO_CALIBRATION_KIFER, 2);
    assert_int_equal(SOTTO_CALIBRATION_REDBERG, 3);
    assert_int_equal(SOTTO_OBJECTIVE_PERTURBATION, 11);
    assert_int_equal(SOTTO_EXACT, 1);
    assert_int_equal(SOTTO_RDP, 2);
    assert_int_equal(SOTTO_BASIC, 3);
    assert_int_equal(SOTTO_PLD, 4);
    assert_int_equal(SOTTO_MOMENTS, 5);
    assert_int_equal(SOTTO_GAUSSIAN_DP, 6);
    assert_int_equal(SOTTO_ADVANCED, 7);
    assert_int_equal(SOTTO_OPTIMAL, 8);
    assert_int_equal(SOTTO_REFERENCE_CENTRAL_LIMIT, 1);
    assert_int_equal(SOTTO_REFERENCE_MOMENTS_LEADING_TERM, 2);
    assert_int_equal(SOTTO_REFERENCE_ADVANCED_LECTURE, 3);
    assert_int_equal(SOTTO_REFERENCE_OPTIMAL_SIMPLE, 4);
    assert_int_equal(SOTTO_REFERENCE_OPTIMAL_GRID, 5);
    assert_int_equal(SOTTO_LECTURE_DP_GD, 1);
    assert_int_equal(SOTTO_LECTURE_DP_SGD, 2);
    assert_int_equal(SOTTO_LECTURE_DP_SGD_CORRECTED, 3);
    assert_int_equal(SOTTO_LECTURE_MOMENTS, 4);
    assert_int_equal(SOTTO_KERNEL_CLOSED_FORM, 1);
    assert_int_equal(SOTTO_KERNEL_CONTOUR, 2);
    assert_int_equal(SOTTO_KERNEL_CONTOUR_SMOOTHED, 3);
    assert_int_equal(SOTTO_KERNEL_RDP, 4);
    assert_int_equal(SOTTO_KERNEL_BASIC, 5);
    assert_int_equal(SOTTO_KERNEL_MOMENTS, 7);
    assert_int_equal(SOTTO_KERNEL_COMPOSITION_THEOREM, 8);
    assert_int_equal(SOTTO_PAC_LAPLACE, 1);
    assert_int_equal(SOTTO_PAC_LECTURE, 4);
    assert_int_equal(SOTTO_PAC_PUBLIC_AGNOSTIC, 10);
    assert_int_equal(SOTTO_PAC_LEARNER_LAPLACE, 3);
    assert_int_equal(SOTTO_CHANGE_ANY, 1);
    assert_int_equal(SOTTO_CHANGE_MONOTONE, 2);
    assert_int_equal(SOTTO_INTERVAL_EXACT, 1);
    assert_int_equal(SOTTO_INTERVAL_NORMAL, 2);
    assert_int_equal(SOTTO_MESSAGE_BYTES, 256);
    assert_int_equal(SOTTO_SYSTEM_PARTS_MAX, 16);
    assert_int_equal(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1);
    assert_int_equal(SOTTO_RUNS_POISSON, 2);
    assert_int_equal(SOTTO_FILTER_RENYI, 1);
    assert_int_equal(SOTTO_FILTER_GAUSSIAN, 2);
    assert_int_equal(SOTTO_FILTER_PURE, 3);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(sotto_status_name(SOTTO_OK), "ok");
    for (int status = 0; status <= 11; status++)
        assert_string_not_equal(sotto_status_name((sotto_status)status),
                                "unknown status");
    assert_string_equal(sotto_status_name(SOTTO_INTERNAL), "internal error");
    assert_string_equal(sotto_status_name((sotto_status)50), "unknown status");
}

static void the_header_and_the_library_agree_on_the_version(void **state)
{
    (void)state;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d.%d.%d", SOTTO_VERSION_MAJOR,
                   SOTTO_VERSION_MINOR, SOTTO_VERSION_PATCH);
    assert_string_equal(sotto_version(), expected);
    assert_string_equal(SOTTO_VERSION_STRING, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_structs_keep_their_size_and_place),
        cmocka_unit_test(public_enums_keep_their_numbers),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(the_header_and_the_library_agree_on_the_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
