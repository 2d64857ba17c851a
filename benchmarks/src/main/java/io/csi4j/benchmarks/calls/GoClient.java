package io.csi4j.benchmarks.calls;

import io.csi4j.benchmarks.GoCalls;
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

/** The client in Go, which sends the same bytes as the Java clients. */
final class GoClient {

  private final GoCalls program;
  private final Path socket;
  private final Map<Operation, Path> requests = new EnumMap<>(Operation.class);

  GoClient(Path program, Path socket) {
    this.program = new GoCalls(program, socket);
    this.socket = socket;
  }

  /** Runs one window. The result contains no number of allocated bytes. */
  Window.Result window(Cell cell, long nanos) throws IOException, InterruptedException {
    boolean probe = cell.operation() == Operation.PROBE;
    CsiOperation operation = probe ? CsiOperation.PROBE : CsiOperation.NODE_PUBLISH_VOLUME;
    GoCalls.Window window =
        program.window(
            new GoCalls.Round(
                List.of(cell.operation().method()),
                List.of(request(cell.operation())),
                CallPolicy.defaultFor(operation).attemptDeadline().toMillis()),
            cell.inFlight(),
            TimeUnit.NANOSECONDS.toMillis(nanos));
    return new Window.Result(window.nanosEach(), window.median(), Double.NaN);
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
