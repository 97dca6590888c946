/* In Swift, as resources that are embedded in code, these files took ten times as long to compile as the rest of the module. */
#include "CTwentyFourPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "index.html"
};
static const unsigned char css[] = {
#embed "page.css"
};
static const unsigned char speech_js[] = {
#embed "speech.js"
};
static const unsigned char sound_js[] = {
#embed "sound.js"
};
static const unsigned char js[] = {
#embed "page.js"
};
static const unsigned char icon_svg[] = {
#embed "icon.svg"
};

struct page_file page_index_html(void) { return (struct page_file){index_html, sizeof index_html}; }
struct page_file page_css(void) { return (struct page_file){css, sizeof css}; }
struct page_file page_speech_js(void) { return (struct page_file){speech_js, sizeof speech_js}; }
struct page_file page_sound_js(void) { return (struct page_file){sound_js, sizeof sound_js}; }
struct page_file page_js(void) { return (struct page_file){js, sizeof js}; }
struct page_file page_icon_svg(void) { return (struct page_file){icon_svg, sizeof icon_svg}; }
