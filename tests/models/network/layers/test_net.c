/* Networks as descriptions: presets, files, shapes, frozen layers, parameters to begin with. */
#include "models/network/net_support.h"

#include <unistd.h>

#include "base/file/file.h"
#include "models/network/layers/parts.h"

static const sot_net_task images28 = {{28, 28, 1}, 10, SOT_NET_SOFTMAX};
static const sot_net_task images32 = {{32, 32, 3}, 10, SOT_NET_SOFTMAX};
static const sot_net_task table = {{1, 1, 104}, 2, SOT_NET_SOFTMAX};

static sot_net *make(const char *name, const sot_net_task *task)
{
    sotto_error error;
    sot_net *net = NULL;
    assert_ok(sot_net_make(name, task, &net, &error), &error);
    return net;
}

static void expect_preset(const char *name, const sot_net_task *task, size_t parameters,
                          size_t front, size_t inputs)
{
    sot_net *net = make(name, task);
    assert_int_equal(net->parameters, parameters);
    assert_int_equal(net->trainable, parameters);
    assert_int_equal(net->front, front);
    assert_int_equal(sot_shape_size(sot_net_front_shape(net)), inputs);
    assert_int_equal(net->layers[net->layer_count - 1].out.channels, task->outputs);
    sot_net_free(net);
}

/* Tramer & Boneh's networks: 26,010 parameters end to end on MNIST, 3969 and 15552 features. */
static void presets_are_the_published_networks(void **state)
{
    (void)state;
    expect_preset("mlp", &images28, 784 * 128 + 128 + 128 * 10 + 10, 1, 784);
    expect_preset("mlp", &table, 104 * 128 + 128 + 128 * 2 + 2, 1, 104);
    expect_preset("tanh-cnn", &images28, 26010, 0, 784);
    expect_preset("cnn", &images28, 26010, 0, 784);
    expect_preset("cnn", &images32, 550570, 1, 3072);
    expect_preset("scattering-linear", &images28, 39700, 4, 3969);
    expect_preset("scattering-linear:group-norm", &images28, 39700, 3, 3969);
    expect_preset("scattering-linear:data-norm", &images28, 39700, 3, 3969);
    expect_preset("scattering-linear:group-norm", &images32, 155530, 4, 15552);
    expect_preset("scattering-cnn", &images28,
                  81 * 9 * 16 + 16 + 16 * 9 * 32 + 32 + 512 * 32 + 32 + 330, 2, 3969);
    expect_preset("scattering-cnn:data-norm", &images32,
                  243 * 9 * 64 + 64 + 64 * 9 * 64 + 64 + 10250, 3, 15552);
}

static void small_or_odd_images_are_refused_by_presets(void **state)
{
    (void)state;
    sotto_error error;
    sot_net *net = NULL;
    const sot_net_task small = {{12, 12, 1}, 10, SOT_NET_SOFTMAX};
    const sot_net_task odd = {{30, 30, 1}, 10, SOT_NET_SOFTMAX};
    assert_refused(sot_net_make("cnn", &small, &net, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "16 x 16", "mlp", NULL);
    assert_refused(sot_net_make("cnn", &table, &net, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "1 x 1", NULL);
    assert_refused(sot_net_make("scattering-linear", &odd, &net, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "layer 1 (scattering)",
                   "multiple of 4", NULL);
    assert_refused(sot_net_make("scattering-liner", &images28, &net, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "is scattering-linear meant?", NULL);
    assert_refused(sot_net_make("no/such/net.json", &images28, &net, &error), SOTTO_IO,
                   &error, "no/such/net.json", NULL);
    const sot_net_task sixteen = {{16, 16, 1}, 10, SOT_NET_SOFTMAX};
    sot_net_free(make("cnn", &sixteen));
}

static const char *write_net(const sot_net *net, sot_json_writer **out_writer)
{
    sotto_error error;
    const char *text;
    size_t size;
    assert_ok(sot_json_writer_new(true, out_writer, &error), &error);
    sot_net_write(net, *out_writer);
    assert_ok(sot_json_writer_finish(*out_writer, &text, &size, &error), &error);
    return text;
}

static void check_round_trip(const sot_net *net, const sot_net_task *task)
{
    sot_json_writer *first_writer = NULL, *second_writer = NULL;
    const char *first = write_net(net, &first_writer);
    sot_net *same = parse_net(first, task);
    const char *second = write_net(same, &second_writer);
    assert_string_equal(first, second);
    assert_int_equal(net->layer_count, same->layer_count);
    assert_int_equal(net->front, same->front);
    assert_int_equal(net->trainable, same->trainable);
    for (size_t l = 0; l < net->layer_count; l++) {
        sot_layer a = net->layers[l], b = same->layers[l];
        assert_int_equal(a.mean == NULL, b.mean == NULL);
        if (a.mean != NULL) {
            const size_t bytes = a.in.channels * sizeof *a.mean;
            assert_memory_equal(a.mean, b.mean, bytes);
            assert_memory_equal(a.deviation, b.deviation, bytes);
        }
        a.mean = b.mean = a.deviation = b.deviation = NULL;
        assert_memory_equal(&a, &b, sizeof a);
    }
    sot_net_free(same);
    sot_json_writer_free(first_writer);
    sot_json_writer_free(second_writer);
}

static void what_is_written_reads_back_as_the_same_network(void **state)
{
    (void)state;
    static const char *const presets[] = {"mlp", "cnn", "scattering-linear:data-norm",
                                          "scattering-cnn"};
    sotto_error error;
    for (size_t p = 0; p < sizeof presets / sizeof presets[0]; p++) {
        sot_net *net = make(presets[p], &images32);
        check_round_trip(net, &images32);
        for (size_t l = 0; l < net->layer_count; l++) { /* paid for */
            if (net->layers[l].kind != SOT_LAYER_DATA_NORM) continue;
            double mean[243], deviation[243];
            for (size_t c = 0; c < 243; c++) {
                mean[c] = (double)c / 7.0;
                deviation[c] = 1.0 / (double)(c + 3);
            }
            assert_ok(sot_layer_set_norm(&net->layers[l], mean, deviation, 243, &error),
                      &error);
            check_round_trip(net, &images32);
        }
        sot_net_free(net);
    }
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sot_net *net = make_small(n);
        check_round_trip(net, &small_nets[n].task);
        sot_net_free(net);
    }
}

static void a_file_is_a_network(void **state)
{
    (void)state;
    sotto_error error;
    char path[] = "/tmp/sotto-net-XXXXXX.json";
    const int descriptor = mkstemps(path, 5);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_ok(sot_file_write(path, small_nets[1].json, strlen(small_nets[1].json), 0600,
                             &error),
              &error);
    sot_net *net = make(path, &small_nets[1].task);
    assert_int_equal(net->parameters, 7 * 5 + 5 + 5 * 3 + 3);
    sot_net_free(net);
    unlink(path);
}

static void expect_task(const char *json, sot_target_role role, sot_net_task expected)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sot_encoding *encoding = NULL;
    sot_net_task task;
    assert_ok(sotto_schema_parse("schema", json, strlen(json), &schema, &error), &error);
    assert_ok(sot_encoding_new(schema, NULL, role, &encoding, &error), &error);
    assert_ok(sot_net_task_of(encoding, schema, &task, &error), &error);
    assert_memory_equal(&task.input, &expected.input, sizeof task.input);
    assert_int_equal(task.outputs, expected.outputs);
    assert_int_equal(task.loss, expected.loss);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
}

/* The constant column is none of the network's: it has biases. */
static void tasks_follow_from_the_schema(void **state)
{
    (void)state;
    expect_task("{\"features\":784,\"labels\":[0,1,2,3],\"row_norm\":{\"bound\":28,"
                "\"rule\":\"clip\"},\"intercept\":1}",
                SOT_TARGET_CLASSES, (sot_net_task){{28, 28, 1}, 4, SOT_NET_SOFTMAX});
    expect_task("{\"features\":3072,\"labels\":[0,1],\"row_norm\":{\"bound\":28,"
                "\"rule\":\"clip\"}}",
                SOT_TARGET_CLASSES, (sot_net_task){{32, 32, 3}, 2, SOT_NET_SOFTMAX});
    expect_task(
        "{\"columns\":[{\"name\":\"a\",\"type\":\"number\",\"lower\":0,\"upper\":1},"
        "{\"name\":\"b\",\"type\":\"category\",\"values\":[\"x\",\"y\",\"z\"]},"
        "{\"name\":\"t\",\"type\":\"number\",\"lower\":0,\"upper\":9}],"
        "\"target\":\"t\"}",
        SOT_TARGET_NUMBER, (sot_net_task){{1, 1, 4}, 1, SOT_NET_SQUARED});
}

/* ---- refusals ---- */

static void refuse(const char *json, const sot_net_task *task, const char *word,
                   const char *other)
{
    sotto_error error;
    sot_json *document = NULL;
    sot_net *net = NULL;
    assert_ok(sot_json_parse("net.json", json, strlen(json), 1 << 20, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    const sotto_status status = sot_net_parse(&root, task, &net, &error);
    assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
    if (strstr(error.message, word) == NULL || strstr(error.message, other) == NULL)
        print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, word));
    assert_non_null(strstr(error.message, other));
    sot_json_free(document);
}

#define OUT "{\"type\":\"dense\",\"units\":\"outputs\"}"

static void files_that_make_no_sense_are_refused_by_layer(void **state)
{
    (void)state;
    refuse("[]", &table, "is", "object");
    refuse("{\"kind\":\"model\",\"version\":1,\"layers\":[]}", &table, "kind", "network");
    refuse("{\"kind\":\"network\",\"version\":2,\"layers\":[]}", &table, "version", "1");
    refuse("{\"kind\":\"network\",\"version\":1}", &table, "layers", "");
    refuse(NETWORK(""), &table, "layers", "1 to 64");
    refuse("{\"kind\":\"network\",\"version\":1,\"layers\":[" OUT "],\"seed\":3}", &table,
           "seed", "known");
    refuse("{\"kind\":\"network\",\"version\":1,\"layers\":[" OUT
           "],\"loss\":\"squared\"}",
           &table, "loss", "softmax");
    refuse("{\"kind\":\"network\",\"version\":1,\"layers\":[" OUT
           "],\"input\":[1,28,28]}",
           &table, "input", "[104, 1, 1]");
    refuse(NETWORK("{\"type\":\"lstm\"}"), &table, "layers[0].type", "conv2d");
    refuse(NETWORK("{\"units\":3}"), &table, "layers[0]", "type");
    refuse(NETWORK("3"), &table, "layers[0]", "object");
    refuse(NETWORK(OUT ",{\"type\":\"tanh\",\"units\":3}"), &table, "layers[1]", "units");
    refuse(NETWORK("{\"type\":\"dense\"}"), &table, "units", "");
    refuse(NETWORK("{\"type\":\"dense\",\"units\":0}"), &table, "units", "from 1");
    refuse(NETWORK("{\"type\":\"dense\",\"units\":2.5}"), &table, "units", "whole");
    refuse(NETWORK("{\"type\":\"dense\",\"units\":\"many\"}"), &table, "units",
           "outputs");
    refuse(NETWORK("{\"type\":\"dense\",\"units\":3}"), &table, "3 numbers", "outputs");
    refuse(NETWORK("{\"type\":\"dense\",\"units\":4000000}," OUT), &table, "parameters",
           "layer 1");
    refuse(NETWORK(OUT), &images28, "layer 1 (dense)", "flatten");
    refuse(NETWORK("{\"type\":\"conv2d\",\"channels\":2,\"kernel\":2}," OUT), &table,
           "layer 1 (conv2d)", "vectors have dense");
    refuse(NETWORK("{\"type\":\"conv2d\",\"channels\":2,\"kernel\":3,\"padding\":3}"),
           &images28, "padding", "from 0 to 2");
    refuse(NETWORK("{\"type\":\"conv2d\",\"channels\":2,\"kernel\":40}"), &images28,
           "layer 1", "smaller kernel");
    refuse(NETWORK("{\"type\":\"max-pool\",\"size\":2,\"padding\":1}"), &images28,
           "padding", "layers[0]");
    refuse(NETWORK("{\"type\":\"group-norm\",\"groups\":3},{\"type\":\"flatten\"}," OUT),
           &images28, "layer 1 (group-norm)", "divide");
    refuse(NETWORK("{\"type\":\"normalise\",\"mean\":[0,0],\"deviation\":[1,1]},"
                   "{\"type\":\"flatten\"}," OUT),
           &images28, "layer 1", "2 means");
    refuse(NETWORK("{\"type\":\"normalise\",\"mean\":[0],\"deviation\":[0]}"), &images28,
           "deviation[0]", "between");
    refuse(NETWORK("{\"type\":\"normalise\",\"mean\":[0],\"deviation\":[1,1]}"),
           &images28, "as many", "");
    refuse(NETWORK("{\"type\":\"data-norm\",\"clip\":-1,\"clip_squares\":1,\"noise\":8}"),
           &images28, "clip", "between");
    refuse(NETWORK("{\"type\":\"flatten\"},{\"type\":\"dense\",\"units\":5},{\"type\":"
                   "\"data-norm\",\"clip\":1,\"clip_squares\":1,\"noise\":8}," OUT),
           &images28, "layer 3 (data-norm)", "layer 2");
    refuse(NETWORK("{\"type\":\"batch-norm\"}"), &images28, "mixes records",
           "group-norm");
    refuse(NETWORK("{\"type\":\"max-pool\",\"size\":29}"), &images28, "window is larger",
           "smaller size");
    refuse(NETWORK("{\"type\":\"tanh\"}"), &(sot_net_task){{1, 1, 2}, 2, SOT_NET_SOFTMAX},
           "train", "dense");
}

/* ---- freezing and beginning ---- */

static void expect_frozen(const char *layers, const char *pattern, size_t front)
{
    sotto_error error;
    sot_net *net = make_small(3); /* conv tanh pool conv relu flatten dense tanh dense */
    assert_ok(sot_net_freeze(net, layers, &error), &error);
    for (size_t l = 0; l < net->layer_count; l++)
        assert_int_equal(net->layers[l].frozen, pattern[l] == 'f');
    assert_int_equal(net->front, front);
    sot_net_free(net);
}

static void layers_freeze_by_number_kind_and_place(void **state)
{
    (void)state;
    expect_frozen("1", "f........", 3);
    expect_frozen("1-4", "f..f.....", 6);
    expect_frozen("conv", "f..f.....", 6);
    expect_frozen("all-but-last", "f..f..f..", 8);
    expect_frozen("4,9", "...f....f", 0);
    expect_frozen("dense", "......f.f", 0);
    sotto_error error;
    static const char *const wrong[] = {"",     "0",  "10",  "3-2",  "1-",         "-1",
                                        "1,,2", "1x", "cnv", "1-4 ", "99999999999"};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        sot_net *net = make_small(3);
        assert_refused(sot_net_freeze(net, wrong[w], &error), SOTTO_INVALID_ARGUMENT,
                       &error, "from 1 to 9", NULL);
        sot_net_free(net);
    }
    sot_net *net = make_small(3);
    assert_refused(sot_net_freeze(net, "group-norm", &error), SOTTO_INVALID_ARGUMENT,
                   &error, "the network has none", NULL);
    sot_net_free(net);
    net = make_small(3);
    assert_refused(sot_net_freeze(net, "1-9", &error), SOTTO_INVALID_ARGUMENT, &error,
                   "train", NULL);
    sot_net_free(net);
}

static void beginning_is_fixed_by_the_seed_and_scaled_by_the_inputs(void **state)
{
    (void)state;
    sot_net *net = make("cnn", &images28);
    float *a = sot_new_array(net->parameters, sizeof *a);
    float *b = sot_new_array(net->parameters, sizeof *b);
    sot_net_initialise(net, 1, a);
    sot_net_initialise(net, 1, b);
    assert_memory_equal(a, b, net->parameters * sizeof *a);
    sot_net_initialise(net, 2, b);
    assert_memory_not_equal(a, b, net->parameters * sizeof *a);
    const double most = 1.0 / sqrt(256.0); /* of the second conv: 4 x 4 x 16 */
    double largest = 0.0;
    for (size_t k = 0; k < net->layers[3].parameters; k++)
        largest = fmax(largest, fabs((double)a[net->layers[3].first + k]));
    assert_within(largest, 0.99 * most, most);
    sot_free(a);
    sot_free(b);
    sot_net_free(net);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t nth = 1;; nth++) {
        sot_net *net = NULL;
        sot_test_fail_allocation(nth);
        const sotto_status status = sot_net_make("cnn", &images32, &net, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sot_net_free(net);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(net);
    }
    sot_json *document = NULL;
    const char *json = small_nets[4].json;
    assert_ok(sot_json_parse(NULL, json, strlen(json), 1 << 20, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    for (size_t nth = 1;; nth++) {
        sot_net *net = NULL;
        sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_net_parse(&root, &small_nets[4].task, &net, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sot_net_free(net);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sot_json_free(document);
}

/* ---- the front ---- */

static void front_turns_planes_and_normalises(void **state)
{
    (void)state;
    sotto_error error;
    const sot_net_task task = {{2, 2, 3}, 2, SOT_NET_SOFTMAX};
    sot_net *net =
        parse_net(NETWORK("{\"type\":\"normalise\",\"mean\":[1,2,3],"
                          "\"deviation\":[1,2,4]},{\"type\":\"flatten\"}," OUT),
                  &task);
    assert_false(sot_net_front_is_identity(net));
    const float row[12] = {1, 2, 3, 4, 2, 4, 6, 8, 3, 7, 11, 15};
    const float *rows[1] = {row};
    const float expected[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    float out[12];
    assert_ok(sot_front_apply(net, NULL, rows, 1, NULL, out, 0, &error), &error);
    assert_memory_equal(out, expected, sizeof out);
    sot_net_free(net);

    net = make("mlp", &images28);
    assert_true(sot_net_front_is_identity(net));
    sot_net_free(net);
    net = make("mlp", &images32);
    assert_false(sot_net_front_is_identity(net));
    sot_net_free(net);
}

/* With "mirror" an image and its mirror image have the same features, to rounding; without it they have not. */
static void mirrored_scattering_cannot_tell_left_from_right(void **state)
{
    enum { SIDE = 28, FEATURES = 7 * 7 * 81 };
    static float image[SIDE * SIDE], mirrored[SIDE * SIDE], found[2 * FEATURES];
    static const char *const files[] = {
        "{\"kind\": \"network\", \"version\": 1, \"loss\": \"softmax\", \"layers\": ["
        "{\"type\": \"scattering\"}, {\"type\": \"flatten\"},"
        " {\"type\": \"dense\", \"units\": \"outputs\"}]}",
        "{\"kind\": \"network\", \"version\": 1, \"loss\": \"softmax\", \"layers\": ["
        "{\"type\": \"scattering\", \"mirror\": true}, {\"type\": \"flatten\"},"
        " {\"type\": \"dense\", \"units\": \"outputs\"}]}"};
    const float *const rows[] = {image, mirrored};
    sotto_error error;
    (void)state;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        image[i] = (float)(i * i % 101) / 101.0F;
        mirrored[i / SIDE * SIDE + SIDE - 1 - i % SIDE] = image[i];
    }
    for (int mirror = 0; mirror < 2; mirror++) {
        sot_net *net = make(files[mirror], &images28);
        double apart = 0.0;
        assert_int_equal(net->layers[0].mirror, mirror);
        assert_ok(sot_front_apply(net, NULL, rows, 2, NULL, found, FEATURES, &error),
                  &error);
        for (size_t i = 0; i < FEATURES; i++)
            apart = fmax(apart, fabs((double)found[i] - (double)found[FEATURES + i]));
        assert_true(mirror == 1 ? apart < 1e-6 : apart > 1e-2);
        sot_net_free(net);
    }
}

/* Frozen layers below, and scattering: whatever stands beside a record, its bits are the same. */
static void check_front(sot_net *net, size_t count)
{
    sotto_error error;
    sot_pool *pool = NULL;
    const size_t in = sot_shape_size(net->input);
    const size_t size = sot_shape_size(sot_net_front_shape(net));
    float *parameters = make_parameters(net);
    float *values = sot_new_array(count * in, sizeof *values);
    const float **rows = sot_new_array(count, sizeof *rows);
    float *all = sot_new_array(count * size, sizeof *all);
    float *one = sot_new_array(size, sizeof *one);
    uint64_t stream = 8;
    for (size_t k = 0; k < count * in; k++)
        values[k] = next_value(&stream);
    for (size_t i = 0; i < count; i++)
        rows[i] = values + i * in;
    values[3 * in] = (float)NAN;
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    assert_ok(sot_front_apply(net, parameters, rows, count, pool, all, size, &error),
              &error);
    for (size_t i = 0; i < count; i += 2) {
        assert_ok(sot_front_apply(net, parameters, rows + i, 1, NULL, one, 0, &error),
                  &error);
        assert_memory_equal(one, all + i * size, size * sizeof *one);
    }
    for (size_t nth = 1;; nth++) {
        sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_front_apply(net, parameters, rows, 2, NULL, all, size, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sot_pool_free(pool);
    sot_free(parameters);
    sot_free(values);
    sot_free(rows);
    sot_free(all);
    sot_free(one);
}

static void front_of_a_record_is_its_own(void **state)
{
    (void)state;
    sotto_error error;
    sot_net *net = make("scattering-linear:group-norm", &images28);
    check_front(net, 70);
    sot_net_free(net);
    net = make_small(4);
    assert_ok(sot_net_freeze(net, "all-but-last", &error), &error);
    check_front(net, 70);
    sot_net_free(net);
}

static void data_norms_must_be_learned_before_they_are_applied(void **state)
{
    (void)state;
    sotto_error error;
    float row[784] = {0.5F}, out[3969];
    const float *rows[1] = {row};
    sot_net *net = make("scattering-linear:data-norm", &images28);
    assert_refused(sot_front_apply(net, NULL, rows, 1, NULL, out, 0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "layer 2 (data-norm)", NULL);
    sot_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_scattering_cannot_tell_left_from_right),
        cmocka_unit_test(presets_are_the_published_networks),
        cmocka_unit_test(small_or_odd_images_are_refused_by_presets),
        cmocka_unit_test(what_is_written_reads_back_as_the_same_network),
        cmocka_unit_test(a_file_is_a_network),
        cmocka_unit_test(tasks_follow_from_the_schema),
        cmocka_unit_test(files_that_make_no_sense_are_refused_by_layer),
        cmocka_unit_test(layers_freeze_by_number_kind_and_place),
        cmocka_unit_test(beginning_is_fixed_by_the_seed_and_scaled_by_the_inputs),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(front_turns_planes_and_normalises),
        cmocka_unit_test(front_of_a_record_is_its_own),
        cmocka_unit_test(data_norms_must_be_learned_before_they_are_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
