#include <stdio.h>
#include <string.h>

#include <sotto/setting.h>

#include "frame/frame.h"

/* "public-n" is the option of the id "public_n". */
static bool is_name_of(const char *name, const char *id)
{
    for (; *name != '\0' && *id != '\0'; name++, id++) {
        if (*name != (*id == '_' ? '-' : *id)) return false;
    }
    return *name == *id;
}

static bool sets(const cli_command *command, const cli_option *option, const char *id)
{
    if (option->setting != NULL) return strcmp(option->setting, id) == 0;
    if (is_name_of(option->name, id)) return true;
    const size_t prefix = command->nested != NULL ? strlen(command->nested) : 0;
    return prefix > 0 && strncmp(option->name, command->nested, prefix) == 0 &&
           is_name_of(option->name + prefix, id);
}

static bool spell(void *context, const char *id, char out[SOTTO_SETTING_BYTES])
{
    const cli_command *command = ((const cli_call *)context)->command;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (!sets(command, option, id)) continue;
        (void)cli_option_label(option, out, SOTTO_SETTING_BYTES);
        return true;
    }
    return false;
}

void cli_spell(const cli_call *call, sotto_error *error)
{
    cli_call names = {.command = call->command};
    sotto_error_spell(error, SOTTO_SPELL_OPTION, spell, &names);
}
