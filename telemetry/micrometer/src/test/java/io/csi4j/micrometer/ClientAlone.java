package io.csi4j.micrometer;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A program that has the client and no volume manager; loaded where there is none. */
public final class ClientAlone implements Runnable {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private long attempts;

  /** Loaded by its name. */
  public ClientAlone() {}

  @Override
  public void run() {
    try (CsiMetrics metrics = CsiMetrics.bindTo(registry)) {
      CsiListener calls = metrics.calls();
      CsiListener.Started started =
          new CsiListener.Started(
              1,
              CsiOperation.PROBE,
              Optional.empty(),
              CsiEndpoint.of(Path.of("/run/csi/csi.sock")),
              1);
      calls.onStart(started);
      calls.onEnd(
          new CsiListener.Ended(started, StatusCode.OK, Optional.empty(), Duration.ofMillis(1)));
      attempts = registry.get(CsiMeter.ATTEMPTS.id()).timer().count();
    }
  }

  @Override
  public String toString() {
    return attempts + " attempt";
  }
}
