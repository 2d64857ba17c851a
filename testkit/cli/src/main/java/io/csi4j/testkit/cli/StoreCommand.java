package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Prints records of a store, once or after each change.
 *
 * @param <T> the data printed for a volume
 */
abstract class StoreCommand<T> extends ProgramCommand {

  @Mixin StoreOptions source = new StoreOptions();

  @Option(names = "--json", description = "Print one line of JSON for each volume.")
  boolean json;

  @Option(
      names = "--watch",
      description = "Repeat until Ctrl-C or SIGTERM, and print what changed.")
  private boolean watch;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "2s",
      description = "With --watch: the interval. Default: ${DEFAULT-VALUE}.")
  private Duration every = Duration.ofSeconds(2);

  private final ShutdownTrigger ending;
  private Sight<T> before = new Sight<>(new TreeMap<>(), List.of());

  StoreCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  /**
   * The result of reading the store once.
   *
   * @param shown the data to print, by volume name
   * @param trouble the problems that need attention
   */
  record Sight<T>(SortedMap<String, T> shown, List<String> trouble) {

    int code() {
      return trouble.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  /** Reads the store. */
  abstract Sight<T> look();

  /** Prints some of the data. */
  abstract void print(Collection<T> shown);

  @Override
  public Integer call() throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    if (watch) {
      ending.whenAsked(over::countDown);
    }
    before = look();
    print(before.shown().values());
    before.trouble().forEach(console::note);
    return watch
        ? RepeatedLook.until(
            over, every, console, before.code(), "The store can be read again.", this::lookAgain)
        : before.code();
  }

  private int lookAgain() {
    Sight<T> now = look();
    List<T> changed = new ArrayList<>();
    for (Map.Entry<String, T> each : now.shown().entrySet()) {
      if (!each.getValue().equals(before.shown().get(each.getKey()))) {
        changed.add(each.getValue());
      }
    }
    List<String> gone =
        before.shown().keySet().stream().filter(name -> !now.shown().containsKey(name)).toList();
    if (!changed.isEmpty() || !gone.isEmpty()) {
      if (!json) {
        console.print(console.screen().heading(RepeatedLook.heading()));
      }
      if (!changed.isEmpty()) {
        print(changed);
      }
      gone.forEach(this::printGone);
    }
    now.trouble().stream().filter(line -> !before.trouble().contains(line)).forEach(console::note);
    before = now;
    return now.code();
  }

  private void printGone(String name) {
    console.print(
        json
            ? new Json().with("gone", name)
            : "volume " + OneLine.of(name) + ": no longer in the list");
  }
}
