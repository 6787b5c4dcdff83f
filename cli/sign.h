/* cli/sign.h: --sign, of every command that writes a certified file. */
#ifndef SOTTO_CLI_SIGN_H
#define SOTTO_CLI_SIGN_H

#include "frame/frame.h"

/* A command adds it with `.shared`; cli_text(call, "sign") is the file, or NULL. */
extern const cli_option cli_sign_option[];

#endif
