/* The page for phones, as part of the program. */
#ifndef TWENTYFOUR_PAGE_H
#define TWENTYFOUR_PAGE_H

#include <stddef.h>

/* A file of the page. Its bytes are there for good. */
struct page_file {
  const unsigned char *_Nonnull bytes;
  size_t count;
};

struct page_file page_index_html(void);
struct page_file page_css(void);
struct page_file page_speech_js(void);
struct page_file page_sound_js(void);
struct page_file page_js(void);
struct page_file page_icon_svg(void);

#endif
