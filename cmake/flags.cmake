# Our compiler and linker flags, in one place.

set(SOTTO_WARNINGS
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wformat=2
  -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wcast-qual -Wwrite-strings
  -Wswitch-enum -Wimplicit-fallthrough)

# clang counts NAN and INFINITY, which are of type float, as promotions wherever they meet a
# double; gcc's warning is the one that finds something.
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  list(REMOVE_ITEM SOTTO_WARNINGS -Wdouble-promotion)
endif()

# -ffp-contract=off: a fused multiply-add would round differently from machine to machine,
# and the error bounds of the accountant are proved for separate roundings.
set(SOTTO_CODEGEN -ffp-contract=off -fno-math-errno -fstack-protector-strong)
if(SOTTO_HARDEN)
  list(APPEND SOTTO_CODEGEN -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-clash-protection)
endif()
if(SOTTO_WERROR)
  list(APPEND SOTTO_WARNINGS -Werror)
endif()
if(SOTTO_SANITIZE)
  add_compile_options(-fsanitize=${SOTTO_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SOTTO_SANITIZE})
endif()

function(sotto_compile_like_us target)
  target_compile_options(${target} PRIVATE ${SOTTO_WARNINGS} ${SOTTO_CODEGEN})
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE=1)
endfunction()

function(sotto_link_like_us target)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now -Wl,--as-needed)
  endif()
endfunction()
