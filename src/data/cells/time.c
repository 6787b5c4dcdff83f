#include "data/cells/time.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_magnitude;

static const int64_t second_ns = INT64_C(1000000000);
static const int64_t day_seconds = 86400;

/* ---- units ---- */

static const struct {
    const char *name;
    int64_t ns;
} units[] = {
    {"day", INT64_C(86400000000000)},  {"hour", INT64_C(3600000000000)},
    {"minute", INT64_C(60000000000)},  {"second", INT64_C(1000000000)},
    {"millisecond", INT64_C(1000000)}, {"microsecond", INT64_C(1000)},
};
enum { UNITS = sizeof units / sizeof units[0] };

const char *sot_time_unit_name(sotto_time_unit unit)
{
    const int index = (int)unit - 1;
    return index >= 0 && index < UNITS ? units[index].name : NULL;
}

sotto_time_unit sot_time_unit_of(const char *name)
{
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0) return (sotto_time_unit)(i + 1);
    return SOTTO_TIME_NONE;
}

/* ---- numbers ---- */

/* The double nearest to ns / unit_ns: time.h, "Rounding". */
static double quotient(wide ns, int64_t unit_ns)
{
    if (ns >= -(INT64_C(1) << 53) && ns <= INT64_C(1) << 53)
        return (double)ns / (double)unit_ns;
    const wide_magnitude unit = (wide_magnitude)unit_ns;
    const wide_magnitude magnitude = (wide_magnitude)(ns < 0 ? -ns : ns);
    const wide_magnitude rest = magnitude % unit << 64;
    const wide_magnitude scaled =
        (magnitude / unit << 64 | rest / unit) | (rest % unit != 0 ? 1 : 0);
    const double found = ldexp((double)scaled, -64);
    return ns < 0 ? -found : found;
}

static double whole_units(wide ns, int64_t unit_ns)
{
    const wide below = ns < 0 && ns % unit_ns != 0 ? 1 : 0;
    return (double)(int64_t)(ns / unit_ns - below);
}

static bool is_in_range(wide ns)
{
    const int64_t first_second = INT64_C(-62135596800); /* 0001-01-01 00:00 */
    const int64_t end_second = INT64_C(253402300800);   /* 10000-01-01 00:00 */
    return ns >= (wide)first_second * second_ns && ns < (wide)end_second * second_ns;
}

static double number_of(const sotto_column *column, wide ns)
{
    const int64_t unit_ns = units[(int)column->time_unit - 1].ns;
    if (!is_in_range(ns)) return (double)NAN;
    return column->type == SOTTO_COLUMN_INTEGER ? whole_units(ns, unit_ns)
                                                : quotient(ns, unit_ns);
}

double sot_time_of_ticks(const sotto_column *column, int64_t ticks, int64_t tick_ns)
{
    return number_of(column, (wide)ticks * tick_ns);
}

/* ---- texts ---- */

typedef struct time_text {
    const char *at;
    size_t left; /* bytes */
} time_text;

static bool take(time_text *text, char wanted)
{
    if (text->left == 0 || *text->at != wanted) return false;
    text->at++;
    text->left--;
    return true;
}

/* Exactly `digits` digits, a number from `least` to `most`. */
static bool take_digits(time_text *text, int digits, int least, int most, int *out_number)
{
    int number = 0;
    for (int i = 0; i < digits; i++) {
        if (text->left == 0 || *text->at < '0' || *text->at > '9') return false;
        number = 10 * number + (*text->at - '0');
        text->at++;
        text->left--;
    }
    *out_number = number;
    return number >= least && number <= most;
}

/* 1 to 9 digits behind the point, as nanoseconds. */
static bool take_fraction(time_text *text, int64_t *out_ns)
{
    int64_t ns = 0, place = second_ns / 10;
    int digit;
    if (!take_digits(text, 1, 0, 9, &digit)) return false;
    for (; place > 0; place /= 10) {
        ns += digit * place;
        if (place == 1 || !take_digits(text, 1, 0, 9, &digit)) break;
    }
    *out_ns = ns;
    return true;
}

/* Seconds by which the clock of the zone is ahead of UTC; 0 without a zone. */
static bool take_zone(time_text *text, int *out_seconds)
{
    int hours, minutes = 0;
    *out_seconds = 0;
    if (text->left == 0 || take(text, 'Z')) return true;
    const bool behind = take(text, '-');
    if (!behind && !take(text, '+')) return false;
    if (!take_digits(text, 2, 0, 23, &hours)) return false;
    if (text->left > 0) {
        (void)take(text, ':');
        if (!take_digits(text, 2, 0, 59, &minutes)) return false;
    }
    *out_seconds = (behind ? -1 : 1) * (3600 * hours + 60 * minutes);
    return true;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* The days from 1970-01-01 to the date: those of whole years since year 1, of whole months, of the month. */
static bool take_date(time_text *text, int64_t *out_days)
{
    static const int before[] = {0,   31,  59,  90,  120, 151, 181,
                                 212, 243, 273, 304, 334, 365};
    int year, month, day;
    if (!take_digits(text, 4, 1, 9999, &year) || !take(text, '-') ||
        !take_digits(text, 2, 1, 12, &month) || !take(text, '-') ||
        !take_digits(text, 2, 1, 31, &day))
        return false;
    const int leap = is_leap(year) ? 1 : 0;
    if (day > before[month] - before[month - 1] + (month == 2 ? leap : 0)) return false;
    const int past = year - 1;
    const int64_t epoch = 719162; /* days of the years 1 to 1969 */
    *out_days = (int64_t)365 * past + past / 4 - past / 100 + past / 400 +
                before[month - 1] + (month > 2 ? leap : 0) + day - 1 - epoch;
    return true;
}

/* HH:MM[:SS[.fraction]][zone] as nanoseconds since the day began in UTC. */
static bool take_clock(time_text *text, wide *out_ns)
{
    int hours, minutes, seconds = 0, ahead;
    int64_t fraction = 0;
    if (!take_digits(text, 2, 0, 23, &hours) || !take(text, ':') ||
        !take_digits(text, 2, 0, 59, &minutes))
        return false;
    if (take(text, ':')) {
        if (!take_digits(text, 2, 0, 59, &seconds)) return false;
        if (take(text, '.') && !take_fraction(text, &fraction)) return false;
    }
    if (!take_zone(text, &ahead)) return false;
    *out_ns =
        (wide)(3600 * hours + 60 * minutes + seconds - ahead) * second_ns + fraction;
    return true;
}

bool sot_time_of_text(const sotto_column *column, const char *text, size_t size_bytes,
                      double *out_number)
{
    time_text rest = {text, size_bytes};
    int64_t days;
    wide ns = 0;
    if (!take_date(&rest, &days)) return false;
    if (rest.left > 0 &&
        ((!take(&rest, 'T') && !take(&rest, ' ')) || !take_clock(&rest, &ns)))
        return false;
    if (rest.left > 0) return false;
    *out_number = number_of(column, (wide)(days * day_seconds) * second_ns + ns);
    return !isnan(*out_number);
}
