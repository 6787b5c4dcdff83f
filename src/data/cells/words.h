/* data/cells/words.h: the place of a word in a list of the schema: names of columns, categories. */
#ifndef SOT_DATA_CELLS_WORDS_H
#define SOT_DATA_CELLS_WORDS_H

#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_words sot_words;

/* The words are distinct, at most 2^31 of them; they are borrowed and must outlive the table. */
SOTTO_MUST_CHECK sotto_status sot_words_new(const char *const *words, size_t count,
                                            sot_words **out_words, sotto_error *error);
void sot_words_free(sot_words *words); /* NULL is fine */

/* The index of the word, byte for byte; SIZE_MAX: not in the list. */
size_t sot_words_find(const sot_words *words, const char *text, size_t size_bytes);

#endif
