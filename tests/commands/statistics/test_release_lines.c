/* Lines that no table writer would write: none reaches beyond itself. */
#include "support.h"

#include <unistd.h>

#include "privacy/mechanisms/gate/tape.h"
#include "release_study.h"

static const char study_header[] = "age,visits,town\n";

static void write_raw(const char *path, const char *before, const char *line,
                      size_t line_bytes, const char *after)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(study_header, file);
    fputs(before, file);
    if (line != NULL) {
        assert_int_equal(fwrite(line, 1, line_bytes, file), line_bytes);
        fputc('\n', file);
    }
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
}

/* Everything that leaves, in one text; to be freed. */
static char *run_raw(const sotto_release_config *wanted, const char *path)
{
    sotto_release_config config = *wanted;
    config.insecure_test = true;
    config.test_seed = 7;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_release_result *result = NULL;
    assert_ok(
        sotto_schema_parse("s", study_schema, strlen(study_schema), &schema, &error),
        &error);
    const sotto_status status = sotto_release_data(
        &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
    char *seen = malloc((size_t)1 << 16);
    (void)snprintf(seen, (size_t)1 << 16, "%d\n%s%s%s%s", (int)status, error.message,
                   result == NULL ? "" : sotto_release_text(result),
                   result == NULL ? "" : sotto_release_json(result),
                   result == NULL ? "" : sotto_release_certificate(result));
    sotto_release_free(result);
    sotto_schema_free(schema);
    return seen;
}

static void check_raw(const named_config *named, const char *before, const char *line,
                      size_t line_bytes, const char *after)
{
    char path[64];
    (void)snprintf(path, sizeof path, "release_tape_%ld.csv", (long)getpid());
    const bool replaced = named->config.adjacency == SOTTO_REPLACE_ONE;
    const char *const ordinary = "44.25,3,Lund";
    for (int back = 0; back < 2; back++) { /* both ways: it comes, it goes */
        char *seen[2];
        sot_tape *tape = sot_tape_new();
        for (int i = 0; i < 2; i++) {
            if (i == back) {
                write_raw(path, before, line, line_bytes, after);
            } else {
                write_raw(path, before, replaced ? ordinary : NULL,
                          replaced ? strlen(ordinary) : 0, after);
            }
            if (i == 0) {
                sot_tape_record(tape);
            } else {
                sot_tape_replay(tape, false);
            }
            seen[i] = run_raw(&named->config, path);
            sot_tape_stop(tape);
        }
        const char *difference = sot_tape_difference(tape);
        if (difference != NULL) fail_msg("%s: %s", named->name, difference);
        assert_string_equal(seen[0], seen[1]);
        sot_tape_free(tape);
        free(seen[0]);
        free(seen[1]);
    }
    (void)unlink(path);
}

static void no_line_can_reach_beyond_itself(void **state)
{
    (void)state;
    const size_t long_bytes = ((size_t)1 << 20) + 77;
    char *long_line = malloc(long_bytes);
    memset(long_line, '7', long_bytes);
    const struct {
        const char *text;
        size_t size_bytes;
    } lines[] = {{"\"44,3,Lund", 10},     {"\"\"\",\"", 5},
                 {"44\0,3,Lund", 10},     {"", 0},
                 {",,,,,,,,,", 9},        {"nan,nan,nan", 11},
                 {"\xff\xfe,\x80,\"", 6}, {"1e999,-1e999,Lund", 17},
                 {long_line, long_bytes}};
    const char *const before[] = {"", "30.5,1,Lund\n61,2,Ystad\n"};
    const char *const after[] = {"", "80,6,Lund\n18,0,Kivik"};
    named_config all[STUDIES_MAX];
    for (int kind = 1; kind <= 2; kind++) {
        const size_t count = all_statistics(all, (sotto_adjacency)kind);
        for (size_t i = 0; i < count; i++) {
            if (kind == 2 && all[i].config.statistic == SOTTO_RELEASE_MEAN)
                all[i].config.public_n = 5;
            for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
                /* A file of nothing else, once; and amid others. */
                if (k == 0 && all[i].config.public_n == 0) {
                    check_raw(&all[i], before[0], lines[k].text, lines[k].size_bytes,
                              after[0]);
                }
                check_raw(&all[i], before[1], lines[k].text, lines[k].size_bytes,
                          after[1]);
            }
        }
    }
    free(long_line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_can_reach_beyond_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
