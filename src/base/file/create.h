/* base/file/create.h: new files that appear complete, or not at all, and replace nothing.
 *
 * The bytes go into a file without a name (O_TMPFILE), are synced, and get their name by link(2),
 * which refuses an existing name. A killed process leaves either nothing or the whole file. If
 * the file system or /proc lacks this, a file .sotto-<pid>-<n>.tmp beside it gets the second
 * name, and then loses its first. A kill may leave the .tmp behind; sot_create_drop_temporary()
 * removes one that became a second name of the file.
 */
#ifndef SOT_BASE_FILE_CREATE_H
#define SOT_BASE_FILE_CREATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Returns 0 or an error number; EEXIST: the name is taken. The directory is not synced: sot_file_sync_directory(). */
int sot_create_file(int directory, const char *name, const void *bytes, size_t size_bytes,
                    mode_t mode);

/* Removes the temporary name of the file with these facts, if the directory has one. False: it has none. */
bool sot_create_drop_temporary(int directory, const struct stat *facts);

#endif
