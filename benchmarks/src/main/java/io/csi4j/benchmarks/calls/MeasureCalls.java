package io.csi4j.benchmarks.calls;

import io.csi4j.benchmarks.calls.Cell.Measure;
import io.csi4j.benchmarks.calls.Cell.Style;
import io.csi4j.benchmarks.calls.Cell.Way;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Makes calls of all kinds to one plugin, alternately, and prints the figures of the windows.
 *
 * <p>Arguments: the plugin's socket, the total seconds, a Go client or {@code -}, and the numbers
 * of calls in flight.
 */
public final class MeasureCalls {

  private static final int ROUNDS = 24;
  private static final int QUICK_ROUNDS = 4;

  /** Number of seconds for all rounds. With less time, there are fewer rounds. */
  private static final double ENOUGH_SECONDS = 30;

  private static final double LEAST_WINDOW_NANOS = 2e7;

  /** Additional time of a window of Go: a process must start and warm up. */
  private static final double GO_NANOS = 1.5e8;

  /** The share of the time for warming up, in which the JVM compiles the code. */
  private static final double WARM_UP = 0.25;

  private static final int WARM_UPS = 3;

  /** Number of repetitions of a measurement that would otherwise be made only once. */
  static final int SEVERAL = 8;

  private final Map<Way, Caller> callers = new EnumMap<>(Way.class);
  private final Optional<GoClient> go;
  private final Samples samples = Samples.ofThisJvm();

  private MeasureCalls(Optional<GoClient> go) {
    this.go = go;
  }

  /** Measures, and prints lines for {@link Samples#parse}. */
  public static void main(String[] words) throws Exception {
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of(words[0]));
    double seconds = Double.parseDouble(words[1]);
    List<Integer> sizes = List.of(words).stream().skip(3).map(Integer::valueOf).toList();
    Optional<GoClient> go =
        Optional.of(words[2])
            .filter(program -> !program.equals("-"))
            .map(program -> new GoClient(Path.of(program), endpoint.path()));
    MeasureCalls measuring = new MeasureCalls(go);
    List<OurCaller> connected = measuring.connect(endpoint);
    List<List<Cell>> groups = groups(sizes);
    measuring.measure(
        go.isPresent() ? groups.stream().map(MeasureCalls::withGo).toList() : groups, seconds);
    measuring.samples.lines().forEach(System.out::println);
    connected.forEach(OurCaller::close);
  }

  private List<OurCaller> connect(CsiEndpoint endpoint) {
    OurCaller plain = new OurCaller(endpoint, ConnectOptions.defaults());
    Connection connection = plain.connection();
    ConnectOptions here = ConnectOptions.builder().callbacksInPlace(true).build();
    OurCaller inPlace = new OurCaller(endpoint, here);
    // These callers need new connections for comparison, because a connection becomes a little
    // slower after many calls.
    OurCaller allowed = new OurCaller(endpoint, here);
    OurCaller withoutLog = new OurCaller(endpoint, here.toBuilder().wireLog(false).build());
    OurCaller listened =
        new OurCaller(endpoint, here.toBuilder().listener(new CsiListener() {}).build());
    callers.put(Way.OURS, plain);
    callers.put(Way.BARE, new BareCaller(connection.channel(), connection.callbacks()));
    callers.put(Way.BARE_AGAIN, new BareCaller(connection.channel(), connection.callbacks()));
    callers.put(Way.OURS_IN_PLACE, inPlace);
    callers.put(Way.BARE_IN_PLACE, new BareCaller(inPlace.connection().channel(), null));
    callers.put(Way.BARE_IN_PLACE_AGAIN, new BareCaller(inPlace.connection().channel(), null));
    callers.put(Way.OURS_WITHOUT_LOG, withoutLog);
    callers.put(Way.OURS_LOG_OFF, allowed);
    callers.put(Way.OURS_LISTENED, listened);
    return List.of(plain, inPlace, allowed, withoutLog, listened);
  }

  /**
   * Returns groups of cells that are compared. The cells of a group are measured one immediately
   * after the other.
   */
  private static List<List<Cell>> groups(List<Integer> sizes) {
    List<List<Cell>> groups = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      for (int size : sizes) {
        Cell async = new Cell(Way.OURS_IN_PLACE, Style.ASYNC, operation, size);
        Cell blocking = new Cell(Way.OURS, Style.BLOCKING, operation, size);
        groups.add(
            withControl(
                List.of(async, async.by(Way.BARE_IN_PLACE)), async.by(Way.BARE_IN_PLACE_AGAIN)));
        groups.add(
            withControl(List.of(blocking, blocking.by(Way.BARE)), blocking.by(Way.BARE_AGAIN)));
        if (operation != Operation.PUBLISH_LARGE) {
          groups.add(List.of(async.by(Way.OURS), async.by(Way.BARE)));
        }
      }
    }
    Cell several = new Cell(Way.OURS_LOG_OFF, Style.ASYNC, Operation.PROBE, SEVERAL);
    groups.add(List.of(several, several.by(Way.OURS_WITHOUT_LOG), several.by(Way.OURS_LISTENED)));
    return groups;
  }

  /**
   * Adds a second stub to the cells for Probe calls. The difference between the two stubs is the
   * random error.
   */
  private static List<Cell> withControl(List<Cell> group, Cell control) {
    if (control.operation() != Operation.PROBE) {
      return group;
    }
    List<Cell> more = new ArrayList<>(group);
    more.add(control);
    return more;
  }

  /**
   * The Go program always waits for its calls, so it is measured only once for each number of calls
   * in flight. It does not encode messages, so it is not compared for messages that are costly to
   * encode.
   */
  private static List<Cell> withGo(List<Cell> group) {
    Cell first = group.get(0);
    if (first.style() != Style.BLOCKING || first.operation() == Operation.PUBLISH_LARGE) {
      return group;
    }
    List<Cell> more = new ArrayList<>(group);
    more.add(first.by(Way.GO));
    return more;
  }

  private void measure(List<List<Cell>> groups, double seconds) throws Exception {
    int cells = groups.stream().mapToInt(List::size).sum();
    long goes = groups.stream().flatMap(List::stream).filter(cell -> cell.way() == Way.GO).count();
    int rounds = seconds < ENOUGH_SECONDS ? QUICK_ROUNDS : ROUNDS;
    long warmUp = (long) (1e9 * seconds * WARM_UP / (cells * WARM_UPS));
    double left = 1e9 * seconds * (1 - WARM_UP) - goes * rounds * 1.5 * GO_NANOS;
    double windows = rounds * (cells + groups.size() / 2.0);
    long window = (long) Math.max(LEAST_WINDOW_NANOS, left / windows);
    for (int round = 0; round < WARM_UPS; round++) {
      for (List<Cell> group : groups) {
        for (Cell cell : group) {
          if (cell.way() != Way.GO) {
            Window.Result unused = once(cell, warmUp);
          }
        }
      }
    }
    for (int round = 0; round < rounds; round++) {
      for (List<Cell> group : groups) {
        List<Cell> turn = new ArrayList<>(group);
        // The first cell after calls of another kind is slower. So each cell comes first equally
        // often, and the first cell runs once more without being counted.
        Collections.rotate(turn, round);
        Window.Result unused = once(turn.get(0), window / 2);
        for (Cell cell : turn) {
          Window.Result result = once(cell, window);
          samples.add(cell, Measure.TIME, result.nanos());
          samples.add(cell, Measure.MEDIAN, result.median());
          if (cell.way() != Way.GO) {
            samples.add(cell, Measure.BYTES, result.bytes());
          }
        }
      }
    }
  }

  private Window.Result once(Cell cell, long nanos) throws Exception {
    if (cell.way() == Way.GO) {
      return go.orElseThrow().window(cell, nanos);
    }
    return Window.of(Objects.requireNonNull(callers.get(cell.way())), cell, nanos);
  }
}
