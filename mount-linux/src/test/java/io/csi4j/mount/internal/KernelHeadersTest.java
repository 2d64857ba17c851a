package io.csi4j.mount.internal;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.csi4j.mount.internal.kernel.Abi;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares the constants of {@link Abi} and {@link CallNumber} with the C headers of each processor
 * architecture that csi4j is run on. The compiler compares them; no C program runs. An architecture
 * without a compiler on this machine is skipped, unless {@code HEADERS_TEST_REQUIRED} is 1.
 *
 * <p>Constants of a newer Linux than the headers are left out. {@code testing/headers} names newer
 * headers in the system property {@code csi4j.headers}.
 */
class KernelHeadersTest {

  /** Directory {@code usr/include} of other headers of the kernel, searched first. */
  private static final Optional<Path> HEADERS =
      Optional.ofNullable(System.getProperty("csi4j.headers")).map(Path::of);

  /** Oldest headers that have all constants for which {@link #SINCE} names no release. */
  private static final int OLDEST = release(5, 15);

  private static final long LIMIT_SECONDS = 60;

  /** A processor architecture: its name in the JVM and in the names of its compiler. */
  private enum Architecture {
    AMD64("amd64", "x86_64-linux-gnu", "gcc and libc6-dev"),
    AARCH64("aarch64", "aarch64-linux-gnu", "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross");

    private final String jvmName;
    private final String triplet;
    private final String packages;

    Architecture(String jvmName, String triplet, String packages) {
      this.jvmName = jvmName;
      this.triplet = triplet;
      this.packages = packages;
    }

    private Optional<Path> compiler() {
      Stream<String> names =
          jvmName.equals(System.getProperty("os.arch"))
              ? Stream.of(triplet + "-gcc", "cc")
              : Stream.of(triplet + "-gcc");
      List<Path> directories =
          Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
              .map(Path::of)
              .toList();
      return names
          .flatMap(name -> directories.stream().map(directory -> directory.resolve(name)))
          .filter(Files::isExecutable)
          .findFirst();
    }
  }

  /** Headers that can be included together. Those of the kernel and of the C library cannot. */
  private enum Headers {
    KERNEL(
        "",
        "stddef.h",
        "linux/version.h",
        "linux/types.h",
        "linux/time_types.h",
        "linux/limits.h",
        "linux/fcntl.h",
        "linux/openat2.h",
        "linux/stat.h",
        "linux/mount.h",
        "linux/fanotify.h",
        "linux/eventfd.h",
        "asm/errno.h",
        "asm/poll.h",
        "asm/unistd.h"),
    LIBRARY(
        "#define _GNU_SOURCE\n",
        "stddef.h",
        "dirent.h",
        "errno.h",
        "fcntl.h",
        "limits.h",
        "poll.h",
        "sys/eventfd.h",
        "sys/mount.h",
        "sys/stat.h",
        "sys/syscall.h",
        "time.h");

    private final String program;

    Headers(String before, String... names) {
      program =
          Stream.of(names)
              .map(name -> "#if __has_include(<" + name + ">)\n#include <" + name + ">\n#endif\n")
              .collect(Collectors.joining("", before, ""));
    }
  }

  /**
   * A comparison of a constant.
   *
   * @param name the constant of csi4j
   * @param expression the same in C
   * @param macro defined by headers that have what the expression names
   * @param expected the value in csi4j
   */
  private record Comparison(String name, String expression, String macro, long expected) {

    String assertion() {
      return "_Static_assert((long long)(%s) == %dLL, \"%s is not %s\");\n"
          .formatted(expression, expected, name, expected);
    }
  }

  /** C for a constant of {@link Abi} that is no macro of its name. */
  private record Expression(String text, String macro) {

    static Expression macro(String name) {
      return new Expression(name, name);
    }

    static Expression size(String structure, String macro) {
      return new Expression("sizeof(struct " + structure + ")", macro);
    }

    static Expression offset(String structure, String field, String macro) {
      return new Expression("offsetof(struct " + structure + ", " + field + ")", macro);
    }
  }

  private static final Map<String, Expression> EXPRESSIONS =
      Map.ofEntries(
          entry("OPEN_HOW_SIZE", Expression.size("open_how", "RESOLVE_BENEATH")),
          entry("OPEN_HOW_AT_FLAGS", Expression.offset("open_how", "flags", "RESOLVE_BENEATH")),
          entry("OPEN_HOW_AT_MODE", Expression.offset("open_how", "mode", "RESOLVE_BENEATH")),
          entry("OPEN_HOW_AT_RESOLVE", Expression.offset("open_how", "resolve", "RESOLVE_BENEATH")),
          entry("STATX_SIZE", Expression.size("statx", "STATX_TYPE")),
          entry("STATX_FILE_SIZE", Expression.macro("STATX_SIZE")),
          entry("STATX_AT_MASK", statx("stx_mask")),
          entry("STATX_AT_ATTRIBUTES", statx("stx_attributes")),
          entry("STATX_AT_UID", statx("stx_uid")),
          entry("STATX_AT_GID", statx("stx_gid")),
          entry("STATX_AT_MODE", statx("stx_mode")),
          entry("STATX_AT_FILE_SIZE", statx("stx_size")),
          entry("STATX_AT_ATTRIBUTES_MASK", statx("stx_attributes_mask")),
          entry("STATX_AT_MNT_ID", Expression.offset("statx", "stx_mnt_id", "STATX_MNT_ID")),
          entry("DIRENT_AT_LENGTH", dirent("d_reclen")),
          entry("DIRENT_AT_NAME", dirent("d_name")),
          entry("MOUNT_ATTR_ATIME", Expression.macro("MOUNT_ATTR__ATIME")),
          entry("MOUNT_ATTR_SIZE", Expression.macro("MOUNT_ATTR_SIZE_VER0")),
          entry("MOUNT_ATTR_AT_SET", mountAttr("attr_set")),
          entry("MOUNT_ATTR_AT_CLEAR", mountAttr("attr_clr")),
          entry("MNT_ID_REQ_SIZE", Expression.macro("MNT_ID_REQ_SIZE_VER0")),
          entry("MNT_ID_REQ_AT_SIZE", mountIdRequest("size")),
          entry("MNT_ID_REQ_AT_ID", mountIdRequest("mnt_id")),
          entry("MNT_ID_REQ_AT_PARAM", mountIdRequest("param")),
          entry("STATMOUNT_AT_SIZE", statmount("size")),
          entry("STATMOUNT_AT_MNT_OPTS", statmount("mnt_opts", "STATMOUNT_MNT_OPTS")),
          entry("STATMOUNT_AT_MASK", statmount("mask")),
          entry("STATMOUNT_AT_SB_DEV_MAJOR", statmount("sb_dev_major")),
          entry("STATMOUNT_AT_SB_DEV_MINOR", statmount("sb_dev_minor")),
          entry("STATMOUNT_AT_SB_FLAGS", statmount("sb_flags")),
          entry("STATMOUNT_AT_FS_TYPE", statmount("fs_type")),
          entry("STATMOUNT_AT_PARENT_ID", statmount("mnt_parent_id")),
          entry("STATMOUNT_AT_MNT_ID_OLD", statmount("mnt_id_old")),
          entry("STATMOUNT_AT_PARENT_ID_OLD", statmount("mnt_parent_id_old")),
          entry("STATMOUNT_AT_MNT_ATTR", statmount("mnt_attr")),
          entry("STATMOUNT_AT_PROPAGATION", statmount("mnt_propagation")),
          entry("STATMOUNT_AT_PEER_GROUP", statmount("mnt_peer_group")),
          entry("STATMOUNT_AT_MASTER", statmount("mnt_master")),
          entry("STATMOUNT_AT_PROPAGATE_FROM", statmount("propagate_from")),
          entry("STATMOUNT_AT_MNT_ROOT", statmount("mnt_root")),
          entry("STATMOUNT_AT_MNT_POINT", statmount("mnt_point")),
          entry("STATMOUNT_AT_FS_SUBTYPE", statmount("fs_subtype", "STATMOUNT_FS_SUBTYPE")),
          entry("STATMOUNT_AT_SB_SOURCE", statmount("sb_source", "STATMOUNT_SB_SOURCE")),
          entry("STATMOUNT_STRINGS", statmount("str")),
          entry("FAN_EVENT_AT_LENGTH", fanotifyEvent("event_len")),
          entry("FAN_EVENT_AT_METADATA_LENGTH", fanotifyEvent("metadata_len")),
          entry("FAN_EVENT_AT_MASK", fanotifyEvent("mask")),
          entry("FAN_EVENT_AT_PID", fanotifyEvent("pid")),
          entry(
              "FAN_EVENT_METADATA_SIZE",
              Expression.size("fanotify_event_metadata", "FAN_EVENT_METADATA_LEN")),
          entry("FAN_INFO_AT_TYPE", fanotifyInfo("info_type")),
          entry("FAN_INFO_AT_LENGTH", fanotifyInfo("len")),
          entry(
              "FAN_INFO_AT_MNT_ID",
              Expression.offset("fanotify_event_info_mnt", "mnt_id", "FAN_EVENT_INFO_TYPE_MNT")),
          entry(
              "FAN_INFO_MNT_SIZE",
              Expression.size("fanotify_event_info_mnt", "FAN_EVENT_INFO_TYPE_MNT")),
          entry("POLLFD_SIZE", Expression.size("pollfd", "POLLIN")),
          entry("POLLFD_AT_EVENTS", Expression.offset("pollfd", "events", "POLLIN")),
          entry("POLLFD_AT_REVENTS", Expression.offset("pollfd", "revents", "POLLIN")),
          entry("TIMESPEC_SIZE", Expression.size("timespec", "CLOCK_REALTIME")),
          entry("TIMESPEC_AT_SECONDS", Expression.offset("timespec", "tv_sec", "CLOCK_REALTIME")),
          entry(
              "TIMESPEC_AT_NANOSECONDS",
              Expression.offset("timespec", "tv_nsec", "CLOCK_REALTIME")));

  /** Release of Linux that brought a macro, if that was after {@link #OLDEST}. */
  private static final Map<String, Integer> SINCE =
      Map.ofEntries(
          entry("STATX_MNT_ID_UNIQUE", release(6, 8)),
          entry("__NR_statmount", release(6, 8)),
          entry("__NR_listmount", release(6, 8)),
          entry("MNT_ID_REQ_SIZE_VER0", release(6, 8)),
          entry("LSMT_ROOT", release(6, 8)),
          entry("STATMOUNT_SB_BASIC", release(6, 8)),
          entry("STATMOUNT_MNT_BASIC", release(6, 8)),
          entry("STATMOUNT_PROPAGATE_FROM", release(6, 8)),
          entry("STATMOUNT_MNT_ROOT", release(6, 8)),
          entry("STATMOUNT_MNT_POINT", release(6, 8)),
          entry("STATMOUNT_FS_TYPE", release(6, 8)),
          entry("STATMOUNT_MNT_OPTS", release(6, 11)),
          entry("STATMOUNT_FS_SUBTYPE", release(6, 13)),
          entry("STATMOUNT_SB_SOURCE", release(6, 13)),
          entry("FAN_REPORT_MNT", release(6, 15)),
          entry("FAN_MARK_MNTNS", release(6, 15)),
          entry("FAN_MNT_ATTACH", release(6, 15)),
          entry("FAN_MNT_DETACH", release(6, 15)),
          entry("FAN_EVENT_INFO_TYPE_MNT", release(6, 15)));

  @ParameterizedTest
  @EnumSource
  void everyConstantHasTheValueOfTheHeaders(Architecture architecture) throws Exception {
    Path compiler = compiler(architecture);
    List<Comparison> comparisons = comparisons(architecture);
    Set<String> unknown =
        comparisons.stream().map(Comparison::macro).collect(Collectors.toCollection(TreeSet::new));
    int linux = 0;
    for (Headers headers : Headers.values()) {
      Map<String, String> macros = macros(compiler, architecture, headers);
      StringBuilder program = new StringBuilder(headers.program);
      for (Comparison comparison : comparisons) {
        if (macros.containsKey(comparison.macro)) {
          program.append(comparison.assertion());
        }
      }
      unknown.removeAll(macros.keySet());
      linux = Integer.parseInt(macros.getOrDefault("LINUX_VERSION_CODE", "" + linux));
      assertThat(compile(compiler, architecture, program.toString())).isEmpty();
    }
    if (linux < OLDEST) {
      skip("the headers are older than Linux 5.15");
    }
    int of = linux;
    assertThat(unknown)
        .as("macros that the headers of Linux %s lack", name(linux))
        .allMatch(macro -> SINCE.getOrDefault(macro, 0) > of);
    HEADERS.ifPresent(
        from ->
            System.out.printf(
                "headers: %s: %d constants are those of Linux %s, %d are newer%n",
                architecture.jvmName,
                comparisons.stream().filter(each -> !unknown.contains(each.macro)).count(),
                name(of),
                comparisons.stream().filter(each -> unknown.contains(each.macro)).count()));
  }

  @ParameterizedTest
  @EnumSource
  void aWrongConstantIsRefusedByItsName(Architecture architecture) throws Exception {
    Path compiler = compiler(architecture);
    Comparison wrong = new Comparison("ENOENT", "ENOENT", "ENOENT", Abi.ENOENT + 1);

    for (Headers headers : Headers.values()) {
      assertThat(compile(compiler, architecture, headers.program + wrong.assertion()))
          .contains("ENOENT is not 3");
    }
  }

  private static Path compiler(Architecture architecture) {
    return architecture
        .compiler()
        .orElseGet(
            () ->
                skip(
                    "no C compiler for "
                        + architecture.jvmName
                        + " on the PATH. Install Debian's "
                        + architecture.packages));
  }

  private static Path skip(String why) {
    if ("1".equals(System.getenv("HEADERS_TEST_REQUIRED"))) {
      throw new AssertionError(why);
    }
    return abort(why);
  }

  private static List<Comparison> comparisons(Architecture architecture) throws Exception {
    List<Comparison> comparisons = new ArrayList<>();
    for (Field field : Abi.class.getFields()) {
      String name = field.getName();
      Expression c = EXPRESSIONS.getOrDefault(name, Expression.macro(name));
      long value =
          switch (name) {
            case "O_DIRECTORY" -> Abi.directoryFlag(architecture.jvmName);
            case "O_NOFOLLOW" -> Abi.noFollowFlag(architecture.jvmName);
            default -> field.getLong(null);
          };
      comparisons.add(new Comparison(name, c.text, c.macro, value));
    }
    for (CallNumber call : CallNumber.values()) {
      String macro = "__NR_" + call.name().toLowerCase(Locale.ROOT);
      int number = call.number(CallNumber.isX86(architecture.jvmName));
      comparisons.add(new Comparison(call.name(), macro, macro, number));
    }
    return comparisons;
  }

  /** Definitions of the macros that headers have, by name. */
  private static Map<String, String> macros(
      Path compiler, Architecture architecture, Headers headers) throws Exception {
    return run(compiler, architecture, headers.program, "-E", "-dM")
        .lines()
        .map(line -> line.split(" ", 3))
        .filter(words -> words[0].equals("#define") && words.length == 3)
        .collect(Collectors.toMap(words -> words[1], words -> words[2], (one, other) -> other));
  }

  /** What the compiler says of a program; nothing if it is right. */
  private static String compile(Path compiler, Architecture architecture, String program)
      throws Exception {
    return run(compiler, architecture, program, "-fsyntax-only");
  }

  private static String run(
      Path compiler, Architecture architecture, String program, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(compiler.toString(), "-std=gnu11"));
    command.addAll(List.of(options));
    HEADERS.ifPresent(
        from ->
            command.addAll(
                List.of(
                    "-isystem",
                    from.resolve(architecture.triplet).toString(),
                    "-isystem",
                    from.toString())));
    command.addAll(List.of("-x", "c", "-"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().write(program.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue() == 0 || !said.isEmpty()).isTrue();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  private static Expression statx(String field) {
    return Expression.offset("statx", field, "STATX_TYPE");
  }

  private static Expression dirent(String field) {
    return Expression.offset("dirent64", field, "_DIRENT_HAVE_D_RECLEN");
  }

  private static Expression mountAttr(String field) {
    return Expression.offset("mount_attr", field, "MOUNT_ATTR_SIZE_VER0");
  }

  private static Expression mountIdRequest(String field) {
    return Expression.offset("mnt_id_req", field, "MNT_ID_REQ_SIZE_VER0");
  }

  private static Expression statmount(String field) {
    return statmount(field, "STATMOUNT_SB_BASIC");
  }

  private static Expression statmount(String field, String macro) {
    return Expression.offset("statmount", field, macro);
  }

  private static Expression fanotifyEvent(String field) {
    return Expression.offset("fanotify_event_metadata", field, "FAN_EVENT_METADATA_LEN");
  }

  private static Expression fanotifyInfo(String field) {
    return Expression.offset("fanotify_event_info_header", field, "FAN_EVENT_INFO_TYPE_FID");
  }

  private static int release(int major, int minor) {
    return (major << 16) + (minor << 8);
  }

  private static String name(int release) {
    return (release >> 16) + "." + (release >> 8 & 0xff);
  }
}
