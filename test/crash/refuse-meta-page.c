/* Preloaded into a core: refuses one write of the database's meta page, as soon as the file that REFUSE_META_WHEN names is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t (*write_at)(int, const void *, size_t, off64_t);

/* Pages are 4 KiB and more; of a meta page, less is written. */
static ssize_t refuse(const char *name, int file, const void *bytes, size_t size, off64_t at) {
  const char *trigger = getenv("REFUSE_META_WHEN");
  if (trigger && size < 1024 && at < 65536 && unlink(trigger) == 0) {
    errno = EIO;
    return -1;
  }
  return ((write_at)dlsym(RTLD_NEXT, name))(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) { return refuse("pwrite64", file, bytes, size, at); }

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return refuse("pwrite", file, bytes, size, at); }
