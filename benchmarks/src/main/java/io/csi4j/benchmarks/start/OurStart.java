package io.csi4j.benchmarks.start;

import io.csi4j.client.CsiEndpoint;
import io.csi4j.client.CsiPlugin;
import java.nio.file.Path;

/**
 * A host that connects to the plugin on a socket with the defaults, and says so: that takes one
 * Probe with a good answer, and then the plugin's name.
 */
public final class OurStart {

  private OurStart() {}

  /** SOCKET. */
  public static void main(String[] words) {
    try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.of(Path.of(words[0])))) {
      System.out.println("answered by " + plugin.name().orElseThrow());
    }
  }
}
