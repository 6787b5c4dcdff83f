/* artifact/page/templates.h: the template files (*.css here, *.c.in of artifact/export), as
 * cmake/embed.cmake embeds them.
 *
 * - report.css: the style of a report. One column on a phone, two where there is room, ink on
 *   paper in print. Colours have a contrast of at least 4.5 to 1 with the background, light and
 *   dark. Nothing is shown only by colour. tests/cli/report_page.py measures it.
 * - page.css: the same for the certificate's page.
 * - *.c.in: functions of an exported header; @ stands for its prefix.
 */
#ifndef SOT_ARTIFACT_PAGE_TEMPLATES_H
#define SOT_ARTIFACT_PAGE_TEMPLATES_H

extern const char sot_template_report_css[], sot_template_page_css[];

extern const char sot_template_clean_c[], sot_template_number_c[], sot_template_units_c[];

extern const char sot_template_dense_c[], sot_template_conv_c[], sot_template_pool_c[],
    sot_template_normalise_c[], sot_template_group_norm_c[], sot_template_tanh_c[],
    sot_template_relu_c[], sot_template_planes_c[];

#endif
