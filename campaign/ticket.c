// Makes tickets, and imports results from other stores. Values are built with json_pack, because
// other functions of jansson have the same names as functions of support/json.h.
#include "campaign/ticket.h"
#include <jansson.h>
#include <string.h>

static json_t *words_json(const struct campaign_argv *argv)
{
    json_t *words = json_pack("[]");
    for (uint32_t i = 0; i < argv->list.n; i++)
        json_array_append_new(words, json_pack("s", argv->list.v[i]));
    return words;
}

static json_t *settings_json(const struct campaign_settings *settings)
{
    json_t *object = json_pack("{}");
    for (uint32_t i = 0; i < settings->list.n; i++)
        json_object_set_new(object, settings->list.v[i].key,
                            json_pack("s", settings->list.v[i].value));
    return object;
}

static json_t *tool_json(const struct campaign_tool *tool)
{
    return json_pack("{s:s, s:s}", "sha256", tool->digest, "stamp", tool->stamp);
}

static json_t *tools_json(const struct campaign_plan *plan, const struct campaign_job *job)
{
    json_t *tools = json_pack("[]");
    if (plan->campaign->variants.v[job->variant].tagged)
        json_array_append_new(tools, tool_json(&plan->tools->tagger));
    json_array_append_new(tools, tool_json(&plan->tools->sim));
    return tools;
}

static json_t *commands_json(const struct campaign_store *store, const struct campaign_plan *plan,
                             const struct campaign_job *job)
{
    const char *folder = campaign_store_path(store, "running", job->key, "");
    const char *tagged = arena_printf(store->arena, "%s/tagged.ptx", folder);
    json_t *commands = json_pack("[]");
    struct campaign_argv tag = {{0}}, sim = {{0}};
    if (plan->campaign->variants.v[job->variant].tagged) {
        campaign_tag_command(plan, job, tagged, &tag);
        json_array_append_new(commands, words_json(&tag));
    }
    campaign_sim_command(plan, job, tagged, arena_printf(store->arena, "%s/run.json", folder),
                         arena_printf(store->arena, "%s/stats.json", folder), &sim);
    json_array_append_new(commands, words_json(&sim));
    return commands;
}

static json_t *inputs_json(const struct campaign_job *job)
{
    json_t *inputs = json_pack("[]");
    for (const char *at = job->inputs, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        json_array_append_new(inputs, json_pack("{s:s%, s:s%}", "file", at + SHA256_HEX + 1,
                                                (size_t)(end - at) - SHA256_HEX - 1, "sha256", at,
                                                (size_t)SHA256_HEX));
    }
    return inputs;
}

static json_t *ingredients_json(const struct campaign_plan *plan, const struct campaign_job *job)
{
    const struct campaign_tools *tools = plan->tools;
    const struct campaign_variant *variant = &plan->campaign->variants.v[job->variant];
    return json_pack("{s:s, s:s, s:s?, s:s, s:s, s:o, s:o, s:s, s:o}", "version",
                     PTXOFFLOAD_VERSION, "ptxoffload-sim", tools->sim.digest, "ptxoffload",
                     variant->tagged ? tools->tagger.digest : NULL, "policy", variant->policy,
                     "configuration", job->config_digest, "set", settings_json(&job->set), "values",
                     settings_json(&job->values), "run", job->run_digest, "inputs",
                     inputs_json(job));
}

static json_t *names_json(const struct campaign_plan *plan, const struct campaign_job *of)
{
    const struct campaign *campaign = plan->campaign;
    json_t *names = json_pack("[]");
    for (uint32_t i = of->same; i < plan->jobs.n; i++) {
        const struct campaign_job *job = &plan->jobs.v[i];
        if (job->error || job->same != of->same)
            continue;
        json_array_append_new(names, json_pack("{s:s, s:s, s:s?}", "workload",
                                               campaign->workloads.v[job->workload].name, "variant",
                                               campaign->variants.v[job->variant].name, "point",
                                               campaign_point_name(campaign, job->point)));
    }
    return names;
}

json_t *campaign_ticket_make(const struct campaign_store *store, const struct campaign_plan *plan,
                             const struct campaign_job *job)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "key", job->key, "name", job->name,
                     "campaign", plan->campaign->name, "quick", plan->is_quick, "names",
                     names_json(plan, job), "commands", commands_json(store, plan, job), "tools",
                     tools_json(plan, job), "ingredients", ingredients_json(plan, job));
}

const char *campaign_job_reuse(const struct campaign_store *store, const char *folder,
                               const struct campaign_plan *plan, const struct campaign_job *job,
                               bool *taken)
{
    const struct campaign_store other = {.arena = store->arena, .folder = folder, .lock = -1};
    const char *error = NULL;
    json_t *result = campaign_result_read(&other, job->key);
    *taken = result && json_is_null(json_object_get(result, "failure"));
    if (*taken) {
        json_object_set(result, "reused_from", json_object_get(result, "campaign"));
        json_object_set_new(result, "campaign", json_pack("s", plan->campaign->name));
        json_object_set_new(result, "quick", json_pack("b", plan->is_quick));
        json_object_set_new(result, "names", names_json(plan, job));
        error = campaign_result_write(store, job->key, result);
    }
    json_decref(result);
    return error;
}
