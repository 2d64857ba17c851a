package io.csi4j.examples;

import java.time.Duration;
import java.util.List;

/** The size of a rig, and how long its parts take. */
final class RigSettings {

  static final List<String> PLANES = List.of("cp-1", "cp-2", "cp-3");
  static final List<String> NODES = List.of("n1", "n2", "n3");

  /** The size of a new volume. */
  static final long SMALLEST = 8 << 20;

  /** The pause of the chore that goes on with releases: a minute for users, shorter for a round. */
  static final Duration RESUME = Duration.ofSeconds(Long.getLong("rig.resume", 3));

  private RigSettings() {}
}
