package io.csi4j.benchmarks.calls;

import io.csi4j.benchmarks.Program;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program {@code calls.go}, which sends the same bytes; a new process for each window. */
final class GoClient {

  private static final long WARM_UP_MILLIS = 100;

  private final Path program;
  private final Path socket;
  private final Map<Operation, Path> requests = new EnumMap<>(Operation.class);

  GoClient(Path program, Path socket) {
    this.program = program;
    this.socket = socket;
  }

  /** One window; how much is allocated is not told. */
  Window.Result window(Cell cell, long nanos) throws IOException, InterruptedException {
    boolean probe = cell.operation() == Operation.PROBE;
    CsiOperation operation = probe ? CsiOperation.PROBE : CsiOperation.NODE_PUBLISH_VOLUME;
    List<String> said =
        Program.run(
            program.toString(),
            socket.toString(),
            cell.operation().method(),
            request(cell.operation()).toString(),
            Integer.toString(cell.inFlight()),
            Long.toString(CallPolicy.defaultFor(operation).attemptDeadline().toMillis()),
            Long.toString(WARM_UP_MILLIS),
            Long.toString(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos))));
    List<String> figures = List.of(said.get(0).split(" ", -1));
    return new Window.Result(
        Double.parseDouble(figures.get(0)), Double.parseDouble(figures.get(1)), Double.NaN);
  }

  private Path request(Operation operation) throws IOException {
    Path file = requests.get(operation);
    if (file == null) {
      file = socket.resolveSibling(operation.name() + ".request");
      Files.write(
          file,
          operation == Operation.PROBE
              ? ProbeRequest.getDefaultInstance().toByteArray()
              : BareCaller.publish(operation).toByteArray());
      requests.put(operation, file);
    }
    return file;
  }
}
