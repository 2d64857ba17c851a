package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;

/** How many descriptors are open, at a moment to come back to. */
public final class OpenDescriptors {

  /** The JVM opens a file of its own now and then; one that leaks stays. */
  private static final int LOOKS = 10_000;

  private final int before = Scratch.descriptors();

  /** That none was left open since. */
  public void assertNoneLeft() {
    int now = Scratch.descriptors();
    for (int i = 0; i < LOOKS && now > before; i++) {
      Thread.onSpinWait();
      now = Scratch.descriptors();
    }
    assertThat(now).as("open descriptors").isLessThanOrEqualTo(before);
  }
}
