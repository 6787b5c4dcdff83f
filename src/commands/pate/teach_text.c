/* The output of a teaching: only facts of its settings. */
#include "commands/pate/pate.h"
#include "commands/session/prose.h"

sotto_status sot_pate_teach_text(const sot_pate_directory *directory,
                                 sotto_model_kind model, char **out_text, char **out_json,
                                 sotto_error *error)
{
    static const char *const about[] = {
        "", "keyed hash of the unit", "keyed hash of the record's content",
        "keyed hash of the row's number, which is public"};
    const sot_shard_rule rule = directory->sharding.rule;
    sot_prose prose = {0};
    sot_json_writer *writer = NULL;
    sot_prose_line(&prose, "teachers", "%zu, in %s", directory->sharding.count,
                   directory->path);
    sot_prose_line(&prose, "model", "%s, without noise", sotto_model_kind_name(model));
    sot_prose_line(&prose, "shards", "by %s: %s",
                   sotto_pate_sharding_name((sotto_pate_sharding)rule), about[rule]);
    sot_prose_line(&prose, "adjacency", "%s: one %s touches %s",
                   sotto_adjacency_name(directory->adjacency),
                   rule == SOT_SHARD_BY_UNIT ? "unit" : "row",
                   directory->touched == 1 ? "one teacher" : "up to two teachers");
    sot_prose_line(&prose, "privacy",
                   "NONE: the directory is as secret as the rows; never publish it");
    sotto_status status = sot_prose_finish(&prose, out_text, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "teachers");
    sot_json_put_whole(writer, "teachers", directory->sharding.count);
    sot_json_put_text(writer, "sharding",
                      sotto_pate_sharding_name((sotto_pate_sharding)rule));
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(directory->adjacency));
    sot_json_put_whole(writer, "touched", directory->touched);
    sot_json_put_text(writer, "directory", directory->path);
    sot_json_put_bool(writer, "private", false);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}
