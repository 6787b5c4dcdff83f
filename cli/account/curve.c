/* sotto account curve: the profile of a plan, its trade-off curve, and a table of bounds on
 * attacks. */
#include <stdio.h>
#include <string.h>

#include <sotto/curve.h>

#include "account/account.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"

enum { SHOWN_ROWS = 9, TRADE_OFF_POINTS = 101 };

/* Where the attack table looks; each rate gets points of its own. */
static const double rates[] = {0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6};
enum { RATES = sizeof rates / sizeof rates[0] };

/* --- the options --- */

CLI_WORDS(table_choice, "profile", "trade-off", "attack")

static const cli_option options[] = {
    {"delta-least", CLI_NUMBER, CLI_OPTIONAL, "smallest delta of the profile",
     .value = "D", .example = "1e-12", .fallback = "1e-10", .range = CLI_BELOW_ONE},
    {"points", CLI_COUNT, CLI_OPTIONAL, "points of the profile, at least 2", .value = "N",
     .example = "65", .fallback = "65", .count_max = SOTTO_CURVE_POINTS_MAX},
    {"csv", CLI_CHOICE, CLI_OPTIONAL, "print this table as CSV", .value = "TABLE",
     .example = "profile", .choices = table_choice},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the three curves", .value = "FILE",
     .example = "curve.svg", .output = SOTTO_OUTPUT_SVG},
    {0},
};

/* --- text --- */

static void show_profile(const sotto_curve *curve)
{
    const sotto_account *points = sotto_curve_points(curve);
    const size_t steps = sotto_curve_size(curve) - 1;
    const size_t rows = steps < SHOWN_ROWS - 1 ? steps : SHOWN_ROWS - 1;
    char epsilon[CLI_NUMBER_BYTES], delta[CLI_NUMBER_BYTES];
    (void)printf("%-18s%s\n", "epsilon", "delta, at most");
    for (size_t i = 0; i <= rows; i++) {
        const sotto_account *point = &points[i * steps / rows];
        (void)printf("%-18s%s\n",
                     cli_rounded_up(point->epsilon, CLI_SHOWN_DIGITS, epsilon),
                     cli_rounded_up(point->delta, CLI_SHOWN_DIGITS, delta));
    }
}

static void show_attack(const sotto_curve *curve)
{
    char rate[CLI_NUMBER_BYTES], found[CLI_NUMBER_BYTES];
    (void)printf("%-18s%s\n", "false positives", "true positives of any attack, at most");
    for (size_t i = 0; i < RATES; i++) {
        (void)printf(
            "%-18s%s\n", cli_shortest(rates[i], rate),
            cli_rounded_up(sotto_curve_attack(curve, rates[i]), CLI_SHOWN_DIGITS, found));
    }
}

static void show_text(const sotto_curve *curve)
{
    const sotto_account *first = sotto_curve_points(curve);
    char advantage[CLI_NUMBER_BYTES];
    cli_line("adjacency", "%s", sotto_adjacency_name(first->adjacency));
    cli_line("accountant", "%s", sotto_accountant_name(first->accountant));
    cli_line("advantage", "%s (true minus false positive rate of any attack, at most)",
             cli_rounded_up(first->delta, CLI_SHOWN_DIGITS, advantage));
    (void)printf("\n");
    show_profile(curve);
    (void)printf("\n");
    show_attack(curve);
}

/* --- CSV --- */

/* The false positive rate of the index-th row of the trade-off table. */
static double trade_off_rate(size_t index)
{
    return (double)index / (TRADE_OFF_POINTS - 1);
}

static void csv_profile(const sotto_curve *curve)
{
    const sotto_account *points = sotto_curve_points(curve);
    char epsilon[CLI_NUMBER_BYTES], delta[CLI_NUMBER_BYTES];
    (void)printf("epsilon,delta\n");
    for (size_t i = 0; i < sotto_curve_size(curve); i++) {
        (void)printf("%s,%s\n", cli_shortest(points[i].epsilon, epsilon),
                     cli_shortest(points[i].delta, delta));
    }
}

static void csv_row(double rate, double value)
{
    char first[CLI_NUMBER_BYTES], second[CLI_NUMBER_BYTES];
    (void)printf("%s,%s\n", cli_shortest(rate, first), cli_shortest(value, second));
}

static void show_csv(const sotto_curve *curve, const char *table)
{
    if (strcmp(table, "profile") == 0) {
        csv_profile(curve);
    } else if (strcmp(table, "trade-off") == 0) {
        (void)printf("false_positive_rate,false_negative_rate_lower\n");
        for (size_t i = 0; i < TRADE_OFF_POINTS; i++)
            csv_row(trade_off_rate(i), sotto_curve_trade_off(curve, trade_off_rate(i)));
    } else {
        (void)printf("false_positive_rate,true_positive_rate_upper\n");
        for (size_t i = 0; i < RATES; i++)
            csv_row(rates[i], sotto_curve_attack(curve, rates[i]));
    }
}

/* --- JSON --- */

static void add_profile(sotto_json_writer *json, const sotto_curve *curve)
{
    const sotto_account *points = sotto_curve_points(curve);
    sotto_json_array(json, "profile");
    for (size_t i = 0; i < sotto_curve_size(curve); i++) {
        sotto_json_object(json, NULL);
        sotto_json_number(json, "epsilon", points[i].epsilon);
        sotto_json_number(json, "delta", points[i].delta);
        sotto_json_number(json, "delta_lower", points[i].delta_lower);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_pair(sotto_json_writer *json, double rate, const char *key, double value)
{
    sotto_json_object(json, NULL);
    sotto_json_number(json, "false_positive_rate", rate);
    sotto_json_number(json, key, value);
    sotto_json_end(json);
}

static sotto_status show_json(const sotto_curve *curve, sotto_error *error)
{
    const sotto_account *first = sotto_curve_points(curve);
    sotto_json_writer *json = sotto_json_new();
    sotto_json_text(json, "adjacency", sotto_adjacency_name(first->adjacency));
    sotto_json_text(json, "accountant", sotto_accountant_name(first->accountant));
    sotto_json_number(json, "advantage", first->delta);
    add_profile(json, curve);
    sotto_json_array(json, "trade_off");
    for (size_t i = 0; i < TRADE_OFF_POINTS; i++) {
        const double rate = trade_off_rate(i);
        add_pair(json, rate, "false_negative_rate_lower",
                 sotto_curve_trade_off(curve, rate));
    }
    sotto_json_end(json);
    sotto_json_array(json, "attack");
    for (size_t i = 0; i < RATES; i++) {
        add_pair(json, rates[i], "true_positive_rate_upper",
                 sotto_curve_attack(curve, rates[i]));
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

/* --- SVG --- */

static sotto_status write_svg(const cli_call *call, const sotto_curve *curve,
                              sotto_error *error)
{
    char *svg = NULL;
    sotto_status status = sotto_curve_to_svg(curve, &svg, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    sotto_free(svg);
    return status;
}

/* --- the command --- */

static sotto_status make_curve(const cli_call *call, sotto_curve **out_curve,
                               sotto_error *error)
{
    sotto_accountant accountant = SOTTO_EXACT;
    sotto_plan *plan = NULL;
    sotto_status status =
        sotto_accountant_from_name(cli_text(call, "accountant"), &accountant, error);
    if (status != SOTTO_OK) return status;
    status = account_plan_make(call, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_curve_new(plan, accountant, cli_number(call, "delta-least"),
                             (size_t)cli_count(call, "points"), out_curve, error);
    for (size_t i = 0; status == SOTTO_OK && i < RATES; i++)
        status = sotto_curve_sharpen(*out_curve, plan, rates[i], error);
    sotto_plan_free(plan);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_curve *curve = NULL;
    if (cli_given(call, "csv") && cli_flag(call, "json")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--csv %s and --json exclude each other; leave out one of them",
                        cli_text(call, "csv"));
    }
    sotto_status status = make_curve(call, &curve, error);
    if (status == SOTTO_OK && cli_given(call, "svg"))
        status = write_svg(call, curve, error);
    if (status == SOTTO_OK) {
        if (cli_flag(call, "json")) {
            status = show_json(curve, error);
        } else if (cli_given(call, "csv")) {
            show_csv(curve, cli_text(call, "csv"));
        } else {
            show_text(curve);
        }
    }
    sotto_curve_free(curve);
    return status;
}

const cli_command account_curve = {
    .name = "curve",
    .summary = "Compute the privacy profile and the trade-off curve of a plan",
    .options = options,
    .shared = account_event_tables,
    .example = "sotto account curve --noise-multiplier 2 --count 10 --points 9",
    .run = run,
};
