package io.csi4j.benchmarks.start;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.Machine;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures the time from the start of a host's JVM to the first answered Probe.
 *
 * <p>Arguments: a directory for sockets, jars and archives, the directory for results, the total
 * seconds, and the home of a newer JDK or {@code -}.
 */
public final class StartFamily {

  private static final double COLD = 1.1;
  private static final double SHARED = 0.6;

  /** The first JDK with an AOT cache, which contains more than classes. */
  private static final int FIRST_WITH_AOT_CACHE = 25;

  /** Number of starts of which a figure is the median. */
  private static final int STARTS = 3;

  private static final int LEAST_ROUNDS = 1;

  private static final String CONNECTED = ", connected";
  private static final String RESIDENT = ", resident";

  private static final String INTRODUCTION =
      "From the start of a JVM to hearing from it that a Probe was answered, seen by who started"
          + " it. csi4j: `CsiPlugin.connect`, with a listener that says when its Probe has ended;"
          + " after it, connecting asks for the plugin's name, which the rows *until connected*"
          + " include. Bare: a channel made by hand and the generated blocking"
          + " stub, one Probe. Both over epoll, to a plugin in another JVM that does nothing, with"
          + " the same jars on the class path and no other options. With class-data sharing the"
          + " JVM maps an archive of the classes that one earlier run has loaded"
          + " (`-XX:ArchiveClassesAtExit`, then `-XX:SharedArchiveFile`). A newer JDK has two more"
          + " ways, beside the bare stub on that JDK without any: an archive that it makes for"
          + " itself (`-XX:+AutoCreateSharedArchive`), and an AOT cache, of classes that are loaded"
          + " and linked already (`-XX:AOTCacheOutput`, then `-XX:AOTCache`). All are started in"
          + " turns; a figure is the median of "
          + STARTS
          + " starts that follow one another. Resident memory is what the kernel counts (`VmRSS`)"
          + " right after that, with the default heap of the JVM.";

  private final Map<String, List<Double>> starts = new LinkedHashMap<>();

  private StartFamily() {}

  /** Runs all measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]).toAbsolutePath();
    // The library refuses a socket in a directory where other users could replace it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    double seconds = Double.parseDouble(words[2]);
    try (PluginProcess plugin = PluginProcess.start(directory.resolve("start.sock"))) {
      Path socket = plugin.endpoint().path();
      Host ours = Host.of(OurStart.class, directory, socket);
      Host bare = Host.of(BareStart.class, directory, socket);
      Host oursShared = sharing(ours, directory.resolve("ours.jsa"));
      Host bareShared = sharing(bare, directory.resolve("bare.jsa"));
      Map<String, Host> hosts = new LinkedHashMap<>();
      hosts.put("ours", ours);
      hosts.put("bare", bare);
      hosts.put("ours shared", oursShared);
      hosts.put("bare shared", bareShared);
      Optional<Path> newer = newer(words[3]);
      if (newer.isPresent()) {
        hosts.put("bare newer", bare.on(newer.get()));
        hosts.put("ours auto", archiving(ours.on(newer.get()), directory.resolve("auto.jsa")));
        hosts.put("ours aot", caching(ours.on(newer.get()), directory.resolve("ours.aot")));
      }
      StartFamily family = new StartFamily();
      family.measure(hosts, seconds);
      List<Comparison> rows = new ArrayList<>();
      rows.add(family.row("start to first Probe", "bare stub", "ours", "bare", Goal.ratio(COLD)));
      rows.add(
          family.row(
              "start to first Probe, with class-data sharing",
              "bare stub without it",
              "ours shared",
              "bare",
              Goal.ratio(SHARED)));
      rows.add(
          family.row(
              "start to first Probe, with class-data sharing",
              "bare stub with it",
              "ours shared",
              "bare shared",
              Optional.empty()));
      rows.add(
          family.row(
              "start until connected",
              "bare stub's first Probe",
              "ours" + CONNECTED,
              "bare",
              Optional.empty()));
      rows.add(
          family.row(
              "start until connected, with class-data sharing",
              "bare stub's first Probe without it",
              "ours shared" + CONNECTED,
              "bare",
              Optional.empty()));
      if (newer.isPresent()) {
        String jdk = ", JDK " + Machine.javaOf(newer.get());
        rows.add(
            family.row(
                "start to first Probe, with an AOT cache" + jdk,
                "bare stub without one, same JDK",
                "ours aot",
                "bare newer",
                Goal.ratio(SHARED)));
        rows.add(
            family.row(
                "start to first Probe, with an archive that the JVM makes" + jdk,
                "bare stub without one, same JDK",
                "ours auto",
                "bare newer",
                Optional.empty()));
      }
      rows.add(
          family.row(
              "resident memory, connected",
              "bare stub",
              Unit.BYTES,
              "ours" + RESIDENT,
              "bare" + RESIDENT,
              Optional.empty()));
      rows.add(alone("classes loaded", "bare stub", Unit.COUNT, classes(ours), classes(bare)));
      rows.add(
          alone(
              "jars on the class path",
              "those of gRPC and protobuf",
              Unit.BYTES,
              size(Host.jarsOfOurs()),
              size(Host.jarsOfGrpc())));
      rows.add(
          alone(
              "archive of class data",
              "bare stub",
              Unit.BYTES,
              size(List.of(directory.resolve("ours.jsa"))),
              size(List.of(directory.resolve("bare.jsa")))));
      Report report = new Report("Cold start", INTRODUCTION, rows);
      if (newer.isEmpty()) {
        report.note(
            "A JDK "
                + FIRST_WITH_AOT_CACHE
                + " or newer was not measured: a quick run leaves it out, or there was none.");
      }
      report.write(Path.of(words[1]), "start");
    }
  }

  /** Returns the host with a class archive, which a run of the host creates. */
  private static Host sharing(Host host, Path archive) throws Exception {
    Host.Run unused = host.with("-XX:ArchiveClassesAtExit=" + archive).run();
    return host.with("-XX:SharedArchiveFile=" + archive);
  }

  /** Returns the host with a class archive that its JVM creates and maintains. */
  private static Host archiving(Host host, Path archive) throws Exception {
    Host with = host.with("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive);
    Host.Run unused = with.run();
    return with;
  }

  /** Returns the host with an AOT cache, which a run of the host creates. */
  private static Host caching(Host host, Path cache) throws Exception {
    Host.Run unused = host.with("-XX:AOTCacheOutput=" + cache).run();
    return host.with("-XX:AOTCache=" + cache);
  }

  /** Returns the JDK in this directory, if it supports AOT caches. */
  private static Optional<Path> newer(String home) throws IOException {
    return home.equals("-") || Machine.javaOf(Path.of(home)) < FIRST_WITH_AOT_CACHE
        ? Optional.empty()
        : Optional.of(Path.of(home));
  }

  private void measure(Map<String, Host> hosts, double seconds) throws Exception {
    long until = System.nanoTime() + (long) (seconds * 1e9);
    for (int round = 0; round < LEAST_ROUNDS || System.nanoTime() < until; round++) {
      Map<String, List<Double>> each = new LinkedHashMap<>();
      List<String> turn = new ArrayList<>(hosts.keySet());
      for (int i = 0; i < STARTS; i++) {
        Collections.rotate(turn, 1);
        for (String name : turn) {
          Host host = hosts.get(name);
          if (host != null) {
            Host.Run run = host.run();
            each.computeIfAbsent(name, key -> new ArrayList<>()).add(run.probed());
            each.computeIfAbsent(name + CONNECTED, key -> new ArrayList<>()).add(run.connected());
            each.computeIfAbsent(name + RESIDENT, key -> new ArrayList<>()).add(run.resident());
          }
        }
      }
      each.forEach(
          (name, times) ->
              starts
                  .computeIfAbsent(name, key -> new ArrayList<>())
                  .add(new Figures(times).median()));
    }
  }

  private Comparison row(
      String operation, String limit, String ours, String theirs, Optional<Goal> goal) {
    return row(operation, limit, Unit.TIME, ours, theirs, goal);
  }

  private Comparison row(
      String operation, String limit, Unit unit, String ours, String theirs, Optional<Goal> goal) {
    return new Comparison(
        operation,
        limit,
        1,
        unit,
        new Figures(starts.getOrDefault(ours, List.of())),
        new Figures(starts.getOrDefault(theirs, List.of())),
        goal);
  }

  private static Comparison alone(
      String operation, String limit, Unit unit, double ours, double theirs) {
    return new Comparison(
        operation,
        limit,
        1,
        unit,
        new Figures(List.of(ours)),
        new Figures(List.of(theirs)),
        Optional.empty());
  }

  private static double classes(Host host) throws Exception {
    return host.with("-Xlog:class+load").run().lines().stream()
        .filter(line -> line.contains(" source: "))
        .count();
  }

  private static double size(List<Path> files) throws IOException {
    double size = 0;
    for (Path file : files) {
      size += Files.size(file);
    }
    return size;
  }
}
