/* Proposals of the restricted Gaussian oracle, and the two coins that they must pass. Proof note: proximal.md. */
#include <math.h>

#include "methods/posterior/oracle.h"

static inline sot_twofold from_center(const sot_oracle *o, size_t j)
{
    return o->center != NULL ? sot_twofold_plus(o->y[j], -o->center[j]) : o->y[j];
}

/* -linear before rounding: the offset undoes gradient + lambda (y - center) + `tilt`
 * y. */
static inline sot_twofold known_part(const sot_oracle *o, size_t j)
{
    return sot_twofold_add(sot_twofold_times(from_center(o, j), o->lambda),
                           sot_twofold_mul(o->tilt, o->y[j]));
}

/* Returns the factor by which proposals must be narrower. With m the mean of a plain one,
 * variance v = eta' and s the factor, their squared norm is R^2 on average: `s^2 |m|^2 + s d v`.
 * It is 1 if a plain one stays within R. */
static double share_to_keep(const sot_oracle *o)
{
    double squares = 0.0;
    const double v = o->step * o->step;
    for (size_t j = 0; j < o->dimension; j++) {
        const double off = o->center != NULL ? o->y[j].high - o->center[j] : o->y[j].high;
        const double mean = o->y[j].high - v * (o->gradient[j] + o->lambda * off);
        squares += mean * mean;
    }
    const double spread = (double)o->dimension * v;
    const double limit = o->radius * o->radius;
    if (squares + spread <= limit) return 1.0;
    return 2.0 * limit / (spread + sqrt(spread * spread + 4.0 * squares * limit));
}

static void set_scale(sot_oracle *o)
{
    const double share = share_to_keep(o);
    const double scale = o->step * sqrt(share);
    o->scale = share < 1.0 && scale < o->step ? scale : o->step;
    o->tilt = (sot_twofold){0.0, 0.0};
    if (o->scale == o->step) return;
    const sot_twofold one = {1.0, 0.0};
    const sot_twofold narrow =
        sot_twofold_div(one, sot_twofold_of_product(o->scale, o->scale));
    o->tilt = sot_twofold_add(narrow, sot_twofold_minus(o->precision));
}

/* At least R^2 - |mean|^2. All coins at this mean have the same room, so it need not be that number itself. */
static void set_room(sot_oracle *o)
{
    sot_twofold squares = {0.0, 0.0};
    for (size_t j = 0; j < o->dimension; j++)
        squares = sot_twofold_add(squares, sot_twofold_mul(o->mean[j], o->mean[j]));
    const sot_twofold limit = sot_twofold_of_product(o->radius, o->radius);
    const sot_twofold room = sot_twofold_add(limit, sot_twofold_minus(squares));
    o->room = sot_twofold_plus(room, ((double)o->dimension + 32.0) * 0x1p-100 *
                                         (limit.high + squares.high));
}

void sot_oracle_aim(sot_oracle *oracle)
{
    sot_oracle *o = oracle;
    set_scale(o);
    const sot_twofold variance = sot_twofold_of_product(o->scale, o->scale);
    double off_squares = 0.0;
    double size_squares = 0.0;
    double y_squares = 0.0;
    for (size_t j = 0; j < o->dimension; j++) {
        const sot_twofold known = known_part(o, j);
        const sot_twofold force = sot_twofold_plus(known, o->gradient[j]);
        o->offset[j] = sot_twofold_minus(sot_twofold_mul(variance, force));
        o->mean[j] = sot_twofold_add(o->y[j], o->offset[j]);
        /* The implication of the rounded offset, exactly up to 2^-100 of the parts. */
        const sot_twofold undone = sot_twofold_div(o->offset[j], variance);
        o->linear[j] = sot_twofold_minus(sot_twofold_add(known, undone));
        const double off = sot_twofold_plus(o->linear[j], -o->gradient[j]).high;
        const double size = fabs(known.high) + fabs(undone.high);
        off_squares += off * off;
        size_squares += size * size;
        y_squares += o->y[j].high * o->y[j].high;
    }
    set_room(o);
    const double error = o->gradient_error + sqrt(off_squares) * (1.0 + 0x1p-20) +
                         0x1p-98 * sqrt(size_squares);
    o->parts = sqrt(size_squares);
    o->y_norm = sqrt(y_squares);
    o->allowance = error * (o->radius + o->w_norm) * (1.0 + 0x1p-20);
}

/* y + offset + scale xi, and the way there from w. */
static void draw_point(sot_oracle *o, sot_trial *trial)
{
    o->counts->proposals++;
    for (size_t j = 0; j < o->dimension; j++) {
        sot_normal_draw(o->rng, &trial->normals[j]);
        const sot_twofold xi = sot_normal_twofold(o->rng, &trial->normals[j]);
        const sot_twofold noise = sot_twofold_times(xi, o->scale);
        const sot_twofold to_mean =
            sot_twofold_add(sot_twofold_plus(o->y[j], -o->w[j]), o->offset[j]);
        const sot_twofold way = sot_twofold_add(to_mean, noise);
        trial->noise[j] = noise;
        trial->p[j] = sot_twofold_add(o->mean[j], noise);
        trial->p_high[j] = trial->p[j].high;
        trial->way[j] = way.high;
        trial->way_low[j] = way.low;
    }
}

/* Tosses a coin of probability `exp(-(tilt / 2) (R^2 - |p|^2))`. |p|^2 - |mean|^2 is the
 * sum of e (2 mean + e), e = p - mean. */
static bool passes_tilt(sot_oracle *o, const sot_trial *trial)
{
    if (o->tilt.high == 0.0) return true;
    sot_twofold grown = {0.0, 0.0};
    double sizes = 0.0;
    for (size_t j = 0; j < o->dimension; j++) {
        const sot_twofold e = trial->noise[j];
        const sot_twofold doubled = {2.0 * o->mean[j].high, 2.0 * o->mean[j].low};
        const sot_twofold term = sot_twofold_mul(e, sot_twofold_add(doubled, e));
        grown = sot_twofold_add(grown, term);
        sizes += fabs(term.high);
    }
    const sot_twofold left = sot_twofold_add(o->room, sot_twofold_minus(grown));
    const sot_twofold half = {0.5 * o->tilt.high, 0.5 * o->tilt.low};
    const sot_twofold a = sot_twofold_mul(left, half);
    sot_digits uniform;
    sot_coin_draw(o->rng, &uniform);
    const double error =
        0x1p-45 * (half.high + o->precision.high) * (sizes + fabs(o->room.high));
    const sot_answer answer = sot_coin_quick(&uniform, a.high, error);
    if (answer != SOT_ANSWER_OPEN) return answer == SOT_ANSWER_YES;
    bool open;
    const bool passed = sot_coin_careful(o->spare, &uniform, a, o->plan->guard, &open);
    if (open) o->counts->undecided++;
    return passed;
}

sotto_status sot_oracle_propose(sot_oracle *oracle, sot_trial *out_trial,
                                sotto_error *error)
{
    sot_oracle *o = oracle;
    for (;;) {
        draw_point(o, out_trial);
        const sot_proposal proposal = {.base = o->y,
                                       .offset = o->offset,
                                       .normals = out_trial->normals,
                                       .scale = o->scale,
                                       .dimension = o->dimension};
        if (sot_ball_holds(o->spare, &proposal, out_trial->p, o->radius)) {
            if (passes_tilt(o, out_trial)) return SOTTO_OK;
        }
        const sotto_status status = sot_oracle_listen(o, error);
        if (status != SOTTO_OK) return status;
    }
}

/* linear.way */
static sot_twofold along(const sot_oracle *o, const sot_trial *trial)
{
    sot_twofold sum = {0.0, 0.0};
    for (size_t j = 0; j < o->dimension; j++) {
        const sot_twofold way = {trial->way[j], trial->way_low[j]};
        sum = sot_twofold_add(sum, sot_twofold_mul(o->linear[j], way));
    }
    return sum;
}

sotto_status sot_oracle_accept(sot_oracle *oracle, const sot_trial *trial, double value,
                               bool *out_accepted, sotto_error *error)
{
    sot_oracle *o = oracle;
    *out_accepted = true;
    sot_digits uniform;
    sot_coin_draw(o->rng, &uniform);

    const sot_twofold linear = along(o, trial);
    const double grown = o->beta * (value - o->value);
    const double a = (grown - linear.high) + o->allowance;
    const double p_norm =
        fmin(o->radius, sot_oracle_norm(trial->p_high, o->dimension)) * (1.0 + 0x1p-20);
    const double sums_error = o->beta * (sot_losses_value_error(o->losses, p_norm) +
                                         sot_losses_value_error(o->losses, o->w_norm));
    /* Generous bounds on the error of linear.way. For `linear` it is 2^-98 of its parts
     * and, with `tilt`, 2^-100 |y| / eta'. For the way it is 2^-100 of its parts. */
    const double far = p_norm + o->w_norm + 2.0 * o->y_norm;
    const double tilted = o->tilt.high > 0.0 ? o->y_norm * o->precision.high : 0.0;
    const double slope_error = far * (0x1p-80 * o->parts + 0x1p-90 * tilted);
    const double roundings = 0x1p-50 * (fabs(grown) + fabs(linear.high) + o->allowance);
    const double guard = (sums_error + slope_error + roundings) * (1.0 + 0x1p-20);
    const sot_answer answer = sot_coin_quick(&uniform, a, guard);
    if (answer != SOT_ANSWER_OPEN) {
        *out_accepted = answer == SOT_ANSWER_YES;
        return SOTTO_OK;
    }
    o->counts->carefully++;
    sot_twofold difference;
    const sotto_status status = sot_losses_difference(o->losses, o->w, trial->way,
                                                      trial->way_low, &difference, error);
    if (status != SOTTO_OK) return status;
    const sot_twofold exact =
        sot_twofold_plus(sot_twofold_add(sot_twofold_times(difference, o->beta),
                                         sot_twofold_minus(linear)),
                         o->allowance);
    bool open;
    *out_accepted = sot_coin_careful(o->spare, &uniform, exact, o->plan->guard, &open);
    if (open) o->counts->undecided++;
    return SOTTO_OK;
}
