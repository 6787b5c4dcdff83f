#include "tape.h"

#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "privacy/mechanisms/gate/tape.h"

/* A harness that cannot go on must not look like one that found nothing. */
static void give_up(const char *what)
{
    perror(what);
    abort();
}

static void *need(void *memory)
{
    if (memory == NULL) give_up("tape: out of memory");
    return memory;
}

/* ---- tables ---- */

static tape_table *blank_table(const tape_column *columns, size_t column_count,
                               size_t rows)
{
    tape_table *table = need(calloc(1, sizeof *table));
    table->columns = columns;
    table->column_count = column_count;
    table->rows = rows;
    table->cells = need(calloc(rows * column_count + 1, sizeof *table->cells));
    return table;
}

void tape_table_free(tape_table *table)
{
    if (table == NULL) return;
    free(table->cells);
    free(table);
}

/* Uniform numbers for test data (Steele, Lea & Flood's SplitMix64). */
static double next_uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static tape_cell ordinary_cell(const tape_column *column, uint64_t *state)
{
    const double u = next_uniform(state);
    tape_cell cell = {0};
    if (column->categories == NULL) {
        cell.number = column->low + (column->high - column->low) * u;
    } else {
        size_t count = 0;
        while (column->categories[count] != NULL)
            count++;
        cell.text = column->categories[(size_t)(u * (double)count)];
    }
    return cell;
}

tape_table *tape_table_new(const tape_column *columns, size_t column_count, size_t rows,
                           uint64_t seed)
{
    tape_table *table = blank_table(columns, column_count, rows);
    for (size_t i = 0; i < rows * column_count; i++)
        table->cells[i] = ordinary_cell(&columns[i % column_count], &seed);
    return table;
}

void tape_table_write_csv(const tape_table *table, FILE *file)
{
    for (size_t j = 0; j < table->column_count; j++)
        fprintf(file, "%s%s", j == 0 ? "" : ",", table->columns[j].name);
    fputc('\n', file);
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t j = 0; j < table->column_count; j++) {
            const tape_cell *cell = tape_at(table, i, j);
            if (j > 0) fputc(',', file);
            if (cell->text != NULL) {
                fputs(cell->text, file);
            } else {
                fprintf(file, "%.17g", cell->number);
            }
        }
        fputc('\n', file);
    }
}

/* ---- neighbours ---- */

static tape_cell special_cell(const tape_column *column, tape_row row, uint64_t *state)
{
    tape_cell cell = ordinary_cell(column, state);
    const bool is_number = column->categories == NULL;
    switch (row) {
    case TAPE_NAN:
        cell.number = (double)NAN;
        break;
    case TAPE_INFINITE:
        cell.number = (double)INFINITY;
        break;
    case TAPE_MINUS_INFINITE:
        cell.number = -(double)INFINITY;
        break;
    case TAPE_LARGEST:
        cell.number = DBL_MAX;
        break;
    case TAPE_SMALLEST:
        cell.number = -DBL_MAX;
        break;
    case TAPE_HIGH:
        cell.number = column->high;
        break;
    case TAPE_LOW:
        cell.number = column->low;
        break;
    case TAPE_UNKNOWN_CATEGORY:
        cell.text = is_number ? NULL : "atlantis";
        break;
    case TAPE_EMPTY_CATEGORY:
        cell.text = is_number ? NULL : "";
        break;
    case TAPE_ORDINARY:
    case TAPE_DUPLICATE:
    case TAPE_NO_ROW:
    case TAPE_ROWS:
        break;
    }
    return cell;
}

tape_table *tape_neighbour(const tape_table *table, sotto_adjacency adjacency,
                           tape_row row, size_t position)
{
    const bool replaces = adjacency == SOTTO_REPLACE_ONE;
    const bool takes = replaces || row == TAPE_NO_ROW;
    if (position > table->rows || (takes && position == table->rows)) return NULL;
    if (replaces && row == TAPE_NO_ROW) return NULL;
    if (row == TAPE_DUPLICATE && table->rows < (replaces ? 2U : 1U)) return NULL;

    const size_t width = table->column_count;
    const size_t rows = table->rows + (row != TAPE_NO_ROW) - takes;
    tape_table *neighbour = blank_table(table->columns, width, rows);
    tape_cell *out = neighbour->cells;
    memcpy(out, table->cells, position * width * sizeof *out);
    out += position * width;
    if (row == TAPE_DUPLICATE) { /* of the last row, or of the first in its place */
        const size_t source = position + 1 >= table->rows ? 0 : table->rows - 1;
        memcpy(out, tape_at(table, source, 0), width * sizeof *out);
        out += width;
    } else if (row != TAPE_NO_ROW) {
        uint64_t state = 77 + (uint64_t)row;
        for (size_t j = 0; j < width; j++)
            *out++ = special_cell(&table->columns[j], row, &state);
    }
    const size_t resume = position + takes;
    memcpy(out, table->cells + resume * width,
           (table->rows - resume) * width * sizeof *out);
    return neighbour;
}

tape_table *tape_reversed(const tape_table *table)
{
    tape_table *reversed = blank_table(table->columns, table->column_count, table->rows);
    for (size_t i = 0; i < table->rows; i++) {
        memcpy(reversed->cells + i * table->column_count,
               tape_at(table, table->rows - 1 - i, 0),
               table->column_count * sizeof *reversed->cells);
    }
    return reversed;
}

/* ---- what an onlooker sees of one run ---- */

typedef struct view {
    char *bytes;
    size_t size;
} view;

static void view_add(view *seen, const void *bytes, size_t size)
{
    if (size == 0) return;
    seen->bytes = need(realloc(seen->bytes, seen->size + size));
    memcpy(seen->bytes + seen->size, bytes, size);
    seen->size += size;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
view_print(view *seen, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof text) give_up("tape: a name is too long");
    view_add(seen, text, (size_t)size);
}

static void view_add_stream(view *seen, int descriptor)
{
    char buffer[4096];
    ssize_t size;
    while ((size = read(descriptor, buffer, sizeof buffer)) > 0)
        view_add(seen, buffer, (size_t)size);
    if (size < 0) give_up("tape: read");
}

/* Adds names, modes and contents below `directory`, sorted, and removes them. */
static void view_take_files(view *seen, const char *directory)
{
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0) give_up(directory);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[4096];
        struct stat facts;
        (void)snprintf(path, sizeof path, "%s/%s", directory, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            if (lstat(path, &facts) != 0) give_up(path);
            view_print(seen, "\nfile %s mode %o\n", name, (unsigned)facts.st_mode);
            if (S_ISDIR(facts.st_mode)) {
                view_take_files(seen, path);
            } else if (S_ISREG(facts.st_mode)) {
                const int descriptor = open(path, O_RDONLY);
                if (descriptor < 0) give_up(path);
                view_add_stream(seen, descriptor);
                (void)close(descriptor);
            }
            if (remove(path) != 0) give_up(path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* Standard output or error, turned into a file for a while; the file is kept for next time. */
typedef struct capture {
    FILE *file;
    int original;
} capture;

static capture captures[3]; /* by descriptor */

static void capture_begin(int descriptor)
{
    capture *taken = &captures[descriptor];
    if (taken->file == NULL) taken->file = tmpfile();
    taken->original = dup(descriptor);
    if (taken->file == NULL || taken->original < 0 ||
        ftruncate(fileno(taken->file), 0) != 0 ||
        lseek(fileno(taken->file), 0, SEEK_SET) != 0 ||
        dup2(fileno(taken->file), descriptor) < 0) {
        give_up("tape: capture");
    }
}

static void capture_end(int descriptor, view *seen)
{
    capture *taken = &captures[descriptor];
    if (dup2(taken->original, descriptor) < 0) give_up("tape: capture");
    (void)close(taken->original);
    if (lseek(fileno(taken->file), 0, SEEK_SET) != 0) give_up("tape: capture");
    view_add_stream(seen, fileno(taken->file));
}

typedef struct scratch {
    char root[64];
    char input[96];
    char output[96];
} scratch;

static void scratch_begin(scratch *place)
{
    /* Memory rather than a disk that others may keep busy. */
    const bool has_memory = access("/dev/shm", W_OK | X_OK) == 0;
    (void)snprintf(place->root, sizeof place->root, "%s/sotto-tape-XXXXXX",
                   has_memory ? "/dev/shm" : "/tmp");
    if (mkdtemp(place->root) == NULL) give_up("tape: mkdtemp");
    (void)snprintf(place->input, sizeof place->input, "%s/data.csv", place->root);
    (void)snprintf(place->output, sizeof place->output, "%s/out", place->root);
    if (mkdir(place->output, 0700) != 0) give_up(place->output);
}

static void scratch_end(const scratch *place)
{
    (void)remove(place->input);
    (void)rmdir(place->output);
    (void)rmdir(place->root);
}

static view look_at_run(const tape_study *study, const tape_table *table,
                        const scratch *place, int *out_exit_code)
{
    FILE *input = fopen(place->input, "w");
    if (input == NULL) give_up(place->input);
    tape_table_write_csv(table, input);
    if (fclose(input) != 0) give_up(place->input);

    view seen = {0};
    (void)fflush(stdout);
    (void)fflush(stderr);
    capture_begin(STDOUT_FILENO);
    capture_begin(STDERR_FILENO);
    const tape_place where = {.input_path = place->input,
                              .output_directory = place->output};
    *out_exit_code = study->run(table, &where, study->context);
    (void)fflush(stdout);
    (void)fflush(stderr);
    view_print(&seen, "exit code %d\nstandard output\n", *out_exit_code);
    capture_end(STDOUT_FILENO, &seen);
    view_print(&seen, "\nstandard error\n");
    capture_end(STDERR_FILENO, &seen);
    view_take_files(&seen, place->output);
    return seen;
}

/* ---- checks ---- */

/* Room for the tape's difference and the name of the pair. */
static char verdict[4096];

/* Bytes up to the end of the line, 200 at most. */
static int line_size(const view *seen, size_t begin)
{
    size_t size = 0;
    while (size < 200 && begin + size < seen->size && seen->bytes[begin + size] != '\n')
        size++;
    return (int)size;
}

/* The line around the first byte in which two views differ. */
static void describe_views(const view *first, const view *second)
{
    size_t at = 0;
    while (at < first->size && at < second->size && first->bytes[at] == second->bytes[at])
        at++;
    size_t begin = at;
    while (begin > 0 && first->bytes[begin - 1] != '\n')
        begin--;
    const int left = line_size(first, begin), right = line_size(second, begin);
    (void)snprintf(verdict, sizeof verdict,
                   "the runs look different from outside: '%.*s' against '%.*s'", left,
                   left > 0 ? first->bytes + begin : "", right,
                   right > 0 ? second->bytes + begin : "");
}

static const char *compare_runs(const tape_study *study, const tape_table *table,
                                const tape_table *neighbour, bool identical)
{
    scratch place;
    int exit_code = 0;
    scratch_begin(&place);
    sot_tape *tape = need(sot_tape_new());
    verdict[0] = '\0';

    sot_tape_record(tape);
    view first = look_at_run(study, table, &place, &exit_code);
    sot_tape_stop(tape);
    sot_tape_replay(tape, identical);
    view second = look_at_run(study, neighbour, &place, &exit_code);
    sot_tape_stop(tape);

    if (sot_tape_difference(tape) != NULL) {
        (void)snprintf(verdict, sizeof verdict, "%s", sot_tape_difference(tape));
    } else if (first.size != second.size ||
               memcmp(first.bytes, second.bytes, first.size) != 0) {
        describe_views(&first, &second);
    }
    free(first.bytes);
    free(second.bytes);
    sot_tape_free(tape);
    scratch_end(&place);
    return verdict[0] == '\0' ? NULL : verdict;
}

const char *tape_check(const tape_study *study, const tape_table *table,
                       const tape_table *neighbour)
{
    return compare_runs(study, table, neighbour, false);
}

const char *tape_check_order(const tape_study *study, const tape_table *table)
{
    tape_table *reversed = tape_reversed(table);
    const char *leak = compare_runs(study, table, reversed, true);
    tape_table_free(reversed);
    return leak;
}

size_t tape_releases(const tape_study *study, const tape_table *table, int *out_exit_code)
{
    scratch place;
    scratch_begin(&place);
    sot_tape *tape = need(sot_tape_new());
    sot_tape_record(tape);
    view seen = look_at_run(study, table, &place, out_exit_code);
    sot_tape_stop(tape);
    const size_t releases = sot_tape_releases(tape);
    free(seen.bytes);
    sot_tape_free(tape);
    scratch_end(&place);
    return releases;
}

/* Adds the pair to a verdict, so that it can be repeated alone. */
static const char *name_pair(const char *leak, size_t rows, int row, size_t position,
                             bool backwards)
{
    if (leak == NULL) return NULL;
    const size_t used = strlen(verdict);
    (void)snprintf(verdict + used, sizeof verdict - used,
                   " [%zu rows, neighbour %d at %zu%s]", rows, row, position,
                   backwards ? ", backwards" : "");
    return verdict;
}

static const char *check_pair(const tape_study *study, const tape_table *table,
                              sotto_adjacency adjacency, tape_row row, size_t position)
{
    tape_table *neighbour = tape_neighbour(table, adjacency, row, position);
    if (neighbour == NULL) return NULL;
    const char *leak = name_pair(tape_check(study, table, neighbour), table->rows,
                                 (int)row, position, false);
    if (leak == NULL) {
        leak = name_pair(tape_check(study, neighbour, table), table->rows, (int)row,
                         position, true);
    }
    tape_table_free(neighbour);
    return leak;
}

const char *tape_check_neighbours(const tape_study *study, sotto_adjacency adjacency)
{
    static const size_t sizes[] = {0, 1, 2, 13};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tape_table *table =
            tape_table_new(study->columns, study->column_count, sizes[i], 2026 + i);
        const size_t positions[] = {0, sizes[i] / 2, sizes[i] > 0 ? sizes[i] - 1 : 0};
        const char *leak = tape_check_order(study, table);
        for (size_t p = 0; p < 3 && leak == NULL; p++) {
            if (p > 0 && positions[p] == positions[p - 1]) continue;
            for (int row = 0; row < TAPE_ROWS && leak == NULL; row++)
                leak = check_pair(study, table, adjacency, (tape_row)row, positions[p]);
        }
        tape_table_free(table);
        if (leak != NULL) return leak;
    }
    return NULL;
}
