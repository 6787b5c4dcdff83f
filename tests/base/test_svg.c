/* Pictures: the same bytes everywhere, texts escaped, ticks where a person would put them. */
#include "support.h"

#include "base/memory.h"
#include "base/svg.h"

static const double x[] = {0.0, 0.5, 1.0, HUGE_VAL, 1.5, 2.0};
static const double y[] = {1e-4, 1e-3, 0.5, 0.5, 0.0, 1.0};

static char *picture(const char *title, double widest)
{
    sotto_error error;
    char *text;
    sot_growing out = {0};
    const sot_svg_panel panel = {.title = title,
                                 .x = {"steps", 0.0, widest, false, false},
                                 .y = {"delta", 1e-4, 1.0, true, false},
                                 .left = 60,
                                 .top = 40,
                                 .width = 200,
                                 .height = 100};
    sot_svg_begin(&out, 300, 200, "a & b", "c < d");
    sot_svg_panel_draw(&out, &panel);
    sot_svg_line(&out, &panel, SOT_SVG_SECOND, x, y, sizeof x / sizeof x[0]);
    sot_svg_note(&out, &panel, SOT_SVG_GUIDE, 1.0, 0.01, "end", "\"q\"");
    sot_svg_end(&out);
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    return text;
}

static void texts_are_escaped(void **state)
{
    (void)state;
    char *svg = picture("<script>", 2.0);
    assert_null(strstr(svg, "<script>"));
    assert_non_null(strstr(svg, "&lt;script&gt;"));
    assert_non_null(strstr(svg, "<title>a &amp; b</title>"));
    assert_non_null(strstr(svg, "<desc>c &lt; d</desc>"));
    assert_non_null(strstr(svg, "&quot;q&quot;"));
    sot_free(svg);
}

/* Three points, a gap for infinity and for what a logarithm has no place for, one point. */
static void lines_stop_at_what_has_no_place(void **state)
{
    (void)state;
    char *svg = picture("t", 2.0);
    assert_non_null(strstr(svg, "points=\"60,140 110,115 160,47.5\""));
    assert_non_null(strstr(svg, "points=\"260,40\""));
    sot_free(svg);
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    static const struct {
        double widest;
        const char *labels[3];
    } cases[] = {
        {2.0, {">0.5<", ">1.5<", ">2<"}},    {0.03, {">0.005<", ">0.01<", ">0.03<"}},
        {7e5, {">2e5<", ">4e5<", ">6e5<"}},  {4.2, {">1<", ">2<", ">4<"}},
        {120.0, {">20<", ">100<", ">120<"}}, {3e-7, {">5e-8<", ">1e-7<", ">3e-7<"}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *svg = picture("t", cases[i].widest);
        for (size_t j = 0; j < 3; j++) {
            if (strstr(svg, cases[i].labels[j]) == NULL)
                print_error("%g: %s\n", cases[i].widest, svg);
            assert_non_null(strstr(svg, cases[i].labels[j]));
        }
        sot_free(svg);
    }
}

static void axes_may_be_negative_or_whole(void **state)
{
    (void)state;
    sotto_error error;
    char *text;
    sot_growing out = {0};
    const sot_svg_panel panel = {.title = "",
                                 .x = {"score", -1.5, 1.0, false, false},
                                 .y = {"rows", 1.0, 3.8, false, true},
                                 .left = 60,
                                 .top = 40,
                                 .width = 200,
                                 .height = 100};
    sot_svg_begin_inline(&out, 300, 200, "plot", "a & b", "c < d");
    sot_svg_panel_draw(&out, &panel);
    sot_svg_end(&out);
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    assert_non_null(strstr(text, ">-1.5<"));
    assert_non_null(strstr(text, ">-0.5<"));
    assert_non_null(strstr(text, ">0<"));
    assert_non_null(strstr(text, ">2<"));
    assert_null(strstr(text, ">2.5<"));
    assert_null(strstr(text, "<style>"));
    assert_null(strstr(text, "http"));
    assert_non_null(strstr(text, "aria-labelledby=\"plot-title plot-desc\""));
    assert_non_null(strstr(text, "<title id=\"plot-title\">a &amp; b</title>"));
    assert_non_null(strstr(text, "<desc id=\"plot-desc\">c &lt; d</desc>"));
    sot_free(text);
}

static void narrow_logarithms_have_fine_ticks(void **state)
{
    (void)state;
    sotto_error error;
    char *text;
    sot_growing out = {0};
    const sot_svg_panel panel = {.title = "",
                                 .x = {"epsilon", 0.1, 10.0, true, false},
                                 .y = {"y", 0.0, 1.0, false, false},
                                 .left = 60,
                                 .top = 40,
                                 .width = 200,
                                 .height = 100};
    sot_svg_panel_draw(&out, &panel);
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    assert_non_null(strstr(text, ">0.1<"));
    assert_non_null(strstr(text, ">0.5<"));
    assert_non_null(strstr(text, ">2<"));
    assert_non_null(strstr(text, ">10<"));
    sot_free(text);
}

/* On a panel of 200 by 100 at (60, 40). */
static void marks_stand_where_they_should(void **state)
{
    (void)state;
    sotto_error error;
    char *text;
    sot_growing out = {0};
    const double at[] = {0.5, HUGE_VAL}, low[] = {0.25, 0.0}, high[] = {0.75, 1.0};
    const sot_svg_panel panel = {.title = "",
                                 .x = {"x", 0.0, 1.0, false, false},
                                 .y = {"y", 0.0, 1.0, false, false},
                                 .left = 60,
                                 .top = 40,
                                 .width = 200,
                                 .height = 100};
    const sot_svg_axis axis = {"", -2.0, 2.0, false, false};
    sot_svg_points(&out, &panel, SOT_SVG_SECOND, at, high, 2);
    sot_svg_whiskers(&out, &panel, SOT_SVG_FIRST, at, low, high, 2);
    sot_svg_area(&out, &panel, SOT_SVG_FIRST, low, high, 2);
    sot_svg_row(&out, &axis, -1.0, 0.5);
    sot_svg_row(&out, &axis, 1.0, NAN);
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    assert_non_null(strstr(text, "<circle class=\"n1\" r=\"4\" cx=\"160\" cy=\"65\"/>"));
    assert_null(strstr(strstr(text, "<circle") + 1, "<circle"));
    assert_non_null(
        strstr(text, "<line class=\"s0\" x1=\"160\" y1=\"115\" x2=\"160\" y2=\"65\"/>"));
    assert_non_null(strstr(text, "points=\"110,140 110,65 60,40 60,140\""));
    assert_non_null(strstr(text, "height=\"12\" x=\"50\" width=\"50\"/>"));
    assert_non_null(strstr(text, "d=\"M25 10H75M25 6v8M75 6v8\""));
    assert_non_null(strstr(text, "height=\"12\" x=\"100\" width=\"50\"/>"));
    assert_null(strstr(strstr(text, "class=\"noise\"") + 1, "class=\"noise\""));
    sot_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(lines_stop_at_what_has_no_place),
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(axes_may_be_negative_or_whole),
        cmocka_unit_test(narrow_logarithms_have_fine_ticks),
        cmocka_unit_test(marks_stand_where_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
