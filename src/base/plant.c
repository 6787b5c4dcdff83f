#include "base/plant.h"

#ifdef SOTTO_TESTING

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static const char *planted;

static void read_environment(void)
{
    planted = getenv("SOTTO_PLANT");
}

bool sot_test_planted(const char *name)
{
    (void)pthread_once(&environment_once, read_environment);
    return planted != NULL && strcmp(planted, name) == 0;
}

void sot_test_plant(const char *name)
{
    (void)pthread_once(&environment_once, read_environment);
    planted = name;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_plant_is_for_tests;

#endif
