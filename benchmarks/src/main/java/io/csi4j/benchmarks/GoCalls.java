package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The program {@code calls.go}, which sends given bytes to a plugin through grpc-go. Each window
 * runs in a new process.
 *
 * @param program the built program
 * @param socket the socket on which the plugin listens
 */
public record GoCalls(Path program, Path socket) {

  private static final long WARM_UP_MILLIS = 100;

  /**
   * The calls of one round, in order.
   *
   * @param methods the full gRPC names of the methods
   * @param requests the files with the bytes of the requests
   * @param deadlineMillis the deadline of each call
   */
  public record Round(List<String> methods, List<Path> requests, long deadlineMillis) {

    /** Copies the lists. */
    public Round {
      methods = List.copyOf(methods);
      requests = List.copyOf(requests);
    }
  }

  /**
   * The figures of a window.
   *
   * @param nanosEach the length of the window divided by the number of rounds, in nanoseconds
   * @param median the median duration of a round, in nanoseconds
   */
  public record Window(double nanosEach, double median) {}

  /** Runs one window with this number of goroutines. */
  public Window window(Round round, int inFlight, long millis)
      throws IOException, InterruptedException {
    return run(round, inFlight, millis, List.of());
  }

  /**
   * Runs one window in which each round also appends records of these sizes to one file and syncs
   * them. Only one goroutine at a time appends.
   */
  public Window window(Round round, int inFlight, long millis, Path log, List<Integer> records)
      throws IOException, InterruptedException {
    String sizes = records.stream().map(String::valueOf).collect(Collectors.joining(","));
    return run(round, inFlight, millis, List.of(log.toString(), sizes));
  }

  private Window run(Round round, int inFlight, long millis, List<String> log)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of(
                program.toString(),
                socket.toString(),
                String.join(",", round.methods()),
                round.requests().stream().map(Path::toString).collect(Collectors.joining(",")),
                Integer.toString(inFlight),
                Long.toString(round.deadlineMillis()),
                Long.toString(WARM_UP_MILLIS),
                Long.toString(Math.max(1, millis))));
    words.addAll(log);
    List<String> figures = List.of(Program.run(words.toArray(String[]::new)).get(0).split(" ", -1));
    return new Window(Double.parseDouble(figures.get(0)), Double.parseDouble(figures.get(1)));
  }
}
