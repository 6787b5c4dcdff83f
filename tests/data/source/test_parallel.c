/* Records parsed on several threads: those of one thread, bit for bit, for any number of threads and any block. */
#include "data/files.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/source/parallel.h"

static const char table_text[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 3}, \"target\": \"b\", \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2.5, \"upper\": 7},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b,c\", \"d\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"}, {\"name\": \"id\", \"type\": \"id\"}]}";
static const char matrix_text[] = "{\"features\": 9, \"labels\": [0, 1], "
                                  "\"row_norm\": {\"bound\": 1, \"rule\": \"scale\"}}";

/* Records as bytes, one after another. */
typedef struct spelled {
    char *bytes;
    size_t used, room, columns, records, records_most;
} spelled;

static void add_bytes(spelled *to, const void *bytes, size_t count)
{
    if (to->used + count > to->room) {
        to->room = 2 * (to->used + count);
        to->bytes = realloc(to->bytes, to->room);
        assert_non_null(to->bytes);
    }
    if (count > 0) memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static void spell(spelled *to, const sot_record *record)
{
    if (record->cells != NULL)
        add_bytes(to, record->cells, to->columns * sizeof *record->cells);
    add_bytes(to, &record->count, sizeof record->count);
    add_bytes(to, record->indices, record->count * sizeof *record->indices);
    add_bytes(to, record->values, record->count * sizeof *record->values);
    if (record->cells == NULL) add_bytes(to, &record->label, sizeof record->label);
    add_bytes(to, &record->not_read, sizeof record->not_read);
    add_bytes(to, &record->unit_bytes, sizeof record->unit_bytes);
    add_bytes(to, record->unit, record->unit_bytes);
    to->records++;
}

static sotto_status make(void *context, void **out_piece, sotto_error *error)
{
    spelled *piece = sot_new_array(1, sizeof *piece);
    if (piece == NULL) return sot_fail_memory(error, 1, sizeof *piece);
    piece->columns = ((spelled *)context)->columns;
    *out_piece = piece;
    return SOTTO_OK;
}

static void drop(void *pointer)
{
    spelled *piece = pointer;
    if (piece != NULL) free(piece->bytes);
    sot_free(piece);
}

static sotto_status add(void *piece, const sot_record *record, sotto_error *error)
{
    (void)error;
    spell(piece, record);
    return SOTTO_OK;
}

/* Full behind `records_most`, once: the test empties it. */
static sotto_status take(void *context, void *pointer, bool *out_full, sotto_error *error)
{
    spelled *whole = context, *piece = pointer;
    (void)error;
    if (whole->records_most > 0 && whole->records >= whole->records_most) {
        *out_full = true;
        return SOTTO_OK;
    }
    add_bytes(whole, piece->bytes, piece->used);
    whole->records += piece->records;
    piece->used = piece->records = 0;
    return SOTTO_OK;
}

static sotto_status fail_at(void *context, void *pointer, bool *out_full,
                            sotto_error *error)
{
    const sotto_status status = take(context, pointer, out_full, error);
    if (((spelled *)context)->records < 100) return status;
    snprintf(error->message, sizeof error->message, "after %s", "100 records");
    return error->status = SOTTO_UNSUPPORTED;
}

static const sot_sink sink = {make, drop, add, take};
static const sot_sink failing_sink = {make, drop, add, fail_at};

typedef struct subject {
    sotto_schema *schema;
    const char *path, *where;
    spelled reference; /* on one thread */
} subject;

static sot_source *open_source(const subject *of, size_t threads)
{
    sotto_error error;
    sot_source *source = NULL;
    const sotto_data_file file = {.path = of->path, .where = of->where};
    assert_ok(sot_source_open(&file, of->schema, false, &source, &error), &error);
    sot_source_set_threads(source, threads);
    return source;
}

static subject begin(const char *schema_text, const char *path, const char *where)
{
    subject of = {.schema = parse_schema(schema_text), .path = path, .where = where};
    of.reference.columns = sotto_schema_size(of.schema);
    sot_source *source = open_source(&of, 1);
    assert_false(sot_source_is_parallel(source));
    for (bool more = true; more;) {
        sotto_error error;
        sot_record record;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        if (more) spell(&of.reference, &record);
    }
    sot_source_close(source);
    return of;
}

static void end(subject *of)
{
    free(of->reference.bytes);
    sotto_schema_free(of->schema);
    (void)unlink(of->path);
}

static void assert_same(const subject *of, size_t threads, size_t block_bytes,
                        size_t records_most)
{
    sotto_error error;
    spelled whole = {.columns = of->reference.columns, .records_most = records_most};
    sot_source *source = open_source(of, threads);
    sot_parallel *parallel = NULL;
    const size_t lines_most = records_most == 0 ? 1 << 16 : 1 + block_bytes % 5;
    assert_int_equal(sot_source_is_parallel(source), threads != 1);
    assert_ok(sot_parallel_new(source, block_bytes, lines_most, &sink, &whole, &parallel,
                               &error),
              &error);
    size_t before;
    do { /* in parts, if it is full: an empty part is the last */
        before = whole.used;
        whole.records = 0;
        assert_ok(sot_parallel_run(parallel, &error), &error);
    } while (records_most > 0 && whole.used > before);
    sot_parallel_free(parallel);
    sot_source_close(source);
    assert_int_equal(whole.used, of->reference.used);
    assert_memory_equal(whole.bytes, of->reference.bytes, whole.used);
    free(whole.bytes);
}

static void assert_same_for_all(const subject *of, size_t largest_block)
{
    static const size_t threads[] = {1, 2, 3, 8};
    static const size_t blocks[] = {1,  2,  3,   7,   8,    9,       15,      16,     17,
                                    31, 64, 101, 333, 1024, 1 << 14, 1 << 18, 1 << 20};
    assert_true(of->reference.records > 0);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
            if (blocks[b] > largest_block) continue;
            assert_same(of, threads[t], blocks[b], 0);
            assert_same(of, threads[t], blocks[b], 3);
        }
}

/* Lines as they come: blanks, quotes over lines, marks, carriage returns, short and long ones. */
static size_t write_lines(char *text, size_t lines, uint64_t seed)
{
    static const char *const some[] = {"1.25,3,a,1,p1",
                                       "\"-2\",9,\"b,c\",0,p2",
                                       "",
                                       "\r",
                                       "7,\"\"\"\",d,1,\"p,3\"",
                                       "1,2,a,1,\"open",
                                       "x,,,,",
                                       "\xef\xbb\xbf"
                                       "1,1,a,1,p1",
                                       "1,1,a,1,p1\r",
                                       ",,,,,,,,",
                                       " 1.5 , 2 ,a, 1 , p9 \t",
                                       "6,5,d,0,\"p1\" behind",
                                       "1e300,-1,zz,2,\x80\xff"};
    size_t used = (size_t)sprintf(text, "\xef\xbb\xbf"
                                        "x,k,c,b,id\r\n");
    for (size_t i = 0; i < lines; i++) {
        const char *line = some[next_bits(&seed) % (sizeof some / sizeof some[0])];
        used += (size_t)sprintf(text + used, "%s\n", line);
    }
    return used;
}

static void tables_are_the_same_in_any_blocks(void **state)
{
    (void)state;
    char *text = malloc(1 << 20);
    const size_t used = write_lines(text, 400, 7);
    for (size_t cut = 0; cut < 3; cut++) { /* with and without the last line feed */
        subject of = begin(table_text, write_bytes("p.csv", text, used - cut), NULL);
        assert_same_for_all(&of, 1 << 14);
        end(&of);
    }
    subject packed = begin(table_text, write_packed("p.csv.gz", text, used), NULL);
    assert_same_for_all(&packed, 1 << 14);
    end(&packed);
    subject selected = begin(table_text, write_bytes("p.csv", text, used), "c = 'a'");
    assert_same_for_all(&selected, 1 << 14);
    end(&selected);
    free(text);
}

/* A table of `lines` lines, among them some at the limit of a line, 1 MiB and a little, and some behind it. */
static void long_lines_are_the_same_in_any_blocks(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 20, ROOM = 8 * LIMIT };
    char *text = malloc(ROOM);
    static const long around[] = {-300, 0, 100, 400, 1000, 300000, 1 << 19};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        size_t used = write_lines(text, 5, i);
        used += (size_t)sprintf(text + used, "1,2,a,1,");
        const size_t more = (size_t)(LIMIT + around[i]);
        memset(text + used, 'p', more);
        used += more;
        used += (size_t)sprintf(text + used, i % 2 == 0 ? "\r\n" : "\n");
        used += (size_t)sprintf(text + used, "1,2,a,1,p5\n1,2,d,0,p6");
        subject of = begin(table_text, write_bytes("long.csv", text, used), NULL);
        assert_int_equal(of.reference.records, 8);
        for (size_t threads = 1; threads < 4; threads++) {
            assert_same(&of, threads, 100, 0);
            assert_same(&of, threads, 1 << 18, 0);
            assert_same(&of, threads, LIMIT, 0);
            assert_same(&of, threads, 3 * LIMIT, 0);
        }
        end(&of);
    }
    free(text);
}

/* Every length of a line on both sides of a limit that is easy to reach: 64 KiB in JSON lines. */
static void lines_at_the_limit_are_the_same(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 16 };
    char *text = malloc(4 * LIMIT);
    for (size_t length = LIMIT - 20; length < LIMIT + 20; length++) {
        size_t used = (size_t)sprintf(text, "{\"x\": 1, \"id\": \"p\"}\n{\"x\": 2,");
        const size_t begin_of_line = used - strlen("{\"x\": 2,");
        memset(text + used, ' ', length);
        used = begin_of_line + length - 1;
        used += (size_t)sprintf(text + used, "}\r\n{\"k\": 3, \"id\": \"q\"}");
        subject of = begin(table_text, write_bytes("limit.jsonl", text, used), NULL);
        assert_int_equal(of.reference.records, 3);
        for (size_t threads = 1; threads < 3; threads++) {
            assert_same(&of, threads, 50, 0);
            assert_same(&of, threads, LIMIT + 5, 0);
            assert_same(&of, threads, 1 << 18, 0);
        }
        end(&of);
    }
    free(text);
}

static void json_lines_are_the_same_in_any_blocks(void **state)
{
    (void)state;
    static const char *const some[] = {
        "{\"x\": 1.5, \"k\": 2, \"c\": \"a\", \"b\": true, \"id\": \"p1\"}",
        "",
        "{",
        "\xef\xbb\xbf{\"id\": 17}",
        "{\"c\": \"b,c\", \"id\": \"\\u00e9\"}\r",
        "[1]",
        "{\"x\": {\"y\": [1, 2]}, \"x\": 3, \"id\": null}"};
    uint64_t seed = 5;
    char *text = malloc(1 << 16);
    size_t used = 0;
    for (size_t i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, "%s\n",
                                some[next_bits(&seed) % (sizeof some / sizeof some[0])]);
    subject of = begin(table_text, write_bytes("p.jsonl", text, used), NULL);
    assert_same_for_all(&of, 1 << 14);
    end(&of);
    subject selected = begin(table_text, write_bytes("p.jsonl", text, used), "k = 2");
    assert_same_for_all(&selected, 1 << 14);
    end(&selected);
    free(text);
}

static void libsvm_is_the_same_in_any_blocks(void **state)
{
    (void)state;
    static const char *const some[] = {"1 1:0.5 4:2 9:-1",
                                       "0 9:1 2:3 2:4",
                                       "",
                                       "# nothing",
                                       "\xef\xbb\xbf"
                                       "1 3:1",
                                       "1:1 2:2 3:3 10:7 0:1",
                                       "x 5:nan",
                                       "1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9\r"};
    uint64_t seed = 6;
    char *text = malloc(1 << 16);
    size_t used = 0;
    for (size_t i = 0; i < 500; i++)
        used += (size_t)sprintf(text + used, "%s\n",
                                some[next_bits(&seed) % (sizeof some / sizeof some[0])]);
    subject of = begin(matrix_text, write_bytes("p.svm", text, used - 1), NULL);
    assert_same_for_all(&of, 1 << 14);
    end(&of);
    subject packed = begin(matrix_text, write_packed("p.svm.gz", text, used), NULL);
    assert_same_for_all(&packed, 1 << 14);
    end(&packed);
    free(text);
}

static void without_threads_the_calling_one_reads(void **state)
{
    (void)state;
    char *text = malloc(1 << 20);
    const size_t used = write_lines(text, 300, 11);
    subject of = begin(table_text, write_bytes("p.csv", text, used), NULL);
    for (size_t nth = 1; nth < 4; nth++) {
        sot_test_fail_thread(nth);
        assert_same(&of, 4, 64, 0);
    }
    sot_test_fail_thread(0);
    end(&of);
    free(text);
}

static void the_error_of_the_first_block_is_reported(void **state)
{
    (void)state;
    char *text = malloc(1 << 20);
    const size_t used = write_lines(text, 3000, 9);
    subject of = begin(table_text, write_bytes("p.csv", text, used), NULL);
    for (size_t threads = 1; threads < 4; threads++) {
        sotto_error error;
        spelled whole = {.columns = of.reference.columns};
        sot_source *source = open_source(&of, threads);
        sot_parallel *parallel = NULL;
        assert_ok(
            sot_parallel_new(source, 128, 1000, &failing_sink, &whole, &parallel, &error),
            &error);
        for (int again = 0; again < 2; again++) { /* it stays failed */
            assert_int_equal(sot_parallel_run(parallel, &error), SOTTO_UNSUPPORTED);
            assert_string_equal(error.message, "after 100 records");
        }
        assert_true(whole.records < 120);
        assert_memory_equal(whole.bytes, of.reference.bytes, whole.used);
        sot_parallel_free(parallel);
        sot_source_close(source);
        free(whole.bytes);
    }
    end(&of);
    free(text);
}

static void damage_of_a_packed_file_is_an_error(void **state)
{
    (void)state;
    char *text = malloc(1 << 21);
    size_t used = write_lines(text, 30000, 9);
    sotto_schema *schema = parse_schema(table_text);
    const char *path = write_packed("cut.csv.gz", text, used);
    FILE *file = fopen(path, "r+b");
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(file), ftell(file) - 20), 0);
    fclose(file);
    for (size_t threads = 1; threads < 4; threads++) {
        sotto_error error;
        spelled whole = {.columns = sotto_schema_size(schema)};
        sot_source *source = NULL;
        sot_parallel *parallel = NULL;
        assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
        sot_source_set_threads(source, threads);
        assert_ok(sot_parallel_new(source, 4096, 1000, &sink, &whole, &parallel, &error),
                  &error);
        assert_int_equal(sot_parallel_run(parallel, &error), SOTTO_IO);
        assert_non_null(strstr(error.message, "is it damaged?"));
        sot_parallel_free(parallel);
        sot_source_close(source);
        free(whole.bytes);
    }
    sotto_schema_free(schema);
    (void)unlink(path);
    free(text);
}

static void refused_allocations_are_errors(void **state)
{
    (void)state;
    char *text = malloc(1 << 16);
    const size_t used = write_lines(text, 100, 9);
    subject of = begin(table_text, write_bytes("p.csv", text, used), NULL);
    size_t failures = 0;
    for (size_t nth = 1; nth < 500; nth++) {
        sotto_error error;
        spelled whole = {.columns = of.reference.columns};
        sot_source *source = open_source(&of, 2);
        sot_parallel *parallel = NULL;
        (void)sot_test_fail_allocation(nth);
        sotto_status status =
            sot_parallel_new(source, 64, 1000, &sink, &whole, &parallel, &error);
        if (status == SOTTO_OK) status = sot_parallel_run(parallel, &error);
        (void)sot_test_fail_allocation(0);
        sot_parallel_free(parallel);
        sot_source_close(source);
        free(whole.bytes);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        failures++;
    }
    assert_true(failures > 10);
    end(&of);
    free(text);
}

static void records_without_lines_are_read_by_one_thread(void **state)
{
    (void)state;
    double numbers[18] = {1, 2, 3, 4};
    sotto_error error;
    sotto_schema *schema = parse_schema(matrix_text);
    const sotto_records records = {.features = {.data = numbers,
                                                .element = SOTTO_FLOAT64,
                                                .rows = 2,
                                                .columns = 9,
                                                .row_stride_bytes = 72,
                                                .column_stride_bytes = 8}};
    sot_source *source = NULL;
    assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
    sot_source_set_threads(source, 4);
    assert_false(sot_source_is_parallel(source));
    sot_source_close(source);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_the_same_in_any_blocks),
        cmocka_unit_test(long_lines_are_the_same_in_any_blocks),
        cmocka_unit_test(lines_at_the_limit_are_the_same),
        cmocka_unit_test(json_lines_are_the_same_in_any_blocks),
        cmocka_unit_test(libsvm_is_the_same_in_any_blocks),
        cmocka_unit_test(without_threads_the_calling_one_reads),
        cmocka_unit_test(the_error_of_the_first_block_is_reported),
        cmocka_unit_test(damage_of_a_packed_file_is_an_error),
        cmocka_unit_test(refused_allocations_are_errors),
        cmocka_unit_test(records_without_lines_are_read_by_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
