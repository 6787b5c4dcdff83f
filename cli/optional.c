#include "optional.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first parts are packages of Python; their `install` is pip's argument until find_packages(). */
enum { PACKAGES = 7 };

static const cli_part known[CLI_PARTS] = {
    {.name = "python",
     .purpose = "import sotto, from Python",
     .install = ". (in the source directory)"},
    {.name = "pandas", .purpose = "data frames, from Python", .install = "pandas"},
    {.name = "polars", .purpose = "data frames, from Python", .install = "polars"},
    {.name = "pyarrow",
     .purpose = "Arrow tables and Parquet, from Python",
     .install = "pyarrow"},
    {.name = "duckdb", .purpose = "DuckDB relations, from Python", .install = "duckdb"},
    {.name = "scipy", .purpose = "sparse arrays, from Python", .install = "scipy"},
    {.name = "scikit-learn",
     .purpose = "pipelines and cross-validation, from Python",
     .install = "scikit-learn"},
    {.name = "completion", .purpose = "completion of commands and options in the shell"},
    {.name = "manual",
     .purpose = "man sotto",
     .install = "make install (in the source directory)"},
    {.name = "fashion-mnist",
     .purpose = "images for make demo-images",
     .install = "apt-get install dataset-fashion-mnist"},
    {.name = "emscripten",
     .purpose = "the privacy calculator, make calculator",
     .install = "apt-get install emscripten"},
};

/* ---- packages of Python ---- */

/* Prints "name version" for each package that is installed; "python" is ours, told from others of its name by a file. Prints
 * "managed" if pip refuses to install, outside of a virtual environment (PEP 668; Debian's python3). In the root directory,
 * because python3 -c also looks for modules in the working one. */
static const char ask_python[] =
    "cd / && python3 -c '\n"
    "import importlib.metadata as m, os, sys, sysconfig\n"
    "mark = os.path.join(sysconfig.get_path(\"stdlib\"), \"EXTERNALLY-MANAGED\")\n"
    "if sys.prefix == sys.base_prefix and os.path.exists(mark): print(\"managed\")\n"
    "for name in (\"sotto\", \"pandas\", \"polars\", \"pyarrow\", \"duckdb\",\n"
    "             \"scipy\", \"scikit-learn\"):\n"
    "    try: found = m.distribution(name)\n"
    "    except m.PackageNotFoundError: continue\n"
    "    if name != \"sotto\": print(name, found.version)\n"
    "    elif any(str(f) == \"sotto/_structs.py\" for f in found.files or []):\n"
    "        print(\"python\", found.version)\n"
    "' 2> /dev/null";

static void find_packages(cli_part parts[CLI_PARTS])
{
    char line[128];
    const char *install = "python3 -m pip install";
    FILE *answer = popen(ask_python, "re");
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "managed") == 0)
            install = "python3 -m venv venv && . venv/bin/activate && pip install";
        char *version = strchr(line, ' ');
        if (version == NULL) continue;
        *version++ = '\0';
        for (size_t i = 0; i < PACKAGES; i++) {
            if (strcmp(parts[i].name, line) != 0) continue;
            parts[i].present = true;
            (void)snprintf(parts[i].detail, sizeof parts[i].detail, "%.60s", version);
        }
    }
    if (answer != NULL) (void)pclose(answer);
    for (size_t i = 0; i < PACKAGES; i++)
        (void)snprintf(parts[i].install, sizeof parts[i].install, "%s %s", install,
                       known[i].install);
}

/* ---- files ---- */

/* The path of a file below the directory that holds bin/sotto. */
static bool is_beside_command(const char *file)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
    if (length <= 0) return false;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) return false;
        *slash = '\0';
    }
    const size_t used = strlen(path);
    (void)snprintf(path + used, sizeof path - used, "/%s", file);
    return access(path, R_OK) == 0;
}

static bool file_contains(const char *path, const char *words)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, words) != NULL;
    (void)fclose(file);
    return found;
}

static bool is_on_path(const char *program)
{
    char path[4096];
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (length > 0 && access(path, X_OK) == 0) return true;
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

/* ---- completion ---- */

typedef struct shell_files {
    const char *shell;
    const char *installed; /* below the prefix */
    const char *settings;  /* below the home directory */
    const char *words;     /* in the settings */
    const char *install;
} shell_files;

static const shell_files shells[] = {
    {"bash", "share/bash-completion/completions/sotto", ".bashrc",
     "sotto completion bash", "echo 'source <(sotto completion bash)' >> ~/.bashrc"},
    {"zsh", "share/zsh/site-functions/_sotto", ".zshrc", "sotto completion zsh",
     "echo 'source <(sotto completion zsh)' >> ~/.zshrc"},
    {"fish", "share/fish/vendor_completions.d/sotto.fish", ".config/fish/config.fish",
     "sotto completion fish",
     "echo 'sotto completion fish | source' >> ~/.config/fish/config.fish"},
};

/* Of the user's own shell, $SHELL; bash if that is another one. */
static void find_completion(cli_part *part)
{
    const char *path = getenv("SHELL"), *home = getenv("HOME");
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    const shell_files *shell = &shells[0];
    char settings[4096];
    for (size_t i = 0; slash != NULL && i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(slash + 1, shells[i].shell) == 0) shell = &shells[i];
    (void)snprintf(settings, sizeof settings, "%s/%s", home == NULL ? "" : home,
                   shell->settings);
    part->present =
        is_beside_command(shell->installed) || file_contains(settings, shell->words);
    (void)snprintf(part->install, sizeof part->install, "%s", shell->install);
    (void)snprintf(part->detail, sizeof part->detail, "%s", shell->shell);
}

void cli_find_parts(cli_part parts[CLI_PARTS])
{
    memcpy(parts, known, sizeof known);
    find_packages(parts);
    find_completion(&parts[PACKAGES]);
    parts[PACKAGES + 1].present = is_beside_command("share/man/man1/sotto.1");
    parts[PACKAGES + 2].present =
        access("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", R_OK) == 0;
    parts[PACKAGES + 3].present = is_on_path("emcc");
}
