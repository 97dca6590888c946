/* libicu: the functions that the names of players need. Its own names have the library's version in them, which Swift does not see. */
#ifndef BONJOURISH_CICU_H
#define BONJOURISH_CICU_H

#if !__has_include(<unicode/uspoof.h>)
#error "unicode/uspoof.h is missing: install the Debian package libicu-dev"
#endif

#include <stdint.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>

/* Normalization Form KC. Returns the length, or -1 if that does not fit or fails. */
static inline int32_t icu_nfkc(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFKCInstance(&error);
    int32_t count = unorm2_normalize(form, (const UChar *)text, length, (UChar *)result, capacity, &error);
    return U_FAILURE(error) ? -1 : count;
}

/* A checker with ICU's data about confusable characters; NULL if there are none. Only read, so that all threads may use it. */
static inline const USpoofChecker *icu_open_spoof_checker(void) {
    UErrorCode error = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&error);
    return U_FAILURE(error) ? NULL : checker;
}

/* The skeleton of a text (UTS 39, section 4). Returns the length, or -1 if that does not fit or fails. */
static inline int32_t icu_skeleton(const USpoofChecker *checker, const uint16_t *text, int32_t length,
                                   uint16_t *result, int32_t capacity) {
    UErrorCode error = U_ZERO_ERROR;
    int32_t count = uspoof_getSkeleton(checker, 0, (const UChar *)text, length, (UChar *)result, capacity, &error);
    return U_FAILURE(error) ? -1 : count;
}

#endif
