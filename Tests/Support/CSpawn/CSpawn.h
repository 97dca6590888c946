/* Starting a process, for tests. Both are declared for _GNU_SOURCE only, which a module cannot define. */
#ifndef BONJOURISH_CSPAWN_H
#define BONJOURISH_CSPAWN_H

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

#endif
