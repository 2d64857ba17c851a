package io.csi4j.benchmarks.start;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A host that connects to the plugin on a socket. It reports when a Probe was answered, and when it
 * is connected, for which it also reads the plugin's name.
 */
public final class OurStart implements CsiListener {

  private OurStart() {}

  /** Runs the program. The argument is the socket of the plugin. */
  public static void main(String[] words) throws IOException {
    ConnectOptions options =
        ConnectOptions.builder().callbacksInPlace(true).listener(new OurStart()).build();
    try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.of(Path.of(words[0])), options)) {
      if (plugin.name().isPresent()) {
        System.out.println(Host.CONNECTED);
        Resident.print();
      }
    }
  }

  @Override
  public void onEnd(Ended event) {
    if (event.started().operation() == CsiOperation.PROBE && event.code() == StatusCode.OK) {
      System.out.println(Host.PROBED);
    }
  }
}
