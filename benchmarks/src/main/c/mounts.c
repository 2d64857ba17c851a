/*
 * The limit that the mounts benchmarks are compared with: the same system calls as the library
 * makes, without anything around them.
 *
 *   mounts setup DIR FROM TO        mounts volumes FROM..TO-1 in DIR
 *   mounts OPERATION DIR N WINDOWS MILLIS
 *                                   prints nanoseconds per operation, one line per window
 *
 * DIR holds `source` (a tmpfs of its own: a bind walks over the children of the mount that its
 * source is on) and `volumes`, another tmpfs with the targets.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define CALL_STATMOUNT 457
#define CALL_LISTMOUNT 458
#if defined(__x86_64__)
#define CALL_STATX 332
#else
#define CALL_STATX 291
#endif

#define LOOK (AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | 0x4000)
#define MASK_TYPE_AND_UNIQUE_ID (0x1 | 0x4000)
#define STATX_AT_ATTRIBUTES 8
#define STATX_AT_MNT_ID 144
#define ATTR_MOUNT_ROOT 0x2000
#define STATMOUNT_ALL (0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80 | 0x100 | 0x200)
#define LSMT_ROOT (~(uint64_t)0)

struct mount_request {
  uint32_t size;
  uint32_t spare;
  uint64_t id;
  uint64_t param;
};

struct how {
  uint64_t flags, mode, resolve;
};

static volatile uint64_t sink;
static char directory[3000];
static char path[4096];
static char plain[4096];
static char source[4096];
static char spare[4096];

static void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static void volume(char *out, int index) {
  snprintf(out, 4096, "%s/volumes/csi-%08d-0000-4000-8000-000000000000/workload/mount", directory,
           index);
}

static void make_parents(char *of) {
  for (char *slash = strchr(of + strlen(directory) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(of, 0755) != 0 && errno != EEXIST) die(of);
    *slash = '/';
  }
  if (mkdir(of, 0755) != 0 && errno != EEXIST) die(of);
}

static int setup(int from, int to) {
  char target[4096];
  for (int i = from; i < to; i++) {
    volume(target, i);
    make_parents(target);
    if (mount(source, target, NULL, MS_BIND, NULL) != 0) die(target);
  }
  return 0;
}

static uint64_t look(const char *at) {
  uint8_t out[256];
  uint64_t id, attributes;
  if (syscall(CALL_STATX, AT_FDCWD, at, LOOK, MASK_TYPE_AND_UNIQUE_ID, out) != 0) die(at);
  memcpy(&id, out + STATX_AT_MNT_ID, 8);
  memcpy(&attributes, out + STATX_AT_ATTRIBUTES, 8);
  return attributes & ATTR_MOUNT_ROOT ? id : 0;
}

static uint8_t record[16384];

static void read_mount(uint64_t id, uint64_t fields) {
  struct mount_request request = {sizeof request, 0, id, fields};
  if (syscall(CALL_STATMOUNT, &request, record, sizeof record, 0) != 0) die("statmount");
  sink += record[512];
}

static void probe(void) { sink += look(path); }

static void probe_plain(void) { sink += look(plain); }

static void find(void) { read_mount(look(path), STATMOUNT_ALL); }

/* Lists of ids. */

#define MOST 200000
static uint64_t ids[MOST], ids_before[MOST];
static long count_before;

static long list(uint64_t *into) {
  struct mount_request request = {sizeof request, 0, LSMT_ROOT, 0};
  long count = syscall(CALL_LISTMOUNT, &request, into, MOST, 0);
  if (count < 0) die("listmount");
  return count;
}

/* What came since: one pass over both lists, and the whole record of each new one. */
static void refresh(void) {
  long count = list(ids), i = 0, j = 0;
  while (i < count) {
    if (j < count_before && ids_before[j] < ids[i]) {
      j++;
    } else if (j < count_before && ids_before[j] == ids[i]) {
      i++, j++;
    } else {
      read_mount(ids[i++], STATMOUNT_ALL);
    }
  }
}

/* The text table, with every field of every row. */

struct row {
  int id, parent, major, minor;
  char *root, *point, *options, *tags, *type, *source, *super;
};

static struct row rows[MOST];
static char *texts, *next_text;

static char *field(char **at, int escaped) {
  char *out = next_text, *start = out, *in = *at;
  while (*in != ' ' && *in != '\n') {
    if (escaped && *in == '\\' && in[1] >= '0' && in[1] <= '3') {
      *out++ = (char)(((in[1] - '0') << 6) | ((in[2] - '0') << 3) | (in[3] - '0'));
      in += 4;
    } else {
      *out++ = *in++;
    }
  }
  *out++ = 0;
  next_text = out;
  *at = in + (*in == ' ');
  return start;
}

static int number(char **at) {
  int n = 0;
  while (**at >= '0' && **at <= '9') n = 10 * n + *(*at)++ - '0';
  (*at)++;
  return n;
}

static void parse(char *line, struct row *row) {
  row->id = number(&line);
  row->parent = number(&line);
  row->major = number(&line);
  row->minor = number(&line);
  row->root = field(&line, 1);
  row->point = field(&line, 1);
  row->options = field(&line, 0);
  row->tags = line;
  while (line[0] != '-' || line[1] != ' ') line = strchr(line, ' ') + 1;
  line += 2;
  row->type = field(&line, 1);
  row->source = field(&line, 1);
  row->super = field(&line, 0);
}

static void table(void) {
  static char buffer[1 << 16];
  size_t kept = 0;
  long count = 0, got;
  sink += (uint64_t)list(ids);
  int file = open("/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) die("mountinfo");
  next_text = texts;
  while ((got = read(file, buffer + kept, 8192)) > 0) {
    char *line = buffer, *end = buffer + kept + got, *newline;
    while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
      parse(line, &rows[count++]);
      line = newline + 1;
    }
    kept = (size_t)(end - line);
    memmove(buffer, line, kept);
  }
  close(file);
  sink += (uint64_t)(count + list(ids));
}

static void bind_plain(void) {
  if (mount(source, spare, NULL, MS_BIND, NULL) != 0) die("bind");
  if (umount2(spare, UMOUNT_NOFOLLOW) != 0) die("umount");
}

static int open_beneath(int base, const char *at) {
  struct how how = {O_PATH | O_CLOEXEC | O_NOFOLLOW, 0, 0x8 | 0x4 | 0x2};
  int fd = (int)syscall(SYS_openat2, base, at, &how, sizeof how);
  if (fd < 0) die(at);
  return fd;
}

/* The same by descriptors, through which nothing on the way can be exchanged. */
static void bind_safe(void) {
  char through[64];
  int root = open("/", O_PATH | O_CLOEXEC);
  int from = open_beneath(root, source + 1);
  int tree = (int)syscall(SYS_open_tree, from, "", AT_EMPTY_PATH | 1 | O_CLOEXEC);
  if (tree < 0) die("open_tree");
  int to = open_beneath(root, spare + 1);
  if (syscall(SYS_move_mount, tree, "", to, "", 0x4 | 0x40) != 0) die("move_mount");
  sink += look(spare);
  close(to);
  close(tree);
  close(from);
  char *slash = strrchr(spare, '/');
  *slash = 0;
  int parent = open_beneath(root, spare + 1);
  *slash = '/';
  snprintf(through, sizeof through, "/proc/self/fd/%d/mount", parent);
  if (umount2(through, UMOUNT_NOFOLLOW) != 0) die("umount");
  close(parent);
  close(root);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(void (*operation)(void), int windows, double nanos) {
  double warm = now() + nanos;
  long batch = 0;
  do {
    operation();
    batch++;
  } while (now() < warm);
  /* The clock is asked about a hundred times in a window. */
  batch = batch / 100 + 1;
  for (int window = 0; window < windows; window++) {
    double begin = now(), end = begin;
    long done = 0;
    while (end - begin < nanos) {
      for (long i = 0; i < batch; i++) operation();
      done += batch;
      end = now();
    }
    printf("%.1f\n", (end - begin) / (double)done);
  }
}

int main(int count, char **words) {
  if (count < 5) return 2;
  snprintf(directory, sizeof directory, "%s", words[2]);
  snprintf(source, sizeof source, "%s/source/data", directory);
  if (strcmp(words[1], "setup") == 0) return setup(atoi(words[3]), atoi(words[4]));
  if (count < 6) return 2;
  int size = atoi(words[3]);
  volume(path, size / 2);
  snprintf(plain, sizeof plain, "%s", path);
  *strrchr(plain, '/') = 0;
  volume(spare, 99999999);
  make_parents(spare);
  struct {
    const char *name;
    void (*run)(void);
  } operations[] = {
      {"probe", probe},     {"probePlain", probe_plain}, {"find", find},
      {"table", table},     {"refresh", refresh},        {"bindUnmount", bind_safe},
      {"bindUnmountBare", bind_plain},
  };
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    if (strcmp(words[1], operations[i].name) != 0) continue;
    texts = malloc((size_t)256 << 20);
    if (strcmp(words[1], "refresh") == 0) {
      count_before = list(ids_before);
      if (mount(source, spare, NULL, MS_BIND, NULL) != 0) die("bind");
    }
    measure(operations[i].run, atoi(words[4]), atof(words[5]) * 1e6);
    if (strcmp(words[1], "refresh") == 0 && umount2(spare, UMOUNT_NOFOLLOW) != 0) die("umount");
    return 0;
  }
  return 2;
}
