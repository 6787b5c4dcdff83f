# Writes OUTPUT, a C file with the template files below SOURCE as strings: report.css becomes sot_template_report_css,
# dense.c.in becomes sot_template_dense_c. A backslash at the end of a line of CSS joins it to the next one.
#
#   cmake -DSOURCE=src -DOUTPUT=templates.c -P cmake/embed.cmake

file(GLOB_RECURSE templates ${SOURCE}/*.css ${SOURCE}/*.c.in)
set(text "/* Made by cmake/embed.cmake. */\n")
foreach(template ${templates})
  get_filename_component(name ${template} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${template} hex HEX)
  string(REGEX REPLACE "(..)" "\\1 " hex "${hex}")
  if(template MATCHES "\\.css$")
    string(REPLACE "5c 0a " "" hex "${hex}")
  endif()
  string(REGEX REPLACE "(..) " "0x\\1," hex "${hex}")
  string(APPEND text "extern const char sot_template_${name}[];\nconst char sot_template_${name}[] = {${hex}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
