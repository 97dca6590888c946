/* The XML parser that reads service files: Debian's libexpat1-dev. */
#ifndef BONJOURISH_CEXPAT_H
#define BONJOURISH_CEXPAT_H

#include <expat.h>

#endif
