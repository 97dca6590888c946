/* The C client of NATS for Swift. */
#ifndef BONJOURISH_CNATS_H
#define BONJOURISH_CNATS_H

#include <nats/nats.h>

#endif
