package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A listener that counts and times attempts by operation and status. The module {@code
 * csi4j-micrometer} already has a listener for Micrometer.
 */
public final class CountCalls implements CsiListener {

  /** The attempts that share a counter: attempts of the same operation with the same status. */
  record Series(CsiOperation operation, StatusCode code) {}

  private static final class Timer {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();
  }

  private final AtomicLong running = new AtomicLong();
  private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

  @Override
  public void onStart(Started event) {
    running.incrementAndGet();
  }

  @Override
  public void onEnd(Ended event) {
    running.decrementAndGet();
    Series series = new Series(event.started().operation(), event.code());
    Timer timer = timers.computeIfAbsent(series, absent -> new Timer());
    timer.count.increment();
    timer.nanos.add(event.elapsed().toNanos());
  }

  long running() {
    return running.get();
  }

  long count(CsiOperation operation, StatusCode code) {
    Timer timer = timers.get(new Series(operation, code));
    return timer == null ? 0 : timer.count.sum();
  }

  private void print(PrintStream out) {
    timers.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.comparing(Series::operation)))
        .forEach(
            entry -> {
              Series series = entry.getKey();
              long count = entry.getValue().count.sum();
              Duration each = Duration.ofNanos(entry.getValue().nanos.sum() / count);
              out.printf(
                  "%-28s %-18s %4d times, %d µs each%n",
                  series.operation().rpcName(), series.code(), count, each.toNanos() / 1000);
            });
    out.println(running() + " still running");
  }

  /** Probes the plugin at the given endpoint the given number of times, and prints the counts. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.run(
        "CountCalls ENDPOINT TIMES",
        args,
        err,
        () -> {
          int times = Integer.parseInt(args[1]);
          CountCalls counts = new CountCalls();
          ConnectOptions options = ConnectOptions.builder().listener(counts).build();
          try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(args[0]), options)) {
            for (int i = 0; i < times; i++) {
              plugin.identity().probe();
            }
          } finally {
            counts.print(out);
          }
        });
  }
}
