package io.csi4j.benchmarks.calls;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Program;
import io.csi4j.benchmarks.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures single calls, on this JDK and on a newer JDK.
 *
 * <p>Arguments: a directory for the socket, the directory for results, the total seconds, a Go
 * client or {@code -}, the home of a newer JDK or {@code -}, and the numbers of calls in flight.
 */
public final class CallsFamily {

  private static final String INTRODUCTION =
      "Calls through `CsiPlugin` beside the same calls through the stubs that gRPC generates, on"
          + " the same channel, in turns in one JVM, to a plugin in another JVM that answers every"
          + " call with bytes made beforehand. Each call of either side builds its request from"
          + " strings and maps that are at hand, and has the same deadline. The size is how many"
          + " calls are in flight: asynchronous ones from one thread's completions, each answer"
          + " beginning the next call; blocking ones from as many threads. *In place* is csi4j"
          + " with `callbacksInPlace(true)` beside a stub on the channel's own executor:"
          + " both complete on the I/O thread. Without it, that is with the default options, csi4j"
          + " completes on its callback threads, and the stub is given the same threads. A time is"
          + " of one call, all calls in flight together; a median is what half of the calls of a"
          + " window took at the most. Bytes are what all threads of the client's JVM allocate"
          + " for one call. The Go client (`src/main/go/calls.go`) makes blocking calls from"
          + " goroutines, with grpc-go, the same request bytes, no decoding, and the same"
          + " deadlines. *The bare stub again* is a second stub beside the first: how far the two"
          + " differ is how far any two sides may differ by chance.";

  private final double seconds;
  private final String go;
  private final List<String> sizes;

  private CallsFamily(double seconds, String go, List<String> sizes) {
    this.seconds = seconds;
    this.go = go;
    this.sizes = sizes;
  }

  /** Runs all measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]).toAbsolutePath();
    // The library refuses a socket in a directory where other users could replace it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    String go = words[3];
    List<String> homes = new ArrayList<>(List.of(System.getProperty("java.home")));
    if (!words[4].equals("-")) {
      homes.add(words[4]);
    }
    CallsFamily family =
        new CallsFamily(
            Double.parseDouble(words[2]) / homes.size(),
            go,
            List.of(words).subList(5, words.length));
    List<Comparison> rows = new ArrayList<>();
    try (PluginProcess plugin = PluginProcess.start(directory.resolve("calls.sock"))) {
      for (String home : homes) {
        rows.addAll(family.measure(home, plugin.endpoint().path()));
      }
    }
    Report report = new Report("One call", INTRODUCTION, rows);
    report.note(
        "The rows with the wire log compare csi4j with itself, asynchronous and in place: as it is"
            + " by default (no listener; the wire log is allowed, and its logger is off) beside"
            + " `wireLog(false)`, which is the goal; then with a listener that does nothing.");
    if (go.equals("-")) {
      report.note("There was no Go toolchain with grpc-go; the rows beside Go are left out.");
    }
    if (homes.size() == 1) {
      report.note("A newer JDK was not measured: a quick run leaves it out, or there was none.");
    }
    report.write(Path.of(words[1]), "calls");
  }

  private List<Comparison> measure(String home, Path socket) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(home, "bin", "java").toString(),
                "-Xms1g",
                "-Xmx1g",
                "-XX:+AlwaysPreTouch",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                MeasureCalls.class.getName(),
                socket.toString(),
                Double.toString(seconds),
                go));
    command.addAll(sizes);
    Samples samples = Samples.parse(Program.run(command.toArray(String[]::new)));
    return new Rows(samples, sizes.stream().map(Integer::valueOf).toList()).all();
  }
}
